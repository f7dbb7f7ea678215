# SPDX-License-Identifier: Apache-2.0
"""stream_check: accepts a legal link silently, and stops the simulation at each breach of the rule."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


async def drive(dut, beats):
    start_clock(dut)
    dut.rst_i.value = 1
    for valid, ready, data in [(0, 0, 0), *beats]:
        dut.valid_i.value, dut.ready_i.value, dut.data_i.value = valid, ready, data
        await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
    await RisingEdge(dut.clk_i)


@pytest.mark.parametrize("assume", [0, 1])
def test_legal_link(assume):
    run_cocotb("stream_check", __file__, parameters={"Assume": assume}, testcase="legal_link_passes")


@pytest.mark.parametrize("assume", [0, 1])
@pytest.mark.parametrize("breach", ["valid_falls", "data_changes"])
def test_breach_is_caught(assume, breach):
    with pytest.raises((AssertionError, RuntimeError)):  # the simulation stops
        run_cocotb(
            "stream_check",
            __file__,
            parameters={"Assume": assume},
            testcase="breach",
            environment={"BREACH": breach},
        )


@cocotb.test()
async def legal_link_passes(dut):
    beats, waiting = [], None
    for _ in range(500):
        data = random.getrandbits(8) if waiting is None else waiting
        valid, ready = int(waiting is not None or random.getrandbits(1)), random.getrandbits(1)
        waiting = data if valid and not ready else None
        beats.append((valid, ready, data))
    await drive(dut, beats)


@cocotb.test()
async def breach(dut):
    second = {"valid_falls": (0, 0, 7), "data_changes": (1, 0, 8)}[os.environ["BREACH"]]
    await drive(dut, [(1, 0, 7), second, (0, 0, 0)])
