# SPDX-License-Identifier: Apache-2.0
"""pulse_sum: as many pulses leave as have come, however many come at once and for how long."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

SOURCES = int(os.environ.get("N", "0"))


@pytest.mark.parametrize("sources", [1, 3, 16])
def test_pulse_sum(sources):
    run_cocotb("pulse_sum", __file__, parameters={"N": sources}, environment={"N": str(sources)})


@cocotb.test()
async def no_pulse_is_lost(dut):
    await reset(dut, pulse_i=0)
    came = left = 0
    for cycle in range(3000 + SOURCES * 3000):
        flood = cycle < 1500
        pulses = [flood or (cycle < 3000 and random.random() < 0.3) for _ in range(SOURCES)]
        dut.pulse_i.value = sum(pulse << at for at, pulse in enumerate(pulses))
        await RisingEdge(dut.clk_i)
        left += int(dut.pulse_o.value)
        came += sum(pulses)
    assert left == came
