# SPDX-License-Identifier: Apache-2.0
"""tile_crossing: at any ratio of clocks, flits cross each link once and in order, and every request on the control ring ends: those to the tile, those of its
master, and those to a tile that does not answer or whose clock stands still. The test is the rest of the ring, and the tile."""

import os
import random
from collections import Counter, deque
from dataclasses import dataclass, field

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BITS
from girih.testing.ring import CTRL_FIELDS
from rtl.cdc.cdc_bench import MOODS, Clock

NODE, FAR = 0x12, 0x21
INS, OUTS = 2, 1
LIMIT = 600
TAGS = 4
OTHER_MASTERS = (0, 2, 3)


@pytest.mark.parametrize("master", [pytest.param(0, marks=pytest.mark.thorough), 1])
def test_tile_crossing(master):
    """master 0: the tile is no master, and the host the only one of the ring."""
    parameters = {"Node": f"8'd{NODE}", "Ins": INS, "Outs": OUTS, "Master": f"2'd{master}", "Limit": LIMIT}
    tests = ["flits_cross_in_order", "accesses_end", "a_clock_that_stands_still", "a_reset_in_the_middle"]
    if master:
        tests += ["masters_of_a_ring", "a_request_to_itself"]
    run_cocotb("tile_crossing", __file__, data_width=128, parameters=parameters, testcase=tests, environment={"TILE_MASTER": str(master)})


@dataclass
class Lanes:
    """The links of one way: flits count up in each, and are taken in that order."""

    dut: object
    source: str  # prefixes of the pins
    sink: str
    count: int
    idle: float = 1
    stall: float = 0
    given: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)

    def start(self, into_tile: bool) -> None:
        self.given, self.taken = [0] * self.count, [0] * self.count
        pins = self.dut
        clocks = (pins.clk_i, pins.tile_clk_i) if into_tile else (pins.tile_clk_i, pins.clk_i)
        self.resets = (pins.rst_i, pins.tile_rst_o) if into_tile else (pins.tile_rst_o, pins.rst_i)
        cocotb.start_soon(self.give(clocks[0]))
        cocotb.start_soon(self.take(clocks[1]))

    def forget(self) -> None:
        self.given, self.taken = [0] * self.count, [0] * self.count

    def flit(self, lane: int, number: int) -> int:
        """Of a number, in its low and in its high bits."""
        return number << (FLIT_BITS - 20) | lane << 30 | number

    async def give(self, clk) -> None:
        valid, ready = getattr(self.dut, f"{self.source}_valid_i"), getattr(self.dut, f"{self.source}_ready_o")
        flits = getattr(self.dut, f"{self.source}_flit_i")
        offered = [False] * self.count
        while True:
            valid.value = sum(offer << lane for lane, offer in enumerate(offered))
            flits.value = sum(self.flit(lane, number) << lane * FLIT_BITS for lane, number in enumerate(self.given))
            await RisingEdge(clk)
            for lane in range(self.count):
                if self.resets[0].value:
                    offered[lane] = False
                    continue
                if offered[lane] and int(ready.value) >> lane & 1:
                    self.given[lane] += 1
                    offered[lane] = False
                offered[lane] |= random.random() >= self.idle

    async def take(self, clk) -> None:
        valid, ready = getattr(self.dut, f"{self.sink}_valid_o"), getattr(self.dut, f"{self.sink}_ready_i")
        flits = getattr(self.dut, f"{self.sink}_flit_o")
        waits = 0
        while True:
            taking = sum((random.random() >= self.stall) << lane for lane in range(self.count))
            ready.value = taking
            await RisingEdge(clk)
            if self.resets[1].value:
                waits = 0
                continue
            offers = int(valid.value)
            assert offers & waits == waits, "a waiting flit vanished"
            for lane in range(self.count):
                if offers >> lane & 1:
                    found = int(flits.value) >> lane * FLIT_BITS & (1 << FLIT_BITS) - 1
                    assert found == self.flit(lane, self.taken[lane]), f"link {lane}: not flit {self.taken[lane]}"
                    self.taken[lane] += taking >> lane & 1
            waits = offers & ~taking


class Ring:
    """The ring around the crossing: it asks the tile, answers the tile's master, and passes beats of others."""

    def __init__(self, dut, master: int):
        self.dut, self.master = dut, master
        self.queue: deque[dict] = deque()  # beats for the crossing
        self.passing: list[dict] = []  # of others, in it
        self.asked: dict[tuple[int, int], int] = {}  # by master and tag: the offset
        self.answers: list[tuple[int, bool, int]] = []  # of the tile: offset, whether it is an error, data
        self.requests = 0  # of the tile's master
        self.foreign = 0.0  # how often a beat of others passes
        self.answering = True
        cocotb.start_soon(self.run())

    def forget(self) -> None:
        self.queue.clear()
        self.passing.clear()
        self.asked.clear()
        self.answers.clear()

    def ask(self, offset: int, master: int = 0, tag: int = 0) -> None:
        assert (master, tag) not in self.asked
        self.asked[master, tag] = offset
        self.queue.append({"valid": 1, "write": 1, "master": master, "tag": tag, "tenant": 5, "node": NODE, "offset": offset, "data": offset * 3})

    async def run(self) -> None:
        while True:
            beat = {}
            if self.dut.rst_i.value:
                pass
            elif self.queue and random.random() < 0.7:
                beat = self.queue.popleft()
            elif random.random() < self.foreign:
                beat = {"valid": 1, "response": random.getrandbits(1), "master": random.choice(OTHER_MASTERS), "tag": 3, "tenant": 1, "node": FAR, "data": random.getrandbits(32)}
                self.passing.append(beat)
            self.dut.ctrl_i.value = pack(CTRL_FIELDS, beat)
            await RisingEdge(self.dut.clk_i)
            left = unpack(CTRL_FIELDS, int(self.dut.ctrl_o.value))
            if left["valid"] and not self.dut.rst_i.value:
                self.leaves(left)

    def leaves(self, beat: dict) -> None:
        key = beat["master"], beat["tag"]
        if beat["response"] and key in self.asked and beat["node"] != FAR:
            self.answers.append((self.asked.pop(key), bool(beat["error"]), beat["data"]))
        elif self.master and beat["master"] == self.master:
            assert not beat["response"] and beat["node"] == FAR
            self.requests += 1
            if self.answering:
                self.queue.append({**beat, "response": 1, "data": beat["data"] ^ 0xFFFF})
        else:
            first = self.passing.pop(0)
            assert {name: value for name, value in beat.items() if value} == {name: value for name, value in first.items() if value}, "a beat of others changed"


class Tile:
    """The tile: its node answers with data of the offset, late; its master asks. It answers only while `awake`."""

    def __init__(self, dut, master: int):
        self.dut, self.master = dut, master
        self.waiting: deque[tuple[int, dict]] = deque()  # requests, and the cycles until their answers
        self.seen: list[int] = []  # offsets of requests
        self.flying: dict[int, int] = {}  # of its master: data by tag
        self.sent = self.answered = 0
        self.asks = 0.0
        self.late, self.awake = 20, True
        self.itself, self.inside = 0, False  # requests of its master to its own node that are still to be made; whether one is under way
        cocotb.start_soon(self.run())

    async def run(self) -> None:
        while True:
            self.dut.tile_ctrl_i.value = pack(CTRL_FIELDS, {} if self.dut.tile_rst_o.value else self.leaves())
            await RisingEdge(self.dut.tile_clk_i)
            if self.dut.tile_rst_o.value:
                self.waiting.clear()
                self.flying.clear()
                continue
            beat = unpack(CTRL_FIELDS, int(self.dut.tile_ctrl_o.value))
            if beat["valid"] and beat["node"] == NODE and not beat["response"]:
                assert beat["offset"] * 3 == beat["data"] and beat["write"] == 1
                assert self.master or not self.waiting, "two requests at a time"
                self.seen.append(beat["offset"])
                self.waiting.append((random.randint(0, self.late), beat))
            elif beat["valid"]:
                assert beat["master"] == self.master and self.flying.pop(beat["tag"]) ^ 0xFFFF == beat["data"] and beat["response"]
                self.answered += 1

    def leaves(self) -> dict:
        if self.waiting and self.awake:
            cycles, beat = self.waiting[0]
            if cycles == 0:
                self.waiting.popleft()
                if beat["master"] == self.master and self.master:  # its own answer does not leave
                    self.inside = False
                    return {}
                return {**beat, "response": 1, "data": beat["offset"] ^ 0xABCD}
            self.waiting[0] = (cycles - 1, beat)
        free = [tag for tag in range(TAGS) if tag not in self.flying]
        if self.itself and not self.inside and random.random() < 0.5:
            self.itself, self.inside = self.itself - 1, True
            return {"valid": 1, "write": 1, "master": self.master, "tag": 1, "node": NODE, "offset": 64 * 1024 - 4, "data": 3 * (64 * 1024 - 4)}
        if free and random.random() < self.asks:
            tag, data = random.choice(free), random.getrandbits(32)
            self.flying[tag] = data
            self.sent += 1
            return {"valid": 1, "write": 1, "master": self.master, "tag": tag, "node": FAR, "offset": 8, "data": data}
        return {}


async def start(dut):
    """The clocks, the lanes into and out of the tile, the ring and the tile, behind a reset."""
    master = int(os.environ["TILE_MASTER"])
    dut.rst_i.value = dut.edge_rst_i.value = 1
    dut.clk_i.value = dut.tile_clk_i.value = 0
    clocks = Clock(dut.clk_i, 4_000), Clock(dut.tile_clk_i, 4_000)
    for pin in ("in_valid_i", "out_ready_i", "tile_in_ready_i", "tile_out_valid_i", "ctrl_i", "tile_ctrl_i"):
        getattr(dut, pin).value = 0
    await Timer(200, unit="ns")
    await reset(dut)
    into, out = Lanes(dut, "in", "tile_in", INS), Lanes(dut, "tile_out", "out", OUTS)
    into.start(into_tile=True)
    out.start(into_tile=False)
    ring, tile = Ring(dut, master), Tile(dut, master)
    return clocks, (into, out), ring, tile


async def reset(dut, forget=()) -> None:
    """Resets the card, and some edges later the tile, as edge_reset does."""
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.tile_clk_i)
    dut.edge_rst_i.value = 1
    for _ in range(8):
        await RisingEdge(dut.clk_i)
    for one in forget:
        one.forget()
    dut.rst_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.tile_clk_i)
    dut.edge_rst_i.value = 0
    await RisingEdge(dut.tile_clk_i)
    await RisingEdge(dut.tile_clk_i)
    assert dut.tile_rst_o.value == 1, "the tile leaves its reset before the crossing is open"


async def answers(ring: Ring, count: int, microseconds: int) -> None:
    for _ in range(10 * microseconds):
        if len(ring.answers) >= count:
            return
        await Timer(100, unit="ns")
    raise AssertionError(f"{len(ring.answers)} answers of {count}")


def good(offset: int) -> tuple[int, bool, int]:
    return offset, False, offset ^ 0xABCD


def late(offset: int) -> tuple[int, bool, int]:
    return offset, True, 1


@cocotb.test()
async def flits_cross_in_order(dut):
    clocks, lanes, _ring, _tile = await start(dut)
    moved = Counter()
    for _ in range(30):
        for clock in clocks:
            clock.draw()
        for way in lanes:
            way.idle, way.stall = random.choice(MOODS), random.choice(MOODS)
        await Timer(random.randint(200, 900), unit="ns")
        for number, way in enumerate(lanes):
            moved[number] += min(way.taken)
    for way in lanes:
        way.idle, way.stall = 1, 0
    await Timer(2, unit="us")
    assert all(way.given == way.taken for way in lanes) and min(moved.values()) > 500


@cocotb.test()
async def accesses_end(dut):
    """Those of a tile that answers with its answers, and those that come while it does not with errors at once, behind the first."""
    clocks, lanes, ring, tile = await start(dut)
    for way in lanes:
        way.idle = 0.3
    offset = 4
    for _ in range(30):
        for clock in clocks:
            clock.draw()
        ring.answers.clear()
        ring.ask(offset)
        await answers(ring, 1, 20)
        assert ring.answers == [good(offset)] and tile.seen[-1] == offset
        offset += 4
    tile.awake = False
    for place in range(3):
        ring.answers.clear()
        ring.ask(offset + 4 * place)
        await answers(ring, 1, 60 if place == 0 else 2)
        assert ring.answers == [late(offset + 4 * place)]
    assert tile.seen[-1] == offset  # the others did not cross
    tile.awake = True
    await Timer(2, unit="us")
    ring.answers.clear()
    ring.ask(offset + 12)
    await answers(ring, 1, 20)
    assert ring.answers == [good(offset + 12)]


@cocotb.test()
async def a_clock_that_stands_still(dut):
    clocks, _lanes, ring, tile = await start(dut)
    await Timer(1, unit="us")
    clocks[1].period = 20_000_000  # half of it is longer than an access that gets no answer
    await Timer(100, unit="ns")
    ring.ask(4)
    await answers(ring, 1, 4)
    ring.ask(8)
    await answers(ring, 2, 2)
    assert ring.answers == [late(4), late(8)] and tile.seen == []
    clocks[1].period = 4_000
    await Timer(20, unit="us")
    assert tile.seen == [4]
    ring.ask(12)
    await answers(ring, 3, 20)
    assert ring.answers[2] == good(12)


@cocotb.test()
async def a_reset_in_the_middle(dut):
    """Nothing from before comes afterwards; what comes to the closed crossing waits."""
    clocks, lanes, ring, tile = await start(dut)
    for _ in range(12):
        for clock in clocks:
            clock.draw()
        for way in lanes:
            way.idle, way.stall = random.choice(MOODS[:2]), random.choice(MOODS)
        if not ring.asked:
            ring.ask(4)
        ring.foreign, tile.asks = 0.0, 0.3 if tile.master else 0.0
        await Timer(random.randint(10, 1_500), unit="ns")
        await reset(dut, (*lanes, ring))
        ring.ask(8)
        await answers(ring, 1, 20)
        assert ring.answers == [good(8)]
    for way in lanes:
        way.idle, way.stall = 1, 0
    await Timer(3, unit="us")
    assert all(way.given == way.taken for way in lanes)


@cocotb.test()
async def masters_of_a_ring(dut):
    """Masters ask the tile while its own asks others, and beats of others pass; every answer to an access follows the requests that the tile sent before it."""
    clocks, _lanes, ring, tile = await start(dut)
    offset, expected = 4, []
    for _ in range(40):
        for clock in clocks:
            clock.draw()
        ring.foreign, tile.asks = random.choice([0, 0.3, 0.6]), random.choice([0, 0.2, 1])
        ring.answers.clear()
        expected.clear()
        for master in OTHER_MASTERS:
            for tag in random.sample(range(3), random.randint(0, 3)):
                ring.ask(offset, master, tag)
                expected.append(good(offset))
                offset += 4
        await answers(ring, len(expected), 50)
        assert ring.answers == expected
        assert ring.requests >= tile.sent - TAGS
    ring.foreign = tile.asks = 0
    await Timer(5, unit="us")
    assert tile.answered == tile.sent == ring.requests > 300 and not ring.passing


@cocotb.test()
async def a_request_to_itself(dut):
    """It does not leave the tile; accesses of others go on."""
    clocks, _lanes, ring, tile = await start(dut)
    tile.late = 0
    for clock in clocks:
        clock.draw()
    tile.itself = most = 200
    offset = 4
    while tile.itself or tile.inside:
        ring.answers.clear()
        ring.ask(offset)
        await answers(ring, 1, 20)
        assert ring.answers == [good(offset)]
        offset += 4
    assert tile.seen.count(64 * 1024 - 4) == most and ring.requests == 0 and offset > 40
