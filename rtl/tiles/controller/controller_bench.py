# SPDX-License-Identifier: Apache-2.0
"""What the tests of the controller share: its stack, its control network and its host, which the test plays.

    bench = await ControllerBench.start(dut)
    operator = await bench.connect()                          # the hello has come
    answer = await operator.ask("change", Entry(NODE, 0x400, 7))
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from itertools import count

import cocotb
from cocotb.triggers import RisingEdge

from girih.management.protocol import Entry, Request, mac, nonce_of, opened, sealed
from girih.spec.kind import TILE_MAP
from girih.spec.kinds import load_kind
from girih.spec.message import pack, unpack
from girih.spec.windows import offset
from girih.testing.engines import config_word
from girih.testing.messages import Events, Message, Sink, Source, reset
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, DATA, OPENED, READ, WRITE

OPERATORS, PATIENCE = 4, 3
KEY = bytes(range(100, 132))
START = 0x0123456789ABCDEF
NODE, OTHER = 5, 3  # nodes that can be read and written
LOCKED, HIDDEN, NOBODY = 6, 7, 9  # a node that can only be read, one with neither right, and one that does not exist
HOLD = TILE_MAP.size("ChangeHold")
WORDS = 16  # registers of a node; the last cannot be written
OKAY, REFUSED, ERROR, NO_NODE = range(4)
TENANT, PORT = 2, 3
SIZE = 112
NUMBERS = 1 << 16  # numbers of connections; every test soon starts from 0 again


class Ring:
    """The control network, with the rights of the tile. fails: numbers of writes that a node refuses, counted from the last look."""

    def __init__(self, dut):
        self.dut, self.words = dut, {(node, 4 * word): random.getrandbits(32) for node in (NODE, OTHER, LOCKED, HIDDEN) for word in range(WORDS)}
        self.log: list[tuple[str, int, int, int]] = []
        self.fails: set[int] = set()
        self.writes = 0
        self.held: set[int] = set()  # tiles that hold back their changes
        dut.control_ready_i.value = dut.control_answer_valid_i.value = 0
        self.silent = False  # takes no request
        cocotb.start_soon(self._run())

    def answer(self, write: int, node: int, at: int, data: int) -> tuple[int, int]:
        """The status and the data."""
        if node == HIDDEN or (write and node == LOCKED):
            return REFUSED, 0
        if node == NOBODY or node not in (NODE, OTHER, LOCKED):
            return NO_NODE, 0
        if write and at == HOLD:
            assert data in (0, 1)
            (self.held.add if data else self.held.discard)(node)
            self.log.append(("hold", node, at, data))
            return OKAY, 0
        if (node, at) not in self.words:
            return ERROR, 0
        self.log.append(("write" if write else "read", node, at, data if write else 0))
        if write:
            self.writes += 1
            if self.writes in self.fails or at == 4 * (WORDS - 1):
                self.log.pop()
                return ERROR, 1
            self.words[node, at] = data
            return OKAY, 0
        return OKAY, self.words[node, at]

    async def _run(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            dut.control_answer_valid_i.value = 0
            ready = random.random() < 0.7
            if dut.control_ready_i.value == 1 and dut.control_valid_o.value == 1 and not self.silent:
                asked = unpack(REQUEST_FIELDS, int(dut.control_request_o.value))
                dut.control_ready_i.value = 0
                for _ in range(random.choice((0, 3, 20))):
                    await RisingEdge(dut.clk_i)
                status, data = self.answer(asked["write"], asked["node"], asked["offset"], asked["data"])
                dut.control_answer_i.value = pack(ANSWER_FIELDS, {"tag": asked["tag"], "status": status, "data": data})
                dut.control_answer_valid_i.value = 1
                continue
            dut.control_ready_i.value = int(ready and not self.silent)


class ControllerBench:
    """The engine between its stack and its control network."""

    def __init__(self, dut, source: Source, sink: Sink):
        self.node = 0  # of the controller
        self.dut, self.source, self.sink, self.ring = dut, source, sink, Ring(dut)
        self._events = Events(dut, [c.name for c in load_kind("controller").engine_counters])
        self._said: dict[int, deque[Message]] = defaultdict(deque)
        self._read = 0
        self.next = NUMBERS - 40
        self.kept: set[int] = set()  # connections that stay open until the end: a stack does not reuse their numbers

    @classmethod
    async def start(cls, dut, *, stall: float = 0.6, idle: float = 0.0, key: bytes | None = KEY) -> ControllerBench:
        dut.cfg_i.value = config_word("controller", patience=PATIENCE)
        await reset(dut, in_valid_i=0, out_ready_i=0, window_valid_i=0, control_ready_i=0, control_answer_valid_i=0)
        bench = cls(dut, Source(dut, idle=idle), Sink(dut, stall=stall))
        if key is not None:
            await bench.unlock(key)
        return bench

    @property
    def events(self) -> dict[str, int]:
        return {name: count for name, count in self._events.count.items() if count}

    async def unlock(self, key: bytes, start: int = START) -> None:
        for word in range(8):
            assert not (await self.window(offset("controller_window", "key", word=word), int.from_bytes(key[4 * word :][:4], "little")))[0]
        for half in (0, 1):
            assert not (await self.window(offset("controller_window", "start", half=half), start >> 32 * half & 0xFFFFFFFF))[0]

    async def window(self, at: int, value: int | None = None, tenant: int = 0) -> tuple[bool, int]:
        """Whether the window refuses the access, and its answer."""
        dut = self.dut
        dut.window_addr_i.value, dut.window_tenant_i.value = at, tenant
        dut.window_write_i.value, dut.window_data_i.value = int(value is not None), value or 0
        dut.window_valid_i.value = 1
        await RisingEdge(dut.clk_i)
        while dut.window_done_o.value != 1:
            await RisingEdge(dut.clk_i)
        answer = bool(dut.window_error_o.value), int(dut.window_data_o.value)
        dut.window_valid_i.value = 0
        await RisingEdge(dut.clk_i)
        return answer

    def give(self, op: int, connection: int, text: bytes, **fields: int) -> None:
        desc = {f"stream_{name}": value for name, value in fields.items() if value} | {"stream_op": op, "stream_connection": connection}
        self.source.send(Message(text, desc | {"tenant": TENANT, "port": PORT, "dst": self.node}))

    def sort(self) -> None:
        for message in self.sink.messages[self._read :]:
            assert message.desc.get("tenant", 0) == TENANT and message.desc.get("port", 0) == PORT
            self._said[message.desc["stream_connection"]].append(message)
        self._read = len(self.sink.messages)

    async def said(self, connection: int, limit: int = 5000) -> Message:
        """The next message about a connection."""
        for _ in range(limit):
            self.sort()
            if self._said[connection]:
                return self._said[connection].popleft()
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"nothing came about connection {connection} in {limit} cycles")

    def silent(self, connection: int) -> bool:
        self.sort()
        return not self._said[connection]

    def open(self) -> Operator:
        """A connection that has just opened; does not wait for its hello."""
        self.next = next(number % NUMBERS for number in count(self.next + 1) if number % NUMBERS not in self.kept)
        self.give(OPENED, self.next, bytes(20))
        return Operator(self, self.next)

    async def connect(self) -> Operator:
        operator = self.open()
        await operator.welcome()
        return operator


class Operator:
    """One end of a connection, which has the key."""

    def __init__(self, bench: ControllerBench, connection: int):
        self.bench, self.connection, self.number, self.nonce = bench, connection, 0, b""
        self.over = False

    async def welcome(self) -> None:
        hello = await self._text()
        self.nonce = nonce_of(hello)
        request = opened(hello)
        assert (request.kind, request.number) == ("hello", 0) and hello[80:] == mac(KEY, self.nonce, hello[:80])
        await self._then()

    async def _text(self) -> bytes:
        message = await self.bench.said(self.connection)
        assert message.desc["stream_op"] == WRITE and len(message.data) == message.desc["stream_bytes"] == SIZE, message
        return message.data

    async def _then(self) -> None:
        message = await self.bench.said(self.connection)
        assert message.desc["stream_op"] in (READ, CLOSE)
        if message.desc["stream_op"] == READ:
            assert message.desc["stream_bytes"] == message.desc["stream_room"] == SIZE
        self.over = message.desc["stream_op"] == CLOSE

    async def aborted(self) -> None:
        message = await self.bench.said(self.connection)
        assert message.desc["stream_op"] == ABORT
        self.over = True

    def send(self, text: bytes, end: bool = False, broken: bool = False) -> None:
        """Lets the stack deliver this text."""
        self.bench.give(DATA, self.connection, text or bytes(1), bytes=len(text), end=int(end or broken), reset=int(broken))

    async def closed(self) -> None:
        """Expects the controller to close the connection without an answer."""
        assert (await self.bench.said(self.connection)).desc["stream_op"] == CLOSE
        self.over = True

    async def answer(self) -> Request:
        """The next confirmation, whose MAC is checked."""
        text = await self._text()
        assert text[80:] == mac(KEY, self.nonce, text[:80])
        await self._then()
        answer = opened(text)
        assert answer.kind == "confirmation"
        return answer

    def text(self, kind: str, *entries: Entry) -> bytes:
        """The next request."""
        return sealed(KEY, self.nonce, Request(self.number + 1, kind, entries))

    async def ask(self, kind: str, *entries: Entry) -> Request:
        self.send(self.text(kind, *entries))
        self.number += 1
        answer = await self.answer()
        assert answer.number == self.number
        return answer
