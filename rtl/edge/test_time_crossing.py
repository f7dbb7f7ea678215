# SPDX-License-Identifier: Apache-2.0
"""time_crossing: at any ratio of clocks, the time beyond is that of some edges ago and never runs backwards, although synchronisers take the old or the
new value of a bit."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.cdc.cdc_bench import UNSURE, Clock, copies

BITS = 24
STAGES = 2
UNSURE_TIME = [*UNSURE, ("time_crossing", ".in_i (code_q)", ".from_clk_i(clk_i), .in_i (code_q)")]


@pytest.mark.parametrize("sure", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_time_crossing(sure):
    run_cocotb("time_crossing", __file__, data_width=128, generated=[] if sure else [copies("time_crossing", UNSURE_TIME)])


class Time:
    """Counts the card's cycles, and keeps what they were at the last edges of the other clock."""

    def __init__(self, dut, start: int):
        self.dut, self.now, self.seen, self.read = dut, start, [], 0
        cocotb.start_soon(self.count())
        cocotb.start_soon(self.look())

    async def count(self) -> None:
        while True:
            self.dut.now_i.value = self.now % (1 << BITS)
            await RisingEdge(self.dut.clk_i)
            self.now += 1

    async def look(self) -> None:
        """now_o follows an edge; it was the card's time Stages edges before."""
        last = None
        while True:
            await RisingEdge(self.dut.edge_clk_i)
            if len(self.seen) > STAGES:  # what is read here followed the edge before
                late = (self.seen[-1 - STAGES] - int(self.dut.now_o.value)) % (1 << BITS)
                assert late <= 1, f"the time is {late} cycles before that of {STAGES} edges ago"
                time = self.seen[-1 - STAGES] - late
                assert last is None or time >= last, "the time runs backwards"
                last, self.read = time, self.read + 1
            self.seen = [*self.seen[-STAGES:], self.now]


@cocotb.test()
async def the_time_is_that_of_some_edges_ago(dut):
    dut.clk_i.value = dut.edge_clk_i.value = 0
    dut.rst_i.value = 1
    time = Time(dut, (1 << BITS) - 2_000)  # it wraps soon
    clocks = Clock(dut.clk_i, 4_000), Clock(dut.edge_clk_i, 4_000)
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for _ in range(40):
        for clock in clocks:
            clock.draw()
        await Timer(400_000, unit="ps")
    assert time.now > (1 << BITS) + 2_000 and time.read > 2_000
