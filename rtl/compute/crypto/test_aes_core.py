# SPDX-License-Identifier: Apache-2.0
"""AES-256-CTR against the vectors of RFC 3686 and against an independent library."""

import os
import random

import cocotb
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from girih.spec.message import pack, struct_fields
from girih.testing import run_cocotb, some_of
from girih.testing.cores import Core, Packet
from girih.testing.messages import FLIT_BYTES

# RFC 3686, test vectors 7 to 9: key, salt, initialization vector, plain text, cipher text.
VECTORS = [
    (
        "776BEFF2851DB06F4C8A0542C8696F6C6A81AF1EEC96B4D37FC1D689E6C1C104",
        "00000060",
        "DB5672C97AA8F0B2",
        "53696E676C6520626C6F636B206D7367",
        "145AD01DBF824EC7560863DC71E3E0C0",
    ),
    (
        "F6D66D6BD52D59BB0796365879EFF886C66DD51A5B6A99744B50590C87A23884",
        "00FAAC24",
        "C1585EF15A43D875",
        "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
        "F05E231B3894612C49EE000B804EB2A9B8306B508F839D6A5530831D9344AF1C",
    ),
    (
        "FF7A617CE69148E4F1726E2F43581DE2AA62D9F805532EDFF1EED687FB54153D",
        "001CC5B7",
        "51A51D70A1C11148",
        "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20212223",
        "EB6C52821D0BBBF7CE7594462ACA4FAAB407DF866569FD07F48CC0B583D6071F1EC0E6B8",
    ),
]

LANES = int(os.environ.get("LANES", "1"))


@pytest.mark.parametrize("data_width, lanes", some_of(2, [(128, 1), (256, 1), (512, 4), (512, 1), (1024, 2)]))
def test_aes_core(data_width, lanes):
    run_cocotb(
        "aes_core",
        __file__,
        data_width=data_width,
        chained=True,
        parameters={"Lanes": lanes},
        environment={"LANES": str(lanes)},
    )


async def load(core: Core, key: bytes, salt: bytes, index: int, tenant: int, by: int = 0) -> bool:
    for word in range(8):
        assert await core.write(4 * word, int.from_bytes(key[4 * word : 4 * word + 4], "little"), by)
    assert await core.write(0x20, int.from_bytes(salt, "little"), by)
    return await core.write(0x24, tenant << 8 | index, by)


def expected(key: bytes, salt: bytes, payload: bytes) -> bytes:
    vector, text = payload[:8], payload[8:]
    cipher = Cipher(algorithms.AES(key), modes.CTR(salt + vector.ljust(8, b"\0") + (1).to_bytes(4, "big")))
    return vector + cipher.encryptor().update(text)


def packet(data: bytes, tenant: int, index: int) -> Packet:
    hop = pack(struct_fields("hop"), {"meta": index})
    return Packet(data, {"tenant": tenant, "chain_count": 1, "chain": [hop], "flow": len(data)})


@cocotb.test()
async def vectors_of_the_rfc(dut):
    core = Core(dut)
    await core.start()
    for index, (key, salt, vector, plain, cipher) in enumerate(VECTORS):
        assert await load(core, bytes.fromhex(key), bytes.fromhex(salt), index, tenant=5)
        core.send(packet(bytes.fromhex(vector + plain), 5, index))
        core.send(packet(bytes.fromhex(vector + cipher), 5, index))
    await core.drain(2 * len(VECTORS))
    for index, (_, _, vector, plain, cipher) in enumerate(VECTORS):
        assert core.received[2 * index].data == bytes.fromhex(vector + cipher)
        assert core.received[2 * index + 1].data == bytes.fromhex(vector + plain)


@cocotb.test()
async def random_packets(dut):
    rng = random.Random(3)
    core = Core(dut, idle=0.1, stall=0.2)
    await core.start()
    keys = {}
    for tenant in (0, 1, 15):
        for index in (0, 3):
            keys[tenant, index] = rng.randbytes(32), rng.randbytes(4)
            assert await load(core, *keys[tenant, index], index, tenant)
    packets = []
    for size in [*range(1, 60), *(rng.randint(1, 700) for _ in range(60)), 1500]:
        tenant, index = rng.choice(list(keys))
        packets.append(packet(rng.randbytes(size), tenant, index))
        core.send(packets[-1])
    await core.drain(len(packets))
    for sent, got in zip(packets, core.received, strict=True):
        index = sent.desc["chain"][0]
        assert got.data == expected(*keys[sent.desc["tenant"], index], sent.data)
        assert not got.void
        assert got.desc["flow"] == sent.desc["flow"]


@cocotb.test()
async def a_key_that_is_not_there_voids_the_packet(dut):
    core = Core(dut)
    await core.start()
    key, salt = bytes(range(32)), b"salt"
    assert await load(core, key, salt, index=1, tenant=2, by=2)
    for tenant, index in ((2, 0), (3, 1), (2, 1)):
        core.send(packet(bytes(100), tenant, index))
    await core.drain(3)
    assert [got.void for got in core.received] == [True, True, False]
    assert await core.write(0x28, 1, tenant=2)
    core.send(packet(bytes(100), 2, 1))
    await core.drain(4)
    assert core.received[3].void


@cocotb.test()
async def nobody_sets_another_tenants_key(dut):
    core = Core(dut)
    await core.start()
    assert not await load(core, bytes(32), bytes(4), index=0, tenant=3, by=2)
    assert not await load(core, bytes(32), bytes(4), index=4, tenant=2, by=0)
    assert not await core.write(0x2C, 0)
    assert not await core.write(0x28, 3 << 8, tenant=2)
    core.send(packet(bytes(100), 3, 0))
    core.send(packet(bytes(100), 2, 0))
    await core.drain(2)
    assert all(got.void for got in core.received)


@cocotb.test()
async def nobody_uses_what_another_has_staged(dut):
    """Requests of three tenants and the operator in random order: each key consists of the words that its tenant has staged, all of them, or the load
    fails."""
    rng = random.Random(9)
    core = Core(dut)
    await core.start()
    staged = {tenant: [None] * 9 for tenant in range(4)}  # staged words by tenant; None: not staged since the last load
    keys: dict[tuple[int, int], list[int]] = {}
    refused = 0
    for _ in range(600):
        by = rng.randrange(4)
        if rng.random() < 0.85:
            missing = [word for word in range(9) if staged[by][word] is None]
            word = rng.choice(missing) if missing and rng.random() < 0.8 else rng.randrange(9)
            staged[by][word] = rng.getrandbits(32)
            assert await core.write(4 * word, staged[by][word], by)
            continue
        tenant, index = by or rng.randrange(4), rng.randrange(4)
        if rng.random() < 0.1:
            assert await core.write(0x28, tenant << 8 | index, by)
            staged[tenant] = [None] * 9
            keys.pop((tenant, index), None)
            continue
        good = None not in staged[by]
        refused += not good
        assert await core.write(0x24, tenant << 8 | index, by) == good
        if good:
            keys[tenant, index] = staged[by]
            staged[by] = [None] * 9
    assert refused > 10 and len(keys) > 8
    packets = [packet(rng.randbytes(60), tenant, index) for tenant in range(4) for index in range(4)]
    for each in packets:
        core.send(each)
    await core.drain(len(packets))
    for sent, got in zip(packets, core.received, strict=True):
        words = keys.get((sent.desc["tenant"], sent.desc["chain"][0]))
        assert got.void == (words is None)
        if words:
            raw = b"".join(word.to_bytes(4, "little") for word in words)
            assert got.data == expected(raw[:32], raw[32:], sent.data)


@cocotb.test()
async def lanes_are_never_idle(dut):
    core = Core(dut)
    await core.start()
    assert await load(core, bytes(32), bytes(4), 0, 1)
    size = 8 + 16 * 20 * LANES * (FLIT_BYTES // 16)
    for _ in range(12):
        core.send(packet(bytes(size), 1, 0))
    await core.drain(12)
    cycles = core.received[-1].last - core.received[0].last
    blocks = 11 * (size // 16)
    # The eight bytes of the vector spill into one more beat, which takes one cycle.
    assert cycles == blocks // LANES + 11, f"{blocks} blocks took {cycles} cycles"
