# SPDX-License-Identifier: Apache-2.0
"""The instructions of a core, against independent models: random programs of RV32IMC leave the same registers and memory in QEMU's translator (unicorn) and in
Spike, the reference simulator; programs that trap, in machine and user mode and under memory protection, also have the same traps as in Spike."""

import collections

import cocotb
from cocotb.triggers import ClockCycles

from girih.spec.formats import Format
from girih.testing import run_cocotb
from rtl.tiles.core import reference
from rtl.tiles.core.core_bench import Operator
from rtl.tiles.core.random_code import DATA, END, MEMORY_BYTES, RESULTS, START, program
from rtl.tiles.core.random_traps import NOTE_BYTES, NOTES, trapping_program, traps
from rtl.tiles.core.test_core_engine import Core

PROGRAMS, INSTRUCTIONS = 20, 250
TRAPPING, FEWER = 16, 180
MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
GOOD = 0x600D
STOP = MAP["DevicesBase"] + MAP["DeviceStop"]
CAUSES = {1, 2, 3, 5, 7, 8, 11}  # denied or missing: fetch, load, store; illegal; breakpoint; calls from both modes


def test_core_isa():
    run_cocotb("core_engine", __file__, data_width=512)


def memory(image: bytes) -> bytes:
    return image + bytes(MEMORY_BYTES - len(image))


async def run(operator: Operator, image: bytes) -> int:
    """The code with which the program stops the core."""
    words = [int.from_bytes(image[at : at + 4], "little") for at in range(0, len(image), 4)]
    await operator.load_words(words, protect=DATA)
    for _ in range(400):
        await ClockCycles(operator.dut.clk_i, 50)
        if await operator.read("state") & 3 == 2:
            break
    code = await operator.read("code")
    assert await operator.write("control", 0)
    return code


async def read(operator: Operator, start: int, end: int) -> bytes:
    assert await operator.write("address", start)
    found = [await operator.read("data") for _ in range((end - start) // 4)]
    return b"".join(word.to_bytes(4, "little") for word in found)


@cocotb.test()
async def random_programs_leave_what_they_leave_in_other_models(dut):
    operator = Operator(dut)
    dut.now_i.value = 0
    await Core.start(dut, "core", watchdog=0)
    for number in range(PROGRAMS):
        image, listing = program(INSTRUCTIONS, MAP["DevicesBase"], MAP["DeviceStop"], GOOD)
        models = [reference.unicorn(memory(image), START, END, 20 * INSTRUCTIONS)]
        if reference.has_spike():
            models.append(reference.spike(memory(image), START, STOP, 20 * INSTRUCTIONS))
        wanted, *others = [model[DATA : RESULTS + 128] for model in models]
        assert all(other == wanted for other in others), f"program {number}: the models differ\n{listing}"
        code = await run(operator, image)
        assert code == GOOD, f"program {number}: cause {code - 0x100:#x}\n{listing}"
        found = await read(operator, DATA, RESULTS + 128)
        registers = RESULTS - DATA
        for index in range(1, 31):
            at = slice(registers + 4 * index, registers + 4 * index + 4)
            assert found[at] == wanted[at], f"program {number}: x{index} is {found[at].hex()}, wanted {wanted[at].hex()}\n{listing}"
        assert found == wanted, f"program {number}: its memory differs\n{listing}"


@cocotb.test(skip=not reference.has_spike())
async def programs_that_trap_have_the_traps_of_the_reference_simulator(dut):
    operator = Operator(dut)
    dut.now_i.value = 0
    await Core.start(dut, "core", watchdog=0)
    seen = collections.Counter()
    for number in range(TRAPPING):
        image = trapping_program(FEWER, MAP["DevicesBase"], MAP["DeviceStop"], GOOD)
        model = reference.spike(memory(image), START, STOP, 100 * FEWER)
        wanted = traps(model)
        code = await run(operator, image)
        found = bytes(DATA) + await read(operator, DATA, NOTES + NOTE_BYTES * len(wanted))
        assert code == GOOD, f"program {number} ends with {code:#x}"
        for index, (trap, other) in enumerate(zip(traps(found), wanted, strict=True)):
            assert trap == other, f"program {number}, trap {index}: cause, address, value, mstatus are {[hex(x) for x in trap]}, wanted {[hex(x) for x in other]}"
        for at in range(DATA, RESULTS + 128, 4):
            assert found[at : at + 4] == model[at : at + 4], f"program {number}: at {at:#x} (x{(at - RESULTS) // 4}) is {found[at : at + 4].hex()}, wanted {model[at : at + 4].hex()}\n{image.hex()}"
        seen.update((cause, status >> 11 & 3) for cause, _, _, status in wanted)
    assert {cause for cause, _ in seen} == CAUSES and all((cause, mode) in seen for cause in CAUSES - {8, 11} for mode in (0, 3)), seen
