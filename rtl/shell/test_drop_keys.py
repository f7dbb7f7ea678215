# SPDX-License-Identifier: Apache-2.0
"""drop_keys: every drop is counted by its key; the first keys have counts of their own, all later ones share one."""

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.spec.windows import offset
from girih.testing import run_cocotb
from girih.testing.messages import reset

WINDOW = "drop_log_window"
THERE = 1 << 31


@pytest.mark.parametrize("keys", [1, 16])
def test_drop_keys(keys):
    run_cocotb("drop_keys", __file__, parameters={"Keys": keys}, environment={"KEYS": str(keys)})


class Bench:
    """Drops at random, with keys from a list, and the count of each key in the order of first drops."""

    def __init__(self, dut):
        self.dut = dut
        self.seen: Counter[int] = Counter()
        self.rate, self.pool = 0.0, [0]

    async def start(self):
        await reset(self.dut, drop_i=0, key_i=0, valid_i=0, addr_i=0)
        cocotb.start_soon(self._drops())
        return self

    async def _drops(self):
        while True:
            drop, key = random.random() < self.rate, random.choice(self.pool)
            self.dut.drop_i.value, self.dut.key_i.value = drop, key
            await RisingEdge(self.dut.clk_i)
            self.seen[key] += drop
            self.seen += Counter()  # forgets keys without a drop

    async def read(self, part: str, **indices: int) -> int:
        self.dut.addr_i.value = offset(WINDOW, part, **indices)
        self.dut.valid_i.value = 1
        for _ in range(40):
            await RisingEdge(self.dut.clk_i)
            assert self.dut.there_o.value == 1
            if self.dut.done_o.value == 1:
                data = int(self.dut.data_o.value)
                self.dut.valid_i.value = 0
                await RisingEdge(self.dut.clk_i)
                return data
        raise AssertionError("no answer")

    async def count(self, slot: int) -> int:
        return await self.read("counts", slot=slot) | await self.read("counts", slot=slot, half=1) << 32

    async def check(self, keys: int) -> None:
        """Compares all counts while no drop is on its way."""
        self.rate = 0.0
        for _ in range(2 * keys + 4):
            await RisingEdge(self.dut.clk_i)
        apart = list(self.seen)[:keys]
        words = [await self.read("keys", slot=slot) for slot in range(keys)]
        assert words == [THERE | key for key in apart] + [0] * (keys - len(apart))
        assert [await self.count(slot) for slot in range(len(apart))] == [self.seen[key] for key in apart]
        assert await self.count(keys) == sum(count for key, count in self.seen.items() if key not in apart)


def keys_of_design() -> int:
    return int(os.environ["KEYS"])


@cocotb.test()
async def every_drop_is_counted_by_its_key(dut):
    keys = keys_of_design()
    bench = await Bench(dut).start()
    await bench.check(keys)
    few = [0, *random.sample(range(1, 1 << 16), max(1, keys // 2))]
    many = random.sample(range(1 << 16), 3 * keys + 2)
    for pool, rate in ((few[:1], 1.0), (few, 1.0), (few, 0.2), (few + many, 1.0), (few + many, 0.5)):
        bench.pool, bench.rate = pool, rate
        for _ in range(300):
            await RisingEdge(dut.clk_i)
        await bench.check(keys)
    assert len(bench.seen) > keys and sum(bench.seen.values()) > 700


@cocotb.test()
async def counts_are_read_while_drops_come(dut):
    keys = keys_of_design()
    bench = await Bench(dut).start()
    bench.pool, bench.rate = [7], 1.0
    last = 0
    for _ in range(20):
        before = bench.seen[7]
        value = await bench.count(0)
        assert last <= value and before - 2 * keys - 4 <= value <= bench.seen[7]
        last = value
    await bench.check(keys)


@cocotb.test()
async def other_addresses_have_no_word(dut):
    keys = keys_of_design()
    await Bench(dut).start()
    for there, address in (
        (True, offset(WINDOW, "keys", slot=keys - 1)),
        (False, offset(WINDOW, "keys") + 4 * keys),
        (True, offset(WINDOW, "counts", slot=keys, half=1)),
        (False, offset(WINDOW, "counts", slot=keys + 1)),
        (False, offset(WINDOW, "records")),
        (False, offset(WINDOW, "next")),
    ):
        dut.addr_i.value = address
        await RisingEdge(dut.clk_i)
        assert dut.there_o.value == there, hex(address)
