# SPDX-License-Identifier: Apache-2.0
"""cdc_clear: after a reset of both sides they are clear and open again, whatever their registers held at power-up."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from rtl.cdc.cdc_bench import Clock, reset, run_crossing


def test_cdc_clear():
    run_crossing("cdc_handshake", __file__, sure=True, inside=True)


def test_a_side_that_does_not_recover_is_noticed():
    never = [("cdc_clear", "if (Recovers && opposite)", "if (1'b0 && Recovers && opposite)")]
    with pytest.raises(AssertionError):
        run_crossing("cdc_handshake", __file__, sure=True, inside=True, broken=never)


@cocotb.test()
async def any_power_up_ends_open_and_clear(dut):
    for signal in (dut.in_clk_i, dut.out_clk_i, dut.in_valid_i, dut.out_ready_i):
        signal.value = 0
    clocks = Clock(dut.in_clk_i, 4_000), Clock(dut.out_clk_i, 4_000)
    sides = dut.u_in_clear, dut.u_out_clear
    for _ in range(200):
        dut.in_rst_i.value = dut.out_rst_i.value = 1
        for clock in clocks:
            clock.draw()
        for side in sides:
            side.phase_q.value = random.randrange(4)
            side.again_q.value = random.randrange(2)
            side.u_seen.stage_q.value = random.randrange(16)
        dut.given_q.value, dut.taken_q.value = random.randrange(2), random.randrange(2)
        await Timer(16 * sum(clock.period + clock.jitter for clock in clocks), unit="ps")
        for side in random.sample(["in", "out"], 2):  # they end in random order
            await reset(dut, side, random.randint(1, 5))
        await Timer(32 * sum(clock.period + clock.jitter for clock in clocks), unit="ps")
        phases = [(int(s.phase_q.value), int(s.again_q.value), int(s.u_seen.stage_q.value)) for s in sides]
        assert [phase for phase, _, _ in phases] == [0, 0], phases
        assert (int(dut.given_q.value), int(dut.taken_q.value)) == (0, 0)
        assert dut.in_ready_o.value == 1 and dut.out_valid_o.value == 0
