# SPDX-License-Identifier: Apache-2.0
"""host_counts against sums in Python: several queues at a time, and across the end of 32 and of 64 bits; both halves of a sum are of one cycle."""

import random

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

QUEUES, DROPS_BITS = 3, 3


def test_host_counts():
    run_cocotb("host_counts", __file__, parameters={"Queues": QUEUES})


async def start(dut) -> None:
    start_clock(dut)
    dut.rst_i.value, dut.read_i.value, dut.frame_i.value, dut.drops_i.value, dut.high_i.value = 1, 0, 0, 0, 0
    dut.queue_i.value = dut.drop_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0


async def counts(dut, sums: dict[tuple[int, int], int]) -> None:
    """Counts and reads for a while; sums: what the sums are at first, by queue and sort."""
    low: int | None = None
    for _ in range(1500):
        frames, drops = random.getrandbits(QUEUES), [random.randint(0, 4) for _ in range(QUEUES)]
        dut.frame_i.value = frames
        dut.drops_i.value = sum(count << DROPS_BITS * queue for queue, count in enumerate(drops))
        if low is None:
            name = random.randrange(QUEUES), random.randrange(2)
        dut.queue_i.value, dut.drop_i.value = name
        dut.high_i.value, dut.read_i.value = int(low is not None), 1
        await ReadOnly()
        word = int(dut.data_o.value)
        if low is None:
            kept = sums[name]
            assert word == kept & 0xFFFFFFFF
            low = word
        else:
            assert word == kept >> 32
            low = None
        await RisingEdge(dut.clk_i)
        for queue in range(QUEUES):
            for sort, more in enumerate((frames >> queue & 1, drops[queue])):
                sums[queue, sort] = (sums[queue, sort] + more) % (1 << 64)


@cocotb.test()
async def sums_are_those_of_their_queue(dut):
    await start(dut)
    await counts(dut, {(queue, sort): 0 for queue in range(QUEUES) for sort in range(2)})


@cocotb.test()
async def sums_wrap(dut):
    """They start shortly before the end of 32 bits, or of 64."""
    await start(dut)
    await RisingEdge(dut.clk_i)
    first = {(queue, sort): (1 << (64 if queue % 2 else 32)) - 50 for queue in range(QUEUES) for sort in range(2)}
    dut.frame_i.value = dut.drops_i.value = dut.read_i.value = 0
    dut.frames_q.value = sum(first[queue, 0] << 64 * queue for queue in range(QUEUES))
    dut.drops_q.value = sum(first[queue, 1] << 64 * queue for queue in range(QUEUES))
    await RisingEdge(dut.clk_i)
    await counts(dut, first)
