# SPDX-License-Identifier: Apache-2.0
"""A simulation that hangs ends by itself, and the test that hangs is named."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import Event, Timer

from girih.testing import run_cocotb

LIMIT = 4  # seconds; a simulation starts in less than one


@pytest.mark.parametrize("hanging", ["waits_for_ever", "never_returns"])
def test_a_simulation_that_hangs_ends_with_the_name_of_its_test(hanging):
    words = f"the simulation of skid_buffer has used {LIMIT} s of processor time, which is its limit, in test_time_limit.{hanging}"
    with pytest.raises(AssertionError, match=words):
        run_cocotb("skid_buffer", __file__, testcase=["ends", hanging], seconds=LIMIT)


def test_a_simulation_within_its_limit_passes():
    run_cocotb("skid_buffer", __file__, testcase="ends", seconds=LIMIT)


@cocotb.test()
async def ends(_dut):
    await Timer(1, "ns")


@cocotb.test()
async def waits_for_ever(dut):
    """The clock goes on, and Python has nothing to do."""
    Clock(dut.clk_i, 2, "ns").start()
    await Event().wait()


@cocotb.test()
async def never_returns(_dut):
    while True:
        pass
