# SPDX-License-Identifier: Apache-2.0
"""host_gather against bytes joined in Python: slices of any lanes and sizes, and what came beside them."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, reset


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_gather(data_width):
    run_cocotb("host_gather", __file__, data_width=data_width)


def some_slices(count: int) -> list[tuple[bytes, int, int]]:
    """Of a stream: a flit, the first lane, the number of bytes."""
    slices = []
    for _ in range(count):
        lane = random.choice((0, 0, FLIT_BYTES - 1, random.randrange(FLIT_BYTES)))
        slices.append((random.randbytes(FLIT_BYTES), lane, random.choice((1, FLIT_BYTES - lane, FLIT_BYTES - lane, random.randint(1, FLIT_BYTES - lane)))))
    return slices


async def gathered(dut, streams: list[list[tuple[bytes, int, int]]], offer: float, take: float) -> tuple[list[tuple[bytes, int]], int]:
    """The streams at the output, each with what was beside it, and the cycles that this took."""
    await reset(dut, in_valid_i=0, out_ready_i=0)
    queue = [(*one, index == len(slices) - 1, number & 1) for number, slices in enumerate(streams) for index, one in enumerate(slices)]
    found: list[tuple[bytes, int]] = []
    open_stream, offered, cycles = b"", False, 0
    while len(found) < len(streams):
        offered = bool(queue) and (offered or random.random() < offer)
        ready = random.random() < take
        dut.in_valid_i.value, dut.out_ready_i.value = int(offered), int(ready)
        if offered:
            flit, lane, size, last, beside = queue[0]
            dut.in_data_i.value, dut.in_lane_i.value, dut.in_bytes_i.value = int.from_bytes(flit, "little"), lane, size
            dut.in_last_i.value, dut.in_beside_i.value = int(last), beside
        await ReadOnly()
        if ready and dut.out_valid_o.value == 1:
            size = FLIT_BYTES - int(dut.out_empty_o.value)
            assert size == FLIT_BYTES or dut.out_last_o.value == 1
            open_stream += int(dut.out_data_o.value).to_bytes(FLIT_BYTES, "little")[:size]
            if dut.out_last_o.value == 1:
                found.append((open_stream, int(dut.out_beside_o.value)))
                open_stream = b""
        if offered and dut.in_ready_o.value == 1:
            queue.pop(0)
            offered = False
        await RisingEdge(dut.clk_i)
        cycles += 1
    return found, cycles


@cocotb.test()
@cocotb.parametrize(offer=[0.3, 1.0], take=[0.3, 1.0])
async def bytes_are_joined_in_order(dut, offer, take):
    streams = [some_slices(random.choice((1, 1, 2, 3, random.randint(1, 20)))) for _ in range(200)]
    found, _ = await gathered(dut, streams, offer, take)
    expected = [(b"".join(flit[lane : lane + size] for flit, lane, size in slices), number & 1) for number, slices in enumerate(streams)]
    assert found == expected


@cocotb.test()
async def a_slice_in_every_cycle(dut):
    """Whole flits, and ends that need no flit of their own."""
    streams = [[(random.randbytes(FLIT_BYTES), 0, FLIT_BYTES)] * 20 for _ in range(10)]
    _, cycles = await gathered(dut, streams, 1.0, 1.0)
    assert cycles <= 200 + 3
