# SPDX-License-Identifier: Apache-2.0
"""header_edit: masked bytes are replaced in whichever flit they are; the others are unchanged."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from girih.spec.message import unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import start_clock
from girih.testing.messages import FLIT_BYTES, FLIT_FIELDS, Message, to_flits

HEADER = int(os.environ.get("HEADER_BYTES", "42"))


@pytest.mark.parametrize("data_width", WIDTHS)
@pytest.mark.parametrize("header", [14, 42, 78])
def test_header_edit(data_width, header):
    run_cocotb(
        "header_edit",
        __file__,
        data_width=data_width,
        parameters={"HeaderBytes": header},
        environment={"HEADER_BYTES": str(header)},
    )


@cocotb.test()
async def masked_bytes_are_replaced(dut):
    start_clock(dut)
    for _ in range(300):
        message = Message(random.randbytes(random.randint(1, 7 * FLIT_BYTES)), desc={"length": 77})
        edit = random.randbytes(HEADER)
        mask = [random.random() < random.choice([0, 0.3, 1]) for _ in range(HEADER)]
        got = b""
        for index, flit in enumerate(to_flits(message)):
            passed = False
            while not passed:
                passed = random.random() < 0.7
                dut.flit_i.value = flit
                dut.pass_i.value = int(passed)
                # Inputs outside of the first flit must not matter.
                beside = edit if index == 0 else random.randbytes(HEADER)
                dut.edit_i.value = int.from_bytes(beside, "big")
                bits = "".join(str(int(m)) for m in mask)
                dut.mask_i.value = int(bits, 2) if index == 0 else random.getrandbits(HEADER)
                await Timer(1, unit="ns")
                out = unpack(FLIT_FIELDS, int(dut.flit_o.value))
                kept = unpack(FLIT_FIELDS, flit)
                assert all(out[name] == kept[name] for name in ("desc", "first", "bad", "last", "empty"))
                await RisingEdge(dut.clk_i)
            got += out["data"].to_bytes(FLIT_BYTES, "little")
        want = bytearray(message.data)
        for at in range(min(HEADER, len(want))):
            if mask[at]:
                want[at] = edit[at]
        assert got[: len(want)] == bytes(want)
