# SPDX-License-Identifier: Apache-2.0
"""histogram: counts per bin against Python, back to back; and the bin function itself."""

import itertools
import random
from collections import Counter

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.histogram import BINS, bin_of, bin_start
from girih.testing import run_cocotb
from girih.testing.messages import reset


def test_histogram():
    run_cocotb("histogram", __file__)


def test_bins_are_contiguous_and_narrow():
    starts = [bin_start(index) for index in range(BINS)]
    assert starts[:6] == [0, 1, 2, 3, 4, 5] and starts == sorted(set(starts))
    for index, first in enumerate(starts):
        assert bin_of(first) == index
        if index:
            assert bin_of(first - 1) == index - 1
    for first, following in itertools.pairwise(starts):
        assert following - first <= max(1, first // 4)
    assert bin_of((1 << 24) - 1) == BINS - 1


async def fill(dut, cycles: int) -> Counter:
    """Feeds latencies for a number of cycles, first the edges of all bins; returns the expected additions to the bins."""
    expected = Counter()
    for cycle in range(cycles):
        if cycle < 2 * BINS:
            latency = bin_start(cycle % BINS) - (cycle >= BINS and cycle % BINS > 0)
        else:
            latency = random.getrandbits(random.choice([0, 1, 3, 5, 8, 12, 17, 20, 24]))
        valid = random.random() < (1.0 if cycle % 1000 < 500 else 0.3)
        dut.valid_i.value = int(valid)
        dut.latency_i.value = latency
        await RisingEdge(dut.clk_i)
        expected[bin_of(latency)] += valid
    dut.valid_i.value = 0
    await ClockCycles(dut.clk_i, 2)
    return expected


async def check(dut, expected: Counter) -> None:
    for index in range(BINS):
        dut.read_i.value = 1
        dut.bin_i.value = index
        await RisingEdge(dut.clk_i)
        dut.read_i.value = 0
        await RisingEdge(dut.clk_i)
        assert dut.done_o.value == 1
        assert dut.data_o.value == expected[index], f"bin {index}"


@cocotb.test()
async def every_latency_is_counted(dut):
    await reset(dut, valid_i=0, latency_i=0, read_i=0, bin_i=0)
    await check(dut, await fill(dut, 6000))


@cocotb.test()
async def reset_empties_the_bins(dut):
    await reset(dut, valid_i=0, latency_i=0, read_i=0, bin_i=0)
    await fill(dut, 2000)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 0
    await check(dut, Counter())
    await check(dut, await fill(dut, 2000))


@cocotb.test()
async def bins_wrap(dut):
    await reset(dut, valid_i=0, latency_i=0, read_i=0, bin_i=0)
    before = await fill(dut, 3000)
    assert all(before[index] for index in range(BINS))
    before = Counter(dict.fromkeys(range(BINS), (1 << 32) - 1))
    for index in range(BINS):
        dut.count[index].value = before[index]
    await RisingEdge(dut.clk_i)
    await check(dut, before)
    added = await fill(dut, 3000)
    after = {index: before[index] + added[index] for index in range(BINS)}
    assert all(count >= 1 << 32 for count in after.values())
    await check(dut, Counter({index: count % (1 << 32) for index, count in after.items()}))
