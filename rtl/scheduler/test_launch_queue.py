# SPDX-License-Identifier: Apache-2.0
"""launch_queue: in order, nothing lost, and no latency if the queue is empty."""

import random
from collections import deque

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


def test_launch_queue():
    run_cocotb("launch_queue", __file__, parameters={"Depth": 4})


@cocotb.test()
async def in_order_and_at_once(dut):
    start_clock(dut)
    dut.rst_i.value = 1
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    waiting: deque[int] = deque()
    at_once = 0
    for _ in range(5000):
        valid = random.random() < 0.6 and len(waiting) < 4  # its user keeps it from being full
        ready, data = random.random() < 0.6, random.getrandbits(8)
        dut.in_valid_i.value = int(valid)
        dut.out_ready_i.value = int(ready)
        dut.in_data_i.value = data
        await ReadOnly()
        assert dut.in_ready_o.value == int(len(waiting) < 4)
        head = waiting[0] if waiting else data
        assert dut.out_valid_o.value == int(bool(waiting) or valid)
        if dut.out_valid_o.value == 1:
            assert dut.out_data_o.value == head
        if valid:
            waiting.append(data)
        if ready and waiting:
            at_once += len(waiting) == 1 and valid
            waiting.popleft()
        await RisingEdge(dut.clk_i)
    assert at_once > 300
