# SPDX-License-Identifier: Apache-2.0
"""cocotb drivers and monitors of links of `flit_t`, for the unit tests of whatever passes messages on.

    source = FlitSource(dut, "in", idle=0.3)
    sink = FlitSink(dut, "out", stall=0.3)
    source.send(Message(b"...", desc={"length": 60}))
    await sink.count(1)
    assert sink.messages[0].data == b"..."

Signals are `<link>_valid_i/o`, `<link>_ready_o/i`, `<link>_flit_i/o`. The sink fails the test when the link
breaks the valid/ready rule.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from girih.spec.message import CardParams, descriptor_fields, flit_fields, pack, unpack

PARAMS = CardParams(data_width=int(os.environ.get("GIRIH_DATA_WIDTH", "512")))
FLIT_BYTES = PARAMS.flit_bytes
FLIT_FIELDS = flit_fields(PARAMS)
DESC_FIELDS = descriptor_fields(PARAMS)


@dataclass
class Message:
    """A message on a link; `desc` holds the descriptor's fields that are not 0. `extra`: see the ends."""

    data: bytes
    bad: int = 0
    desc: dict = field(default_factory=dict)
    extra: dict = field(default_factory=dict)
    first_cycle: int = -1
    last_cycle: int = -1


def flits_of(data: bytes) -> int:
    """Flits that `data` takes."""
    return -(-len(data) // FLIT_BYTES)


def to_flits(message: Message) -> list[int]:
    """The packed flits of a message; the bytes past its end are random."""
    flits = []
    for at in range(0, len(message.data), FLIT_BYTES):
        chunk = message.data[at : at + FLIT_BYTES]
        last = at + FLIT_BYTES >= len(message.data)
        empty = FLIT_BYTES - len(chunk)
        flits.append(
            pack(
                FLIT_FIELDS,
                {
                    "desc": pack(DESC_FIELDS, message.desc) if at == 0 else random.getrandbits(32),
                    "bad": message.bad if last else random.getrandbits(1),
                    "last": int(last),
                    "empty": empty,
                    "data": int.from_bytes(chunk + random.randbytes(empty), "little"),
                },
            )
        )
    return flits


def start_clock(dut) -> None:
    """250 MHz on `clk_i`."""
    cocotb.start_soon(Clock(dut.clk_i, 4, unit="ns").start())


async def start(dut, **levels: int) -> None:
    """Starts the clock, sets the inputs `levels`, and gives a reset of three cycles."""
    start_clock(dut)
    for name, value in levels.items():
        getattr(dut, name).value = value
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0


class FlitSource:
    """Drives a link from a queue. Beside each flit it drives `beside(message, index, last)`, a dict of signals."""

    def __init__(self, dut, link: str, *, idle: float = 0.0, beside: Callable | None = None):
        self.dut, self.idle, self.beside = dut, idle, beside
        self.valid = getattr(dut, f"{link}_valid_i")
        self.ready = getattr(dut, f"{link}_ready_o")
        self.flit = getattr(dut, f"{link}_flit_i")
        self.queue: deque = deque()
        self.cycle = 0
        self.valid.value = 0
        cocotb.start_soon(self._run())

    def send(self, message: Message) -> None:
        flits = to_flits(message)
        for index, flit in enumerate(flits):
            self.queue.append((message, index, index == len(flits) - 1, flit))

    async def drained(self, limit: int = 100_000) -> None:
        for _ in range(limit):
            if not self.queue:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.queue)} flits were never taken")

    async def _run(self) -> None:
        offered = False
        while True:
            await RisingEdge(self.dut.clk_i)
            self.cycle += 1
            if offered and self.ready.value == 1:
                message, index, last, _ = self.queue.popleft()
                if index == 0:
                    message.first_cycle = self.cycle
                if last:
                    message.last_cycle = self.cycle
                offered = False
            if not offered and self.queue and random.random() >= self.idle:
                message, index, last, flit = self.queue[0]
                self.flit.value = flit
                if self.beside:
                    for name, value in self.beside(message, index, last).items():
                        getattr(self.dut, name).value = value
                offered = True
            self.valid.value = int(offered)


class FlitSink:
    """Takes messages off a link. `beside(dut)` gives `extra` of a message, sampled with its first flit."""

    def __init__(self, dut, link: str, *, stall: float = 0.0, beside: Callable | None = None):
        self.dut, self.stall, self.beside = dut, stall, beside
        self.valid = getattr(dut, f"{link}_valid_o")
        self.ready = getattr(dut, f"{link}_ready_i")
        self.flit = getattr(dut, f"{link}_flit_o")
        self.messages: list[Message] = []
        self.cycle = 0
        self.ready.value = 0
        cocotb.start_soon(self._run())

    async def count(self, number: int, limit: int = 200_000) -> list[Message]:
        """Waits until `number` messages have come."""
        for _ in range(limit):
            if len(self.messages) >= number:
                return self.messages
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.messages)} messages of {number} came in {limit} cycles")

    async def _run(self) -> None:
        data, first, held, message = b"", True, None, None
        while True:
            await RisingEdge(self.dut.clk_i)
            self.cycle += 1
            if self.valid.value == 1 and self.dut.rst_i.value == 0:
                word = int(self.flit.value)
                flit = unpack(FLIT_FIELDS, word)
                # Bytes past the end may change; nothing else may while the link waits.
                kept = FLIT_BYTES - (flit["empty"] if flit["last"] else 0)
                body = flit["data"].to_bytes(FLIT_BYTES, "little")[:kept]
                shown = (first and flit["desc"], flit["last"], flit["last"] and flit["bad"], body)
                assert held is None or held == shown, "a flit changed while it waited"
                held = shown
                if self.ready.value == 1:
                    held = None
                    if first:
                        message = Message(b"", desc=unpack(DESC_FIELDS, flit["desc"]), first_cycle=self.cycle)
                        if self.beside:
                            message.extra = self.beside(self.dut)
                    assert flit["last"] or flit["empty"] == 0, "empty bytes within a message"
                    data += body
                    first = bool(flit["last"])
                    if first:
                        message.data, message.bad, message.last_cycle = data, flit["bad"], self.cycle
                        self.messages.append(message)
                        data = b""
            else:
                assert held is None, "valid went away before ready"
            self.ready.value = int(random.random() >= self.stall)
