# SPDX-License-Identifier: Apache-2.0
"""fate_counters: no event is lost, even if every input has one in every cycle and all are of one kind."""

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import FallingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


@pytest.mark.parametrize("inputs, tenants", [(2, 4), (1, 1), (3, 5)])
def test_fate_counters(inputs, tenants):
    parameters = {"Inputs": inputs, "Tenants": tenants}
    run_cocotb("fate_counters", __file__, parameters=parameters, environment={"TENANTS": str(tenants)}, inside=True)


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.inputs = len(dut.valid_i)
        self.tenants = int(os.environ["TENANTS"])
        self.totals = Counter()

    async def start(self):
        dut = self.dut
        start_clock(dut)
        dut.valid_i.value = dut.read_i.value = dut.index_i.value = 0
        dut.rst_i.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        while dut.ready_o.value != 1:
            await FallingEdge(dut.clk_i)
        return self

    async def step(self, rate, pool):
        valid = 0
        for i in range(self.inputs):
            event = random.choice(pool)
            self.dut.event_i[i].value = event
            if random.random() < rate:
                valid |= 1 << i
                self.totals[event_key(event, self.tenants)] += 1
        self.dut.valid_i.value = valid
        await FallingEdge(self.dut.clk_i)

    async def read(self, key, high, rate=0.0, pool=(0,)):
        """key: (tenant, service and fate)."""
        dut = self.dut
        dut.read_i.value = 1
        dut.index_i.value = key[0] << 8 | key[1] << 1 | high
        for _ in range(2):
            await self.step(rate, pool)
            dut.read_i.value = 0
        assert dut.done_o.value == 1
        return int(dut.data_o.value)


def event_key(event, tenants):
    """An event is {service, tenant, fate}."""
    service, tenant, fate = event >> 7, event >> 3 & 15, event & 7
    return min(tenant, tenants - 1), service << 3 | fate


@cocotb.test()
async def nothing_is_lost(dut):
    bench = await Bench(dut).start()
    everything = list(range(1 << 11))
    for pool in (everything, random.sample(everything, 2), [random.choice(everything)], random.sample(everything, 7)):
        for rate in (1.0, 0.5, 1.0):
            for _ in range(700):
                await bench.step(rate, pool)
    for _ in range(4):
        await bench.step(0.0, everything)
    assert sum(bench.totals.values()) > 5000
    for tenant in range(bench.tenants):
        for what in range(128):
            assert await bench.read((tenant, what), 0) == bench.totals[tenant, what]


@cocotb.test()
async def a_read_meanwhile_is_recent_and_never_goes_back(dut):
    bench = await Bench(dut).start()
    pool = random.sample(range(1 << 11), 2)
    seen = Counter()
    for _ in range(1000):
        key = event_key(random.choice(pool), bench.tenants)
        before = bench.totals[key]
        value = await bench.read(key, 0, rate=0.8, pool=pool)
        assert before - 2 * bench.inputs <= value <= bench.totals[key]
        assert value >= seen[key]
        seen[key] = value


@cocotb.test()
async def the_high_word_belongs_to_the_low_one(dut):
    bench = await Bench(dut).start()
    bank = dut.gen_input[0].u_bank
    near = (7 << 32) + 0xFFFF_FFFE
    for memory in (bank.u_counts, bank.u_copy):
        memory.mem[3].value = near
    await FallingEdge(dut.clk_i)
    key = (0, 3)
    assert await bench.read(key, 0) == 0xFFFF_FFFE
    for _ in range(5):
        await bench.step(1.0, [3])
    events = bench.totals[key]
    await bench.step(0.0, [3])
    assert await bench.read(key, 1) == 7
    await bench.step(0.0, [3])
    await bench.step(0.0, [3])
    low, high = await bench.read(key, 0), await bench.read(key, 1)
    assert high << 32 | low == near + events


@cocotb.test()
async def sums_wrap(dut):
    """Both where one input's count wraps and where only the sum of the inputs does."""
    bench = await Bench(dut).start()
    span = 1 << 64
    for fate, shares in enumerate(([span - 3] + [0] * (bench.inputs - 1), [(span - 1) // bench.inputs] * bench.inputs)):
        for unit, share in zip(dut.gen_input, shares, strict=True):
            for memory in (unit.u_bank.u_counts, unit.u_bank.u_copy):
                memory.mem[fate].value = share
        await FallingEdge(dut.clk_i)
        for _ in range(6):
            await bench.step(1.0, [fate])
        for _ in range(4):
            await bench.step(0.0, [fate])
        total = sum(shares) + bench.totals[0, fate]
        assert total > span
        low, high = await bench.read((0, fate), 0), await bench.read((0, fate), 1)
        assert high << 32 | low == total % span


@cocotb.test()
async def what_others_read_between_a_counters_words_changes_neither(dut):
    """A tenant reads a low word, others read words of theirs, its count wraps, and it reads the high word."""
    bench = await Bench(dut).start()
    first = dut.gen_input[0]
    bank = first.u_bank
    others = [(tenant, 5) for tenant in range(1, bench.tenants)]
    values = {(0, 3): (7 << 32) + 0xFFFF_FFFF, (0, 4): 3 << 32} | {key: (key[0] + 20) << 32 for key in others}
    for (tenant, counter), value in values.items():
        for memory in (bank.u_counts, bank.u_copy):
            memory.mem[tenant << 7 | counter].value = value
    await FallingEdge(dut.clk_i)
    for meanwhile in ([], others, others[::-1], [(0, 4)]):
        for unit in dut.gen_input:
            for memory in (unit.u_bank.u_counts, unit.u_bank.u_copy):
                memory.mem[3].value = values[0, 3] if unit is first else 0
        await FallingEdge(dut.clk_i)
        assert await bench.read((0, 3), 0) == 0xFFFF_FFFF
        for key in meanwhile:
            assert await bench.read(key, 0) == 0
            assert await bench.read(key, 1) == values[key] >> 32
        await bench.step(1.0, [3])
        for _ in range(4):
            await bench.step(0.0, [3])
        # After another counter of its own, the high word is the present one.
        assert await bench.read((0, 3), 1) == 7 + ((0, 4) in meanwhile)
