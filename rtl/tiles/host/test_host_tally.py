# SPDX-License-Identifier: Apache-2.0
"""host_tally against a count: as many pulses leave as come, none of them early, and one in every cycle while some wait."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


@pytest.mark.parametrize("n", [1, 2, 5])
def test_host_tally(n):
    run_cocotb("host_tally", __file__, parameters={"N": n})


@cocotb.test()
async def every_pulse_is_counted(dut):
    count = len(dut.pulse_i)
    start_clock(dut)
    dut.rst_i.value, dut.pulse_i.value = 1, 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    came = left = 0
    for cycle in range(3000):
        busy = cycle // 100 % 5 == 0 and cycle < 2500  # bursts, with time to catch up
        pulses = sum(1 << bit for bit in range(count) if busy and random.random() < 0.6)
        dut.pulse_i.value = pulses
        await ReadOnly()
        waited = came - left  # before this cycle
        pulse = int(dut.pulse_o.value)
        assert pulse == (pulses if count == 1 else waited > 0)
        left += pulse
        came += pulses.bit_count()
        await RisingEdge(dut.clk_i)
    assert came == left > 200
