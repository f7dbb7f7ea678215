# SPDX-License-Identifier: Apache-2.0
"""What the tests of the tiles `memory`, `dma` and `block_memory` share: requests and their replies, a memory model, and a slave on the AXI4 port that
answers late, out of order and with errors."""

from __future__ import annotations

import os
import random
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import cocotb
from cocotb.triggers import RisingEdge

from girih.card.probe import OPERATIONS
from girih.spec.formats import Format
from girih.spec.kinds import load_kind
from girih.testing.clock import cycle_now
from girih.testing.engines import EngineBench, config_word
from girih.testing.messages import FLIT_BYTES, Events, Message, Sink, Source, reset, settle

ACCESS = Format("memory_access")
OPS, STATUS = ACCESS.names("op"), ACCESS.names("status")
ACCESSES = OPERATIONS  # of one range
PAGE, WORD = ACCESS.size("PageBytes"), ACCESS.size("WordBytes")
READ, WRITE, ANY_NODE, ANY_TENANT = 1, 2, 4, 8
GRANTS = 8
KIND = os.environ.get("GIRIH_KIND", "memory")  # of the tile under test
PREFIX = {"memory": "m_axi", "dma": "m_axi_host"}.get(KIND, "")  # of the pins of its bus, if it has one
UPPER = 0xFEDCBA if KIND == "dma" else None  # bits 63 to 40 of its addresses, which the memory here does not have


def op(name: str) -> int:
    return OPS.index(name)


def status(name: str) -> int:
    return STATUS.index(name)


@dataclass
class Grant:
    """first, last: pages."""

    first: int
    last: int
    node: int = 0
    tenant: int = 0
    rights: int = READ | WRITE | ANY_NODE | ANY_TENANT

    def allows(self, src: int, tenant: int, page: int, rights: int) -> bool:
        who = (self.rights & ANY_NODE or self.node == src) and (self.rights & ANY_TENANT or self.tenant == tenant)
        return bool(who and self.rights & rights == rights and self.first <= page <= self.last)


EVERYTHING = (Grant(0, (1 << 28) - 1),)


def config(grants: Sequence[Grant]) -> dict[str, int]:
    """The configuration of the tile with these grants."""
    upper = {} if UPPER is None else {"upper": UPPER}
    fields = {"grant_first": ("first", 28), "grant_last": ("last", 28), "grant_node": ("node", 8), "grant_tenant": ("tenant", 6), "grant_rights": ("rights", 4)}
    return {name: sum(getattr(grant, member) << width * i for i, grant in enumerate(grants)) for name, (member, width) in fields.items()} | upper


def request(kind: str, addr: int, size: int, data: bytes = b"", operand: bytes = b"", *, tag: int = 0, src: int = 1, tenant: int = 0, ordered: bool = False) -> Message:
    """A request. data: what is written, or the operand of an atomic access; operand: a mask, or what is compared."""
    lane = addr % FLIT_BYTES
    first = b""
    if kind == "masked":
        first = operand
    elif kind == "swap":
        first = bytes(lane) + operand
    body = first + bytes(-len(first) % FLIT_BYTES)
    body += b"" if kind == "read" else bytes(lane) + data
    desc = {
        "src": src, "tenant": tenant, "memory_op": op(kind), "memory_addr": addr, "memory_bytes": size, "memory_tag": tag,
        "memory_ordered": int(ordered),
    }  # fmt: skip
    return Message(body or b"\0", desc)


def list_request(kind: str, ranges: Sequence[tuple[int, int]], data: Sequence[bytes] = (), *, tag: int = 0, src: int = 1, tenant: int = 0, ordered: bool = False) -> Message:
    """A gather or a scatter of ranges (address, bytes). data: of each range of a scatter."""
    body = b"".join(ACCESS.encode("range", {"addr": addr, "bytes": size}).to_bytes(8, "little") for addr, size in ranges)
    desc = {
        "src": src, "tenant": tenant, "memory_op": op(kind), "memory_bytes": len(body), "memory_tag": tag, "memory_ordered": int(ordered),
    }  # fmt: skip
    for (addr, _), part in zip(ranges, data, strict=False):
        body += bytes(-len(body) % FLIT_BYTES) + bytes(addr % FLIT_BYTES) + part
    return Message(body or b"\0", desc)


def parts_of(reply: bytes, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes of each range in the reply to a gather, which must have no flit more."""
    parts = []
    for addr, size in ranges:
        lane = addr % FLIT_BYTES
        parts.append(reply[lane : lane + size])
        reply = reply[lane + size + -(lane + size) % FLIT_BYTES :]
    assert not reply
    return parts


class Model:
    """What a memory holds, byte by byte, and what a request gets from it."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = defaultdict(int)

    def read(self, addr: int, size: int) -> bytes:
        return bytes(self.bytes[addr + i] for i in range(size))

    def write(self, addr: int, data: bytes, keep=lambda _: True) -> None:
        for i, byte in enumerate(data):
            if keep(i):
                self.bytes[addr + i] = byte

    def answer(self, kind: str, addr: int, size: int, data: bytes, operand: bytes) -> bytes:
        """The data of the reply; the memory changes as the request says."""
        before = self.read(addr, size)
        if kind == "write":
            self.write(addr, data)
        elif kind == "masked":
            mask = int.from_bytes(operand, "little")
            self.write(addr, data, lambda i: mask >> (addr % FLIT_BYTES + i) & 1)
        elif kind == "add":
            total = int.from_bytes(before, "little") + int.from_bytes(data, "little")
            self.write(addr, (total % (1 << 64)).to_bytes(8, "little"))
        elif kind == "swap" and before == operand:
            self.write(addr, data)
        return before if kind in ("read", "add", "swap") else b""


class Slave:
    """A memory on the AXI4 port, one cycle at a time. latency: cycles, at least and at most. stalls: the probability that an address or
    data are not taken in a cycle. shuffle: answers of different IDs overtake one another, and beats of reads interleave; not those of a host, which answers in order.
    fails: a function of an address that gives the response, 0 for none."""

    def __init__(self, dut, latency: tuple[int, int] = (1, 1), stalls: float = 0.0, shuffle: bool = False, fails=lambda _addr: 0):
        self.model, self.latency, self.stalls, self.shuffle, self.fails = Model(), latency, stalls, shuffle and KIND == "memory", fails
        self.most = 0  # reads that were in flight at a time
        self._dut = dut
        self._reads: list[tuple[int, int, deque]] = []  # due, id, beats
        self._writes: list[tuple[int, int, int]] = []  # due, id, response
        self._addresses: deque[tuple[int, int, int]] = deque()
        self._data: deque[tuple[int, int, bool]] = deque()
        for name in ("arready", "awready", "wready", "rvalid", "bvalid"):
            self._pin(name).value = 0
        cocotb.start_soon(self._run())

    def _pin(self, name: str):
        return getattr(self._dut, f"{PREFIX}_{name}")

    def _own(self, addr: int) -> int:
        assert addr >> 40 == (UPPER or 0)
        return addr % (1 << 40)

    def _due(self) -> int:
        return cycle_now() + random.randint(*self.latency)

    def _taken(self, channel: str) -> bool:
        return self._pin(f"{channel}valid").value == 1 and self._pin(f"{channel}ready").value == 1

    def _take(self) -> None:
        """What was transferred at this edge."""
        value = lambda name: int(self._pin(name).value)  # noqa: E731
        if self._taken("ar"):
            beats: deque = deque()
            first, count = self._own(value("araddr")), value("arlen") + 1
            for i in range(count):
                addr = first + i * FLIT_BYTES
                beats.append((self.model.read(addr, FLIT_BYTES), self.fails(addr), i == count - 1))
            self._reads.append((self._due(), value("arid"), beats))
            self.most = max(self.most, len(self._reads))
        if self._taken("aw"):
            self._addresses.append((value("awid"), self._own(value("awaddr")), value("awlen") + 1))
        if self._taken("w"):
            self._data.append((value("wdata"), value("wstrb"), bool(value("wlast"))))
        while self._addresses and len(self._data) >= self._addresses[0][2]:
            name, first, count = self._addresses.popleft()
            worst = 0
            for i in range(count):
                data, strobe, last = self._data.popleft()
                assert last == (i == count - 1), "WLAST is not with the last beat"
                addr = first + i * FLIT_BYTES
                response = self.fails(addr)
                worst = max(worst, response)
                if not response:
                    self.model.write(addr, data.to_bytes(FLIT_BYTES, "little"), lambda i, s=strobe: s >> i & 1)
            self._writes.append((self._due(), name, worst))

    def _pick(self, waiting: list) -> int | None:
        ready = [i for i, item in enumerate(waiting) if item[0] <= cycle_now()]
        if not self.shuffle:
            ready = ready[:1] if ready[:1] == [0] else []
        return random.choice(ready) if ready else None

    async def _run(self) -> None:
        while True:
            await RisingEdge(self._dut.clk_i)
            if self._dut.rst_i.value == 1:
                self._reads, self._writes = [], []
                self._addresses.clear()
                self._data.clear()
                self._pin("rvalid").value = self._pin("bvalid").value = 0
                continue
            self._take()
            index = self._pick(self._reads)
            self._pin("rvalid").value = int(index is not None)
            if index is not None:
                _, name, beats = self._reads[index]
                data, response, last = beats.popleft()
                self._pin("rid").value, self._pin("rresp").value, self._pin("rlast").value = name, response, int(last)
                self._pin("rdata").value = int.from_bytes(data, "little")
                if last:
                    self._reads.pop(index)
            index = self._pick(self._writes)
            self._pin("bvalid").value = int(index is not None)
            if index is not None:
                _, name, response = self._writes.pop(index)
                self._pin("bid").value, self._pin("bresp").value = name, response
            for channel in ("ar", "aw", "w"):
                self._pin(f"{channel}ready").value = int(random.random() >= self.stalls)


async def exchange(bench: EngineBench, messages: Sequence[Message], rest: int = 250) -> list[Message]:
    """Sends messages, and returns what comes back until nothing has come for `rest` cycles, which is longer than the memory's time."""
    already = len(bench.sink.messages)
    bench.source.send(*messages)
    await settle(bench.dut, bench.source, bench.sink, rest)
    return bench.sink.messages[already:]


async def begin(dut, grants: Sequence[Grant] = EVERYTHING, *, idle: float = 0.0, stall: float = 0.0, **slave) -> tuple[EngineBench, Slave]:
    """The engine after reset, with a slave of these settings behind it."""
    memory = Slave(dut, **slave)
    return await bench_of(dut, grants, idle, stall), memory


async def bench_of(dut, grants: Sequence[Grant] = EVERYTHING, idle: float = 0.0, stall: float = 0.0) -> EngineBench:
    """The engine after reset, with nothing at its port."""
    dut.cfg_i.value = config_word(KIND, **config(grants))
    await reset(dut, in_valid_i=0, reply_out_ready_i=0)
    source, sink = Source(dut, idle=idle), Sink(dut, "reply_out", stall=stall)
    return EngineBench(dut, source, sink, Events(dut, [c.name for c in load_kind(KIND).engine_counters]))


class Asker(Protocol):
    """Makes the requests of a node, and knows each reply."""

    src: int

    def ask(self) -> Message: ...

    def check(self, reply: Message) -> None: ...


async def converse(bench: EngineBench, askers: Sequence[Asker], count: int, rest: int = 250) -> None:
    """Each request has one reply, in the order of its requester, to its node. rest: see `exchange`."""
    out = await exchange(bench, [random.choice(askers).ask() for _ in range(count)], rest)
    assert len(out) == count
    of = {asker.src: asker for asker in askers}
    for reply in out:
        assert reply.desc["route_count"] == 1 and not reply.bad
        of[reply.desc["route"][0]].check(reply)


async def answers(dut, askers_of: Callable[[Model], Sequence[Asker]], count: int, idle: float, stall: float, rest: int = 250, **slave) -> None:
    """The tile answers as a memory does, counts nothing, and the memory behind it holds what the model holds."""
    bench, memory = await begin(dut, idle=idle, stall=stall, **slave)
    model = Model()
    await converse(bench, askers_of(model), count, rest)
    assert bench.events == {}
    for addr, byte in model.bytes.items():
        assert memory.model.bytes[addr] == byte
