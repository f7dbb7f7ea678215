# SPDX-License-Identifier: Apache-2.0
"""ready_register: order and content, full throughput without latency, and a ready that does not follow within a cycle."""

import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.primitives.stream_bench import reset, sink, source


def test_ready_register():
    run_cocotb("ready_register", __file__)


@cocotb.test()
async def everything_comes_out_in_order(dut):
    await reset(dut)
    entries = [random.getrandbits(8) for _ in range(3000)]
    cocotb.start_soon(source(dut, entries))
    assert [entry for _, entry in await sink(dut, len(entries))] == entries


@cocotb.test()
async def one_entry_per_cycle_and_no_latency(dut):
    await reset(dut)
    entries = [random.getrandbits(8) for _ in range(200)]
    cocotb.start_soon(source(dut, entries, idle=0))
    assert [cycle for cycle, _ in await sink(dut, len(entries), stall=0)] == list(range(200))


@cocotb.test()
async def a_held_back_entry_costs_no_cycle_of_the_output(dut):
    """The output is ready in two of three cycles, and an entry leaves in each of them."""
    await reset(dut)
    cocotb.start_soon(source(dut, list(range(150)), idle=0))
    taken = []
    for cycle in range(210):
        dut.out_ready_i.value = cycle % 3 != 0
        await Timer(100, unit="ps")
        if int(dut.out_valid_o.value) and cycle % 3:
            taken.append((cycle, int(dut.out_data_o.value)))
        await RisingEdge(dut.clk_i)
    assert taken == [(cycle, index) for index, cycle in enumerate(cycle for cycle in range(210) if cycle % 3)]


@cocotb.test()
async def the_backward_direction_is_registered(dut):
    await reset(dut)
    for _ in range(500):
        await RisingEdge(dut.clk_i)
        seen = set()
        for _ in range(4):  # wiggle the inputs within a cycle
            dut.in_valid_i.value, dut.out_ready_i.value = random.getrandbits(1), random.getrandbits(1)
            await Timer(100, unit="ps")
            seen.add(str(dut.in_ready_o.value))
        assert len(seen) == 1
