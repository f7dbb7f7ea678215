# SPDX-License-Identifier: Apache-2.0
"""action_counters: packets and bytes of each counter against Python, with a packet in every cycle, also when they wrap."""

import random

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

COUNTERS = 8
SPAN = 1 << 48


def test_action_counters():
    run_cocotb("action_counters", __file__, parameters={"Counters": COUNTERS})


async def start(dut) -> list[list[int]]:
    await reset(dut, valid_i=0, index_i=0, length_i=0, read_index_i=0)
    while dut.ready_o.value != 1:
        await RisingEdge(dut.clk_i)
    return [[0, 0] for _ in range(COUNTERS)]


async def count(dut, expected: list[list[int]], cycles: int) -> None:
    for cycle in range(cycles):
        index = random.randrange(COUNTERS) if cycle % 200 < 100 else 3
        length, valid = random.choice([0, 64, 1514, (1 << 14) - 1]), random.random() < 0.8
        dut.valid_i.value, dut.index_i.value, dut.length_i.value = int(valid), index, length
        await RisingEdge(dut.clk_i)
        expected[index][0] += valid
        expected[index][1] += length * valid
    dut.valid_i.value = 0
    await RisingEdge(dut.clk_i)


async def check(dut, expected: list[list[int]]) -> None:
    for index, (packets, length) in enumerate(expected):
        dut.read_index_i.value = index
        await ReadOnly()
        assert (int(dut.packets_o.value), int(dut.bytes_o.value)) == (packets % SPAN, length % SPAN), f"counter {index}"
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def every_packet_is_counted(dut):
    expected = await start(dut)
    await check(dut, expected)
    await count(dut, expected, 1000)
    await check(dut, expected)


@cocotb.test()
async def packets_and_bytes_wrap_each_by_itself(dut):
    expected = await start(dut)
    for index in range(COUNTERS):
        expected[index] = [SPAN - 1 - index if index % 2 else 5, SPAN - 1 - index if index % 3 else 5]
        dut.totals[index].value = expected[index][0] << 48 | expected[index][1]
    await RisingEdge(dut.clk_i)
    await check(dut, expected)
    await count(dut, expected, 1000)
    assert all(packets >= SPAN or not index % 2 for index, (packets, _) in enumerate(expected))
    assert all(length >= SPAN or not index % 3 for index, (_, length) in enumerate(expected))
    await check(dut, expected)
