# SPDX-License-Identifier: Apache-2.0
"""fifo: order and content under random idles and backpressure."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


@pytest.mark.parametrize("depth", [2, 16])
def test_fifo(depth):
    run_cocotb("fifo", __file__, parameters={"Depth": depth})


@cocotb.test()
async def everything_comes_out_in_order(dut):
    start_clock(dut)
    dut.rst_i.value = 1
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    expected, sent = [], 0
    for cycle in range(3000):
        if cycle % 500 == 0:
            idle, stall = random.choice([0, 0.5, 0.9]), random.choice([0, 0.5, 0.9])
        dut.in_valid_i.value = int(random.random() >= idle)
        dut.in_data_i.value = data = random.getrandbits(8)
        dut.out_ready_i.value = int(random.random() >= stall)
        await RisingEdge(dut.clk_i)
        if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
            assert int(dut.out_data_o.value) == expected.pop(0)
        if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 1:
            expected.append(data)
            sent += 1
    assert sent > 500
