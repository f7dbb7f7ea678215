# SPDX-License-Identifier: Apache-2.0
"""The copy engine in front of a memory that answers in order: what it asks for, how much of it at a time, what it does when an
access fails, and what its window refuses."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.windows import offset
from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import config_word
from girih.testing.messages import FLIT_BYTES, Events, Message, Sink, Source, reset
from rtl.tiles.memory.memory_bench import OPS, STATUS, Model, op, status

READS, TENANT = 16, 3
EVENTS = ["made_requests", "used_replies", "mark_copies", "mark_failed"]


@pytest.mark.parametrize("data_width", WIDTHS)
def test_copy_engine(data_width):
    run_cocotb("copy_engine", __file__, groups=["memory"], data_width=data_width, parameters={"Reads": READS})


class Bench:
    """The engine, and a memory that answers its requests after some cycles."""

    def __init__(self, dut, late: int, idle: float, stall: float):
        self.dut, self.late = dut, late
        self.model, self.fails = Model(), lambda _kind, _addr: "ok"
        self.asked: list[tuple[str, int]] = []
        self.keys: set[tuple[str, int | None]] = set()  # of reads, of writes
        self.most = 0
        self.replies = Source(dut, "reply_in", idle=idle)
        self.requests = Sink(dut, "out", stall=stall)
        self.events = Events(dut, EVENTS)
        cocotb.start_soon(self._answer())

    @classmethod
    async def start(cls, dut, late: int = 5, idle: float = 0.0, stall: float = 0.0) -> "Bench":
        dut.cfg_i.value = config_word("copy", tenant=TENANT)
        await reset(dut, reply_in_valid_i=0, out_ready_i=0, window_valid_i=0)
        return cls(dut, late, idle, stall)

    async def _answer(self) -> None:
        waiting, seen, cycle = [], 0, 0
        while True:
            await RisingEdge(self.dut.clk_i)
            cycle += 1
            for message in self.requests.messages[seen:]:
                desc = message.desc
                kind, addr = OPS[desc["memory_op"]], desc["memory_addr"]
                assert desc["memory_bytes"] == FLIT_BYTES and desc["tenant"] == TENANT and addr % FLIT_BYTES == 0
                self.asked.append((kind, addr))
                self.keys.add((kind, message.key))
                what = self.fails(kind, addr)
                data = self.model.answer(kind, addr, FLIT_BYTES, message.data, b"") if what == "ok" else b""
                reply = {"memory_op": op(kind), "memory_status": status(what)}
                waiting.append((cycle + self.late, Message(data or bytes(FLIT_BYTES), reply)))
            seen = len(self.requests.messages)
            self.most = max(self.most, len(waiting))
            while waiting and waiting[0][0] <= cycle:
                self.replies.send(waiting.pop(0)[1])

    async def access(self, at: int, value: int | None = None, tenant: int = TENANT) -> tuple[bool, int]:
        """Whether the window refuses an access, and what it answers."""
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

    async def command(self, source: int, destination: int, size: int) -> bool:
        """Whether the command is refused."""
        for part, value in (("source", source), ("destination", destination)):
            for half in (0, 1):
                await self.access(offset("copy_window", part, half=half), value >> 32 * half & 0xFFFFFFFF)
        await self.access(offset("copy_window", "size"), size)
        refused, _ = await self.access(offset("copy_window", "start"), 1)
        return refused

    async def copy(self, source: int, destination: int, size: int) -> tuple[str, int]:
        """How the copy ends, and the bytes that are left."""
        assert not await self.command(source, destination, size)
        for _ in range(100_000):
            _, state = await self.access(offset("copy_window", "state"))
            if not state & 1:
                return STATUS[state >> 4], (await self.access(offset("copy_window", "left")))[1]
        raise AssertionError("the copy does not end")


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.5])
async def copies_what_it_should(dut, idle, stall):
    bench = await Bench.start(dut, random.choice((1, 30)), idle, stall)
    for number in range(4):
        size = FLIT_BYTES * random.choice((1, 2, READS, 5 * READS + 1))
        source, destination = random.randrange(1 << 20) * FLIT_BYTES, (1 << 39) + random.randrange(1 << 20) * FLIT_BYTES
        data = random.randbytes(size)
        bench.model.write(source, data)
        asked = len(bench.asked)
        assert await bench.copy(source, destination, size) == ("ok", 0)
        assert bench.model.read(destination, size) == data
        expected = [(kind, base + at) for kind, base in (("read", source), ("write", destination)) for at in range(0, size, FLIT_BYTES)]
        assert sorted(bench.asked[asked:]) == sorted(expected)
        assert bench.events.count["mark_copies"] == number + 1
    assert bench.events.count["made_requests"] == bench.events.count["used_replies"] == len(bench.asked)


@cocotb.test()
async def never_asks_for_more_than_it_has_room_for(dut):
    """With a memory that is far away; and its link is used in every cycle when it is near."""
    bench = await Bench.start(dut, late=200)
    await bench.copy(0, 1 << 30, 4 * READS * FLIT_BYTES)
    assert bench.most <= 2 * READS
    bench.late = 1
    first = len(bench.requests.messages)
    await bench.copy(0, 1 << 30, 20 * READS * FLIT_BYTES)
    flits = bench.requests.messages[first:]
    assert flits[-1].first - flits[0].first <= len(flits) + 20


@cocotb.test()
@cocotb.parametrize(kind=["read", "write"], at=[0, 7, 63])
async def ends_when_an_access_fails(dut, kind, at):
    """All that was asked has been answered then, and the next copy starts anew."""
    bench = await Bench.start(dut, late=20, stall=0.4)
    flits, base = 64, {"read": 0, "write": 1 << 20}[kind]
    bench.fails = lambda what, addr: "slave" if (what, addr) == (kind, base + at * FLIT_BYTES) else "ok"
    for row in range(flits):
        bench.model.write(row * FLIT_BYTES, bytes([row + 1]) * FLIT_BYTES)
    what, left = await bench.copy(0, 1 << 20, flits * FLIT_BYTES)
    assert what == "slave" and left > 0
    assert bench.events.count["made_requests"] == bench.events.count["used_replies"] == len(bench.asked)
    assert bench.events.count["mark_failed"] == 1 and not bench.events.count["mark_copies"]
    bench.fails = lambda _kind, _addr: "ok"
    assert await bench.copy(0, 1 << 21, flits * FLIT_BYTES) == ("ok", 0)
    assert bench.model.read(1 << 21, flits * FLIT_BYTES) == bench.model.read(0, flits * FLIT_BYTES)


@cocotb.test()
@cocotb.parametrize(source=[0, 1], destination=[0, 1])
async def the_key_says_whose_memory_it_is(dut, source, destination):
    """0 for the card's, 1 for the host's, which the command says by bit 63 of an address; requests do not have that bit."""
    bench = await Bench.start(dut)
    assert await bench.copy(source << 63 | 1 << 20, destination << 63 | 1 << 21, 9 * FLIT_BYTES) == ("ok", 0)
    assert bench.keys == {("read", source), ("write", destination)}


@cocotb.test()
async def copies_to_the_last_address(dut):
    bench = await Bench.start(dut)
    end = (1 << 40) - 3 * FLIT_BYTES
    assert await bench.copy(0, end, 3 * FLIT_BYTES) == ("ok", 0)
    assert await bench.copy(end, 0, 3 * FLIT_BYTES) == ("ok", 0)
    assert {addr for _, addr in bench.asked} == {n * FLIT_BYTES + base for n in range(3) for base in (0, end)}


@cocotb.test()
async def a_new_tenant_reads_nothing_of_the_last_one(dut):
    """Neither after its copy nor while the copy still runs; the operator goes on seeing what runs."""
    bench = await Bench.start(dut, late=30)
    parts = ["state", "left", "size", *(("source", half) for half in (0, 1)), *(("destination", half) for half in (0, 1))]
    where = [offset("copy_window", part) if isinstance(part, str) else offset("copy_window", part[0], half=part[1]) for part in parts]
    for runs in (False, True):
        dut.cfg_i.value = config_word("copy", tenant=TENANT)
        await ClockCycles(dut.clk_i, 3)
        assert not await bench.command(0x12345 * FLIT_BYTES, 0x54321 * FLIT_BYTES, 20 * FLIT_BYTES)
        if not runs:
            await ClockCycles(dut.clk_i, 400)
        dut.cfg_i.value = config_word("copy", tenant=TENANT + 1)
        refusals = 0
        for _ in range(400):
            answers = [await bench.access(at, tenant=TENANT + 1) for at in where]
            assert all(refused or not answer for refused, answer in answers)
            refusals += all(refused for refused, _ in answers)
        assert (refusals > 0) == runs and not any(refused for refused, _ in answers)
        assert all([(await bench.access(at, tenant=TENANT))[0] for at in where])


@cocotb.test()
async def refuses_what_makes_no_sense(dut):
    bench = await Bench.start(dut)
    wrong = [(1, 0, FLIT_BYTES), (0, 8, FLIT_BYTES), (0, 0, FLIT_BYTES - 1), (0, 0, 0), (1 << 40, 0, FLIT_BYTES), (0, 1 << 62, FLIT_BYTES)]
    end = (1 << 40) - 3 * FLIT_BYTES
    wrong += [(end, 0, 4 * FLIT_BYTES), (0, end, 4 * FLIT_BYTES), (end, 0, (1 << 32) - FLIT_BYTES)]  # it would go on at address 0
    for command in wrong:
        assert await bench.command(*command)
    for part in ("state", "left"):
        assert (await bench.access(offset("copy_window", part), 1))[0]
    assert (await bench.access(0x20))[0]
    assert (await bench.access(offset("copy_window", "source"), 0, tenant=TENANT + 1))[0]
    assert (await bench.access(offset("copy_window", "state"), tenant=TENANT + 1))[0]
    assert not (await bench.access(offset("copy_window", "state"), tenant=0))[0]
    assert not await bench.command(0, 1 << 20, 100 * FLIT_BYTES)
    assert (await bench.access(offset("copy_window", "size"), FLIT_BYTES))[0], "it works"
    assert (await bench.access(offset("copy_window", "start"), 1))[0]
    assert not bench.events.count["mark_failed"]
