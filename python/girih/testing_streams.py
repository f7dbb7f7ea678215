# SPDX-License-Identifier: Apache-2.0
"""Messages on `flit_t` links under cocotb: a source, a sink and the codec between bytes and flits.

    source, sink = await start(dut, idle=0.3, stall=0.3)
    source.send(Message(frame, {"l3_offset": 14}))
    await settle(dut, source, sink)
    assert sink.messages[0].data == frame

Signals are named as an engine's ports are: `in_valid_i`, `in_ready_o`, `in_flit_i`, `out_valid_o`,
`out_ready_i`, `out_flit_o`, and `out_key_o` where there is one.
"""

from __future__ import annotations

import os
import random
from collections import Counter, deque
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time

from girih.spec.message import CardParams, descriptor_fields, flit_fields, pack, unpack

PERIOD_NS = 4


def card_params() -> CardParams:
    """The parameters that the design under test was built with."""
    return CardParams(data_width=int(os.environ["GIRIH_DATA_WIDTH"]))


def cycle_now() -> int:
    return round(get_sim_time("ns") / PERIOD_NS)


@dataclass
class Message:
    """A message, as a test thinks of it. first and last are the cycles in which its flits moved."""

    data: bytes
    desc: dict = field(default_factory=dict)
    bad: bool = False
    key: int | None = None
    first: int | None = None
    last: int | None = None


def to_flits(message: Message, params: CardParams) -> list[int]:
    """The message's flits as integers. What means nothing (unused bytes, descriptors) is random."""
    fields, descriptor = flit_fields(params), descriptor_fields(params)
    size = params.flit_bytes
    flits = []
    for at in range(0, len(message.data), size):
        chunk = message.data[at : at + size]
        last = at + size >= len(message.data)
        desc = pack(descriptor, message.desc) if at == 0 else random.getrandbits(fields[0].bits)
        values = {
            "desc": desc,
            "bad": int(message.bad) if last else 0,
            "last": int(last),
            "empty": size - len(chunk),
            "data": int.from_bytes(chunk + random.randbytes(size - len(chunk)), "little"),
        }
        flits.append(pack(fields, values))
    return flits


class Source:
    """Drives a link. idle: probability of a pause before each flit."""

    def __init__(self, dut, name: str = "in", idle: float = 0.0):
        self.idle = idle
        self._queue: deque[tuple[Message, int, bool, bool]] = deque()
        self._clk = dut.clk_i
        self._valid, self._ready, self._flit = (
            getattr(dut, f"{name}_{end}") for end in ("valid_i", "ready_o", "flit_i")
        )
        self._params = card_params()
        self._valid.value = 0
        cocotb.start_soon(self._run())

    def send(self, *messages: Message) -> None:
        for message in messages:
            flits = to_flits(message, self._params)
            for i, flit in enumerate(flits):
                self._queue.append((message, flit, i == 0, i == len(flits) - 1))

    @property
    def busy(self) -> bool:
        return bool(self._queue)

    async def _run(self) -> None:
        offered = False
        while True:
            await RisingEdge(self._clk)
            if offered and self._ready.value == 1:
                message, _, first, last = self._queue.popleft()
                if first:
                    message.first = cycle_now()
                if last:
                    message.last = cycle_now()
                offered = False
            if not offered:
                offered = bool(self._queue) and random.random() >= self.idle
                self._valid.value = int(offered)
                self._flit.value = self._queue[0][1] if offered else 0


class Sink:
    """Collects the messages of a link, and checks that they keep the link's rules.

    stall: probability that it is not ready in a cycle.
    """

    def __init__(self, dut, name: str = "out", stall: float = 0.0):
        self.stall = stall
        self.messages: list[Message] = []
        self._dut = dut
        self._valid, self._ready, self._flit = (
            getattr(dut, f"{name}_{end}") for end in ("valid_o", "ready_i", "flit_o")
        )
        self._key = getattr(dut, f"{name}_key_o", None)
        self._params = card_params()
        self._open: Message | None = None
        self._ready.value = 0
        cocotb.start_soon(self._run())

    @property
    def busy(self) -> bool:
        return self._open is not None or self._valid.value == 1

    def _take(self, flit: int) -> None:
        values = unpack(flit_fields(self._params), flit)
        data = values["data"].to_bytes(self._params.flit_bytes, "little")
        if self._open is None:
            desc = unpack(descriptor_fields(self._params), values["desc"])
            key = int(self._key.value) if self._key is not None else None
            self._open = Message(b"", desc, key=key, first=cycle_now())
        if values["last"]:
            data = data[: len(data) - values["empty"]]
        else:
            assert values["empty"] == 0, "only a last flit may have invalid bytes"
        self._open.data += data
        if values["last"]:
            self._open.bad = bool(values["bad"])
            self._open.last = cycle_now()
            self.messages.append(self._open)
            self._open = None

    async def _run(self) -> None:
        held = None
        while True:
            await RisingEdge(self._dut.clk_i)
            if self._valid.value == 1:
                flit = int(self._flit.value)
                assert held in (None, flit), "a flit changed while it was held back"
                if self._ready.value == 1:
                    self._take(flit)
                    held = None
                else:
                    held = flit
            else:
                assert held is None, "valid was withdrawn"
            self._ready.value = int(random.random() >= self.stall)


class Events:
    """Counts the pulses of `event_o`, whose members are `names` (first one most significant)."""

    def __init__(self, dut, names: list[str]):
        self.count: Counter[str] = Counter()
        cocotb.start_soon(self._run(dut, names))

    async def _run(self, dut, names: list[str]) -> None:
        while True:
            await RisingEdge(dut.clk_i)
            value = int(dut.event_o.value) if dut.event_o.value.is_resolvable else 0
            for i, name in enumerate(reversed(names)):
                self.count[name] += value >> i & 1


async def start(dut, idle: float = 0.0, stall: float = 0.0) -> tuple[Source, Sink]:
    """Starts the clock, resets, and returns the source of `in` and the sink of `out`."""
    cocotb.start_soon(Clock(dut.clk_i, PERIOD_NS, unit="ns").start())
    dut.rst_i.value = 1
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    return Source(dut, idle=idle), Sink(dut, stall=stall)


async def settle(dut, source: Source, sink: Sink, cycles: int = 30, limit: int = 200_000) -> None:
    """Waits until nothing is left to send and nothing has come out for `cycles` cycles."""
    quiet = 0
    for _ in range(limit):
        await RisingEdge(dut.clk_i)
        quiet = 0 if source.busy or sink.busy else quiet + 1
        if quiet == cycles:
            return
    raise AssertionError(f"still busy after {limit} cycles")
