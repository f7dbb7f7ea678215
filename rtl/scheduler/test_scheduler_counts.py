# SPDX-License-Identifier: Apache-2.0
"""scheduler_counts: the counts of all things and what it says of them, with steps in every cycle, up to the most and down to zero, and after a reset."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

MOST = 5  # so that the memories' own counts wrap


@pytest.mark.parametrize("index_width", [1, 3])
def test_scheduler_counts(index_width):
    run_cocotb("scheduler_counts", __file__, parameters={"IndexWidth": index_width, "Max": MOST})


async def reset(dut, things: int) -> None:
    dut.up_valid_i.value = dut.down_valid_i.value = dut.count_index_i.value = 0
    dut.rst_i.value = 1
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for _ in range(things + 1):
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def each_count_is_right(dut):
    things = len(dut.some_o)
    start_clock(dut)
    full = emptied_and_filled = 0
    for _ in range(3):
        await reset(dut, things)
        counts, before = [0] * things, [0] * things  # after the previous cycle, and after the one before
        came = None  # in the previous cycle
        for cycle in range(3000):
            rising = 0.9 if cycle // 100 % 2 else 0.4
            up, down, asked = (random.randrange(things) for _ in range(3))
            goes_down = counts[down] > 0 and random.random() < 1.1 - rising
            goes_up = random.random() < rising and counts[up] < MOST
            dut.up_valid_i.value, dut.up_index_i.value = int(goes_up), up
            dut.down_valid_i.value, dut.down_index_i.value = int(goes_down), down
            dut.count_index_i.value = asked
            await ReadOnly()
            assert int(dut.some_o.value) == sum((before[i] > 0 or came == i) << i for i in range(things))
            assert int(dut.count_o.value) == before[asked]
            emptied_and_filled += goes_up and goes_down and up == down and counts[up] == 1
            before = list(counts)
            counts[up] += goes_up
            counts[down] -= goes_down
            came = up if goes_up else None
            full += MOST in counts
            await RisingEdge(dut.clk_i)
    assert full and emptied_and_filled
