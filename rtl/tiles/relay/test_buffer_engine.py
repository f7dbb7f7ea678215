# SPDX-License-Identifier: Apache-2.0
"""buffer: whole messages pass unchanged and in order, or are dropped whole and counted; lossless ones wait."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench, random_size
from girih.testing.messages import FLIT_BYTES, PARAMS, Message, flits_of

FLITS = 1 << (2 * -(-PARAMS.max_frame // FLIT_BYTES) - 1).bit_length()


@pytest.mark.parametrize("data_width", WIDTHS)
def test_buffer_engine(data_width):
    run_cocotb("buffer_engine", __file__, data_width=data_width)


def some_message(lossless: int | None = None, bad: float = 0.2) -> Message:
    desc = {"port": random.getrandbits(4), "lossless": random.getrandbits(1) if lossless is None else lossless}
    return Message(random.randbytes(60 + random_size()), desc, bad=random.random() < bad)


def same(out: list[Message], sent: list[Message]) -> bool:
    return [(m.data, m.desc["port"], m.key) for m in out] == [(m.data, m.desc["port"], m.desc["port"]) for m in sent]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def what_has_room_passes(dut, traffic):
    """With few messages at a time there is always room."""
    bench = await EngineBench.start(dut, "buffer", idle=traffic[0], stall=traffic[1])
    void = 0
    for _ in range(20):
        sent = [some_message() for _ in range(4)]
        while sum(flits_of(message.data) for message in sent) > FLITS // 2:
            sent.pop()
        out = await bench.run(sent)
        void += sum(message.bad for message in sent)
        assert same(out, [message for message in sent if not message.bad])
    assert bench.events == {"drop_aborted": void}


@cocotb.test()
async def stores_a_message_before_it_leaves(dut):
    bench = await EngineBench.start(dut, "buffer")
    sent = [Message(random.randbytes(size), {"port": 2}) for size in (60, 1500, PARAMS.max_frame)]
    for message in sent:
        (result,) = await bench.run([message])
        assert result.first - message.last == 1
        assert result.last - result.first == flits_of(message.data) - 1


@cocotb.test()
@cocotb.parametrize(stall=[0.6, 0.9, 1.0])
async def the_input_never_waits_for_the_output(dut, stall):
    """Every droppable message is taken at one flit per cycle, and exactly those not counted as dropped pass."""
    bench = await EngineBench.start(dut, "buffer", stall=stall)
    sent = [some_message(lossless=0) for _ in range(150)]
    bench.source.send(*sent)
    await bench.source.drained(limit=4 + sum(flits_of(message.data) for message in sent))
    bench.sink.stall = 0.0
    await bench.run([])
    await ClockCycles(dut.clk_i, FLITS)
    out = bench.sink.messages
    good = [message for message in sent if not message.bad]
    left = iter(good)
    assert all(any(message.data == result.data for message in left) for result in out), "order, or not one of these"
    assert bench.events["drop_no_room"] > 0
    assert len(out) + sum(bench.events.values()) == len(sent)
    assert stall < 1.0 or len(out) < len(good)


@cocotb.test()
async def lossless_messages_wait(dut):
    bench = await EngineBench.start(dut, "buffer", idle=0.1, stall=0.8)
    sent = [some_message(lossless=1) for _ in range(100)]
    void = sum(message.bad for message in sent)
    out = await bench.run(sent)
    assert same(out, [message for message in sent if not message.bad])
    assert bench.events == {"drop_aborted": void}


@cocotb.test()
async def a_lossless_message_without_room_holds_back_and_loses_nothing(dut):
    bench = await EngineBench.start(dut, "buffer", stall=1.0)
    largest = [Message(random.randbytes(PARAMS.max_frame), {"port": 1, "lossless": 1}) for _ in range(FLITS)][:5]
    bench.source.send(*largest)
    await ClockCycles(dut.clk_i, 4 * FLITS)
    assert bench.source.busy and dut.in_ready_o.value == 0
    for _ in range(200):
        await RisingEdge(dut.clk_i)
        assert dut.in_ready_o.value == 0
    bench.sink.stall = 0.3
    await bench.sink.count(len(largest))
    assert same(bench.sink.messages, largest)
    assert bench.events == {}
