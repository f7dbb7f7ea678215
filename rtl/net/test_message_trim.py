# SPDX-License-Identifier: Apache-2.0
"""message_trim: cut to desc.length, short ones bad, a bad tail voids what was kept, no added cycle."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, Message, Sink, Source, flits_of, reset


@pytest.mark.parametrize("data_width", WIDTHS)
def test_message_trim(data_width):
    run_cocotb("message_trim_bench", __file__, data_width=data_width)


def make(size, length, bad=False):
    return Message(random.randbytes(size), {"length": length, "timestamp": random.getrandbits(24)}, bad)


def trimmed(message):
    """The model: data, bad, short."""
    length = message.desc["length"] or len(message.data)
    short = length > len(message.data)
    return message.data[:length], message.bad or short, short


@cocotb.test()
async def messages_are_cut_to_their_length(dut):
    await reset(dut)
    source, sink = Source(dut, "in"), Sink(dut, "out")
    shorts = 0

    async def count_shorts():
        nonlocal shorts
        while True:
            await RisingEdge(dut.clk_i)
            shorts += int(dut.short_o.value) if dut.rst_i.value == 0 else 0

    cocotb.start_soon(count_shorts())
    want_shorts = 0
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        source.idle, sink.stall = idle, stall
        sent = []
        for _ in range(250):
            size = random.choice([1, FLIT_BYTES, 2 * FLIT_BYTES, random.randint(1, 6 * FLIT_BYTES)])
            near = size + random.randint(-3, 3)
            length = random.choice([0, size, max(near, 1), random.randint(1, 7 * FLIT_BYTES), FLIT_BYTES])
            sent.append(make(size, length, random.random() < 0.5))
        sink.messages.clear()
        for message in sent:
            source.send(message)
        got = await sink.count(len(sent))
        for want, have in zip(sent, got, strict=True):
            data, bad, short = trimmed(want)
            want_shorts += short
            assert (have.data, have.bad, have.desc["length"]) == (data, bad, want.desc["length"])
            assert have.desc["timestamp"] == want.desc["timestamp"]
    await RisingEdge(dut.clk_i)
    assert shorts == want_shorts > 0


@cocotb.test()
async def nothing_is_slowed_down(dut):
    await reset(dut)
    source, sink = Source(dut, "in"), Sink(dut, "out")
    sent = [make(60, random.choice([0, 46, 60])) for _ in range(50)] + [make(5 * FLIT_BYTES, 3 * FLIT_BYTES + 2)] * 5
    for message in sent:
        source.send(message)
    got = await sink.count(len(sent))
    assert got[0].first == sent[0].first
    assert got[-1].last - sent[0].first + 1 == sum(flits_of(m.data) for m in sent)
