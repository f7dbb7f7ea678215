# SPDX-License-Identifier: Apache-2.0
"""stream_register: order and content, full throughput, and outputs that do not follow the input within a cycle."""

import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.primitives.stream_bench import reset, sink, source


def test_stream_register():
    run_cocotb("stream_register", __file__)


@cocotb.test()
async def everything_comes_out_in_order(dut):
    await reset(dut)
    entries = [random.getrandbits(8) for _ in range(3000)]
    cocotb.start_soon(source(dut, entries))
    assert [entry for _, entry in await sink(dut, len(entries))] == entries


@cocotb.test()
async def one_entry_per_cycle(dut):
    await reset(dut)
    entries = [random.getrandbits(8) for _ in range(200)]
    cocotb.start_soon(source(dut, entries, idle=0))
    assert [cycle for cycle, _ in await sink(dut, len(entries), stall=0)] == list(range(1, 201))


@cocotb.test()
async def the_forward_direction_is_registered(dut):
    await reset(dut)
    for _ in range(500):
        await RisingEdge(dut.clk_i)
        seen = set()
        for _ in range(4):  # wiggle the inputs within a cycle
            dut.in_valid_i.value, dut.out_ready_i.value = random.getrandbits(1), random.getrandbits(1)
            dut.in_data_i.value = random.getrandbits(8)
            await Timer(100, unit="ps")
            seen.add((str(dut.out_valid_o.value), str(dut.out_data_o.value)))
        assert len(seen) == 1
