# SPDX-License-Identifier: Apache-2.0
"""control_core: requests of the program end as the control network answers them, watches report every increase of a register, and lines are reported
once."""

import itertools
import random
import struct

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.formats import Format
from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.engines import EngineBench
from girih.testing.messages import Message
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS
from rtl.tiles.core.core_bench import PROBE as CORE_PROBE
from rtl.tiles.core.core_bench import Operator, counts_what_a_core_counts

PROBE = CORE_PROBE.parents[2] / "control_core" / "programs" / "probe.c"
MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
READ, WRITE, COUNT, WATCH, UNWATCH, EVENT, LISTEN, FLOOD, LOOP, ASK, LAST = range(11)
DONE, REFUSED, ERROR, NO_NODE = range(4)  # statuses of the ring
NODE, FORBIDDEN, NOBODY = 0x12, 0x13, 0x14
WORDS = 32
WATCHES, LINES = 5, 32
SLOTS, SLOT_BYTES = 4, 2048
PACE, WATCHDOG = 20, 30_000
CARD_H = "// a card without tiles\n"


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_control_core_engine(data_width):
    run_cocotb("control_core_engine", __file__, data_width=data_width, parameters={"Watches": WATCHES})


class Ring:
    """The control network: one node whose registers can be read and written, one without rights, and one that does not exist. Answers of different
    requests come in any order. slow: cycles that each answer takes at least."""

    def __init__(self, dut):
        self.dut, self.slow = dut, 0
        self.words = [random.getrandbits(32) for _ in range(WORDS)]
        self.log: list[tuple[int, dict]] = []  # cycle, request
        self.under_way = 0
        self.cycle = 0
        self._waiting: list[tuple[int, dict]] = []
        cocotb.start_soon(self._run())

    def at(self, word: int, node: int = NODE) -> int:
        return node << 16 | 4 * word

    def _answer(self, asked: dict) -> tuple[int, int]:
        word = asked["offset"] >> 2
        if asked["node"] == FORBIDDEN:
            return REFUSED, 0
        if asked["node"] != NODE:
            return NO_NODE, 0xBAD
        if word >= WORDS:
            return ERROR, 1
        if asked["write"]:
            self.words[word] = asked["data"]
        return DONE, self.words[word]

    async def _run(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            self.cycle += 1
            if dut.control_ready_i.value == 1 and dut.control_valid_o.value == 1:
                asked = unpack(REQUEST_FIELDS, int(dut.control_request_o.value))
                assert asked["tag"] not in [other["tag"] for _, other in self._waiting], "two requests with one tag"
                self.log.append((self.cycle, asked))
                self._waiting.append((self.cycle + self.slow + random.choice((1, 3, 20)), asked))
            ready = [entry for entry in self._waiting if entry[0] <= self.cycle]
            dut.control_answer_valid_i.value = int(bool(ready))
            if ready:
                entry = random.choice(ready)
                self._waiting.remove(entry)
                status, data = self._answer(entry[1])
                dut.control_answer_i.value = pack(ANSWER_FIELDS, {"tag": entry[1]["tag"], "status": status, "data": data})
            dut.control_ready_i.value = int(random.random() < 0.7)


class Core(EngineBench):
    @classmethod
    async def run_program(cls, dut, source=PROBE, watchdog=0, **options):
        operator = Operator(dut)
        dut.now_i.value = dut.control_answer_valid_i.value = dut.control_ready_i.value = dut.control_interrupt_i.value = dut.control_answer_i.value = 0
        bench = await cls.start(dut, "control_core", watchdog=watchdog, pace=PACE, stall=0.1)
        bench.operator, bench.ring = operator, Ring(dut)
        await operator.load(source, card=CARD_H, **options)
        return bench

    async def command(self, what, at=0, value=0, more=0, cycles=20_000):
        """Sends the probe a command. Returns its four words afterwards, or None if there is no answer."""
        already = len(self.sink.messages)
        self.source.send(Message(struct.pack("<IIII", what, at, value, more) + bytes(48), {"tenant": 0}))
        for _ in range(cycles):
            await RisingEdge(self.dut.clk_i)
            if len(self.sink.messages) > already:
                return struct.unpack_from("<IIII", self.sink.messages[-1].data)
        return None

    async def event(self, cycles=5000):
        """The next event: its number and value, whether it is a line's, whether a watch has failed. None if none comes."""
        for _ in range(max(1, cycles // 100)):
            there, number, value, more = await self.command(EVENT)
            if there:
                return number, value, more >> 1, more & 1
            await ClockCycles(self.dut.clk_i, 100)
        return None

    def reads_of(self, at, since=0):
        return [cycle for cycle, asked in self.ring.log[since:] if asked["node"] << 16 | asked["offset"] == at and not asked["write"]]


@cocotb.test()
async def requests_end_as_they_were_answered(dut):
    bench = await Core.run_program(dut)
    ring = bench.ring
    wanted = {"asked": 0, "failed": 0}
    for _ in range(30):
        word, value = random.randrange(WORDS), random.getrandbits(32)
        node = random.choice((NODE, NODE, FORBIDDEN, NOBODY))
        at = ring.at(word, node)
        ends = {NODE: DONE, FORBIDDEN: REFUSED, NOBODY: NO_NODE}[node]
        before = list(ring.words)
        if random.random() < 0.5:
            status, _, _, _ = await bench.command(WRITE, at, value)
            assert ring.words == ([*before[:word], value, *before[word + 1 :]] if node == NODE else before)
        else:
            status, _, got, _ = await bench.command(READ, at, value)
            assert got == (ring.words[word] if node == NODE else value), "what could not be read is as it was"
        assert status == ends
        wanted["asked"] += 1
        wanted["failed"] += status != DONE
    asked = len(ring.log)
    for at in (ring.at(WORDS), ring.at(WORDS + 1)):
        assert (await bench.command(READ, at, 7))[0] == ERROR
    for at in (1 << 24 | ring.at(0), 1 << 31 | ring.at(0), ring.at(0) + 2):
        assert (await bench.command(WRITE, at, 7))[0] == NO_NODE
    assert len(ring.log) == asked + 2, "what is no address is not asked for"
    assert bench.events["mark_requests"] == wanted["asked"] + 5
    assert bench.events["mark_failed"] == wanted["failed"] + 5


@cocotb.test()
async def a_counter_is_read_whole(dut):
    """Also when its high word changes between the two reads."""
    bench = await Core.run_program(dut)
    ring = bench.ring
    ring.words[:2] = [0xFFFF_FFFF - 10, 6]
    seen = set()

    async def grow():
        value = 6 << 32 | 0xFFFF_FFFF - 10
        while True:
            await RisingEdge(dut.clk_i)
            value += random.choice((0, 0, 1 << 27))
            ring.words[:2] = [value & 0xFFFF_FFFF, value >> 32]
            bench.value = value

    bench.value = 6 << 32 | 0xFFFF_FFFF - 10
    task = cocotb.start_soon(grow())
    for _ in range(20):
        before = bench.value
        status, _, low, high = await bench.command(COUNT, ring.at(0))
        assert status == DONE and before <= high << 32 | low <= bench.value
        seen.add(high)
    assert len(seen) > 5
    task.cancel()
    assert (await bench.command(COUNT, ring.at(0, FORBIDDEN)))[0] == REFUSED


@cocotb.test()
async def a_watch_tells_all_that_a_register_grows(dut):
    """However slowly the program takes the events: no increase is reported twice or lost, even when 32 bits wrap."""
    bench = await Core.run_program(dut)
    ring = bench.ring
    steps = [1, 3, 100, 1, 7]
    for number, step in enumerate(steps):
        ring.words[number] = random.choice((0, 0xFFFF_FFF0))
        assert (await bench.command(WATCH, ring.at(number), step, number))[0] == 1
    assert (await bench.command(WATCH, ring.at(0), 1, WATCHES))[0] == 0, "there is no such watch"
    assert (await bench.command(WATCH, ring.at(0), 1, 1 << 31))[0] == 0
    await ClockCycles(dut.clk_i, 1000)  # each register has been read once
    grown, told = [0] * WATCHES, [0] * WATCHES
    for _ in range(60):
        number = random.randrange(WATCHES - 1)  # the last one never changes
        growth = random.choice((1, 2, steps[number], 50))
        grown[number] += growth
        ring.words[number] = ring.words[number] + growth & 0xFFFF_FFFF
        if random.random() < 0.6:  # its events wait while it grows further
            await ClockCycles(dut.clk_i, 300)
        elif event := await bench.event(100):
            number, value, line, failed = event
            assert (line, failed) == (0, 0) and value >= steps[number]
            told[number] += value
    while (event := await bench.event(1500)) and sum(told) <= sum(grown):
        told[event[0]] += event[1]
    for number in range(WATCHES):
        assert 0 <= grown[number] - told[number] < steps[number], (number, grown, told)
    assert told[WATCHES - 1] == 0
    assert bench.events["mark_events"] > 5


@cocotb.test()
async def watches_take_turns_and_keep_their_pace(dut):
    """Every register that has grown is reported before any is reported twice, and reads keep to the pace."""
    bench = await Core.run_program(dut)
    ring = bench.ring
    for number in range(WATCHES):
        await bench.command(WATCH, ring.at(number), 1, number)
    await ClockCycles(dut.clk_i, 1000)
    for _ in range(3):
        ring.words[:WATCHES] = [(word + 1) & 0xFFFF_FFFF for word in ring.words[:WATCHES]]
        await ClockCycles(dut.clk_i, 1000)
        assert sorted([(await bench.event(0))[0] for _ in range(WATCHES)]) == list(range(WATCHES))
        assert await bench.event(0) is None
    reads = [cycle for cycle, _ in ring.log]
    assert min(after - before for before, after in itertools.pairwise(reads)) > PACE


@cocotb.test()
async def a_watch_that_cannot_read_ends_and_says_why(dut):
    bench = await Core.run_program(dut)
    ring = bench.ring
    for at, why in ((ring.at(0, FORBIDDEN), REFUSED), (ring.at(WORDS), ERROR), (ring.at(0, NOBODY), NO_NODE), (ring.at(0) + 1, NO_NODE), (1 << 25, NO_NODE)):
        await bench.command(WATCH, at, 1, 2)
        assert await bench.event() == (2, why, 0, 1)
        asked = len(ring.log)
        await ClockCycles(dut.clk_i, 500)
        assert len(ring.log) == asked and await bench.event(200) is None


@cocotb.test()
async def a_watch_that_is_set_anew_forgets_what_was(dut):
    """In whatever cycle the change comes, events of the former register never come."""
    bench = await Core.run_program(dut)
    ring = bench.ring
    ring.slow = 30
    for number in range(WATCHES):
        ring.words[number] = number << 20
    for _ in range(40):
        old, new = random.sample(range(8), 2)
        ring.words[old] = ring.words[new] = 0
        await bench.command(WATCH, ring.at(old), 1000, 1)
        await ClockCycles(dut.clk_i, random.randrange(150))
        ring.words[old] = 5000
        await ClockCycles(dut.clk_i, random.randrange(150))
        if random.random() < 0.3:
            await bench.command(UNWATCH, more=1)
            assert await bench.event(200) is None
        else:
            await bench.command(WATCH, ring.at(new), 10, 1)
            await ClockCycles(dut.clk_i, 200)
            ring.words[new] = 77
            assert await bench.event() == (1, 77, 0, 0)


@cocotb.test()
async def lines_are_told_of_once_and_watches_still(dut):
    bench = await Core.run_program(dut)
    ring = bench.ring
    dut.control_interrupt_i.value = (1 << LINES) - 1
    await ClockCycles(dut.clk_i, 100)
    assert await bench.event(200) is None, "the program does not listen"
    dut.control_interrupt_i.value = 0
    for line in (0, 31, 17, 32, 1 << 31):
        await bench.command(LISTEN, line)
    assert await bench.event(200) is None
    dut.control_interrupt_i.value = 1 << 31 | 1 << 5 | 1 << 17
    assert sorted([await bench.event(), await bench.event()]) == [(17, 0, 1, 0), (31, 0, 1, 0)]
    assert await bench.event(500) is None, "they are still up, and have been told of"
    await bench.command(LISTEN, 17)
    assert await bench.event() == (17, 0, 1, 0)
    dut.control_interrupt_i.value = 1
    assert await bench.event() == (0, 0, 1, 0)
    # A line that never falls and is enabled again at once does not keep a watch from being reported, nor the other way round.
    await bench.command(WATCH, ring.at(3), 1, 3)
    await bench.command(LISTEN, 0)
    kinds = []
    for _ in range(12):
        ring.words[3] = ring.words[3] + 1 & 0xFFFF_FFFF
        await ClockCycles(dut.clk_i, 300)
        _number, _value, line, _failed = await bench.event()
        kinds.append(line)
        if line:
            await bench.command(LISTEN, 0)
    assert 4 <= sum(kinds) <= 8


@cocotb.test()
async def a_flood_is_one_request_at_a_time(dut):
    """What a program writes during a request changes neither this request nor another one. The watchdog ends the program, and the next one starts
    without its watches and its answers."""
    bench = await Core.run_program(dut, watchdog=WATCHDOG)
    ring = bench.ring
    ring.slow = 50
    await bench.command(WATCH, ring.at(1), 1 << 30, 1)
    await bench.command(READ, ring.at(3))
    started = len(ring.log)
    assert await bench.command(FLOOD, ring.at(2), 0x600D, 4, cycles=10_000) is None
    flood = [(cycle, asked) for cycle, asked in ring.log[started:] if asked["write"]]
    assert len(flood) > 50
    assert {(asked["node"], asked["offset"], asked["data"]) for _, asked in flood} == {(NODE, 8, 0x600D)}
    assert min(after[0] - before[0] for before, after in itertools.pairwise(flood)) > 50
    for _ in range(WATCHDOG // 100 + 50):
        ring.slow = random.randrange(30)  # so that requests meet in any cycle
        await ClockCycles(dut.clk_i, 100)
        if bench.events.get("mark_restarts"):
            break
    assert bench.events["mark_restarts"] == 1 and bench.events["drop_reset"] == 1
    end = max(cycle for cycle, asked in ring.log if asked["write"])
    watched = [cycle for cycle in bench.reads_of(ring.at(1), started) if cycle < end]
    assert max(after - before for before, after in itertools.pairwise([*watched, end])) < 1000, "the watch has its turns"
    assert (await bench.command(READ, ring.at(5), 0))[2] == ring.words[5]
    asked = len(ring.log)
    await ClockCycles(dut.clk_i, 2000)
    assert len(ring.log) == asked, "no watch is left"


@cocotb.test()
async def a_program_that_waits_lives_and_one_that_loops_does_not(dut):
    """Also without a message: a program that has asked for one must ask again."""
    bench = await Core.run_program(dut, watchdog=5000)
    await ClockCycles(dut.clk_i, 20_000)
    assert "mark_restarts" not in bench.events
    await bench.command(READ, bench.ring.at(0))
    for restarts, without in enumerate((0, 1), 1):
        assert await bench.command(LOOP, 0, without, cycles=8000) is None
        assert bench.events["mark_restarts"] == restarts
    assert (await bench.command(READ, bench.ring.at(0)))[0] == DONE


@cocotb.test()
async def a_request_of_a_held_core_is_not_the_next_programs(dut):
    bench = await Core.run_program(dut)
    ring = bench.ring
    ring.words[0], ring.words[1] = 0x01D, 0x2E3
    for delay in (0, 40, 100, 200, 399, 400):
        ring.slow = 1000
        await bench.command(ASK, ring.at(0))
        await ClockCycles(dut.clk_i, delay)
        assert await bench.operator.write("control", 0)
        await ClockCycles(dut.clk_i, 20)
        ring.slow = 0
        assert await bench.operator.write("control", 1)
        assert (await bench.command(LAST))[::2] == (DONE, 0)
        status, _, value, _ = await bench.command(READ, ring.at(1), 0)
        assert (status, value) == (DONE, 0x2E3)


@cocotb.test()
async def what_every_core_counts_is_counted(dut):
    bench = await Core.run_program(dut, CORE_PROBE, defines=("MACHINE_MODE",))
    await counts_what_a_core_counts(bench, SLOTS, SLOT_BYTES)
