# SPDX-License-Identifier: Apache-2.0
"""The waits of connections that are paced, and the sizes of their bursts, against the rate in floating point."""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import reset

QUANTUM = {16: 256, 1024: 2048}  # cycles of a burst of several segments, by the number of connections
TICK = 256
LONGEST = 1 << 30  # cycles of a wait
ERROR = 0.011  # of a time, which the module promises
SPAN, TRIP = (1 << 20) - 1, (1 << 27) - 1
MOST_BURST = 1 << 19
PIPELINE = 20  # cycles, at most, between a burst and the end of a wait of no time


@pytest.mark.parametrize("connections", [16, pytest.param(1024, marks=pytest.mark.thorough)])
def test_tcp_pacer(connections):
    run_cocotb("tcp_pacer", __file__, parameters={"Connections": connections}, environment={"CONNECTIONS": str(connections)})


def rate(srtt: int, cwnd: int, threshold: int) -> float:
    """Bytes per cycle: of each round trip, two windows in the first half of slow start, 1.2 windows later."""
    return (2 if cwnd < threshold // 2 else 1.2) * cwnd / (srtt / 8 * TICK)


@dataclass
class Wait:
    sent: int  # the cycle of the burst
    due: float
    burst: float  # the exact size of the next one
    length: float


class Pacing:
    """The module, and what it should say: one wait for each connection at a time."""

    def __init__(self, dut, connections: int):
        self.dut, self.connections = dut, connections
        self.waiting: dict[int, Wait] = {}
        self.came: list[int] = []  # cycles
        self.over: list[tuple[int, int]] = []  # cycles and connections

    @classmethod
    async def start(cls, dut) -> Pacing:
        self = cls(dut, int(os.environ["CONNECTIONS"]))
        dut.now_i.value = 0
        await reset(dut, burst_valid_i=0, over_ready_i=1)
        self.offset = -cycle_now()
        cocotb.start_soon(self._clock())
        cocotb.start_soon(self._watch())
        await ClockCycles(dut.clk_i, 2)
        return self

    @property
    def quantum(self) -> int:
        return QUANTUM[self.connections]

    @property
    def now(self) -> int:
        return cycle_now() + self.offset

    async def _clock(self) -> None:
        while True:
            self.dut.now_i.value = self.now % (1 << 32)
            await RisingEdge(self.dut.clk_i)

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            if self.dut.over_valid_o.value and self.dut.over_ready_i.value:
                self.check(int(self.dut.over_id_o.value), int(self.dut.over_at_o.value), int(self.dut.over_burst_o.value))

    async def burst(self, connection: int, size: int, srtt: int, cwnd: int, threshold: int, late: int = 0) -> None:
        """A connection has sent; its time counts from `late` cycles ago."""
        assert connection not in self.waiting
        values = {
            "burst_valid_i": 1,
            "burst_id_i": connection,
            "burst_bytes_i": size,
            "burst_from_i": (self.now - late) % (1 << 20),
            "burst_srtt_i": srtt,
            "burst_cwnd_i": cwnd,
            "burst_threshold_i": threshold,
        }
        for name, value in values.items():
            getattr(self.dut, name).value = value
        length = size / rate(srtt, cwnd, threshold)
        self.waiting[connection] = Wait(self.now, self.now - late + min(length, LONGEST), rate(srtt, cwnd, threshold) * self.quantum, length)
        self.came.append(self.now)
        await RisingEdge(self.dut.clk_i)
        self.dut.burst_valid_i.value = 0

    def check(self, connection: int, at: int, burst: int) -> None:
        wait = self.waiting.pop(connection)
        self.over.append((self.now, connection))
        error = ERROR * min(wait.length, LONGEST) + 4
        assert abs((at - round(wait.due) + (1 << 19)) % (1 << 20) - (1 << 19)) <= error or wait.length > 1 << 18, (at, wait)
        since = max(wait.due, wait.sent)
        beside = len(self.waiting) + sum(cycle >= since - PIPELINE for cycle in [*self.came, *(cycle for cycle, _ in self.over)])
        assert wait.due - error <= self.now <= since + error + beside + PIPELINE, (self.now, wait)
        assert 1 << burst == 1 or (1 << burst) <= min(wait.burst * (1 + ERROR), MOST_BURST), (burst, wait)
        assert 1 << burst == MOST_BURST or 2 << burst > wait.burst * (1 - ERROR), (burst, wait)

    async def finish(self, limit: int) -> None:
        for _ in range(limit):
            if not self.waiting:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.waiting)} connections wait for ever")


def cases(longest: int, rng: random.Random, count: int) -> list[tuple[int, int, int, int]]:
    """Bursts of any size, round trip, window and threshold, whose wait is not longer than so many cycles."""
    found: list[tuple[int, int, int, int]] = []
    while len(found) < count:
        case = (
            rng.randint(1, 1 << rng.randint(1, 20)) & SPAN or 1,
            rng.randint(1, 1 << rng.randint(1, 27)) & TRIP or 1,
            rng.randint(1, 1 << rng.randint(1, 20)) & SPAN or 1,
            rng.choice([SPAN, rng.randint(0, SPAN)]),
        )
        if case[0] / rate(*case[1:]) <= longest:
            found.append(case)
    return found


@cocotb.test()
async def each_wait_takes_the_time_of_its_bytes(dut):
    """One at a time: extremes, and random ones; in the middle of time and where the counter of cycles wraps."""
    pacing = await Pacing.start(dut)
    for now in (1000, (1 << 32) - 20000):
        pacing.offset += now - pacing.now
        await ClockCycles(dut.clk_i, 2)
        rng = random.Random(now)
        extremes = [
            (1, 1, SPAN, SPAN),  # no time at all
            (SPAN, 1, SPAN, SPAN),
            (SPAN, 1, SPAN, 0),
            (1, 1, 1, SPAN),
            (64, 8, 64, SPAN),
            (64, 8, 64, 0),
            (1460, 800, 14600, SPAN),
            (1460, 800, 14600, 29202),  # just below half of the threshold, and just not
            (1460, 800, 14600, 29200),
        ]
        for case in extremes + cases(5000, rng, 150):
            await pacing.burst(rng.randrange(pacing.connections), *case)
            await pacing.finish(6000)


@cocotb.test()
async def many_wait_at_once(dut):
    """All connections, which send in successive cycles; nobody else's wait changes one's own. Those with the longest do not end meanwhile."""
    pacing = await Pacing.start(dut)
    rng = random.Random(4)
    for number, case in enumerate(cases(20000, rng, pacing.connections - 2)):
        await pacing.burst(number, *case)
    long = [(SPAN, TRIP, 64, 0), (1, TRIP, 1, 0)]
    for number, case in enumerate(long):
        await pacing.burst(pacing.connections - 2 + number, *case)
    while len(pacing.waiting) > len(long):
        await ClockCycles(dut.clk_i, 100)
        assert pacing.now < 40000
    assert len(pacing.over) == pacing.connections - 2
    for number, case in enumerate(cases(2000, rng, pacing.connections - 2)):
        await pacing.burst(number, *case)
        await ClockCycles(dut.clk_i, rng.choice([0, 0, 1, 30]))
    await ClockCycles(dut.clk_i, 6000)
    assert len(pacing.waiting) == len(long)


@cocotb.test()
async def the_longest_wait_ends(dut):
    """After 2^30 cycles, which are skipped here; not before."""
    pacing = await Pacing.start(dut)
    await pacing.burst(3, SPAN, TRIP, 64, 0)
    for skipped in (1 << 29, (1 << 29) - (1 << 24)):
        await ClockCycles(dut.clk_i, 1000)
        pacing.offset += skipped
    await ClockCycles(dut.clk_i, 1000)
    assert pacing.waiting
    pacing.offset += 1 << 24
    await pacing.finish(100)


@cocotb.test()
async def what_was_late_is_made_up(dut):
    """The time of a burst counts from when the wait before should have been over."""
    pacing = await Pacing.start(dut)
    rng = random.Random(7)
    for case in cases(3 * pacing.quantum, rng, 100):
        await pacing.burst(5, *case, late=rng.randint(0, 2 * pacing.quantum))
        await pacing.finish(4 * pacing.quantum)


@cocotb.test()
async def a_wait_that_is_not_taken_stays(dut):
    """The ends of waits are taken late, and all of them are."""
    pacing = await Pacing.start(dut)
    dut.over_ready_i.value = 0
    for number in range(10):
        await pacing.burst(number, 64, 8, 64, SPAN)
    await ClockCycles(dut.clk_i, 1000)
    for wait in pacing.waiting.values():
        wait.sent = pacing.now
    assert dut.over_valid_o.value
    for _ in range(60):
        dut.over_ready_i.value = random.getrandbits(1)
        await RisingEdge(dut.clk_i)
    assert not pacing.waiting and len({connection for _, connection in pacing.over}) == 10
    assert math.isclose(rate(8, 64, SPAN) * TICK, 128)
