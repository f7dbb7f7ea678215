# SPDX-License-Identifier: Apache-2.0
"""The HTTP server behind a stack that is the test: each form of a request, answers of many writes, connections that take turns."""

import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from girih.card.http_pages import pages
from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.engines import EngineBench
from girih.testing.messages import Message
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS
from rtl.tiles.tcp.tcp_bench import CLOSE, DATA, OPENED, READ, WRITE

CONNECTIONS = 16
CHUNK = 1024
REFUSED = 1
GET = b"GET /metrics HTTP/1.1\r\nHost: card\r\n\r\n"


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_http_engine(data_width):
    run_cocotb("http_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS})


@dataclass
class Tile:
    """What `pages` wants to know of a tile."""

    name: str
    node: int
    counters: dict[str, int]


TILES = [Tile(f"tile_{node}", node, {f"mark_number_{index}": 0x8000 + 8 * index for index in range(5 + node)}) for node in range(4)]
UNREADABLE = 3  # a node


class Server:
    """The engine with its pages; each connection's bytes are collected, and its reads answered."""

    def __init__(self, bench: EngineBench):
        self.bench, self.dut, self._seen = bench, bench.dut, 0
        self.got: dict[int, bytes] = {}
        self.closed: set[int] = set()
        self.waits: dict[int, bool] = {}  # by connection that has a read: whether for bytes
        self.counters = {(tile.node, index): random.choice([0, 9, random.getrandbits(64), random.getrandbits(20)]) for tile in TILES for index in range(len(tile.counters))}

    @classmethod
    async def start(cls, dut, *, stall: float = 0.5, loaded: bool = True):
        for name in ("window_valid_i", "control_ready_i", "control_answer_valid_i", "control_answer_i"):
            getattr(dut, name).value = 0
        self = cls(await EngineBench.start(dut, "http", stall=stall))
        cocotb.start_soon(self._control())
        if loaded:
            image = pages(TILES)
            for at in (*range(4, len(image), 4), 0):
                assert await self.write(at, int.from_bytes(image[at : at + 4], "little"))
        return self

    async def write(self, at: int, word: int, tenant: int = 0) -> bool:
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value, dut.window_write_i.value, dut.window_tenant_i.value = 1, 1, tenant
        dut.window_addr_i.value, dut.window_data_i.value = at, word
        await RisingEdge(dut.clk_i)
        good = dut.window_done_o.value == 1 and dut.window_error_o.value == 0
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value = 0
        return good

    async def _control(self):
        """The control network: each word of a counter after a while. A high word changes between two reads now and then."""
        dut, late = self.dut, False
        while True:
            await FallingEdge(dut.clk_i)
            dut.control_ready_i.value = int(random.random() < 0.7)
            await RisingEdge(dut.clk_i)
            if dut.control_valid_o.value != 1 or dut.control_ready_i.value != 1:
                continue
            request = unpack(REQUEST_FIELDS, int(dut.control_request_o.value))
            await FallingEdge(dut.clk_i)
            dut.control_ready_i.value = 0
            await ClockCycles(dut.clk_i, random.randint(1, 6))
            node, offset = request["node"], request["offset"] - 0x8000
            value = self.counters[node, offset >> 3]
            word = value >> 32 if offset & 4 else value
            if offset & 4:  # not what is read before, or after
                late = not late and random.random() < 0.3
                word += late
            answer = {"tag": request["tag"], "status": REFUSED if node == UNREADABLE else 0, "data": word & 0xFFFFFFFF}
            await FallingEdge(dut.clk_i)
            dut.control_answer_i.value, dut.control_answer_valid_i.value = pack(ANSWER_FIELDS, answer), 1
            await FallingEdge(dut.clk_i)
            dut.control_answer_valid_i.value = 0

    def tell(self, op: int, name: int, data: bytes = b"", **fields) -> None:
        desc = {"stream_op": op, "stream_connection": name, "stream_bytes": len(data), "tenant": name % 16, "port": name % 4}
        desc |= {f"stream_{key}": value for key, value in fields.items()}
        self.waits.pop(name, None)
        self.bench.source.send(Message(data or bytes(1), desc))

    def open(self, name: int) -> None:
        self.got[name] = b""
        self.tell(OPENED, name, bytes(20))

    def poll(self) -> None:
        for message in self.bench.sink.messages[self._seen :]:
            desc, name = message.desc, message.desc.get("stream_connection", 0)
            assert desc.get("tenant", 0) == name % 16 and desc.get("port", 0) == name % 4 and name not in self.closed
            if desc["stream_op"] == WRITE:
                assert desc["stream_bytes"] == len(message.data) <= CHUNK and name not in self.waits
                self.got[name] += message.data
            elif desc["stream_op"] == READ:
                assert desc["stream_room"] == CHUNK and name not in self.waits
                self.waits[name] = bool(desc.get("stream_bytes", 0))
            else:
                assert desc["stream_op"] == CLOSE
                self.closed.add(name)
        self._seen = len(self.bench.sink.messages)

    async def until(self, done, limit: int = 200_000) -> None:
        """Gives room to all who want it until `done()`."""
        for _ in range(limit):
            self.poll()
            for name in [name for name, bytes_ in self.waits.items() if not bytes_]:
                self.tell(DATA, name)
            if done():
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"not after {limit} cycles: {self.got}")

    async def ask(self, name: int, *parts: bytes, ends: bool = False) -> None:
        """Sends a request in these parts, when there is a read."""
        for index, part in enumerate(parts):
            await self.until(lambda: self.waits.get(name) or name in self.closed)
            if name in self.closed:
                return
            self.tell(DATA, name, part, end=int(ends and index == len(parts) - 1))
        await self.until(lambda: self.waits.get(name) or name in self.closed)

    async def answer(self, name: int, *parts: bytes, **options) -> tuple[int, dict[str, str], bytes]:
        """The answer to a request of a connection: status, fields, and body."""
        self.got[name] = b""
        await self.ask(name, *parts, **options)
        status, fields, rest = head(self.got[name])
        chunked = "transfer-encoding" in fields and not b"".join(parts).startswith(b"HEAD")
        return status, fields, unchunk(rest) if chunked else rest

    def metrics(self) -> dict[tuple[str, str], str]:
        values = {}
        for tile in TILES:
            for index, name in enumerate(tile.counters):
                values[f"girih_{name}_total", tile.name] = "NaN" if tile.node == UNREADABLE else str(self.counters[tile.node, index])
        return values


def head(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    first, _, rest = answer.partition(b"\r\n")
    text, end, rest = rest.partition(b"\r\n\r\n")
    version, status, _reason = first.decode().split(" ", 2)
    assert version.startswith("HTTP/1.") and end
    return int(status), {key.lower(): value for key, value in (line.split(": ") for line in text.decode().split("\r\n"))}, rest


def unchunk(data: bytes) -> bytes:
    body = b""
    while True:
        size, _, data = data.partition(b"\r\n")
        count = int(size, 16)
        body += data[:count]
        assert data[count : count + 2] == b"\r\n"
        data = data[count + 2 :]
        if not count:
            assert not data
            return body


def parse(body: bytes) -> dict[tuple[str, str], str]:
    values, typed = {}, set()
    for line in body.decode().splitlines():
        if line.startswith("#"):
            _, _, name, what = line.split(" ")
            assert what == "counter" and name not in typed
            typed.add(name)
        else:
            series, value = line.split(" ")
            name, label = series.removesuffix('"}').split('{tile="')
            assert name in typed
            values[name, label] = value
    return values


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def metrics_are_the_counters(dut, stall):
    server = await Server.start(dut, stall=stall)
    server.open(3)
    for _ in range(2):  # the connection stays
        status, fields, body = await server.answer(3, GET)
        assert status == 200 and fields["content-type"].startswith("text/plain; version=0.0.4")
        assert parse(body) == server.metrics()
    assert 3 not in server.closed and server.bench.events["mark_answers"] == 2


@cocotb.test()
async def each_form_of_a_request(dut):
    server = await Server.start(dut)
    home = b'<!DOCTYPE html><title>Girih</title><a href="/metrics">metrics</a>\n'
    cases = [
        (b"GET / HTTP/1.1\r\n\r\n", 200, home, False),
        (b"GET / HTTP/1.1\n\n", 200, home, False),
        (b"\r\nGET / HTTP/1.1\r\nX-Connection: close\r\n\r\n", 200, home, False),
        (b"GET /?a=/b HTTP/1.1\r\nAccept: */*\r\n\r\n", 200, home, False),
        (b"GET / HTTP/1.1\r\nconNection:  upgrade, CLOSE\r\nHost: a\r\n\r\n", 200, home, True),
        (b"GET / HTTP/1.1\r\nConnection: keep-alive, clos\r\n\r\n", 200, home, False),
        (b"GET / HTTP/1.0\r\n\r\n", 200, home, True),
        (b"HEAD / HTTP/1.1\r\n\r\n", 200, b"", False),
        (b"GET /metric HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET /metricss HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET metrics HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET http://10.0.0.2/ HTTP/1.1\r\n\r\n", 200, home, False),
        (b"GET HTTP://a.example:80/?/metrics HTTP/1.1\r\n\r\n", 200, home, False),
        (b"GET http://a HTTP/1.0\r\n\r\n", 200, home, True),
        (b"GET http://a?/b HTTP/1.1\r\n\r\n", 200, home, False),
        (b"GET http:///metric HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET http://a//metrics HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET http:/metrics HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET /http://a/ HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET http://a/http://a/ HTTP/1.1\r\n\r\n", 404, b"404 Not Found\n", False),
        (b"GET http://a\r\n\r\n", 400, b"400 Bad Request\n", True),
        (b"POST / HTTP/1.1\r\n\r\n", 501, b"501 Not Implemented\n", True),
        (b"GETT / HTTP/1.1\r\n\r\n", 501, b"501 Not Implemented\n", True),
        (b"HEA / HTTP/1.1\r\n\r\n", 501, b"501 Not Implemented\n", True),
        (b"GET /\r\n\r\n", 400, b"400 Bad Request\n", True),
        (b"GET\r\n", 400, b"400 Bad Request\n", True),
        (b"GET / HTTP/2.0\r\n\r\n", 400, b"400 Bad Request\n", True),
        (b"GET / HTTP/1.1x\r\n\r\n", 400, b"400 Bad Request\n", True),
        (b"GET / HTTP/1\r\n\r\n", 400, b"400 Bad Request\n", True),
        (b"\x16\x03\x01\x02\x00\n", 400, b"400 Bad Request\n", True),
    ]
    name = 0
    for request, status, body, closes in cases:
        for parts in ([request], [request[at : at + 1] for at in range(len(request))], halves(request)):
            name += 1 << 4  # the same place again and again
            server.open(name)
            got = await server.answer(name, *parts)
            assert (got[0], got[2]) == (status, body), (request, got)
            assert (name in server.closed) == closes, request
            assert ("connection" in got[1]) == (b"HTTP/1.0" in request)


def halves(text: bytes) -> list[bytes]:
    at = random.randrange(1, len(text))
    return [text[:at], text[at:]]


@cocotb.test()
async def the_end_of_a_connection(dut):
    server = await Server.start(dut)
    # The peer ends its direction with the request, before it, within it.
    server.open(1)
    assert (await server.answer(1, GET, ends=True))[0] == 200 and 1 in server.closed
    for name, text in ((2, b""), (3, GET[:10])):
        server.open(name)
        await server.ask(name, text, ends=True)
        assert server.got[name] == b"" and name in server.closed
    # More requests than one at a time, and bytes in the middle of an answer.
    server.open(4)
    assert (await server.answer(4, GET + GET))[0] == 200 and 4 in server.closed
    server.open(5)
    await server.until(lambda: server.waits.get(5))
    server.tell(DATA, 5, GET)
    for _ in range(100_000):
        server.poll()
        if 5 in server.waits:
            break
        await RisingEdge(dut.clk_i)
    server.tell(DATA, 5, b"x")
    await server.until(lambda: 5 in server.closed)
    assert parse(unchunk(head(server.got[5])[2])) == server.metrics()
    # It is broken in the middle of an answer, and before one.
    server.open(6)
    await server.until(lambda: server.waits.get(6))
    server.tell(DATA, 6, GET)
    for _ in range(100_000):
        server.poll()
        if 6 in server.waits:
            break
        await RisingEdge(dut.clk_i)
    server.tell(DATA, 6, end=1, reset=1)
    await server.until(lambda: 6 in server.closed)
    server.open(7)
    await server.until(lambda: server.waits.get(7))
    server.tell(DATA, 7, end=1, reset=1)
    await server.until(lambda: 7 in server.closed)


@cocotb.test()
async def connections_take_turns(dut):
    server = await Server.start(dut, stall=0.2)
    for name in range(CONNECTIONS):
        server.open(name)
    await server.until(lambda: len(server.waits) == CONNECTIONS)
    for name in range(CONNECTIONS):
        server.tell(DATA, name, GET if name % 3 else b"GET / HTTP/1.1\r\n\r\n")
    await server.until(lambda: len(server.waits) == CONNECTIONS and all(server.waits.values()), limit=600_000)
    for name in range(CONNECTIONS):
        _status, _fields, rest = head(server.got[name])
        if name % 3:
            assert parse(unchunk(rest)) == server.metrics()
    assert "drop_unexpected" not in server.bench.events


@cocotb.test()
async def what_no_stack_sends_is_dropped(dut):
    server = await Server.start(dut)
    for op, size in ((0, 60), (0, 500), (READ, 1), (WRITE, 200)):
        server.bench.source.send(Message(random.randbytes(size), {"stream_op": op} if op else {}))
    await ClockCycles(dut.clk_i, 100)
    assert server.bench.events == {"drop_unexpected": 4}
    assert not await server.write(0, 0, tenant=1)


@cocotb.test()
async def without_pages_it_closes(dut):
    server = await Server.start(dut, loaded=False)
    server.open(9)
    await server.until(lambda: 9 in server.closed)
    assert server.got[9] == b""
