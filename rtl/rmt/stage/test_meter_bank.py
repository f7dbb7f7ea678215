# SPDX-License-Identifier: Apache-2.0
"""meter_bank: against RFC 2698 in Python, at random rates, with packets of one meter in every cycle."""

import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, Timer

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

GREEN, YELLOW, RED = range(3)
UNIT = 4096  # tokens of a byte


@pytest.mark.parametrize("meters", [2, 64])
def test_meter_bank(meters):
    run_cocotb("meter_bank", __file__, chained=True, parameters={"Meters": meters})


@dataclass
class Meter:
    """RFC 2698, colour-blind. rates: per visit, in 2^-12 bytes; bursts in bytes; tokens in 2^-12 bytes."""

    committed_rate: int = 0
    committed_burst: int = 0
    peak_rate: int = 0
    peak_burst: int = 0
    committed: int = 0
    peak: int = 0

    def fill(self) -> None:
        self.committed, self.peak = self.committed_burst * UNIT, self.peak_burst * UNIT

    def visit(self, taken: tuple[int, int]) -> None:
        """A packet of the same cycle has taken its tokens; the burst caps what remains without them."""
        self.committed = min(self.committed + taken[0] + self.committed_rate, self.committed_burst * UNIT) - taken[0]
        self.peak = min(self.peak + taken[1] + self.peak_rate, self.peak_burst * UNIT) - taken[1]

    def packet(self, length: int) -> tuple[int, tuple[int, int]]:
        if self.peak < length * UNIT or not (self.committed_burst or self.peak_burst):
            return RED, (0, 0)
        self.peak -= length * UNIT
        if self.committed < length * UNIT:
            return YELLOW, (0, length * UNIT)
        self.committed -= length * UNIT
        return GREEN, (length * UNIT, length * UNIT)


async def reset(dut):
    for name in ("valid_i", "index_i", "length_i", "cfg_write_i", "cfg_read_i", "cfg_index_i", "cfg_i"):
        getattr(dut, name).value = 0
    dut.rst_i.value = 1
    start_clock(dut)
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0


@cocotb.test()
async def colours_as_the_rfc_says(dut):
    await reset(dut)
    count = 1 << len(dut.index_i)
    models = {}
    colours = [0, 0, 0]
    fresh = set()
    line = 64 * count  # bytes of a turn at line rate
    for cycle in range(12_000):
        visited = cycle % count
        dut.cfg_write_i.value = 0
        configure = None
        if (cycle < 4 * count and cycle % 2 == 0) or random.random() < 0.002:
            configure = random.randrange(count)
            burst = random.choice([0, 64, 1500, 9018, random.randrange(1 << 20)])
            rates = [random.randrange(line * UNIT) for _ in range(2)]
            model = Meter(rates[0], burst, rates[1], random.randrange(9018, 1 << 17))
            if random.random() < 0.3:
                model.committed_rate = model.committed_rate >> 8
                model.peak_rate = model.peak_rate >> 8
            dut.cfg_write_i.value = 1
            dut.cfg_index_i.value = configure
            dut.cfg_i.value = (
                model.peak_burst << 96 | model.peak_rate << 64 | model.committed_burst << 32 | model.committed_rate
            )
        valid = random.random() < 0.9
        index = random.choice([0, 1, random.randrange(count)])
        length = random.choice([64, 64, 1500, random.randint(1, 9018)])
        dut.valid_i.value, dut.index_i.value, dut.length_i.value = int(valid), index, length
        await ReadOnly()
        taken = (0, 0)
        if valid:
            want = RED
            if index in models and cycle >= count:
                want, took = models[index].packet(length)
                taken = took if index == visited else (0, 0)
            assert int(dut.colour_o.value) == want
            colours[want] += 1
        await FallingEdge(dut.clk_i)
        if visited in fresh and taken == (0, 0):
            models[visited].fill()
            fresh.discard(visited)
        elif visited in models and visited not in fresh:
            models[visited].visit(taken)
        if configure is not None:
            old = models.get(configure, Meter())
            model.committed, model.peak = old.committed, old.peak
            models[configure] = model
            fresh.add(configure)
    assert min(colours) > 100


@cocotb.test()
async def wraps_and_long_idle_times_do_not_show(dut):
    """The sums of grants and uses wrap many times, with idle times between; the model's integers are unbounded."""
    await reset(dut)
    count = 1 << len(dut.index_i)
    model = Meter(2000 * count * UNIT, 1 << 17, 3000 * count * UNIT, 1 << 18)
    dut.cfg_write_i.value = 1
    dut.cfg_i.value = (
        model.peak_burst << 96 | model.peak_rate << 64 | model.committed_burst << 32 | model.committed_rate
    )
    await FallingEdge(dut.clk_i)
    dut.cfg_write_i.value = 0
    for _ in range(2 * count - 1):
        await FallingEdge(dut.clk_i)
    model.fill()
    used, colours, cycle = 0, [0, 0, 0], 0
    while used < 24 << 20:
        if cycle % (97 * count) == 0:
            idle = random.choice([1, 1, 50, 1 << 12, 1 << 17]) * count
            await Timer(4 * idle - 2, unit="ns")
            await FallingEdge(dut.clk_i)
            for _ in range(min(idle // count, 1000)):  # by then it is full, and stays full
                model.visit((0, 0))
        length = random.randint(1, 9018)
        valid = random.random() < 0.9
        dut.valid_i.value, dut.length_i.value = int(valid), length
        await ReadOnly()
        taken = (0, 0)
        if valid:
            want, taken = model.packet(length)
            assert int(dut.colour_o.value) == want
            colours[want] += 1
            used += taken[1] // UNIT
        await FallingEdge(dut.clk_i)
        if cycle % count == 0:
            model.visit(taken)
        cycle += 1
        dut.valid_i.value = 0
    assert min(colours) > 100
