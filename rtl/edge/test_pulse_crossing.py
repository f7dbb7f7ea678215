# SPDX-License-Identifier: Apache-2.0
"""pulse_crossing: each pulse is followed by one of the same bit, and there is none without a cause, at any ratio of clocks."""

import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.cdc.cdc_bench import now
from rtl.edge.edge_bench import start

BITS = 4
ROUND_PS = 20 * 16_000  # longer than a pulse takes with the slowest clocks


def test_pulse_crossing():
    run_cocotb("pulse_crossing", __file__, parameters={"Width": BITS})


class Pulses:
    def __init__(self, dut):
        self.dut = dut
        self.sent, self.came = [0] * BITS, [0] * BITS
        self.last_sent, self.last_came = [0] * BITS, [0] * BITS  # in ps
        cocotb.start_soon(self.follow())

    async def follow(self) -> None:
        while True:
            await RisingEdge(self.dut.edge_clk_i)
            for bit in range(BITS):
                if int(self.dut.pulse_o.value) >> bit & 1:
                    self.came[bit] += 1
                    self.last_came[bit] = now()
                assert self.came[bit] <= self.sent[bit], f"bit {bit} has a pulse without a cause"

    async def send(self, value: int) -> None:
        self.dut.pulse_i.value = value
        for bit in range(BITS):
            if value >> bit & 1:
                self.sent[bit] += 1
                self.last_sent[bit] = now()
        await RisingEdge(self.dut.clk_i)
        self.dut.pulse_i.value = 0


@cocotb.test()
async def each_pulse_that_comes_alone_is_followed_by_one(dut):
    dut.pulse_i.value = 0
    clocks, pulses = await start(dut), Pulses(dut)
    await RisingEdge(dut.clk_i)
    for _ in range(60):
        for clock in clocks:
            clock.period = random.choice([2_000, 3_103, 4_000, 16_000])
        for value in random.choices(range(1 << BITS), k=random.randint(1, 3)):  # of different bits, or one after the other
            await pulses.send(value & ~pulses_waiting(pulses))
        await Timer(ROUND_PS, unit="ps")
        await RisingEdge(dut.clk_i)
        assert pulses.came == pulses.sent


def pulses_waiting(pulses: Pulses) -> int:
    """The bits with a pulse under way."""
    return sum((came < sent) << bit for bit, (came, sent) in enumerate(zip(pulses.came, pulses.sent, strict=True)))


@cocotb.test()
async def pulses_that_come_often_are_joined_and_the_last_one_is_followed(dut):
    dut.pulse_i.value = 0
    clocks, pulses = await start(dut), Pulses(dut)
    joined = 0
    await RisingEdge(dut.clk_i)
    for _ in range(60):
        for clock in clocks:
            clock.period = random.choice([2_000, 3_103, 4_000, 16_000])
        often = random.choice([0.1, 0.5, 1])
        for _ in range(random.randint(1, 40)):
            await pulses.send(sum((random.random() < often) << bit for bit in range(BITS)))
        await Timer(ROUND_PS, unit="ps")
        await RisingEdge(dut.clk_i)
        assert all(given < followed for given, followed in zip(pulses.last_sent, pulses.last_came, strict=True) if given), "the last pulse was not followed"
        joined += sum(pulses.sent) - sum(pulses.came)
        pulses.sent = list(pulses.came)
    assert joined > 500
