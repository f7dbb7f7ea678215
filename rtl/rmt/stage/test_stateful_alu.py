# SPDX-License-Identifier: Apache-2.0
"""stateful_alu: an operation in every cycle on few registers, and software between them, against Python."""

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly

from girih.rmt.action import encode, names
from girih.testing import run_cocotb
from girih.testing.clock import start_clock

WORD = (1 << 32) - 1


@pytest.mark.parametrize("cut", [1, pytest.param(0, marks=pytest.mark.thorough)])
def test_stateful_alu(cut):
    run_cocotb("stateful_alu", __file__, chained=True, parameters={"Registers": 16, "Cut": cut})


def updated(update: str, value: int, operand: int, constant: int) -> int:
    return {
        "keep": value,
        "operand": operand,
        "add": value + operand & WORD,
        "subtract": value - operand & WORD,
        "max": max(value, operand),
        "min": min(value, operand),
        "constant": constant,
        "increment": value + 1 & WORD,
    }[update]


def step(value: int, atom: dict, operand: int) -> tuple[int, bool, int]:
    """The register's new value, the predicate, and the result."""
    constant = atom["constant"]
    left, right = {
        "state_constant": (value, constant),
        "state_operand": (value, operand),
        "operand_constant": (operand, constant),
    }[atom["against"]]
    holds = {
        "always": True,
        "equal": left == right,
        "not_equal": left != right,
        "less": left < right,
        "at_least": left >= right,
    }[atom["compare"]]
    new = updated(atom["if_true" if holds else "if_false"], value, operand, constant)
    return new, holds, {"old": value, "new": new, "predicate": int(holds)}[atom["result"]]


def random_word() -> int:
    return random.choice([0, 1, WORD, random.randrange(8), random.getrandbits(32)])


@cocotb.test()
async def every_operation_back_to_back(dut):
    """Most operations are on one register, which software writes between them."""
    for name in ("valid_i", "index_i", "op_i", "operand_i", "write_i", "software_index_i", "write_data_i"):
        getattr(dut, name).value = 0
    dut.rst_i.value = 1
    start_clock(dut)
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    while not dut.ready_o.value:
        await FallingEdge(dut.clk_i)
    delay = int(dut.Cut.value)  # cycles from an operation to its effect
    registers = [0] * 16
    enums = ("against", "compare", "result")
    reading = None  # the operation that reads its register in this cycle, if its effect comes in the next
    for _ in range(20_000):
        atom = {name: random.choice(names(name)) for name in enums}
        atom |= {"if_true": random.choice(names("update")), "if_false": random.choice(names("update"))}
        atom["constant"] = random_word()
        operand, index = random_word(), random.choice([3, 3, 3, random.randrange(16)])
        given = (atom, operand, index) if random.random() < 0.9 else None
        write = random.random() < 0.1
        software, data = random.choice([3, random.randrange(16)]), random_word()
        dut.valid_i.value, dut.index_i.value, dut.operand_i.value = int(given is not None), index, operand
        dut.op_i.value = encode(atom, "atom")
        dut.write_i.value, dut.software_index_i.value, dut.write_data_i.value = int(write), software, data
        await ReadOnly()
        assert int(dut.read_data_o.value) == registers[software]
        changing, reading = (reading, given) if delay else (given, None)
        if changing:
            atom, operand, index = changing
            new, holds, result = step(registers[index], atom, operand)
            assert int(dut.predicate_o.value) == holds
            assert int(dut.result_o.value) == result
            registers[index] = new
        if write:
            registers[software] = data
        await FallingEdge(dut.clk_i)
