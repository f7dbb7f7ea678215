# SPDX-License-Identifier: Apache-2.0
"""SipHash-2-4 of a connection's addresses, ports and tenant, against a model that gives the hashes that its authors have published; and guesses."""

from __future__ import annotations

import random
from collections import namedtuple

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

WORD = (1 << 64) - 1
CYCLES = 10  # from start_i to the hash
SOON = 3
Tuple = namedtuple("Tuple", "remote_addr remote_port local_port local_addr tenant")
# Of the bytes 0, 1, 2 ... under the key 0, 1 ... 15, as its authors publish them: the bytes of each hash, by the number of bytes hashed.
PUBLISHED = {
    0: "310e0edd47db6f72", 1: "fd67dc93c539f874", 7: "37d1018bf50002ab", 8: "6224939a79f5f593", 12: "fbe50e86bc8f1e75",
    13: "903d84c02756ea14", 14: "eef27a8e90ca23f7", 15: "e545be4961ca29a1",
}  # fmt: skip


def siphash(key: bytes, text: bytes) -> int:
    """SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, 2012)."""

    def turn(word: int, bits: int) -> int:
        return (word << bits | word >> (64 - bits)) & WORD

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & WORD
            v[2] = (v[2] + v[3]) & WORD
            v[1] = turn(v[1], 13) ^ v[0]
            v[3] = turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[1]) & WORD
            v[0] = (v[0] + v[3]) & WORD
            v[1] = turn(v[1], 17) ^ v[2]
            v[3] = turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    low, high = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    starts = [int.from_bytes(word, "big") for word in (b"somepseu", b"dorandom", b"lygenera", b"tedbytes")]
    v = [starts[0] ^ low, starts[1] ^ high, starts[2] ^ low, starts[3] ^ high]
    padded = text + bytes(-(len(text) + 1) % 8) + bytes([len(text) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def initial(secret: int, remote_addr: int, remote_port: int, local_port: int, local_addr: int, tenant: int) -> tuple[int, int]:
    """The hash for a connection's initial sequence number, and the offset of its clock of time stamps."""
    fields = ((remote_addr, 4), (local_port, 2), (remote_port, 2), (local_addr, 4), (tenant, 1))
    value = siphash(secret.to_bytes(16, "little"), b"".join(field.to_bytes(size, "little") for field, size in fields))
    return value & 0xFFFFFFFF, value >> 32


def test_the_model_gives_what_is_published():
    for length, text in PUBLISHED.items():
        assert siphash(bytes(range(16)), bytes(range(length))) == int.from_bytes(bytes.fromhex(text), "little"), length


def test_tcp_hash():
    run_cocotb("tcp_hash", __file__)


class Hash:
    """The module, and a step for each cycle."""

    def __init__(self, dut, secret: int):
        self.dut, self.secret = dut, secret

    @classmethod
    async def start(cls, dut, secret: int) -> Hash:
        await reset(dut, guess_i=0, start_i=0, reuse_i=0, secret_i=secret)
        return cls(dut, secret)

    def any(self) -> Tuple:
        return Tuple(random.getrandbits(32), random.getrandbits(16), random.getrandbits(16), random.getrandbits(32), random.randrange(16))

    def keyed(self, secret: int) -> None:
        self.secret = self.dut.secret_i.value = secret

    async def step(self, guess: Tuple | None = None, start: Tuple | None = None, reuse: bool = False) -> None:
        """A cycle. What the module shows then is in soon, done and got."""
        dut = self.dut
        await RisingEdge(dut.clk_i)
        dut.guess_i.value, dut.start_i.value, dut.reuse_i.value = guess is not None, start is not None, reuse
        for one, tuple_i, tenant_i in ((guess, dut.guess_tuple_i, dut.guess_tenant_i), (start, dut.tuple_i, dut.tenant_i)):
            given = one or self.any()
            tuple_i.value = given.remote_addr << 64 | given.remote_port << 48 | given.local_port << 32 | given.local_addr
            tenant_i.value = given.tenant
        await FallingEdge(dut.clk_i)
        self.soon, self.done = bool(dut.soon_o.value), bool(dut.done_o.value)
        self.got = int(dut.hash_o.value), int(dut.offset_o.value)

    async def hashed(self, tuple_: Tuple, reuse: bool = False) -> int:
        """Starts one, and checks what comes of it; the cycles from the start until it is soon there."""
        await self.step(start=tuple_, reuse=reuse)
        soon, got, limit = None, [], CYCLES + 1
        for cycle in range(1, limit + SOON):
            await self.step()
            if soon is not None:
                assert self.soon, "it stays"
            elif self.soon:
                soon = cycle
            got.append(self.got)
            if self.done:
                assert set(got[-2:]) == {self.right(tuple_)}, "it is there a cycle before done_o"
        assert soon is not None and self.done and got[soon + SOON - 1 :] == [self.right(tuple_)] * (limit - soon)
        return soon

    def right(self, tuple_: Tuple) -> tuple[int, int]:
        return initial(self.secret, *tuple_)


@cocotb.test()
async def it_is_the_hash_that_is_published(dut):
    """The fields are so that their text is 0, 1 ... 12."""
    bench = await Hash.start(dut, int.from_bytes(bytes(range(16)), "little"))
    first = Tuple(0x03020100, 0x0706, 0x0504, 0x0B0A0908, 12)
    assert await bench.hashed(first) == CYCLES - SOON
    assert bench.got[1] << 32 | bench.got[0] == int.from_bytes(bytes.fromhex(PUBLISHED[13]), "little")


@cocotb.test()
async def each_bit_matters(dut):
    """Of all fields, and of the key: a bit more gives another hash, which is the right one."""
    bench = await Hash.start(dut, random.getrandbits(128))
    base = bench.any()
    seen = set()
    for field, bits in (("remote_addr", 32), ("remote_port", 16), ("local_port", 16), ("local_addr", 32), ("tenant", 4)):
        for bit in range(bits):
            await bench.hashed(base._replace(**{field: getattr(base, field) ^ 1 << bit}))
            seen.add(bench.got)
    for bit in range(0, 128, 5):
        bench.keyed(bench.secret ^ 1 << bit)
        await bench.hashed(base)
        seen.add(bench.got)
    assert len(seen) == 100 + 26


@cocotb.test()
async def guesses_change_only_when_it_is_there(dut):
    """Of this tuple or another, at any time before the start; the last one counts, unless nothing guessed may be used."""
    bench = await Hash.start(dut, random.getrandbits(128))
    right, wrong = bench.any(), bench.any()
    for number in range(400):
        guesses = [random.choice((right, wrong, None)) for _ in range(random.randrange(14))]
        for guess in guesses:
            await bench.step(guess=guess)
        made = [(len(guesses) - at, guess) for at, guess in enumerate(guesses) if guess]
        reuse = random.random() < 0.8
        soon = await bench.hashed(right, reuse)
        if not made:
            assert soon == (1 if reuse and number else CYCLES - SOON), "what was started last is still there"
        elif reuse and made[-1][1] == right:
            assert soon == max(1, CYCLES - SOON - made[-1][0])
        else:
            assert soon == CYCLES - SOON


@cocotb.test()
async def nearly_the_same_is_not_the_same(dut):
    """A guess that differs in one bit is not used."""
    bench = await Hash.start(dut, random.getrandbits(128))
    for field, bits in (("remote_addr", 32), ("remote_port", 16), ("local_port", 16), ("local_addr", 32), ("tenant", 4)):
        for bit in range(bits):
            right = bench.any()
            await bench.step(guess=right._replace(**{field: getattr(right, field) ^ 1 << bit}))
            await bench.step()
            assert await bench.hashed(right, reuse=True) == CYCLES - SOON


@cocotb.test()
async def a_new_secret_counts(dut):
    """A hash that may not be used again is made anew under the secret of that time."""
    bench = await Hash.start(dut, 0)
    tuple_ = bench.any()
    for _ in range(5):
        await bench.hashed(tuple_)
        bench.keyed(random.getrandbits(128))
    await bench.hashed(tuple_)


@cocotb.test()
async def nothing_is_known_after_a_reset(dut):
    bench = await Hash.start(dut, 5)
    tuple_ = bench.any()
    await bench.hashed(tuple_)
    bench = await Hash.start(dut, 6)
    assert await bench.hashed(tuple_, reuse=True) == CYCLES - SOON
