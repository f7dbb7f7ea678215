# SPDX-License-Identifier: Apache-2.0
"""What chains of carries find, against models of one line each."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from girih.testing import run_cocotb


@pytest.mark.parametrize("places", [1, 2, 6])
def test_first_value(places):
    run_cocotb("first_value", __file__, parameters={"Places": places}, testcase="the_highest_set_bit_decides")


@pytest.mark.parametrize("width", [1, 31, 32, 33, 70])
def test_any_set(width):
    run_cocotb("any_set", __file__, parameters={"Width": width}, testcase="any_bit_counts")


@pytest.mark.parametrize("width", [1, 3, 4, 48, 100])
def test_unequal(width):
    run_cocotb("unequal", __file__, parameters={"Width": width}, testcase="any_bit_differs")


@cocotb.test()
async def the_highest_set_bit_decides(dut):
    places = int(dut.Places.value)
    for bits in range(1 << places):
        for value in range(1 << places):
            dut.set_i.value, dut.value_i.value = bits, value
            await Timer(1, unit="ns")
            assert int(dut.value_o.value) == (value >> bits.bit_length() - 1 & 1 if bits else 0)


@cocotb.test()
async def any_bit_counts(dut):
    width = int(dut.Width.value)
    for bits in (0, (1 << width) - 1, *(1 << bit for bit in range(width)), *(random.getrandbits(width) for _ in range(50))):
        dut.bits_i.value = bits
        await Timer(1, unit="ns")
        assert int(dut.any_o.value) == (bits != 0)


@cocotb.test()
async def any_bit_differs(dut):
    width = int(dut.Width.value)
    for left in (0, (1 << width) - 1, *(random.getrandbits(width) for _ in range(20))):
        for difference in (0, *(1 << bit for bit in range(width)), random.getrandbits(width)):
            dut.left_i.value, dut.right_i.value = left, left ^ difference
            await Timer(1, unit="ns")
            assert int(dut.unequal_o.value) == (difference != 0)
