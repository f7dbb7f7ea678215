# SPDX-License-Identifier: Apache-2.0
"""Every rotation of random bytes, in both directions, against slices of Python's bytes."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from girih.testing import run_cocotb


@pytest.mark.parametrize("up", [0, 1])
@pytest.mark.parametrize("radix", [2, 4])
@pytest.mark.parametrize("width", [128, pytest.param(256, marks=pytest.mark.thorough)])  # an even number of levels of two, and an odd one
def test_byte_rotator(width, radix, up):
    run_cocotb("byte_rotator", __file__, parameters={"Width": width, "Radix": radix, "Up": up})


@cocotb.test()
async def bytes_go_round(dut):
    count = int(dut.Width.value) // 8
    for places in range(count):
        data = random.randbytes(count)
        dut.data_i.value = int.from_bytes(data, "little")
        dut.places_i.value = places
        await Timer(1, unit="ns")
        cut = count - places if int(dut.Up.value) else places
        assert int(dut.data_o.value).to_bytes(count, "little") == data[cut:] + data[:cut]
