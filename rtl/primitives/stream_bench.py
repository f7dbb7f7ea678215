# SPDX-License-Identifier: Apache-2.0
"""Common parts of the stream modules' tests: reset, and a source and a sink with random idles and stalls."""

from __future__ import annotations

import random

from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing.clock import start_clock

MOODS = [0, 0.3, 0.9]  # shares of idle (or stalled) cycles; a new one is drawn every so often


async def reset(dut, **inputs: int) -> None:
    """Starts the clock and leaves reset with every stream idle."""
    dut.rst_i.value = 1
    for name, value in {"in_valid_i": 0, "out_ready_i": 0, **inputs}.items():
        getattr(dut, name).value = value
    start_clock(dut)
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0


async def source(dut, entries: list[int], *, idle: float | None = None, sent: list[int] | None = None) -> None:
    """Offers `entries` one after another, each until it is taken. idle None: changing shares. sent: receives the cycle of each."""
    mood, cycle = idle or 0, 0
    for entry in entries:
        while True:
            if idle is None and cycle % 100 == 0:
                mood = random.choice(MOODS)
            if random.random() >= mood:
                break
            dut.in_valid_i.value = 0
            await RisingEdge(dut.clk_i)
            cycle += 1
        dut.in_valid_i.value = 1
        dut.in_data_i.value = entry
        while True:
            await ReadOnly()
            taken = int(dut.in_ready_o.value)
            await RisingEdge(dut.clk_i)
            cycle += 1
            if taken:
                break
        if sent is not None:
            sent.append(cycle - 1)
    dut.in_valid_i.value = 0


async def sink(dut, count: int, *, stall: float | None = None, limit: int = 100_000) -> list[tuple[int, int]]:
    """Takes `count` entries; returns (cycle, entry) for each. Checks that an offer holds until taken."""
    taken: list[tuple[int, int]] = []
    mood, offered = stall or 0, None
    for cycle in range(limit):
        if stall is None and cycle % 100 == 0:
            mood = random.choice(MOODS)
        ready = int(random.random() >= mood)
        dut.out_ready_i.value = ready
        await ReadOnly()
        if int(dut.out_valid_o.value):
            entry = int(dut.out_data_o.value)
            assert offered in (None, entry), "the data of a waiting entry changed"
            offered = None if ready else entry
            if ready:
                taken.append((cycle, entry))
        else:
            assert offered is None, "a waiting entry vanished"
        await RisingEdge(dut.clk_i)
        if len(taken) == count:
            dut.out_ready_i.value = 0
            return taken
    raise AssertionError(f"only {len(taken)} of {count} entries came out in {limit} cycles")
