# SPDX-License-Identifier: Apache-2.0
"""Each master holds and releases for itself; a hold that is not ended ends by itself."""

import random

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

CYCLES, MASTERS = 37, 4


def test_change_hold():
    run_cocotb("change_hold", __file__, parameters={"Cycles": CYCLES})


async def write(dut, master: int, hold: int) -> None:
    dut.write_i.value, dut.master_i.value, dut.hold_i.value = 1, master, hold
    await RisingEdge(dut.clk_i)
    dut.write_i.value = 0
    await RisingEdge(dut.clk_i)


@cocotb.test()
async def each_master_holds_for_itself(dut):
    await reset(dut, write_i=0, master_i=0, hold_i=0)
    held: set[int] = set()
    for _ in range(300):
        master, hold = random.randrange(MASTERS), random.getrandbits(1)
        held = held | {master} if hold else held - {master}
        await write(dut, master, hold)
        assert int(dut.held_o.value) == sum(1 << each for each in held) and int(dut.hold_o.value) == bool(held)
        if not hold and held:  # so that none ends by itself here
            await write(dut, min(held), 1)


@cocotb.test()
async def a_hold_ends_by_itself(dut):
    await reset(dut, write_i=0, master_i=0, hold_i=0)
    for turn in range(4):
        await write(dut, turn, 1)
        await ClockCycles(dut.clk_i, random.randrange(CYCLES - 2))
        await write(dut, (turn + 1) % MASTERS, 1)  # starts the time anew, for both
        await ClockCycles(dut.clk_i, CYCLES - 2)
        assert int(dut.hold_o.value) == 1
        await ClockCycles(dut.clk_i, 3)
        assert int(dut.hold_o.value) == 0 and int(dut.held_o.value) == 0
