# SPDX-License-Identifier: Apache-2.0
"""header_pkg: the masks of bytes, for every value."""

import cocotb
import pytest
from cocotb.triggers import Timer

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES


@pytest.mark.parametrize("data_width", WIDTHS)
def test_header_masks(data_width):
    run_cocotb("header_masks_bench", __file__, data_width=data_width)


def of_bytes(places) -> int:
    return sum(1 << place for place in places)


@cocotb.test()
async def masks_are_those_of_their_bytes(dut):
    for value in range(4 * FLIT_BYTES):
        dut.bytes_i.value = value
        dut.value_i.value = value % FLIT_BYTES
        await Timer(1, unit="ns")
        assert int(dut.first_o.value) == of_bytes(range(min(value, FLIT_BYTES)))
        assert int(dut.valid_o.value) == of_bytes(range(FLIT_BYTES - value % FLIT_BYTES))
