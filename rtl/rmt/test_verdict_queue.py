# SPDX-License-Identifier: Apache-2.0
"""verdict_queue: order, content and capacity, while its head is replaced at random; one entry per cycle."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from rtl.primitives.stream_bench import reset, sink, source


@pytest.mark.parametrize("depth", [2, 8])
def test_verdict_queue(depth):
    run_cocotb("verdict_queue", __file__, parameters={"Depth": depth})


@cocotb.test()
async def one_cycle_and_one_entry_per_cycle(dut):
    await reset(dut, replace_i=0)
    entries = [random.getrandbits(8) for _ in range(500)]
    cocotb.start_soon(source(dut, entries, idle=0))
    taken = await sink(dut, len(entries), stall=0)
    assert taken == list(enumerate(entries, 1))


@cocotb.test()
async def a_waiting_head_is_replaced(dut):
    await reset(dut, replace_i=0)
    depth = int(dut.Depth.value)
    held, replaced, full = deque(), 0, 0
    for cycle in range(8000):
        put = random.random() < (0.9 if cycle // 500 % 2 else 0.3)
        ready = random.random() < 0.4
        replace = bool(held) and not ready and random.random() < 0.5
        entry, instead = random.getrandbits(8), random.getrandbits(8)
        dut.in_valid_i.value, dut.in_data_i.value, dut.out_ready_i.value = put, entry, ready
        dut.replace_i.value, dut.replace_data_i.value = replace, instead
        await ReadOnly()
        assert bool(dut.out_valid_o.value) == bool(held)
        if held:
            assert dut.out_data_o.value == held[0]
        accepted = bool(dut.in_ready_o.value)
        assert accepted or len(held) >= depth
        if held and ready:
            held.popleft()
        if replace:
            held[0] = instead
            replaced += 1
        if put and accepted:
            held.append(entry)
        full += not accepted
        await RisingEdge(dut.clk_i)
    assert replaced > 500 and full > 100
