# SPDX-License-Identifier: Apache-2.0
"""A core under its debugger: it halts, steps and goes on amid messages, and its registers and memory are read and changed. Without a debugger a
program finds nothing of that."""

import random
import struct

import cocotb
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.tiles.core.core_bench import PROBE
from rtl.tiles.core.test_core_engine import ECHO, JUMP, LOOP, MAP, READ, SLOTS, TIME, WRITE, Core, descriptor

ATTACHED, HALT, GO = 1, 2, 4
HALTED, FAILED = 2, 4
DCSR, DPC = 0x7B0, 0x7B1
STEP, EBREAKS = 1 << 2, 1 << 15 | 1 << 12  # bits of dcsr; EBREAKS: of machine mode and user mode
BREAK, DRET = 0x00100073, 0x7B200073
AWAY = [MAP["DebugBase"] + at for at in (MAP["DebugBytes"], 0x1000, 0x10000, 0x20000000)]  # addresses at which there is nothing, even for a debugger
RESET_PC = 0x80  # where a program starts


def test_core_debug():
    run_cocotb("core_engine", __file__, data_width=512, parameters={"Debug": 1})


def load(register, base=0, at=-4):
    return (at & 0xFFF) << 20 | base << 15 | 2 << 12 | register << 7 | 0x03


def store(register, base=0, at=-4):
    return (at >> 5 & 0x7F) << 25 | register << 20 | base << 15 | 2 << 12 | (at & 0x1F) << 7 | 0x23


def read_csr(register, csr):
    return csr << 20 | 2 << 12 | register << 7 | 0x73


def write_csr(csr, register):
    return csr << 20 | register << 15 | 1 << 12 | 0x73


class Debugged(Core):
    async def state(self):
        return await self.operator.read("debug")

    async def halted(self, cycles=3000):
        """Waits until the core is halted."""
        for _ in range(cycles // 10):
            if await self.state() & HALTED:
                return
            await ClockCycles(self.dut.clk_i, 8)
        raise AssertionError("the core does not halt")

    async def halt(self):
        assert await self.operator.write("debug", ATTACHED | HALT)
        await self.halted()

    async def execute(self, *steps, value=None):
        """Has the halted core execute the steps; returns the word that they leave, or None after an exception."""
        for index, step in enumerate([*steps, BREAK][: MAP["DebugSteps"]]):
            assert await self.operator.write_word("steps", index, step)
        if value is not None:
            assert await self.operator.write("exchange", value)
        assert await self.operator.write("debug", ATTACHED | GO)
        await self.halted()
        return None if await self.state() & FAILED else await self.operator.read("exchange")

    async def csr(self, number):
        """x8 is preserved."""
        kept = await self.execute(store(8))
        value = await self.execute(read_csr(8, number), store(8))
        await self.execute(load(8), value=kept)
        return value

    async def set_csr(self, number, value):
        kept = await self.execute(store(8))
        await self.execute(load(8), write_csr(number, 8), value=value)
        await self.execute(load(8), value=kept)

    async def go(self, attached=ATTACHED):
        assert await self.operator.write_word("steps", 0, DRET)
        assert await self.operator.write("debug", ATTACHED | GO)
        if not attached:
            assert await self.operator.write("debug", 0)


@cocotb.test()
async def a_halted_core_shows_and_changes_its_registers(dut):
    bench = await Debugged.run_program(dut, PROBE)
    assert await bench.command(ECHO) is not None
    await bench.halt()
    before = [await bench.execute(store(register)) for register in range(1, 32)]
    values = [random.getrandbits(32) for _ in before]
    for register, value in enumerate(values, 1):
        await bench.execute(load(register), value=value)
    assert [await bench.execute(store(register)) for register in range(1, 32)] == values
    for register, value in enumerate(before, 1):
        await bench.execute(load(register), value=value)
    await bench.go()
    for _ in range(5):  # as if nothing had happened
        answer = await bench.command(ECHO, size=random.randrange(20, 1000))
        assert answer.data == bench.asked.data
    assert bench.events == {}


@cocotb.test()
async def a_core_halted_in_any_cycle_goes_on_as_before(dut):
    """Also in single steps: every message is answered as without a debugger."""
    bench = await Debugged.run_program(dut, PROBE, watchdog=2500)
    sent = []
    for turn in range(60):
        sent.append(Message(struct.pack("<III", ECHO, 0, turn) + random.randbytes(random.randrange(2, 600)), descriptor()))
        bench.source.send(sent[-1])
        await ClockCycles(dut.clk_i, random.randrange(1, 120))
        await bench.halt()
        at = await bench.csr(DPC)
        assert await bench.csr(DCSR) >> 6 & 7 == 3 and RESET_PC <= at < 32768
        for _ in range(turn % 4):
            await bench.set_csr(DCSR, await bench.csr(DCSR) | STEP)
            await bench.go()
            await bench.halted()
            assert await bench.csr(DCSR) >> 6 & 7 == 4
        await bench.set_csr(DCSR, await bench.csr(DCSR) & ~STEP)
        await bench.go(attached=turn % 2)
    await ClockCycles(dut.clk_i, 5000)
    assert [message.data for message in bench.sink.messages] == [message.data for message in sent]
    assert bench.events == {}


@cocotb.test()
async def a_halted_core_is_not_restarted_and_loses_no_message_for_which_there_is_a_slot(dut):
    bench = await Debugged.run_program(dut, PROBE, watchdog=1000)
    assert await bench.command(ECHO) is not None
    await bench.halt()
    sent = [Message(struct.pack("<III", ECHO, 0, number) + bytes(52), descriptor()) for number in range(SLOTS)]
    already = len(bench.sink.messages)
    bench.source.send(*sent)
    await ClockCycles(dut.clk_i, 5000)
    assert bench.events == {}
    await bench.go()
    await bench.sink.count(already + SLOTS)
    assert [message.data for message in bench.sink.messages[already:]] == [message.data for message in sent]
    # The watchdog watches the program again.
    assert await bench.command(LOOP) is None
    assert bench.events == {"drop_reset": 1, "mark_restarts": 1}


@cocotb.test()
async def what_the_debugger_may_not_do_changes_nothing_and_is_not_the_programs_fault(dut):
    bench = await Debugged.run_program(dut, PROBE)
    assert await bench.command(ECHO) is not None
    await bench.halt()
    at, kept = await bench.csr(DPC), await bench.execute(store(9))
    for address in (MAP["PacketsBase"], 32768, MAP["MessagesBase"], 0x80000000):
        assert await bench.execute(load(9), value=address) is not None
        assert await bench.execute(load(9, 9, 0), store(9)) is None
    assert await bench.execute(read_csr(9, 0x123)) is None and await bench.execute(0) is None
    await bench.execute(load(9), value=kept)
    assert await bench.csr(DPC) == at
    assert bench.events == {}
    # A debugger reaches the memory of the halted core, even what the program cannot change.
    operator = bench.operator
    assert await operator.write("address", 4) and (word := await operator.read("data")) is not None
    assert await operator.write("address", 4) and await operator.write("data", word ^ 1)
    assert await operator.write("address", 4) and await operator.read("data") == word ^ 1
    assert await operator.write("address", 4) and await operator.write("data", word)
    await bench.go()
    assert not await operator.write("data", 0), "the memory of a running core was changed"
    for tenant in (1, 15):
        for part in ("debug", "exchange", "steps"):
            assert not await operator.write(part, HALT | ATTACHED, tenant) and await operator.read(part, tenant) is None
    assert await bench.command(ECHO) is not None


@cocotb.test()
async def a_breakpoint_halts_before_its_instruction_and_after_a_restart_the_first_one(dut):
    bench = await Debugged.run_program(dut, PROBE)
    assert await bench.command(ECHO) is not None
    await bench.halt()
    await bench.set_csr(DCSR, await bench.csr(DCSR) | EBREAKS)
    at, operator = await bench.csr(DPC), bench.operator
    at -= at % 4
    assert await operator.write("address", at)
    word = await operator.read("data")
    assert await operator.write("address", at) and await operator.write("data", BREAK)
    await bench.set_csr(DPC, at)
    await bench.go()
    await bench.halted()
    assert await bench.csr(DCSR) >> 6 & 7 == 1 and await bench.csr(DPC) == at
    assert await operator.write("address", at) and await operator.write("data", word)
    await bench.go()
    assert await bench.command(JUMP, address=40000) is None  # a fault, which restarts the program
    await bench.halted()
    assert await bench.csr(DPC) == RESET_PC
    assert bench.events == {"mark_restarts": 1, "mark_faults": 1, "drop_reset": 1}
    await bench.go()
    assert struct.unpack_from("<III", (await bench.command(TIME)).data)[1] == 1


@cocotb.test()
@cocotb.parametrize(mode=[(), ("MACHINE_MODE",)])
async def a_program_that_reaches_for_the_debuggers_place_has_a_fault(dut, mode):
    """In either mode, with a debugger and without; with one, the core halts only after its restart."""
    bench = await Debugged.run_program(dut, PROBE, defines=mode)
    restarts = 0
    jumps = [*(MAP["DebugBase"] + at for at in (0, 2, 4, 8, 12, MAP["DebugFault"], MAP["DebugBytes"] - 4)), *AWAY]
    for what, address in (*((JUMP, at) for at in jumps), (READ, MAP["DebugWord"]), (WRITE, MAP["DebugWord"])):
        for attached in (0, ATTACHED):
            await ClockCycles(dut.clk_i, 500)  # until it has started
            assert await bench.operator.write("debug", attached)
            assert await bench.command(what, address) is None
            restarts += 1
            assert bench.events["mark_restarts"] == bench.events["mark_faults"] == restarts, f"{what} at {address:#x}"
            if attached:
                await bench.halted()
                assert await bench.csr(DPC) == RESET_PC
                await bench.go()
    assert await bench.operator.write("debug", 0)
    assert await bench.command(ECHO) is not None


@cocotb.test()
@cocotb.parametrize(mode=[(), ("MACHINE_MODE",)])
async def a_halt_is_not_lost_however_soon_after_go(dut, mode):
    bench = await Debugged.run_program(dut, PROBE, defines=mode)
    assert await bench.command(ECHO) is not None
    await bench.halt()
    for wait in (*range(12), 50):
        await bench.go()
        await ClockCycles(dut.clk_i, wait)
        await bench.halt()
        assert await bench.csr(DCSR) >> 6 & 7 == 3
    await bench.go()
    assert await bench.command(ECHO) is not None
