# SPDX-License-Identifier: Apache-2.0
"""The tile with sockets between its window and a stack, both of which are played by the test."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from girih.spec.windows import offset
from girih.testing import run_cocotb
from girih.testing.engines import EngineBench
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, DATA, OPEN, OPENED, READ, WRITE

BACKLOG, MOST = 8, 4096
WINDOW = "socket_window"
BUSY, READING, ANSWERED = 1, 2, 4
END = 8


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_socket_engine(data_width):
    run_cocotb("socket_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Backlog": BACKLOG})


class SocketBench:
    def __init__(self, bench: EngineBench):
        self.bench, self.dut = bench, bench.dut

    @classmethod
    async def start(cls, dut, *, stall: float = 0.1, **config) -> "SocketBench":
        dut.window_valid_i.value = 0
        return cls(await EngineBench.start(dut, "socket", stall=stall, **({"tenant": 2, "port": 3} | config)))

    async def access(self, part: str, value: int | None = None, *, tenant: int = 0, **index) -> tuple[bool, int]:
        """(refused, word)"""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_addr_i.value = offset(WINDOW, part, **index)
        dut.window_write_i.value = int(value is not None)
        dut.window_data_i.value = value or 0
        dut.window_tenant_i.value = tenant
        dut.window_valid_i.value = 1
        for _ in range(100):
            await RisingEdge(dut.clk_i)
            if dut.window_done_o.value:
                break
        else:
            raise AssertionError("the window does not answer")
        found = bool(dut.window_error_o.value), int(dut.window_data_o.value)
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value = 0
        return found

    async def read(self, part: str, **index) -> int:
        refused, word = await self.access(part, **index)
        assert not refused
        return word

    async def command(self, op: int, *, connection: int = 5, size: int = 0, room: int = 0, payload: bytes = b"") -> bool:
        """Whether the command is refused."""
        for word in range(0, len(payload), 4):
            assert not (await self.access("out", int.from_bytes(payload[word : word + 4], "little"), word=word // 4))[0]
        for part, value in (("connection", connection), ("bytes", len(payload) or size), ("room", room)):
            assert not (await self.access(part, value))[0]
        return (await self.access("start", op))[0]

    async def sent(self, count: int) -> Message:
        """The message that is the count-th to leave."""
        for _ in range(2000):
            if len(self.bench.sink.messages) >= count:
                return self.bench.sink.messages[count - 1]
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("no command left")

    async def state(self) -> int:
        return await self.read("state")

    async def tell(self, payload: bytes = b"\0", **fields) -> None:
        desc = {"tenant": 2, "port": 3} | {f"stream_{name}": value for name, value in fields.items() if name != "tenant"}
        self.bench.source.send(Message(payload, desc | ({"tenant": fields["tenant"]} if "tenant" in fields else {})))
        await ClockCycles(self.dut.clk_i, 10 + len(payload) // 4)


@cocotb.test()
async def commands_leave_as_they_are_written(dut):
    bench = await SocketBench.start(dut, stall=0.3)
    count = 0
    for size in (1, 3, 64, 65, 1000, MOST):
        payload = random.randbytes(size)
        assert not await bench.command(WRITE, connection=0x1234, payload=payload)
        count += 1
        message = await bench.sent(count)
        assert message.data == payload
        assert {name: message.desc[name] for name in ("stream_op", "stream_connection", "stream_bytes", "tenant", "port")} == {
            "stream_op": WRITE, "stream_connection": 0x1234, "stream_bytes": size, "tenant": 2, "port": 3,
        }  # fmt: skip
    for op in (CLOSE, ABORT):
        assert not await bench.command(op, connection=9)
        count += 1
        message = await bench.sent(count)
        assert (message.desc["stream_op"], message.desc["stream_connection"]) == (op, 9)
    assert not await bench.command(CLOSE | END, connection=9)
    count += 1
    assert (await bench.sent(count)).desc["stream_end"]
    where = random.randbytes(22)
    assert not await bench.command(OPEN, payload=where)
    message = await bench.sent(count + 1)
    assert message.data == where and message.desc["stream_op"] == OPEN and message.desc["stream_bytes"] == 22
    assert bench.bench.events["made_commands"] == count + 1
    for op in (1, 2, END, READ | END, WRITE | END, OPEN | END, 0x80000004):
        assert await bench.command(op)
    for size in (0, MOST + 1, 8191):
        assert await bench.command(WRITE, size=size)
    assert (await bench.access("bytes", 1 << 20))[0] and (await bench.access("state", 1))[0]
    assert (await bench.access("state", tenant=2))[0] and (await bench.access("start", CLOSE, tenant=2))[0]


@cocotb.test()
async def an_answer_waits_until_it_is_taken(dut):
    bench = await SocketBench.start(dut)
    await bench.tell(b"early", op=DATA, connection=5, bytes=5)
    assert bench.bench.events["drop_unexpected"] == 1 and not await bench.state() & ANSWERED
    for size in (1, 7, 64, 100, MOST):
        assert not await bench.command(READ, size=1, room=77)
        assert await bench.state() & READING
        assert await bench.command(READ), "one read at a time"
        text = random.randbytes(size)
        await bench.tell(text, op=DATA, connection=5, bytes=size, room=300, end=1, reset=size & 1)
        assert (await bench.state()) & 7 == ANSWERED
        assert await bench.command(READ), "nor before its answer has been taken"
        await bench.tell(bytes(50), op=DATA, connection=5, bytes=50)
        assert await bench.read("answer") == size | 1 << 30 | (size & 1) << 31 and await bench.read("space") == 300
        words = [await bench.read("in", word=word) for word in range(-(-size // 4))]
        assert b"".join(word.to_bytes(4, "little") for word in words)[:size] == text
        assert not (await bench.access("release", 1))[0] and (await bench.access("release", 1))[0]
    await bench.tell(b"late", op=DATA, connection=5, bytes=4)
    assert bench.bench.events["drop_unexpected"] == 7 and bench.bench.events["used_messages"] == 5
    # A message longer than the buffer, and one for another tenant.
    assert not await bench.command(READ)
    await bench.tell(bytes(8), op=DATA, connection=5, bytes=8, tenant=1)
    assert (await bench.state()) & 7 == READING
    text = random.randbytes(MOST + 900)
    await bench.tell(text, op=DATA, connection=5, bytes=MOST)
    assert (await bench.read("in", word=0)).to_bytes(4, "little") == text[:4]
    assert (await bench.read("in", word=MOST // 4 - 1)).to_bytes(4, "little") == text[MOST - 4 : MOST]


async def opened(bench: SocketBench, number: int, **fields) -> bytes:
    text = random.randbytes(20)
    await bench.tell(text, op=OPENED, connection=number, **fields)
    return text


async def first(bench: SocketBench) -> tuple[bytes, int]:
    """The first connection that has opened: what the stack said, and the word about it."""
    text = b"".join([(await bench.read("opened", word=word)).to_bytes(4, "big") for word in range(5)])
    word = await bench.read("opened", word=5)
    assert word >> 31
    assert not (await bench.access("next", 1))[0]
    return text, word & 0x7FFFFFFF


@cocotb.test()
async def opened_connections_wait_and_those_beyond_are_aborted(dut):
    bench = await SocketBench.start(dut)
    assert (await bench.access("next", 1))[0] and not (await bench.read("opened", word=5)) >> 31
    texts = [await opened(bench, 100 + number) for number in range(BACKLOG + 3)]
    assert (await bench.state()) >> 16 == BACKLOG
    for number in range(3):
        message = await bench.sent(number + 1)
        assert (message.desc["stream_op"], message.desc["stream_connection"], message.desc["tenant"]) == (ABORT, 100 + BACKLOG + number, 2)
    for number in range(BACKLOG):
        assert await first(bench) == (texts[number], 100 + number)
    await opened(bench, 7, tenant=1)
    message = await bench.sent(4)
    assert (message.desc["stream_op"], message.desc["stream_connection"], message.desc["tenant"]) == (ABORT, 7, 1)
    assert bench.bench.events["mark_refused"] == 4 and bench.bench.events["mark_opened"] == BACKLOG
    assert bench.bench.events["used_messages"] == BACKLOG + 4 and "drop_unexpected" not in bench.bench.events


@cocotb.test()
async def there_is_room_for_each_connection_that_is_asked_for(dut):
    """The answer to a request has its place in the queue, however many other connections open meanwhile. Requests of a program that is gone do not block
    anybody."""
    bench = await SocketBench.start(dut, stall=0.7)
    for _ in range(4):
        assert not await bench.command(OPEN, payload=bytes(22))
        await ClockCycles(dut.clk_i, 20)
    assert await bench.command(OPEN, payload=bytes(22))
    assert (await bench.state()) >> 8 & 7 == 4
    for number in range(BACKLOG):
        await opened(bench, number)
    assert (await bench.state()) >> 16 == BACKLOG - 4 and bench.bench.events["mark_refused"] == 4
    texts = [await opened(bench, 50, end=1), await opened(bench, 0, end=1, reset=1, bytes=2), await opened(bench, 0, end=1, reset=1), await opened(bench, 51, end=1)]
    for number in range(BACKLOG - 4):
        assert (await first(bench))[1] == number
    words = [50 | 1 << 17, 3 << 16 | 2 << 18, 3 << 16, 51 | 1 << 17]
    assert [await first(bench) for _ in range(4)] == list(zip(texts, words))
    assert bench.bench.events["mark_failed"] == 2
    await opened(bench, 62, reset=1, tenant=1)
    assert bench.bench.events["mark_refused"] == 4 and bench.bench.events["drop_unexpected"] == 1 and not (await bench.state()) >> 16
    # Requests of a program that is gone take no place. A late answer to its read is dropped, and the next program gets the answer to its own.
    for _ in range(4):
        assert not await bench.command(OPEN, payload=bytes(22))
        await ClockCycles(dut.clk_i, 20)
    assert not await bench.command(READ, connection=9)
    await ClockCycles(dut.clk_i, 20)
    assert not (await bench.access("start", 0))[0]
    assert await bench.state() == 0
    assert not await bench.command(OPEN, payload=bytes(22))
    await opened(bench, 60, end=1)
    await opened(bench, 61, end=1, reset=1)
    assert await bench.state() == 2 << 16
    assert [(await first(bench))[1] for _ in range(2)] == [60 | 1 << 17, 61 | 3 << 16]
    assert not await bench.command(READ, connection=8)
    await bench.tell(b"late", op=DATA, connection=9, bytes=4)
    assert await bench.state() == READING and bench.bench.events["drop_unexpected"] == 2
    await bench.tell(b"here", op=DATA, connection=8, bytes=4)
    assert await bench.state() == ANSWERED and await bench.read("in", word=0) == int.from_bytes(b"here", "little")


@cocotb.test()
async def what_no_stack_sends_is_dropped(dut):
    bench = await SocketBench.start(dut)
    for number, (op, size) in enumerate(((0, 60), (WRITE, 9), (OPEN, 22), (OPENED, 19), (OPENED, 1))):
        await bench.tell(bytes(size), op=op, connection=5)
        assert bench.bench.events["drop_unexpected"] == number + 1
    assert await bench.state() == 0
