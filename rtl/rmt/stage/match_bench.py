# SPDX-License-Identifier: Apache-2.0
"""A match-action stage under cocotb: packets in every cycle, software through the window."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from girih.rmt import stage as st
from girih.rmt.stage import Refused, run_async
from girih.spec.message import Field, pack, type_widths, unpack
from girih.testing.clock import start_clock
from girih.testing.messages import DESC_BITS, DESC_FIELDS

WORDS, EDITS = 16, 4
EDIT_FIELDS = [
    Field("valid", 1, 1, None, ""),
    Field("number", 4, 1, None, ""),
    Field("halves", 2, 1, None, ""),
    Field("value", 32, 1, None, ""),
    Field("delta", 16, 2, None, ""),
]
_EDIT_BITS = sum(f.width for f in EDIT_FIELDS)
META_HALF = 2 * WORDS  # bits 15:0 of the mark
NO_DROP, DROP_ACTION, DROP_METER = 0, 2, 3


def phv_fields(bits: int) -> list[Field]:
    """The fields of `phv_t`; what only parser and deparser use is one field."""
    before = [
        Field("word", 32, WORDS, None, ""),
        Field("word_valid", WORDS, 1, None, ""),
        Field("headers", 16, 1, None, ""),
    ]
    after = [
        Field("edit", _EDIT_BITS, EDITS, None, ""),
        Field("meta", 32, 1, None, ""),
        Field("mirror", 1, 1, None, ""),
        Field("mirror_exit", type_widths()["node"], 1, None, ""),
        Field("drop", 2, 1, None, ""),
        Field("may_be_lossless", 1, 1, None, ""),
        Field("desc", DESC_BITS, 1, None, ""),
    ]
    parse = bits - sum(f.width for f in before + after)
    return [*before, Field("parse", parse, 1, None, ""), *after]


@dataclass
class Phv:
    """A packet between stages. word: 16 numbers. edit: the valid edits. desc: the fields other than 0."""

    word: list[int]
    word_valid: int = (1 << WORDS) - 1
    headers: int = 0
    edit: list[dict] = field(default_factory=list)
    meta: int = 0
    mirror: int = 0
    mirror_exit: int = 0
    drop: int = 0
    may_be_lossless: int = 1
    desc: dict = field(default_factory=dict)

    def pack(self, bits: int) -> int:
        values = dict(self.__dict__)
        values["desc"] = pack(DESC_FIELDS, self.desc)
        values["edit"] = [pack(EDIT_FIELDS, edit | {"valid": 1}) for edit in self.edit]
        return pack(phv_fields(bits), values)

    @classmethod
    def unpack(cls, number: int, bits: int) -> Phv:
        values = unpack(phv_fields(bits), number)
        del values["parse"]
        edits = [unpack(EDIT_FIELDS, edit) for edit in values["edit"]]
        count = sum(edit.pop("valid") for edit in edits)
        values["edit"] = edits[:count]
        values["desc"] = unpack(DESC_FIELDS, values["desc"])
        return cls(**values)


def random_phv(tenant: int = 0, length: int = 64, seed: int | None = None) -> Phv:
    source = random.Random(random.getrandbits(32) if seed is None else seed)
    return Phv([source.getrandbits(32) for _ in range(WORDS)], desc={"tenant": tenant, "length": length})


class Bench:
    """Drives a `match_stage`. sent: the packets in it. `on_packet(before, after)` sees each packet that leaves."""

    def __init__(self, dut):
        self.dut = dut
        self.bits = len(dut.phv_i)
        self.queue: deque[Phv] = deque()
        self.make = None  # makes packets while the queue is empty
        self.on_packet = lambda before, after: None
        self.inside: deque[tuple[int, Phv]] = deque()
        self.left = 0
        self.cycle = 0

    async def start(self) -> Bench:
        dut = self.dut
        dut.rst_i.value = 1
        dut.phv_valid_i.value = 0
        dut.window_i.value = 0
        start_clock(dut)
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        cocotb.start_soon(self._run())
        return self

    async def _run(self) -> None:
        """Sends a packet per cycle; it is out three cycles later."""
        dut = self.dut
        while True:
            await FallingEdge(dut.clk_i)
            self.cycle += 1
            packet = self.queue.popleft() if self.queue else self.make() if self.make else None
            dut.phv_valid_i.value = int(packet is not None)
            if packet:
                dut.phv_i.value = dut.key_phv_i.value = packet.pack(self.bits)
                self.inside.append((self.cycle, packet))
            if dut.phv_valid_o.value:
                entered, before = self.inside.popleft()
                assert self.cycle - entered == 3
                self.left += 1
                self.on_packet(before, Phv.unpack(int(dut.phv_o.value), self.bits))

    async def access(self, write: bool, offset: int, data: int = 0, tenant: int = 0) -> int:
        """One request through the window. Raises Refused."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_i.value = 1 << 51 | int(write) << 50 | offset << 36 | data << 4 | tenant
        for _ in range(2000):
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            response = int(dut.window_o.value)
            if response >> 33:
                break
        else:
            raise AssertionError(f"no answer to {offset:#x}")
        await RisingEdge(dut.clk_i)
        dut.window_i.value = 0
        if response >> 32 & 1:
            raise Refused(f"{'write' if write else 'read'} {offset:#x}")
        return response & 0xFFFFFFFF

    async def software(self, steps, tenant: int = 0):
        """Executes the steps of `girih.rmt.stage` or a table."""

        async def access(write, offset, data):
            return await self.access(write, offset, data, tenant)

        return await run_async(steps, access)

    async def send(self, packet: Phv) -> Phv:
        """Sends one packet by itself; returns it as it leaves."""
        seen = []
        saved, self.on_packet = self.on_packet, lambda before, after: seen.append(after)
        self.queue.append(packet)
        for _ in range(5):
            await RisingEdge(self.dut.clk_i)
        self.on_packet = saved
        assert len(seen) == 1
        return seen[0]


async def start(dut):
    """A bench whose stage has a key of the first halves, and the shape of the stage."""
    bench = await Bench(dut).start()
    shape = await bench.software(st.shape())
    await bench.software(st.set_key(list(range(shape.key_halves))))
    return bench, shape


def key_of(packet: Phv, shape) -> int:
    """The key of a packet, made of halves 0, 1, 2 …: low half of word 0, high half of word 0, and so on."""
    key = 0
    for half in range(shape.key_halves):
        key = key << 16 | packet.word[half // 2] >> 16 * (half % 2) & 0xFFFF
    return key


def packet_with(key: int, shape, tenant: int = 0, seed: int | None = None) -> Phv:
    packet = random_phv(tenant, seed=seed)
    for half in range(shape.key_halves):
        value = key >> 16 * (shape.key_halves - 1 - half) & 0xFFFF
        shift = 16 * (half % 2)
        packet.word[half // 2] = packet.word[half // 2] & ~(0xFFFF << shift) | value << shift
    assert key_of(packet, shape) == key
    return packet


def chain_action(number: int) -> dict:
    """An action that writes `number` into fields at both ends of its word."""
    hops = [{"service": number >> 4 & 15, "rank_class": number & 15, "meta": number & 255} for _ in range(8)]
    return {
        "chain_set": 1,
        "chain_count": 1 + number % 8,
        "chain": hops,
        "exit_set": 1,
        "exit": number & 255,
        "meta_set": 3,
        "meta": number,
    }


def hop_word(number: int) -> int:
    return (number >> 4 & 15) << 12 | (number & 15) << 8 | number & 255


def check_chain(after: Phv, number: int) -> None:
    assert after.meta == number
    assert after.desc["exit"] == number & 255
    assert after.desc["chain_count"] == 1 + number % 8
    assert after.desc["chain"] == [hop_word(number)] * 8
