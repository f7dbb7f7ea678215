# SPDX-License-Identifier: Apache-2.0
"""host_cut against ranges that are walked byte by byte: pieces, their order, and one in every cycle."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

ADDR_BITS, LENGTH_BITS = {64: 7, 1024: 40}, 16


@pytest.mark.parametrize("unit", sorted(ADDR_BITS))
def test_host_cut(unit):
    run_cocotb("host_cut", __file__, parameters={"Unit": unit, "AddrBits": ADDR_BITS[unit], "LengthBits": LENGTH_BITS})


def pieces_of(addr: int, count: int, unit: int) -> list[tuple[int, int]]:
    """(address, bytes) of each piece: a byte begins one if it is the range's first, or at a multiple of the unit."""
    pieces: list[tuple[int, int]] = []
    for byte in range(addr, addr + count):
        if byte == addr or byte % unit == 0:
            pieces.append((byte, 0))
        pieces[-1] = pieces[-1][0], pieces[-1][1] + 1
    return pieces


async def run(dut, ranges: list[tuple[int, int]], unit: int, offer: float, take: float) -> int:
    """Sends the ranges and checks their pieces. Returns the cycles from the first piece to the last."""
    addr_bits = ADDR_BITS[unit]
    expected = []
    for number, (addr, count) in enumerate(ranges):
        pieces = pieces_of(addr, count, unit)
        expected += [(at % 2**addr_bits, n, int(i == len(pieces) - 1), number & 1) for i, (at, n) in enumerate(pieces)]
    sent, seen, cycle, first = 0, 0, 0, 0
    offered = False
    while seen < len(expected):
        offered = sent < len(ranges) and (offered or random.random() < offer)
        ready = random.random() < take
        dut.in_valid_i.value, dut.out_ready_i.value = int(offered), int(ready)
        if offered:
            dut.in_addr_i.value, dut.in_bytes_i.value, dut.in_beside_i.value = *ranges[sent], sent & 1
        await ReadOnly()
        if dut.out_valid_o.value == 1:
            assert dut.busy_o.value == 1
            if ready:
                piece = tuple(
                    int(value.value) for value in (dut.out_addr_o, dut.out_bytes_o, dut.out_last_o, dut.out_beside_o)
                )
                assert piece == expected[seen]
                first = first if seen else cycle
                seen += 1
        if offered and dut.in_ready_o.value == 1:
            sent, offered = sent + 1, False
        await RisingEdge(dut.clk_i)
        cycle += 1
    dut.in_valid_i.value = 0
    await ReadOnly()
    assert dut.busy_o.value == 0
    await RisingEdge(dut.clk_i)
    assert sent == len(ranges)
    return cycle - first


async def started(dut) -> int:
    start_clock(dut)
    dut.in_valid_i.value = dut.out_ready_i.value = 0
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    return 1 << len(dut.out_bytes_o) - 1


def some(unit: int, count: int) -> list[tuple[int, int]]:
    sizes = [1, 2, unit - 1, unit, unit + 1, 2 * unit, 5 * unit + 3]
    last = 2 ** ADDR_BITS[unit] - 6 * unit - 1 if ADDR_BITS[unit] > 10 else unit - 1
    return [(random.randint(0, last), random.choice([*sizes, random.randint(1, 4 * unit)])) for _ in range(count)]


@cocotb.test()
@cocotb.parametrize(offer=[0.3, 1.0], take=[0.3, 1.0])
async def pieces_are_those_of_the_range(dut, offer, take):
    unit = await started(dut)
    await run(dut, some(unit, 300), unit, offer, take)


@cocotb.test()
async def a_piece_in_every_cycle(dut):
    unit = await started(dut)
    ranges = some(unit, 200)
    pieces = sum(len(pieces_of(addr, count, unit)) for addr, count in ranges)
    assert await run(dut, ranges, unit, 1.0, 1.0) == pieces
