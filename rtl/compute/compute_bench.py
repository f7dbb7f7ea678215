# SPDX-License-Identifier: Apache-2.0
"""A compute unit under cocotb: its messages, the scheduler's side of its credits, and an engine in Python."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable

import cocotb
from cocotb.triggers import RisingEdge

from girih.spec.message import pack, struct_fields, unpack
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import DESC_FIELDS, FLIT_BYTES, Events, Message, Sink, Source, reset, settle

HOP = struct_fields("hop")


def scheduler_key(desc: dict) -> int:
    """The key of the node table: flows take turns between two of the scheduler's ports."""
    return 1 + desc["flow"].bit_count() % 2


EVENTS = [
    "drop_overrun",
    "drop_engine",
    "drop_aborted",
    "mark_detoured",
    "mark_pushed",
    "mark_pulled",
    "mark_busy_cycles",
]
# What an engine may set.
ENGINES_OWN = (
    "rank_valid",
    "rank",
    "length",
    "l3_offset",
    "l4_offset",
    "payload_offset",
    "payload_sum_valid",
    "payload_sum",
)


def random_hop() -> int:
    return pack(HOP, {field.name: random.getrandbits(field.bits) for field in HOP})


def random_desc(size: int, *, hops: int | None = None, **fields) -> dict:
    """The descriptor of a message of `size` bytes with services left to visit, on a route or not."""
    desc: dict[str, int | list] = {field.name: random.getrandbits(field.bits) for field in DESC_FIELDS if field.count == 1}
    hops = random.randint(0, 8) if hops is None else hops
    route = random.randint(0, hops)
    desc |= {
        "chain_count": hops,
        "chain": [random_hop() for _ in range(8)],
        "route_count": route,
        "route": [random.getrandbits(8) for _ in range(9)],
        "length": size,
        "lossless": 0,
    }
    return desc | fields


def done_desc(desc: dict) -> dict:
    """The message's descriptor after an engine that did not change it."""
    result = dict(desc, credit=0, detoured=0, rank_valid=0)
    result["chain_count"] = max(desc["chain_count"] - 1, 0)
    result["chain"] = [*desc["chain"][1:], 0]
    if desc["route_count"] == 0 and result["chain_count"] == 0:
        result["route_count"] = 1
        result["route"] = [desc["exit"], *desc["route"][1:]]
    return result


def detoured_desc(desc: dict) -> dict:
    return dict(desc, route_count=0, credit=0, detoured=1)


def tagged_messages(count: int, *, size: int | Callable[[], int], **fields) -> list[Message]:
    """Messages that are identified by their first four bytes; half of them pushed. size: bytes, or a function that draws them."""
    result = []
    for tag in range(count):
        length = size() if callable(size) else size
        result.append(Message(tag.to_bytes(4, "little") + random.randbytes(length - 4), random_desc(length, **fields)))
    return result


class Credits:
    """Counts the unit's credit events."""

    def __init__(self, dut):
        self.give_lossless = self.cancel = 0
        self.gives: list[int] = []  # the cycle of each
        cocotb.start_soon(self._run(dut))

    @property
    def give(self) -> int:
        return len(self.gives)

    async def _run(self, dut) -> None:
        while True:
            await RisingEdge(dut.clk_i)
            if dut.rst_i.value == 0:
                value = int(dut.credit_o.value)
                if value >> 2 & 1:
                    self.gives.append(cycle_now())
                self.give_lossless += value >> 2 & value >> 1 & 1
                self.cancel += value & 1
                assert not value >> 1 & ~(value >> 2) & 1, "a lossless give that is none"


class Engine:
    """An engine in Python on a traffic manager's AXI4-Stream ports.

    work: maps the data and the descriptor of a message to the answer's data and descriptor and whether it is
    void. stall, idle: probabilities of not taking, and of not giving, a beat. stalled: takes nothing.
    """

    def __init__(self, dut, work: Callable[[bytes, dict], tuple[bytes, dict, bool]], *, stall=0.0, idle=0.0):
        self.stall, self.idle, self.stalled = stall, idle, False
        self.seen: list[tuple[bytes, dict]] = []
        self._dut, self._work = dut, work
        self._answers: deque[tuple[bytes, dict, bool]] = deque()
        dut.m_axis_tready.value = 0
        dut.s_axis_tvalid.value = 0
        cocotb.start_soon(self._take())
        cocotb.start_soon(self._give())

    async def _take(self) -> None:
        dut, data, first = self._dut, b"", None
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_axis_tvalid.value == 1 and dut.m_axis_tready.value == 1:
                desc = unpack(DESC_FIELDS, int(dut.m_desc_o.value))
                assert first in (None, desc), "the descriptor changed within a message"
                first = desc
                keep = int(dut.m_axis_tkeep.value)
                count = keep.bit_count()
                assert keep == (1 << count) - 1, "tkeep has a hole"
                data += int(dut.m_axis_tdata.value).to_bytes(FLIT_BYTES, "little")[:count]
                if dut.m_axis_tlast.value == 1:
                    self.seen.append((data, desc))
                    self._answers.append(self._work(data, desc))
                    data, first = b"", None
                else:
                    assert count == FLIT_BYTES
            dut.m_axis_tready.value = int(not self.stalled and random.random() >= self.stall)

    async def _give(self) -> None:
        dut, offered = self._dut, None
        while True:
            await RisingEdge(dut.clk_i)
            if offered is not None and dut.s_axis_tready.value == 1:
                data, desc, void = self._answers.popleft()
                if len(data) > FLIT_BYTES:
                    self._answers.appendleft((data[FLIT_BYTES:], desc, void))
                offered = None
            if offered is None and self._answers and random.random() >= self.idle:
                data, desc, void = offered = self._answers[0]
                beat = data[:FLIT_BYTES]
                dut.s_axis_tdata.value = int.from_bytes(beat + random.randbytes(FLIT_BYTES - len(beat)), "little")
                dut.s_axis_tkeep.value = (1 << len(beat)) - 1
                dut.s_axis_tlast.value = int(len(data) <= FLIT_BYTES)
                dut.s_axis_tuser.value = int(void and len(data) <= FLIT_BYTES)
                dut.s_desc_i.value = pack(DESC_FIELDS, desc)
            dut.s_axis_tvalid.value = int(offered is not None)


class Ledger:
    """The fate of each message sent, identified by the tag in its first bytes.

    Every message is done, detoured or dropped once; both kinds leave in the order in which they came.
    """

    def __init__(self, sent: list[Message], out: list[Message]):
        self.of_tag = {self.tag(message.data): message for message in sent}
        self.detoured = [m for m in out if m.desc["detoured"]]
        self.done = [m for m in out if not m.desc["detoured"]]
        tags = [self.tag(m.data) for m in out]
        assert not [tag for tag, count in Counter(tags).items() if count > 1], "a message left twice"
        order = {tag: i for i, tag in enumerate(self.of_tag)}
        for kind in (self.detoured, self.done):
            places = [order[self.tag(m.data)] for m in kind]
            assert places == sorted(places), "messages left in another order"
        self.missing = [m for tag, m in self.of_tag.items() if tag not in set(tags)]

    @staticmethod
    def tag(data: bytes) -> bytes:
        return data[:4]

    def origin(self, message: Message) -> Message:
        return self.of_tag[self.tag(message.data)]


class UnitBench:
    """A unit between a source and a sink, with its events and credits counted."""

    def __init__(self, dut, *, idle: float, stall: float):
        self.dut = dut
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.credits, self.events = Credits(dut), Events(dut, EVENTS)

    @classmethod
    async def start(cls, dut, kind: str, config: dict, *, idle: float = 0.0, stall: float = 0.0) -> UnitBench:
        """Around the engine of a kind of tile, configured."""
        await reset(dut, in_valid_i=0, out_ready_i=0, cfg_i=config_word(kind, **config))
        return cls(dut, idle=idle, stall=stall)

    async def run(self, sent: list[Message]) -> Ledger:
        """Sends the messages and returns their fates, once the unit is quiet again."""
        self.source.send(*sent)
        await self.settled()
        return self.check(sent)

    async def settled(self) -> None:
        """Waits until the unit and its engine are idle."""
        before, now = None, (0, 0)
        while before != now:
            before = now
            await settle(self.dut, self.source, self.sink)
            now = (self.events.count["mark_busy_cycles"], self.credits.give)

    def check(self, sent: list[Message]) -> Ledger:
        """Every message sent so far is accounted for, and every credit. sent: all of them."""
        ledger = Ledger(sent, self.sink.messages)
        count = self.events.count
        drops = count["drop_overrun"] + count["drop_engine"] + count["drop_aborted"]
        assert len(sent) == len(self.sink.messages) + drops
        assert count["mark_detoured"] == len(ledger.detoured)
        assert len(sent) == count["mark_pushed"] + count["mark_pulled"] + count["mark_detoured"] + count["drop_overrun"]
        pulled = sum(m.desc["credit"] for m in sent)
        assert self.credits.cancel == count["mark_pushed"]
        assert self.credits.give == pulled + self.credits.cancel, "credits are not conserved"
        return ledger
