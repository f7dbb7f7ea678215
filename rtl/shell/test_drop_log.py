# SPDX-License-Identifier: Apache-2.0
"""drop_log: each drop is recorded with its cycle, reasons and key; the last drops are kept, and numbers identify them."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.spec.windows import offset
from girih.testing import run_cocotb
from girih.testing.messages import reset

REASONS = 5
WORDS = 3
WINDOW = "drop_log_window"


@pytest.mark.parametrize("entries", [16, 256])
def test_drop_log(entries):
    run_cocotb("drop_log", __file__, parameters={"Entries": entries, "Reasons": REASONS}, environment={"ENTRIES": str(entries)}, inside=True)


class Bench:
    """Drops at random, and the expected content of each record by its number."""

    def __init__(self, dut):
        self.dut = dut
        self.entries = int(os.environ["ENTRIES"])
        self.records: list[tuple[int, int, int]] = []
        self.first = 0  # the number of records[0]
        self.rate = 0.0
        self.cycle = 0

    async def start(self):
        await reset(self.dut, reasons_i=0, key_i=0, addr_i=0)
        cocotb.start_soon(self._drops())
        return self

    async def _drops(self):
        """reasons_i reports the cycle before, so that the first cycle after reset, number 0, has no drops."""
        while True:
            reasons = random.randrange(1, 1 << REASONS) if random.random() < self.rate else 0
            key = random.randrange(1 << 16)
            self.dut.reasons_i.value, self.dut.key_i.value = reasons, key
            await RisingEdge(self.dut.clk_i)
            if reasons:
                self.records.append((reasons, self.cycle - 1, key))
            self.cycle += 1

    async def read(self, part: str, **indices: int) -> int:
        self.dut.addr_i.value = offset(WINDOW, part, **indices)
        await RisingEdge(self.dut.clk_i)
        assert self.dut.there_o.value == 1
        await RisingEdge(self.dut.clk_i)
        return int(self.dut.data_o.value)

    async def record(self, number: int) -> tuple[int, int, int]:
        low, middle, high = [await self.read("records", slot=number % self.entries, word=word) for word in range(WORDS)]
        return low, (high & 0xFFFF) << 32 | middle, high >> 16

    async def check(self) -> int:
        """Reads all records while drops go on, and checks those that were not overwritten meanwhile. Returns how many."""
        end = await self.read("next")
        numbers = range(max(self.first, end - self.entries), end)
        read = {number: await self.record(number) for number in numbers}
        after = await self.read("next")
        kept = [number for number in numbers if number >= after - self.entries]
        for number in kept:
            assert read[number] == self.records[number - self.first], f"record {number}"
        return len(kept)


async def pass_cycles(dut, cycles: int) -> None:
    for _ in range(cycles):
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def records_are_those_of_the_drops(dut):
    bench = await Bench(dut).start()
    assert await bench.read("next") == 0
    for rate, cycles in ((0.02, 300), (0.5, 400), (0.0, 20), (1.0, 600), (0.01, 1000)):
        bench.rate = rate
        await pass_cycles(dut, cycles)
        bench.rate = min(rate, 0.02)
        assert await bench.check() >= 1
    bench.rate = 0.0
    await pass_cycles(dut, 3)
    assert await bench.check() == bench.entries and await bench.read("next") == len(bench.records)


@cocotb.test()
async def what_is_not_recorded_reads_as_zero(dut):
    bench = await Bench(dut).start()
    await pass_cycles(dut, 1)
    bench.rate = 1.0
    await pass_cycles(dut, 5)
    bench.rate = 0.0
    await pass_cycles(dut, 3)
    end = len(bench.records)
    assert 0 < end < bench.entries and await bench.check() == end
    for slot in range(end, bench.entries):
        assert await bench.record(slot) == (0, 0, 0)
    last = offset(WINDOW, "records", slot=bench.entries - 1, word=2)
    for address in (4, offset(WINDOW, "records") - 4, offset(WINDOW, "records", word=3), last + 8):
        dut.addr_i.value = address
        await RisingEdge(dut.clk_i)
        assert dut.there_o.value == (address < last and address != offset(WINDOW, "records", word=3) and address >= offset(WINDOW, "records"))


@cocotb.test()
async def numbers_and_cycles_wrap(dut):
    """A number has 32 bits, a cycle 48."""
    bench = await Bench(dut).start()
    await pass_cycles(dut, 2)
    start, cycle = (1 << 32) - bench.entries // 2, (1 << 48) - 20
    dut.number_q.value, dut.now_q.value = start, cycle
    await RisingEdge(dut.clk_i)
    before = bench.cycle
    bench.rate = 0.5
    await pass_cycles(dut, 4 * bench.entries)
    bench.rate = 0.0
    await pass_cycles(dut, 3)
    end = await bench.read("next")
    assert end == (start + len(bench.records)) % (1 << 32) < start
    cycles = []
    for back in range(1, bench.entries + 1):
        reasons, at, key = await bench.record(end - back)
        wanted = bench.records[-back]
        assert (reasons, key) == (wanted[0], wanted[2])
        cycles.append(at)
        assert (at - cycles[0]) % (1 << 48) == (wanted[1] - bench.records[-1][1]) % (1 << 48)
    assert cycles[0] < 1 << 20 and before >= 2, "the cycles have wrapped"
