# SPDX-License-Identifier: Apache-2.0
"""checksum_sum against scapy's checksum."""

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import start_clock
from girih.testing.messages import FLIT_BYTES


@pytest.mark.parametrize("data_width", WIDTHS)
def test_checksum_sum(data_width):
    run_cocotb("checksum_sum", __file__, data_width=data_width)


def model(data, mask):
    from scapy.utils import checksum

    return ~checksum(bytes(d if m else 0 for d, m in zip(data, mask, strict=True))) & 0xFFFF


@cocotb.test()
async def sums_are_those_of_rfc_1071(dut):
    start_clock(dut)
    expected = None
    for _ in range(2000):
        kind = random.random()
        data = b"\xff" * FLIT_BYTES if kind < 0.2 else random.randbytes(FLIT_BYTES)
        keep = random.randint(0, FLIT_BYTES)
        mask = [i < keep if kind < 0.6 else random.random() < 0.5 for i in range(FLIT_BYTES)]
        enable = random.random() < 0.7
        await FallingEdge(dut.clk_i)
        dut.data_i.value = int.from_bytes(data, "little")
        dut.mask_i.value = sum(m << i for i, m in enumerate(mask))
        dut.enable_i.value = int(enable)
        if expected is not None:
            total = int(dut.total_o.value)
            assert total == 0 == expected or (total > 0 and (total - 1) % 0xFFFF + 1 == expected)
        if enable:
            expected = model(data, mask)
