# SPDX-License-Identifier: Apache-2.0
"""fifo_block and fifo_block_registered: order and content, one cycle from write to read, full throughput, capacity."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from rtl.primitives.stream_bench import reset, sink, source


@pytest.mark.parametrize("depth", [2, 8, pytest.param(512, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("module", ["fifo_block", "fifo_block_registered"])
def test_fifo_block(module, depth):
    run_cocotb(module, __file__, parameters={"Depth": depth, **({"Replaceable": 1} if module == "fifo_block_registered" else {})})


async def start(dut) -> None:
    await reset(dut, in_offer_i=1, **({"replace_i": 0} if hasattr(dut, "replace_i") else {}))


@cocotb.test()
async def everything_comes_out_in_order(dut):
    await start(dut)
    entries = [random.getrandbits(8) for _ in range(6000)]
    cocotb.start_soon(source(dut, entries))
    assert [entry for _, entry in await sink(dut, len(entries))] == entries


@cocotb.test()
async def one_cycle_and_one_entry_per_cycle(dut):
    await start(dut)
    entries = [random.getrandbits(8) for _ in range(2000)]
    sent = []
    cocotb.start_soon(source(dut, entries, idle=0, sent=sent))
    taken = await sink(dut, len(entries), stall=0)
    assert sent == list(range(2000))
    assert [cycle for cycle, _ in taken] == list(range(1, 2001))


@cocotb.test()
async def fills_up_and_drains_without_bubble(dut):
    await start(dut)
    depth = int(dut.Depth.value)
    entries = [random.getrandbits(8) for _ in range(3 * depth)]
    cocotb.start_soon(source(dut, entries, idle=0))
    for _ in range(depth + 10):
        await RisingEdge(dut.clk_i)
    await ReadOnly()
    assert dut.in_ready_o.value == 0
    await RisingEdge(dut.clk_i)
    taken = await sink(dut, len(entries), stall=0)
    assert [entry for _, entry in taken] == entries
    cycles = [cycle for cycle, _ in taken]
    assert cycles == list(range(len(entries)))


@cocotb.test()
async def a_waiting_head_is_replaced(dut):
    if not hasattr(dut, "replace_i"):
        return  # fifo_block
    await start(dut)
    held, replaced = deque(), 0
    for _ in range(6000):
        put, ready = random.random() < 0.5, random.random() < 0.4
        replace = bool(held) and not ready and random.random() < 0.5
        entry, instead = random.getrandbits(8), random.getrandbits(8)
        dut.in_valid_i.value, dut.in_data_i.value, dut.out_ready_i.value = put, entry, ready
        dut.replace_i.value, dut.replace_data_i.value = replace, instead
        await ReadOnly()
        assert bool(dut.out_valid_o.value) == bool(held)
        if held:
            assert dut.out_data_o.value == held[0]
        if held and ready:
            held.popleft()
        if replace:
            held[0] = instead
            replaced += 1
        if put and dut.in_ready_o.value:
            held.append(entry)
        await RisingEdge(dut.clk_i)
    assert replaced > 500
