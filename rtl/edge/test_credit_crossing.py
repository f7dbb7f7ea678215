# SPDX-License-Identifier: Apache-2.0
"""credit_crossing: every credit and every cancellation arrives once, at any ratio of clocks, and no credit for a pushed message before the cancellation."""

import random
from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge, Timer

from girih.testing import run_cocotb
from rtl.cdc.cdc_bench import Clock

GIVE, LOSSLESS, CANCEL = 4, 2, 1  # bits of credit_t


def test_credit_crossing():
    run_cocotb("credit_crossing", __file__)


class Credits:
    """A unit that gives and cancels credits, and the scheduler's account of them."""

    def __init__(self, dut):
        self.dut = dut
        self.sent: Counter[str] = Counter()
        self.came: Counter[str] = Counter()
        self.rate = 0.0
        cocotb.start_soon(self.unit())
        cocotb.start_soon(self.scheduler())

    async def unit(self) -> None:
        waiting = 0  # messages that were pushed, and whose credit has not been given
        while True:
            cancels = random.random() < self.rate
            gives = waiting + cancels > 0 and random.random() < self.rate
            lossless = gives and random.random() < 0.4
            waiting += cancels - gives
            self.dut.tile_credit_i.value = GIVE * gives + LOSSLESS * lossless + CANCEL * cancels
            await RisingEdge(self.dut.tile_clk_i)
            if not self.dut.edge_rst_i.value:
                self.count(self.sent, gives, lossless, cancels)

    async def scheduler(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            bits = 0 if self.dut.rst_i.value else int(self.dut.credit_o.value)
            self.count(self.came, bool(bits & GIVE), bool(bits & LOSSLESS), bool(bits & CANCEL))
            assert bits & GIVE or not bits & LOSSLESS
            assert self.came["give"] + self.came["lossless"] <= self.came["cancel"], "a credit came before the cancellation"

    @staticmethod
    def count(counts: Counter[str], gives: bool, lossless: bool, cancels: bool) -> None:
        counts["lossless" if lossless else "give"] += gives
        counts["cancel"] += cancels


@cocotb.test()
async def each_credit_arrives_once(dut):
    dut.rst_i.value = dut.edge_rst_i.value = 1
    dut.clk_i.value = dut.tile_clk_i.value = dut.tile_credit_i.value = 0
    clocks = Clock(dut.clk_i, 4_000), Clock(dut.tile_clk_i, 4_000)
    credits = Credits(dut)
    await Timer(200, unit="ns")
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.tile_clk_i)
    dut.edge_rst_i.value = 0
    waited = False
    for _ in range(40):
        for clock in clocks:
            clock.draw()
        credits.rate = random.choice([0.05, 0.5, 1])
        await Timer(random.randint(100, 600), unit="ns")
        credits.rate = 0
        waited |= credits.sent.total() - credits.came.total() > 40
        await Timer(4_500, unit="ns")
        assert credits.came == credits.sent
    assert waited and credits.sent.total() > 3_000
