# SPDX-License-Identifier: Apache-2.0
"""header_window: the header beside the first flit, how long it waits for it, latency and throughput."""

import os
import random

import cocotb
import pytest

from girih.spec.message import unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, FLIT_FIELDS, Message, Sink, Source, flits_of, reset

HEADER = int(os.environ.get("HEADER_BYTES", "42"))


@pytest.mark.parametrize("data_width", WIDTHS)
@pytest.mark.parametrize("header", [14, 42, 78])
def test_header_window(data_width, header):
    run_cocotb(
        "header_window",
        __file__,
        data_width=data_width,
        parameters={"HeaderBytes": header},
        environment={"HEADER_BYTES": str(header)},
    )


def header_beside(dut):
    return {
        "first": unpack(FLIT_FIELDS, int(dut.out_flit_o.value))["first"],
        "header": int(dut.header_o.value).to_bytes(HEADER, "big"),
        "available": int(dut.available_o.value),
    }


@cocotb.test()
async def header_is_shown_when_needed_bytes_are_there(dut):
    await reset(dut, need_i=0)
    source = Source(dut, "in")
    sink = Sink(dut, "out", beside=header_beside)
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        for need in (0, 1, HEADER // 2, HEADER):
            source.idle, sink.stall = idle, stall
            dut.need_i.value = need
            sent = [
                Message(
                    random.randbytes(random.choice([1, HEADER, FLIT_BYTES, random.randint(1, 6 * FLIT_BYTES)])),
                    {"length": random.getrandbits(14), "timestamp": random.getrandbits(24)},
                    bad=random.random() < 0.5,
                )
                for _ in range(60)
            ]
            sink.messages.clear()
            for message in sent:
                source.send(message)
            got = await sink.count(len(sent))
            for want, have in zip(sent, got, strict=True):
                assert have.data == want.data and have.bad == want.bad
                assert have.desc["length"] == want.desc["length"]
                assert have.desc["timestamp"] == want.desc["timestamp"]
                available = have.beside["available"]
                assert have.beside["first"] == 1
                assert min(need, len(want.data)) <= available <= min(HEADER, len(want.data))
                assert have.beside["header"][:available] == want.data[:available]


@cocotb.test()
async def one_flit_per_cycle_without_bubbles(dut):
    await reset(dut, need_i=0)
    source, sink = Source(dut, "in"), Sink(dut, "out")
    for need in (min(FLIT_BYTES, HEADER), HEADER):
        dut.need_i.value = need
        sent = [Message(random.randbytes(random.randint(1, 4 * FLIT_BYTES))) for _ in range(100)]
        sink.messages.clear()
        for message in sent:
            source.send(message)
        got = await sink.count(len(sent))
        flits = sum(flits_of(m.data) for m in sent)
        most = flits_of(bytes(HEADER)) - 1
        assert got[-1].last - got[0].first + 1 <= flits + most
        assert got[0].first - sent[0].first == 1 + min(flits_of(bytes(need)), flits_of(sent[0].data)) - 1
