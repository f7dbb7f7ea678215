# SPDX-License-Identifier: Apache-2.0
"""pifo: exact order against sorted lists, a push and a pop in every cycle, the known ends, reset.

`pifo_random.cpp` drives a million random operations; the cocotb tests here are the directed ones.
"""

import random
import subprocess
from itertools import pairwise
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.build import coverage
from girih.build.program import build_program
from girih.build.sources import resolve
from girih.testing import SEED, VERILATOR_ARGS, run_cocotb
from girih.testing.clock import start_clock

LATENCY = 3
DRIVER = Path(__file__).parent / "pifo_random.cpp"


def random_operations(operations: int, queues: int, entries: int, rank_width: int) -> str:
    """Builds the driver for one size and runs it; returns its last line. Fails with the difference that it found."""
    sizes = {"Queues": queues, "Entries": entries, "RankWidth": rank_width}
    defines = [f"-DQUEUES={queues}", f"-DENTRIES={entries}", f"-DRANK_WIDTH={rank_width}"]
    program = build_program("pifo", resolve(["pifo"]), DRIVER, parameters=sizes, options=VERILATOR_ARGS, defines=defines)
    ran = subprocess.run([program, str(operations), str(SEED), *coverage.arguments(program.parent.name)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("rank_width", [width if width % 4 == 0 else pytest.param(width, marks=pytest.mark.thorough) for width in range(4, 13)])
def test_every_rank_width(rank_width):
    random_operations(100_000, 4, 32, rank_width)


@pytest.mark.parametrize("queues", [1, 5, 16, pytest.param(64, marks=pytest.mark.thorough)])
def test_every_number_of_queues(queues):
    random_operations(100_000, queues, 128, 8)


def test_a_million_operations():
    random_operations(1_000_000, 8, 1024, 12)


def test_directed():
    run_cocotb("pifo", __file__, parameters={"Queues": 4, "Entries": 64, "RankWidth": 8})


async def start(dut, circular=0):
    start_clock(dut)
    dut.push_valid_i.value = 0
    dut.pop_valid_i.value = 0
    dut.pop_one_i.value = 0
    dut.pop_age_i.value = 0
    dut.circular_i.value = circular
    await reset(dut)


async def reset(dut):
    dut.rst_i.value = 1
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if dut.ready_o.value:
            break
    await RisingEdge(dut.clk_i)


async def cycle(dut, push=None, pop=None, age=None):
    """One cycle with `push` = (queue, rank, slot) and `pop` = (queue, highest) or `age` = queue; what leaves in it, if anything."""
    dut.push_valid_i.value = int(push is not None)
    if push:
        dut.push_queue_i.value, dut.push_rank_i.value, dut.push_slot_i.value = push
    dut.pop_valid_i.value = int(pop is not None or age is not None)
    dut.pop_age_i.value = int(age is not None)
    pop = pop if age is None else (age, 0)
    dut.pop_one_i.value = 1 << pop[0] if pop else 0
    if pop:
        dut.pop_queue_i.value, dut.pop_highest_i.value = pop
    await ReadOnly()
    popped = None
    if dut.popped_valid_o.value:
        names = ("queue", "rank", "slot", "highest")
        popped = tuple(int(getattr(dut, f"popped_{name}_o").value) for name in names)
    await RisingEdge(dut.clk_i)
    return popped


async def drain(dut):
    return [popped for _ in range(LATENCY) if (popped := await cycle(dut))]


@cocotb.test()
async def latency_from_pop_to_slot(dut):
    await start(dut)
    await cycle(dut, push=(1, 77, 5))
    assert await cycle(dut, pop=(1, 0)) is None
    for _ in range(LATENCY - 1):
        assert await cycle(dut) is None
    assert await cycle(dut) == (1, 77, 5, 0)


@cocotb.test()
async def an_entry_can_leave_in_the_cycle_after_it_came(dut):
    """An entry pushed in the cycle of a pop is not seen by it, even if it is lower."""
    await start(dut)
    await cycle(dut, push=(0, 9, 1))
    await cycle(dut, push=(0, 3, 2), pop=(0, 0))
    out = [await cycle(dut, pop=(0, 0)), *await drain(dut)]
    assert [entry for entry in out if entry] == [(0, 9, 1, 0), (0, 3, 2, 0)]


@cocotb.test()
async def every_cycle_a_push_and_a_pop_of_one_queue(dut):
    await start(dut)
    queued = []
    for slot in range(8):
        queued.append((random.randrange(256), slot))
        await cycle(dut, push=(2, *queued[-1]))
    want, got, free = [], [], list(range(8, 64))
    for _ in range(3000):
        lowest = min(queued, key=lambda entry: entry[0])  # the first of equals
        queued.remove(lowest)
        want.append((2, *lowest, 0))
        entry = (random.choice((random.randrange(256), lowest[0], 0, 255)), free.pop(0))
        queued.append(entry)
        got.append(await cycle(dut, push=(2, *entry), pop=(2, 0)))
        free.append(lowest[1])
    got += await drain(dut)
    assert [entry for entry in got if entry] == want


@cocotb.test()
async def circular_ranks_go_over_the_end(dut):
    await start(dut, circular=0b0001)
    ranks = [250, 3, 255, 0, 200, 60]
    for slot, rank in enumerate(ranks):
        await cycle(dut, push=(0, rank, slot))
        await cycle(dut, push=(1, rank, 32 + slot))
    got = [await cycle(dut, pop=(queue, 0)) for queue in (0, 1) for _ in ranks] + await drain(dut)
    got = [entry[:2] for entry in got if entry]
    assert got == [(0, rank) for rank in (200, 250, 255, 0, 3, 60)] + [(1, rank) for rank in sorted(ranks)]


@cocotb.test()
async def ends_follow_pushes_at_once_and_pops_within_five_cycles(dut):
    await start(dut)

    async def ends(queue, cycles=1):
        """Of each cycle. What is said of the tail is a cycle late."""
        seen = []
        dut.tail_queue_i.value = queue
        for _ in range(cycles + 1):
            await ReadOnly()
            head = int(dut.head_rank_o[queue].value) if dut.head_valid_o.value[queue] else None
            tail = int(dut.tail_rank_o.value) if dut.tail_valid_o.value[queue] else None
            seen.append((head, tail))
            await RisingEdge(dut.clk_i)
        return [(head, tail) for (head, _), (_, tail) in pairwise(seen)]

    for slot, (rank, want) in enumerate([(50, (50, 50)), (20, (20, 50)), (90, (20, 90)), (30, (20, 90))]):
        await cycle(dut, push=(3, rank, slot))
        dut.push_valid_i.value = 0
        assert await ends(3) == [want]
    await cycle(dut, pop=(3, 0))
    dut.pop_valid_i.value = dut.pop_one_i.value = 0
    assert await ends(3, 5) == [(None, 90)] * 4 + [(30, 90)]
    await cycle(dut, pop=(3, 1))
    dut.pop_valid_i.value = dut.pop_one_i.value = 0
    assert await ends(3, 5) == [(30, None)] * 4 + [(30, 50)]
    assert await ends(0) == [(None, None)]


@cocotb.test()
async def circular_ranks_may_go_round_and_round_when_what_is_late_is_moved(dut):
    """One entry every 20 ranks, over five wraps of 256, with late ones moved: they leave in the order of unbounded ranks."""
    await start(dut, circular=0b0001)
    for slot in range(62):
        await cycle(dut, push=(0, 20 * slot % 256, slot))
        if slot > 4:  # five entries stay in the tree
            await cycle(dut, age=0)
    assert int(dut.overdue_o.value) == 1
    got = [await cycle(dut, pop=(0, 1)) for _ in range(9)]  # the highest: those in the tree, then the newest overdue ones
    got += [await cycle(dut, pop=(0, 0)) for _ in range(53)] + await drain(dut)
    assert [entry[2] for entry in got if entry] == [*range(61, 52, -1), *range(53)]


@cocotb.test()
async def reset_in_the_middle_forgets_everything(dut):
    await start(dut)
    for slot in range(64):
        await cycle(dut, push=(slot % 4, random.randrange(256), slot), pop=(0, 0) if slot > 2 and slot % 8 == 0 else None)
    await cycle(dut, pop=(1, 0))
    dut.pop_valid_i.value = dut.pop_one_i.value = 0
    await reset(dut)
    await ReadOnly()
    assert dut.treed_o.value == 0
    assert dut.overdue_o.value == 0
    assert dut.head_valid_o.value == 0
    await RisingEdge(dut.clk_i)
    for slot, rank in enumerate((9, 7, 8)):
        await cycle(dut, push=(1, rank, slot))
    got = [await cycle(dut, pop=(1, 0)) for _ in range(3)] + await drain(dut)
    assert [entry[1:3] for entry in got if entry] == [(7, 1), (8, 2), (9, 0)]
