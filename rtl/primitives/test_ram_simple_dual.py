# SPDX-License-Identifier: Apache-2.0
"""ram_simple_dual: reads give what was last written one cycle later, and hold."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


@pytest.mark.parametrize("depth", [2, 12, 512])
def test_ram_simple_dual(depth):
    run_cocotb("ram_simple_dual", __file__, parameters={"Depth": depth})


@cocotb.test()  # before the others, which write
async def a_memory_holds_a_random_value_before_it_is_written(dut):
    start_clock(dut)
    dut.write_enable_i.value, dut.read_enable_i.value = 0, 1
    values = set()
    for addr in range(int(dut.Depth.value)):
        dut.read_addr_i.value = addr
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        values.add(int(dut.read_data_o.value))
        await RisingEdge(dut.clk_i)
    assert values != {0}, "every simulation starts from random values, so that a missing reset shows"


@cocotb.test()
async def reads_give_what_was_written(dut):
    start_clock(dut)
    depth = int(dut.Depth.value)
    model: dict[int, int] = {}
    expected = None
    for _ in range(4000):
        write, read = random.getrandbits(1), random.getrandbits(1)
        write_addr, read_addr = random.randrange(depth), random.randrange(depth)
        read &= read_addr in model and not (write and read_addr == write_addr)
        dut.write_enable_i.value, dut.write_addr_i.value = write, write_addr
        dut.write_data_i.value = data = random.getrandbits(8)
        dut.read_enable_i.value, dut.read_addr_i.value = int(read), read_addr
        await ReadOnly()
        if expected is not None:
            assert int(dut.read_data_o.value) == expected
        await RisingEdge(dut.clk_i)
        if read:
            expected = model[read_addr]
        if write:
            model[write_addr] = data
