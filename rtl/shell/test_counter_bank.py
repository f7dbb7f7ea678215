# SPDX-License-Identifier: Apache-2.0
"""counter_bank: every pulse is counted, also when all come in every cycle; reads while pulses come."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from girih.errors import GirihError
from girih.testing import run_cocotb
from girih.testing.messages import reset


@pytest.mark.parametrize("counters", [2, 9, 19])
def test_counter_bank(counters):
    run_cocotb("counter_bank", __file__, parameters={"Counters": counters})


@pytest.mark.parametrize("counters", [2, 9])
def test_counter_bank_with_snapshots(counters):
    run_cocotb("counter_bank", __file__, parameters={"Counters": counters, "Snapshot": "1'b1"}, environment={"SNAPSHOT": "1"})


def test_one_counter_is_refused():
    with pytest.raises(GirihError):
        run_cocotb("counter_bank", __file__, parameters={"Counters": 1})


class Bench:
    """Pulses with a probability that changes by phase, and how many there were."""

    def __init__(self, dut):
        self.dut = dut
        self.counters = len(dut.event_i)
        self.totals = [0] * self.counters
        self.rate = 0.0

    async def start(self):
        await reset(self.dut, event_i=0, read_i=0, word_i=0, take_i=0, old_i=0)
        cocotb.start_soon(self._pulses())
        return self

    async def _pulses(self):
        while True:
            events = sum((random.random() < self.rate) << i for i in range(self.counters))
            self.dut.event_i.value = events
            await RisingEdge(self.dut.clk_i)
            for i in range(self.counters):
                self.totals[i] += events >> i & 1

    async def word(self, index: int, high: int) -> int:
        self.dut.read_i.value = 1
        self.dut.word_i.value = index << 1 | high
        await RisingEdge(self.dut.clk_i)
        self.dut.read_i.value = 0
        for _ in range(self.counters + 2):
            await FallingEdge(self.dut.clk_i)
            if self.dut.done_o.value == 1:
                value = int(self.dut.data_o.value)
                await RisingEdge(self.dut.clk_i)
                return value
        raise AssertionError("the read took longer than a sweep")

    async def take(self) -> list[int]:
        """Takes a snapshot: the counts at the end of the cycle in which it was requested."""
        self.dut.take_i.value = 1
        await RisingEdge(self.dut.clk_i)
        await FallingEdge(self.dut.clk_i)
        totals = list(self.totals)
        for _ in range(self.counters + 2):
            if self.dut.taken_o.value == 1:
                await RisingEdge(self.dut.clk_i)
                self.dut.take_i.value = 0
                return totals
            await RisingEdge(self.dut.clk_i)
            await FallingEdge(self.dut.clk_i)
        raise AssertionError("the snapshot took longer than a sweep")

    async def old(self, index: int) -> int:
        self.dut.old_i.value = 1
        low = await self.word(index, 0)
        value = await self.word(index, 1) << 32 | low
        self.dut.old_i.value = 0
        return value

    async def read(self, index: int) -> int:
        low = await self.word(index, 0)
        return await self.word(index, 1) << 32 | low


@cocotb.test()
async def a_high_word_is_zero_before_any_low_word_was_read(dut):
    bench = await Bench(dut).start()
    for index in range(bench.counters):
        assert await bench.word(index, 1) == 0


@cocotb.test()
async def no_pulse_is_lost(dut):
    bench = await Bench(dut).start()
    for rate in (1.0, 0.0, 0.5, 0.02, 1.0):
        bench.rate = rate
        await ClockCycles(dut.clk_i, 200 + random.randrange(bench.counters))
    bench.rate = 0.0
    await ClockCycles(dut.clk_i, 2 * bench.counters + 3)
    assert min(bench.totals) > 400
    for index in range(bench.counters):
        assert await bench.read(index) == bench.totals[index], f"counter {index}"


@cocotb.test()
async def reads_are_exact_within_a_sweep_and_never_go_back(dut):
    bench = await Bench(dut).start()
    bench.rate = 0.7
    seen = [0] * bench.counters
    for _ in range(300):
        index = random.randrange(bench.counters)
        before = bench.totals[index]
        value = await bench.word(index, 0)
        assert before - bench.counters - 2 <= value <= bench.totals[index]
        assert value >= seen[index]
        seen[index] = value


@cocotb.test()
async def low_word_holds_the_high_word(dut):
    bench = await Bench(dut).start()
    if bench.counters < 4:
        return  # the sweep always has the total in its hands
    await ClockCycles(dut.clk_i, 2 * bench.counters)
    while dut.add_index_q.value == 1 or dut.index_q.value == 1:  # avoid the counters that the sweep is processing
        await RisingEdge(dut.clk_i)
    dut.total[1].value = (7 << 32) + 0xFFFF_FFF0
    await ClockCycles(dut.clk_i, bench.counters)
    assert await bench.word(1, 0) == 0xFFFF_FFF0
    bench.rate = 1.0
    await ClockCycles(dut.clk_i, 64)
    bench.rate = 0.0
    await ClockCycles(dut.clk_i, 2 * bench.counters + 3)
    assert await bench.word(1, 1) == 7, "the high word that belongs to the low word read before the carry"
    assert await bench.read(1) == (7 << 32) + 0xFFFF_FFF0 + bench.totals[1]


@cocotb.test()
async def reset_clears(dut):
    bench = await Bench(dut).start()
    bench.rate = 1.0
    await ClockCycles(dut.clk_i, 100)
    bench.rate = 0.0
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 0
    for index in range(bench.counters):
        assert await bench.read(index) == 0


@cocotb.test()
async def totals_wrap(dut):
    bench = await Bench(dut).start()
    await ClockCycles(dut.clk_i, 2 * bench.counters)
    for index in range(bench.counters):
        while index in (int(dut.add_index_q.value), int(dut.index_q.value)) and bench.counters > 2:  # the sweep is processing it
            await RisingEdge(dut.clk_i)
        dut.total[index].value = (1 << 64) - 1 - index
        await RisingEdge(dut.clk_i)
        bench.totals[index] = (1 << 64) - 1 - index
    if bench.counters == 2:
        return  # the sweep always has the totals in its hands
    bench.rate = 0.5
    await ClockCycles(dut.clk_i, 200)
    bench.rate = 0.0
    await ClockCycles(dut.clk_i, 2 * bench.counters + 3)
    for index in range(bench.counters):
        assert bench.totals[index] >= 1 << 64
        assert await bench.read(index) == bench.totals[index] % (1 << 64), f"counter {index}"


@cocotb.test(skip="SNAPSHOT" not in os.environ)
async def a_snapshot_is_of_one_cycle(dut):
    bench = await Bench(dut).start()
    for index in range(bench.counters):
        assert await bench.old(index) == 0, "there is none yet"
    for turn in range(60):
        bench.rate = random.choice([1.0, 1.0, 0.5, 0.02])
        await ClockCycles(dut.clk_i, random.choice([1, 1, 2, random.randrange(100)]))  # also right after the last one
        totals = await bench.take()
        if turn % 4 == 0:
            for index in range(bench.counters):
                assert await bench.old(index) == totals[index], f"counter {index}"
                low = await bench.word(index, 0)
                assert bench.totals[index] - 2 * bench.counters - 4 <= low <= bench.totals[index]
    bench.rate = 0.0
    await ClockCycles(dut.clk_i, 3 * bench.counters + 3)
    for index in range(bench.counters):
        assert await bench.read(index) == bench.totals[index], f"counter {index}"
