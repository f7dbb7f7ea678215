# SPDX-License-Identifier: Apache-2.0
"""packet_store: committed messages come out whole, in order, with their tokens; dropped ones never do."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, PARAMS, Message, Sink, Source, flits_of, reset

TESTS = ["committed_come_out", "small_store_never_overflows", "one_message_per_cycle"]


@pytest.mark.parametrize("data_width", WIDTHS)
def test_packet_store(data_width):
    run_cocotb("packet_store", __file__, data_width=data_width, testcase=TESTS)


def beside(message, index, last):
    """Commits or drops as the message demands. A committed message stays committed without a further commit."""
    plan = message.beside
    commit = plan["fate"] == "commit" and (last if plan["at"] == "last" else index == 0)
    return {
        "commit_i": int(commit),
        "drop_i": int(last and plan["fate"] == "drop"),
        "token_i": plan["token"] if commit else random.getrandbits(16),
    }


def make(size, fate="commit", at="last"):
    return Message(
        random.randbytes(size),
        {"timestamp": random.getrandbits(24)},
        random.random() < 0.5,
        {"fate": fate, "at": at, "token": random.getrandbits(16)},
    )


def setup(dut):
    source = Source(dut, "in", beside=beside)
    sink = Sink(dut, "out", beside=lambda d: {"token": int(d.out_token_o.value)})
    return source, sink


def check(sent, got):
    want = [m for m in sent if m.beside["fate"] == "commit"]
    for message, have in zip(want, got, strict=True):
        assert (have.data, have.bad) == (message.data, message.bad)
        assert have.desc["timestamp"] == message.desc["timestamp"]
        assert have.beside["token"] == message.beside["token"]


@cocotb.test()
async def committed_come_out(dut):
    await reset(dut)
    source, sink = setup(dut)
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4), (0, 0.9)]:
        source.idle, sink.stall = idle, stall
        sink.messages.clear()
        sent = []
        for _ in range(300):
            size = random.choice([1, FLIT_BYTES, random.randint(1, 6 * FLIT_BYTES)])
            sent.append(make(size, random.choice(["commit", "commit", "drop"]), random.choice(["first", "last"])))
            source.send(sent[-1])
        await sink.count(sum(m.beside["fate"] == "commit" for m in sent))
        await source.drained()
        await ClockCycles(dut.clk_i, 10)
        check(sent, sink.messages)


@cocotb.test()
async def small_store_never_overflows(dut):
    """The largest messages against a reader that pauses: the store fills up, and everything comes out."""
    await reset(dut)
    source, sink = setup(dut)
    assert dut.fits_o.value == 1
    sink.stall = 1.0
    # Four undropped messages always fill it.
    fates = random.sample(["commit"] * 6 + ["drop"] * 6, 12)
    sent = [make(PARAMS.max_frame, fate) for fate in fates] + [make(1) for _ in range(100)]
    for message in sent:
        source.send(message)
    await ClockCycles(dut.clk_i, len(fates) * flits_of(bytes(PARAMS.max_frame)))
    assert dut.fits_o.value == 0 and dut.in_ready_o.value == 0
    sink.stall = 0.2
    await sink.count(sum(m.beside["fate"] == "commit" for m in sent))
    await ClockCycles(dut.clk_i, 10)
    check(sent, sink.messages)


@cocotb.test()
async def one_message_per_cycle(dut):
    await reset(dut)
    source, sink = setup(dut)
    for at in ("first", "last"):
        for size in (1, 3 * FLIT_BYTES):
            await ClockCycles(dut.clk_i, 10)
            sent = [make(size, at=at) for _ in range(100)]
            sink.messages.clear()
            for message in sent:
                source.send(message)
            got = await sink.count(100)
            assert got[-1].last - got[0].first + 1 == 100 * flits_of(bytes(size))
            committed = sent[0].first if at == "first" else sent[0].last
            assert got[0].first - committed == 1
    await RisingEdge(dut.clk_i)
