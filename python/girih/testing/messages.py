# SPDX-License-Identifier: Apache-2.0
"""Messages on `flit_t` links under cocotb: a source, a sink and the codec between bytes and flits.

    source, sink = await start(dut, idle=0.3, stall=0.3)
    source.send(Message(frame, {"l3_offset": 14}))
    await settle(dut, source, sink)
    assert sink.messages[0].data == frame

Signals are named as an engine's ports are: `in_valid_i`, `in_ready_o`, `in_flit_i`, `out_valid_o`,
`out_ready_i`, `out_flit_o`, and `out_key_o` where there is one. What else belongs to a flit goes
through the hooks `beside`.
"""

from __future__ import annotations

import os
import random
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event, RisingEdge

from girih.spec.message import CardParams, descriptor_fields, flit_fields, pack, unpack
from girih.testing.clock import cycle_now, start_clock

WRAP = 777  # the cycle of a simulation in which the card's time wraps

# Those of the design under test; outside the simulator, where pytest collects, they have no meaning.
_WIDTH = int(os.environ.get("GIRIH_DATA_WIDTH", "512"))
_MAX_FRAME = int(os.environ.get("GIRIH_MAX_FRAME", str(CardParams().max_frame)))
PARAMS = CardParams.with_groups(_WIDTH, _MAX_FRAME, os.environ["GIRIH_GROUPS"].split(",") if os.environ.get("GIRIH_GROUPS") else ())
FLIT_BYTES = PARAMS.flit_bytes
FLIT_FIELDS = flit_fields(PARAMS)
DESC_FIELDS = descriptor_fields(PARAMS)
DESC_BITS = FLIT_FIELDS[0].bits
FLIT_BITS = sum(field.bits for field in FLIT_FIELDS)


def time_at(cycle: int) -> int:
    """The card's time in a cycle of a simulation, as `now_i` and descriptors have it. It wraps soon in every test."""
    return (cycle - WRAP) % (1 << 24)


@dataclass
class Message:
    """A message, as a test sees it. `desc` holds the descriptor's fields that are not 0.

    beside: what the hooks of source and sink put on or take off other signals. first and last are the
    cycles in which its flits moved.
    """

    data: bytes
    desc: dict = field(default_factory=dict)
    bad: bool = False
    beside: dict = field(default_factory=dict)
    key: int | None = None
    first: int | None = None
    last: int | None = None


def flits_of(data: bytes) -> int:
    """Flits that `data` takes."""
    return -(-len(data) // FLIT_BYTES)


def to_flits(message: Message, node: int | None = None) -> list[int]:
    """The message's flits as integers. Bits without a meaning (unused bytes, later descriptors) are random.

    node: the destination. On the fabric each flit of a message has its source and its destination.
    """
    flits = []
    ends = {} if node is None else {"src": message.desc.get("src", 0), "dst": node}
    for at in range(0, len(message.data), FLIT_BYTES):
        chunk = message.data[at : at + FLIT_BYTES]
        last = at + FLIT_BYTES >= len(message.data)
        empty = FLIT_BYTES - len(chunk)
        values = {
            "desc": _later_descriptor(ends) if at else pack(DESC_FIELDS, message.desc | ends),
            "first": int(not at),
            "bad": int(message.bad) if last else random.getrandbits(1),
            "last": int(last),
            "empty": empty,
            "data": int.from_bytes(chunk + random.randbytes(empty), "little"),
        }
        flits.append(pack(FLIT_FIELDS, values))
    return flits


def _later_descriptor(ends: dict[str, int]) -> int:
    bits = random.getrandbits(DESC_BITS)
    return pack(DESC_FIELDS, unpack(DESC_FIELDS, bits) | ends) if ends else bits


class _FirstBit:
    """The lowest bit of a signal; the others are driven to 0."""

    def __init__(self, handle):
        self._handle = handle

    @property
    def value(self) -> int:
        return int(self._handle.value) & 1

    @value.setter
    def value(self, bit: int) -> None:
        self._handle.value = bit


class FirstPort:
    """Presents an engine with arrays of fabric ports as one with only the first port. The others take nothing, and nothing comes to them."""

    def __init__(self, dut):
        self._dut = dut

    def __getattr__(self, name):
        handle = getattr(self._dut, name)
        if name in ("in_flit_i", "out_flit_o", "out_key_o"):
            return handle[0]
        return _FirstBit(handle) if name in ("in_valid_i", "in_ready_o", "out_valid_o", "out_ready_i") else handle


_running: dict[tuple[type, str], Task] = {}


def _start(owner: object, name: str, loop: Coroutine[Any, Any, None]) -> None:
    """Runs what drives or watches the port `name`; what an earlier bench of the same test ran there ends."""
    port = type(owner), name
    if port in _running:
        _running[port].cancel()
    _running[port] = cocotb.start_soon(loop)


class Source:
    """Drives a link. What has not been sent when a reset begins is discarded. idle: probability of a pause before each flit. node: of the tile that it leads to, if it is a link of the fabric.

    beside: a function of a message, the index of a flit and whether this is the last one; it returns the
    values of the signals beside this flit.
    """

    def __init__(
        self,
        dut,
        name: str = "in",
        *,
        idle: float = 0.0,
        node: int | None = None,
        beside: Callable[[Message, int, bool], dict[str, int]] | None = None,
    ):
        self.idle, self._node = idle, node
        self._dut, self._beside = dut, beside
        self._queue: deque[tuple[Message, int, bool, int]] = deque()
        self._filled = Event()
        self._offers = False  # a flit: the value of valid
        self._noise = random.Random(name)
        self._valid, self._ready, self._flit = (
            getattr(dut, f"{name}_{end}") for end in ("valid_i", "ready_o", "flit_i")
        )
        self._valid.value = 0
        _start(self, name, self._run())

    def send(self, *messages: Message) -> None:
        for message in messages:
            flits = to_flits(message, self._node)
            for index, flit in enumerate(flits):
                self._queue.append((message, index, index == len(flits) - 1, flit))
        self._filled.set()

    @property
    def busy(self) -> bool:
        return bool(self._queue)

    async def drained(self, limit: int = 100_000) -> None:
        """Waits until every flit has been taken."""
        for _ in range(limit):
            if not self._queue:
                return
            await RisingEdge(self._dut.clk_i)
        raise AssertionError(f"{len(self._queue)} flits were never taken")

    def forget(self) -> None:
        """Discards all messages that have not been sent, for a reset."""
        self._queue.clear()
        self._offers = False
        self._valid.value = 0

    async def _run(self) -> None:
        edge, reset = RisingEdge(self._dut.clk_i), self._dut.rst_i
        in_reset = False
        while True:
            if not self._queue and not self._offers:
                self._filled.clear()
                await self._filled.wait()
                in_reset = int(reset.value) == 1
            await edge
            was_in_reset, in_reset = in_reset, int(reset.value) == 1
            if in_reset and not was_in_reset:
                self._queue.clear()
            offered = self._offers and bool(self._queue)
            if offered and int(self._ready.value) == 1:
                message, index, last, _ = self._queue.popleft()
                if index == 0:
                    message.first = cycle_now()
                if last:
                    message.last = cycle_now()
                offered = False
            if not offered and self._queue and random.random() >= self.idle:
                message, index, last, flit = self._queue[0]
                self._flit.value = flit
                if self._beside:
                    for name, value in self._beside(message, index, last).items():
                        getattr(self._dut, name).value = value
                offered = True
            if offered != self._offers:
                self._valid.value = int(offered)
                self._offers = offered
                if not offered:  # nothing that a flit says means anything now
                    self._flit.value = self._noise.getrandbits(FLIT_BITS)


class Sink:
    """Collects the messages of a link, and checks that they keep the link's rules.

    stall: probability that it is not ready in a cycle. beside: gives what to remember of other signals
    when a message's first flit moves.
    """

    def __init__(
        self, dut, name: str = "out", *, stall: float = 0.0, beside: Callable[[object], dict[str, object]] | None = None
    ):
        self.stall = stall
        self.messages: list[Message] = []
        self._dut, self._beside = dut, beside
        self._valid, self._ready, self._flit = (
            getattr(dut, f"{name}_{end}") for end in ("valid_o", "ready_i", "flit_o")
        )
        self._key = getattr(dut, f"{name}_key_o", None)
        self._open: Message | None = None
        self._ready.value = 0
        _start(self, name, self._run())

    @property
    def busy(self) -> bool:
        return self._open is not None or self._valid.value == 1

    async def count(self, number: int, limit: int = 200_000) -> list[Message]:
        """Waits until `number` messages have come."""
        for _ in range(limit):
            if len(self.messages) >= number:
                return self.messages
            await RisingEdge(self._dut.clk_i)
        raise AssertionError(f"{len(self.messages)} messages of {number} came in {limit} cycles")

    def _take(self, flit: dict[str, int], body: bytes) -> None:
        if self._open is None:
            self._open = Message(b"", unpack(DESC_FIELDS, flit["desc"]), first=cycle_now())
            if self._key is not None:
                self._open.key = int(self._key.value)
            if self._beside:
                self._open.beside = self._beside(self._dut)
        assert flit["last"] or flit["empty"] == 0, "empty bytes within a message"
        self._open.data += body
        if flit["last"]:
            self._open.bad = bool(flit["bad"])
            self._open.last = cycle_now()
            self.messages.append(self._open)
            self._open = None

    async def _run(self) -> None:
        edge, reset = RisingEdge(self._dut.clk_i), self._dut.rst_i
        held, ready = None, 0
        while True:
            await edge
            if int(self._valid.value) == 1 and int(reset.value) == 0:
                flit = unpack(FLIT_FIELDS, int(self._flit.value))
                # While the link waits, only the bytes past the end may change.
                kept = FLIT_BYTES - (flit["empty"] if flit["last"] else 0)
                body = flit["data"].to_bytes(FLIT_BYTES, "little")[:kept]
                shown = (self._open is None and flit["desc"], flit["last"], flit["last"] and flit["bad"], body)
                assert held in (None, shown), "a flit changed while it was held back"
                held = shown
                if ready:
                    self._take(flit, body)
                    held = None
            elif (held or self._open) and int(reset.value) == 1:
                held = self._open = None
            else:
                assert held is None, "valid was withdrawn"
            before, ready = ready, int(random.random() >= self.stall)
            if ready != before:
                self._ready.value = ready


class Events:
    """Counts the pulses of `event_o`, whose members are `names` (first one in bit 0)."""

    def __init__(self, dut, names: list[str]):
        self.count: Counter[str] = Counter()
        _start(self, "event", self._run(dut, names))

    async def _run(self, dut, names: list[str]) -> None:
        edge, events = RisingEdge(dut.clk_i), dut.event_o
        while True:
            await edge
            bits = str(events.value)
            if "1" in bits:
                self.count.update(name for name, bit in zip(names, reversed(bits)) if bit == "1")


async def reset(dut, **levels: int) -> None:
    """Starts the clock, sets the inputs `levels`, and gives a reset of three cycles."""
    start_clock(dut)
    for name, value in levels.items():
        getattr(dut, name).value = value
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0


async def start(dut, idle: float = 0.0, stall: float = 0.0) -> tuple[Source, Sink]:
    """Resets, and returns the source of `in` and the sink of `out`."""
    await reset(dut, in_valid_i=0, out_ready_i=0)
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
