# SPDX-License-Identifier: Apache-2.0
"""header_pkg: the masks of bytes, for every value."""

import random

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


@cocotb.test()
async def bytes_of_a_flit_are_placed_in_two_words(dut):
    """At each place: all, none, a single one at each end, and others. No byte is there if the end is not behind the begin."""
    ends = [(0, FLIT_BYTES), (0, 0), (FLIT_BYTES, FLIT_BYTES), (0, 1), (FLIT_BYTES - 1, FLIT_BYTES), (FLIT_BYTES, 0)]
    for place in range(FLIT_BYTES):
        for begin, end in ends + [(random.randint(0, FLIT_BYTES), random.randint(0, FLIT_BYTES)) for _ in range(20)]:
            dut.value_i.value, dut.begin_i.value, dut.end_i.value = place, begin, end
            await Timer(1, unit="ns")
            assert int(dut.placed_o.value) == of_bytes(place + byte for byte in range(begin, end)), (place, begin, end)
