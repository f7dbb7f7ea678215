# SPDX-License-Identifier: Apache-2.0
"""service_waits: count, sum, largest and bins of waits against Python, back to back, also where counts wrap."""

import random
from collections import Counter

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

SERVICES, BINS = 3, 25
MOST = 1 << 32


def test_service_waits():
    run_cocotb("service_waits", __file__, parameters={"Services": SERVICES})


class Waits:
    """What the module must hold."""

    def __init__(self):
        self.count, self.sum, self.largest, self.bins = 0, 0, 0, Counter()

    def words(self) -> list[int]:
        total = self.sum % (1 << 64)
        return [self.count % MOST, total % MOST, total // MOST, self.largest, *(self.bins[b] % MOST for b in range(BINS))]


async def give(dut, expected: list[Waits], cycles: int) -> None:
    for cycle in range(cycles):
        service = random.randrange(SERVICES) if cycle % 400 < 200 else 1
        length = random.randrange(BINS)  # in bits
        wait = length and 1 << length - 1 | random.getrandbits(length - 1)
        valid = random.random() < 0.8
        dut.valid_i.value, dut.service_i.value, dut.wait_i.value = int(valid), service, wait
        await RisingEdge(dut.clk_i)
        if valid:
            waits = expected[service]
            waits.count, waits.sum, waits.largest = waits.count + 1, waits.sum + wait, max(waits.largest, wait)
            waits.bins[wait.bit_length()] += 1
    dut.valid_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)


async def check(dut, expected: list[Waits]) -> None:
    for service, waits in enumerate(expected):
        for word, value in enumerate([*waits.words(), 0, 0, 0]):
            dut.read_service_i.value, dut.read_word_i.value = service, word
            await ReadOnly()
            assert dut.read_data_o.value == value, f"service {service}, word {word}"
            await RisingEdge(dut.clk_i)


async def start(dut) -> list[Waits]:
    await reset(dut, valid_i=0, service_i=0, wait_i=0, read_service_i=0, read_word_i=0)
    return [Waits() for _ in range(SERVICES)]


@cocotb.test()
async def every_wait_is_counted(dut):
    expected = await start(dut)
    await check(dut, expected)
    await give(dut, expected, 2000)
    await check(dut, expected)


@cocotb.test()
@cocotb.parametrize(low_word=[False, True])
async def counts_wrap_and_the_largest_does_not(dut, low_word):
    """low_word: the sum is about to carry into its high word; else it is about to wrap."""
    expected = await start(dut)
    await give(dut, expected, 2500)  # every bin is in use
    for service, waits in enumerate(expected):
        waits.count = MOST - 1 - service
        waits.sum = (7 * MOST if low_word else 1 << 64) - 1 - service
        waits.largest = (1 << 24) - 2
        dut.totals[service].value = (waits.count << 64 | waits.sum) << 24 | waits.largest
        for b in range(BINS):
            waits.bins[b] = MOST - 1 - (b + service) % 3
            dut.histogram[service << 5 | b].value = waits.bins[b]
    await RisingEdge(dut.clk_i)
    await check(dut, expected)
    await give(dut, expected, 1500)
    assert all(waits.count > MOST and max(waits.bins.values()) > MOST for waits in expected)
    await check(dut, expected)


def test_the_bins_are_those_that_software_reads():
    from girih.services import monitor

    assert (monitor.WAIT_BINS, 1 << monitor.WAIT_BITS) == (BINS, MOST)
