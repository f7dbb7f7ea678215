# SPDX-License-Identifier: Apache-2.0
"""reset_synchroniser: it misses no reset, however short and even without a clock, and ends it at an edge of the clock."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.cdc.cdc_bench import Clock


@pytest.mark.parametrize("stages", [2, 3])
def test_reset_synchroniser(stages):
    run_cocotb("reset_synchroniser", __file__, parameters={"Stages": stages}, environment={"GIRIH_STAGES": str(stages)})


@cocotb.test()
async def no_reset_is_missed(dut):
    dut.clk_i.value = 0
    dut.async_rst_i.value = 1
    clock = Clock(dut.clk_i, 4_000, 300)
    await Timer(100, unit="ns")
    assert dut.rst_o.value == 1
    dut.async_rst_i.value = 0
    for _ in range(300):
        await Timer(random.randint(50_000, 60_000), unit="ps")
        assert dut.rst_o.value == 0
        clock.period = random.choice([2_000, 4_000, 5_001])
        dut.async_rst_i.value = 1
        await Timer(random.choice([50, 3_000, 20_000]), unit="ps")
        dut.async_rst_i.value = 0
        await follows(dut)


async def follows(dut) -> None:
    """After a reset that has just ended, rst_o is up for at least one cycle and falls after Stages + 1 edges."""
    stages, up = int(os.environ["GIRIH_STAGES"]), 0
    for edge in range(1, stages + 3):
        await RisingEdge(dut.clk_i)
        up += int(dut.rst_o.value)  # sampled at the edge
        if edge == stages + 1:
            assert dut.rst_o.value == 1
    assert dut.rst_o.value == 0 and up >= 1


@cocotb.test()
async def it_changes_at_edges_only(dut):
    """Nothing changes while the clock stands still. A reset that began and ended meanwhile still takes effect."""
    dut.clk_i.value = 0
    dut.async_rst_i.value = 0
    for _ in range(8):
        await Timer(1, unit="ns")
        dut.clk_i.value = 1 - int(dut.clk_i.value)
    await Timer(1, unit="ns")
    assert dut.rst_o.value == 0
    dut.async_rst_i.value = 1
    await Timer(1, unit="ns")
    dut.async_rst_i.value = 0
    await Timer(20, unit="ns")
    assert dut.rst_o.value == 0
    Clock(dut.clk_i, 4_000)
    await follows(dut)
