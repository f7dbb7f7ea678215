# SPDX-License-Identifier: Apache-2.0
"""async_fifo: nothing is lost, duplicated or reordered at random ratios of clocks, even with flip-flops that take the old or the new value; either
side may be reset at any time; the rate is an entry in every cycle of the slower clock; and its latency."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from rtl.cdc.cdc_bench import cross, rates, run_crossing, start

CROSSES = ["nothing_is_lost_at_any_ratio", "either_side_may_be_reset_at_any_time"]


def test_async_fifo():
    run_crossing("async_fifo", __file__, sure=True, parameters={"Depth": 8})


@pytest.mark.parametrize(("depth", "stages"), [(16, 2), (2, 3)])
def test_with_flip_flops_that_take_old_or_new(depth, stages):
    run_crossing("async_fifo", __file__, parameters={"Depth": depth}, stages=stages, testcase=CROSSES)


BROKEN = {
    "binary pointers cross": [
        ("async_fifo", "return ptr ^ (ptr >> 1);", "return ptr;"),
        ("async_fifo", "ptr_t'(3) << (AddrWidth - 1)", "ptr_t'(1) << AddrWidth"),
    ],
    "room is judged before the entry that is just taken": [("async_fifo", "write_gray_d != (", "write_gray_q != (")],
    "the pointer of the writer goes on": [("async_fifo", "write_ptr_d = in_clear ? '0 : ", "write_ptr_d = ")],
    "nobody waits until the other one is clear": [
        ("cdc_clear", "move = together || behind;", "move = together || behind || 1'b1;")
    ],
    "a side opens although the other one will not": [
        ("cdc_clear", " || (phase_q == PhaseDone && seen_state.again)", "")
    ],
}


# The proof notices the others, too.
IN_EVERY_RUN = "binary pointers cross"


@pytest.mark.parametrize(
    "what", [what if what == IN_EVERY_RUN else pytest.param(what, marks=pytest.mark.thorough) for what in BROKEN]
)
def test_broken_design_is_noticed(what):
    """The assertions in the RTL are off, so that the scoreboard has to notice."""
    checks = [
        ("async_fifo", "if (!in_rst_i && in_open && !in_clear) assert", "if (0) assert"),
        ("async_fifo", "if (!out_rst_i && out_open && !out_clear) assert", "if (0) assert"),
    ]
    with pytest.raises(AssertionError):
        run_crossing(
            "async_fifo", __file__, parameters={"Depth": 16}, broken=[*BROKEN[what], *checks], testcase=CROSSES
        )


@cocotb.test()
async def nothing_is_lost_at_any_ratio(dut):
    link = await cross(dut, rounds=60, resets=False)
    assert len(link.taken) == len(link.given) > 600


@cocotb.test()
async def either_side_may_be_reset_at_any_time(dut):
    link = await cross(dut, rounds=80, resets=True)
    assert len(link.given) > len(link.taken) > 600


@cocotb.test()
async def an_entry_in_every_cycle_of_the_slower_clock(dut):
    pairs = (
        (4_000, 4_000),
        (4_000, 4_001),
        (4_001, 4_000),
        (4_000, 6_206),
        (6_206, 4_000),
        (2_000, 16_000),
        (16_000, 2_000),
    )
    found = await rates(dut, pairs)
    assert min(found.values()) > 0.99, f"entries per cycle, by periods in ps: {found}"


@cocotb.test()
async def an_entry_is_offered_after_three_edges(dut):
    await start(dut, 4_000, 3_103)
    await Timer(1, unit="us")
    for _ in range(50):
        await RisingEdge(dut.in_clk_i)
        dut.in_valid_i.value = 1
        await RisingEdge(dut.in_clk_i)  # it is taken here
        assert dut.in_ready_o.value == 1
        dut.in_valid_i.value = 0
        edges = 0
        while dut.out_valid_o.value == 0:
            await RisingEdge(dut.out_clk_i)
            edges += 1
        assert edges == 4  # the last edge sees the offer
        dut.out_ready_i.value = 1
        await RisingEdge(dut.out_clk_i)
        dut.out_ready_i.value = 0
        await Timer(100, unit="ns")
