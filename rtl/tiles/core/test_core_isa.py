# SPDX-License-Identifier: Apache-2.0
"""The instructions of a core, against an independent model: random programs of RV32IMC leave the same registers and memory in QEMU's translator (unicorn)."""


import cocotb
from cocotb.triggers import ClockCycles
from unicorn import UC_ARCH_RISCV, UC_MODE_RISCV32, Uc
from unicorn.riscv_const import UC_RISCV_REG_PC

from girih.spec.formats import Format
from girih.testing import run_cocotb
from rtl.tiles.core.core_bench import Operator
from rtl.tiles.core.random_code import DATA, END, MEMORY_BYTES, RESULTS, START, program
from rtl.tiles.core.test_core_engine import Core

PROGRAMS, INSTRUCTIONS = 24, 250
MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
GOOD = 0x600D


def test_core_isa():
    run_cocotb("core_engine", __file__, data_width=512)


def reference(image: bytes) -> bytes:
    """The data of the program after its end, registers included."""
    model = Uc(UC_ARCH_RISCV, UC_MODE_RISCV32)
    model.mem_map(0, MEMORY_BYTES)
    model.mem_write(0, image)
    model.emu_start(START, END, count=20 * INSTRUCTIONS)
    assert model.reg_read(UC_RISCV_REG_PC) == END, "the program does not end"
    return bytes(model.mem_read(DATA, RESULTS - DATA + 128))


async def run(dut, operator: Operator, image: bytes) -> tuple[int, bytes]:
    """The code with which the program stops the core, and its data."""
    words = [int.from_bytes(image[at : at + 4], "little") for at in range(0, len(image), 4)]
    await operator.load_words(words, protect=DATA)
    for _ in range(400):
        await ClockCycles(dut.clk_i, 50)
        if await operator.read("state") & 3 == 2:
            break
    code = await operator.read("code")
    assert await operator.write("control", 0) and await operator.write("address", DATA)
    found = [await operator.read("data") for _ in range((RESULTS - DATA + 128) // 4)]
    return code, b"".join(word.to_bytes(4, "little") for word in found)


@cocotb.test()
async def random_programs_leave_what_they_leave_in_another_model(dut):
    operator = Operator(dut)
    dut.now_i.value = 0
    await Core.start(dut, "core", watchdog=0)
    for number in range(PROGRAMS):
        image, listing = program(INSTRUCTIONS, MAP["DevicesBase"], MAP["DeviceStop"], GOOD)
        wanted = reference(image)
        code, found = await run(dut, operator, image)
        assert code == GOOD, f"program {number}: cause {code - 0x100:#x}\n{listing}"
        registers = RESULTS - DATA
        for index in range(1, 31):
            at = slice(registers + 4 * index, registers + 4 * index + 4)
            assert found[at] == wanted[at], f"program {number}: x{index} is {found[at].hex()}, wanted {wanted[at].hex()}\n{listing}"
        assert found == wanted, f"program {number}: its memory differs\n{listing}"
