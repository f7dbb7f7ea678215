# SPDX-License-Identifier: Apache-2.0
"""traffic_manager: every message is done, sent back or dropped once and counted; credits are conserved."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import DESC_FIELDS, FLIT_BYTES, PARAMS, Message, flits_of, reset
from rtl.compute.compute_bench import (
    ENGINES_OWN,
    Engine,
    Ledger,
    UnitBench,
    detoured_desc,
    done_desc,
    scheduler_key,
    tagged_messages,
)

COMPLETE = "COMPLETE" in os.environ  # messages leave only when complete


@pytest.mark.parametrize("data_width", WIDTHS)
def test_traffic_manager(data_width):
    run_cocotb("traffic_manager", __file__, data_width=data_width, chained=True)


@pytest.mark.thorough
@pytest.mark.parametrize("data_width", [128, 512])
def test_complete_messages_leave(data_width):
    depth = 1 << (2 * -(-9018 // (data_width // 8)) - 1).bit_length()
    parameters = {"OutputFlits": depth}
    environment = {"COMPLETE": "1"}
    run_cocotb(
        "traffic_manager", __file__, data_width=data_width, chained=True, parameters=parameters, environment=environment
    )


def random_size() -> int:
    kind = random.random()
    if kind < 0.4:
        return random.randint(4, FLIT_BYTES)
    if kind < 0.9:
        return random.randint(4, 6 * FLIT_BYTES)
    return random.randint(1000, 1600)


def messages(count: int, *, size=random_size, **fields) -> list[Message]:
    """The length of some is unknown."""
    result = tagged_messages(count, size=size, **fields)
    for message in result:
        if random.random() < 0.1 and "length" not in fields:
            message.desc["length"] = 0
    return result


def flip(data: bytes) -> bytes:
    """The work of the tests' engine: all but the tag inverted."""
    return data[:4] + bytes(byte ^ 0xFF for byte in data[4:])


def meddle(data: bytes, _desc: dict) -> tuple[bytes, dict, bool]:
    """Sets every field of the descriptor that an engine may set, to values derived from the tag."""
    state = random.Random(data[:4])
    garbage: dict = {f.name: state.getrandbits(f.bits) for f in DESC_FIELDS}
    garbage |= {f.name: [garbage[f.name]] * f.count for f in DESC_FIELDS if f.count > 1}
    return flip(data), garbage, False


def honest(data: bytes, desc: dict) -> tuple[bytes, dict, bool]:
    assert desc["rank_valid"] == 0
    return flip(data), desc, False


class Bench(UnitBench):
    @classmethod
    async def start(cls, dut, work=honest, *, idle=0.0, stall=0.0, engine_stall=0.0, engine_idle=0.0, slots=255):
        await reset(dut, in_valid_i=0, out_ready_i=0, slots_i=slots, m_axis_tready=0, s_axis_tvalid=0)
        self = cls(dut, idle=idle, stall=stall)
        self.engine = Engine(dut, work, stall=engine_stall, idle=engine_idle)
        return self


def check_contents(ledger: Ledger, work=honest) -> None:
    for message in ledger.done:
        origin = ledger.origin(message)
        assert message.data == flip(origin.data)
        want = done_desc(origin.desc)
        if work is meddle:
            _, garbage, _ = meddle(origin.data, {})
            want |= {name: garbage[name] for name in ENGINES_OWN}
        assert message.desc == message.desc | {k: v for k, v in want.items() if k not in ("dst", "src")}
        assert message.key == scheduler_key(message.desc) and not message.bad
    for message in ledger.detoured:
        origin = ledger.origin(message)
        assert message.data == origin.data
        assert message.desc == detoured_desc(origin.desc)
        assert message.key == scheduler_key(message.desc) and not message.bad


@cocotb.test()
@cocotb.parametrize(
    traffic=[(0, 0, 0, 0), (0.4, 0, 0.3, 0), (0, 0.4, 0, 0.3), (0.3, 0.3, 0.5, 0.5), (0, 0, 0.9, 0)],
    work=[honest, meddle],
)
async def random_traffic(dut, traffic, work):
    idle, stall, engine_stall, engine_idle = traffic
    slots = random.choice([2, 8, 255])
    bench = await Bench.start(
        dut, work, idle=idle, stall=stall, engine_stall=engine_stall, engine_idle=engine_idle, slots=slots
    )
    ledger = await bench.run(messages(300))
    assert not ledger.missing or stall
    check_contents(ledger, work)
    assert ledger.done


@cocotb.test()
async def an_engine_that_stands_still(dut):
    """Everything that arrives is taken at once and sent back. When the engine goes on, the messages that it holds are finished."""
    bench = await Bench.start(dut)
    bench.engine.stalled = True
    sent = messages(400)
    bench.source.send(*sent)
    flits = sum(flits_of(m.data) for m in sent)
    await bench.source.drained(limit=flits + 10)
    await ClockCycles(dut.clk_i, 100)
    assert bench.events.count["mark_detoured"] == len(bench.sink.messages) > 0
    bench.engine.stalled = False
    await bench.settled()
    ledger = bench.check(sent)
    assert not ledger.missing and ledger.done
    check_contents(ledger)


@cocotb.test()
async def output_blocked(dut):
    """The input keeps its rate, messages that find no room are dropped and counted, and the others leave."""
    bench = await Bench.start(dut, stall=1.0)
    sent = messages(1500)
    bench.source.send(*sent)
    await bench.source.drained(limit=sum(flits_of(m.data) for m in sent) + 10)
    assert bench.events.count["drop_overrun"] > 0
    bench.sink.stall = 0.0
    await bench.settled()
    ledger = bench.check(sent)
    assert len(ledger.missing) == bench.events.count["drop_overrun"]
    check_contents(ledger)


@cocotb.test()
async def jumbo_frames(dut):
    bench = await Bench.start(dut, engine_stall=0.5)
    ledger = await bench.run(messages(12, size=lambda: PARAMS.max_frame - random.randint(0, 3)))
    assert ledger.done
    check_contents(ledger)


@cocotb.test(skip=COMPLETE)
async def latency_and_rate(dut):
    """Three cycles from input to output with an engine that takes one; no bubbles; a credit is given two cycles after the flit."""
    bench = await Bench.start(dut)
    await ClockCycles(dut.clk_i, 5)
    for size in (FLIT_BYTES, 4, 5 * FLIT_BYTES, 1500):
        sent = messages(60, size=size, credit=1)
        bench.sink.messages.clear()
        bench.source.send(*sent)
        out = await bench.sink.count(60)
        assert bench.credits.gives[-60] - sent[0].last == 2
        assert bench.credits.gives[-1] - bench.credits.gives[-60] == 59 * flits_of(sent[0].data)
        # The Python engine takes a whole message before it answers.
        assert out[0].first - sent[0].first == 2 + flits_of(sent[0].data)
        assert out[-1].last - out[0].first == 60 * flits_of(sent[0].data) - 1
        await ClockCycles(dut.clk_i, 20)


@cocotb.test()
@cocotb.parametrize(slots=[0, 1, 5, 40])
async def slots(dut, slots):
    """No more droppable messages wait for the engine than there are slots."""
    bench = await Bench.start(dut, slots=slots)
    bench.engine.stalled = True
    await ClockCycles(dut.clk_i, 3)
    bench.source.send(*messages(60, size=FLIT_BYTES, length=FLIT_BYTES))
    await ClockCycles(dut.clk_i, 100)
    assert len(bench.sink.messages) == 60 - slots


@cocotb.test()
async def lossless_have_room(dut):
    """With droppable messages everywhere a lossless one is accepted, credited as lossless, and never dropped."""
    bench = await Bench.start(dut, stall=1.0)
    bench.engine.stalled = True
    flood = messages(1500, length=PARAMS.max_frame // 4, size=PARAMS.max_frame // 4)[:120]
    bench.source.send(*flood)
    await bench.source.drained()
    assert bench.events.count["drop_overrun"] > 0
    lossless = messages(1, size=PARAMS.max_frame, lossless=1, credit=1)
    lossless[0].data = b"\xff" * 4 + lossless[0].data[4:]
    accepted = bench.events.count["mark_pulled"]
    bench.source.send(*lossless)
    await bench.source.drained(limit=flits_of(lossless[0].data) + 10)
    await ClockCycles(dut.clk_i, 2)
    assert bench.events.count["mark_pulled"] == accepted + 1
    # More of them than the scheduler may send: they are sent back, then wait, and none is lost.
    more = messages(6, size=PARAMS.max_frame, lossless=1, credit=1)
    for index, message in enumerate(more):
        message.data = bytes([index]) + b"\xff" * 3 + message.data[4:]
    bench.source.send(*more)
    await ClockCycles(dut.clk_i, 8 * flits_of(more[0].data))
    assert bench.source.busy
    bench.sink.stall = 0.0
    bench.engine.stalled = False
    await bench.settled()
    ledger = bench.check([*flood, *lossless, *more])
    assert not [m for m in ledger.missing if m.desc["lossless"]]
    assert bench.credits.give_lossless == 7
    check_contents(ledger)


@cocotb.test()
async def void_messages(dut):
    """A message that the engine makes void, or that arrived void, is dropped if no flit of it has left; otherwise it ends bad."""
    def judge(data: bytes, desc: dict) -> tuple[bytes, dict, bool]:
        return flip(data), desc, data[0] % 3 == 0

    bench = await Bench.start(dut, judge, idle=0.1, stall=0.1)
    sent = messages(300)
    for message in sent:
        message.bad = random.random() < 0.2
    ledger = await bench.run(sent)
    for message in ledger.done:
        origin = ledger.origin(message)
        assert message.data == flip(origin.data)
        assert message.bad == (origin.bad or origin.data[0] % 3 == 0)
        assert not message.bad or not COMPLETE
    for message in ledger.missing:
        assert message.bad or message.data[0] % 3 == 0
        assert COMPLETE or flits_of(message.data) == 1
    assert bench.events.count["drop_engine"] > 0
    assert bool(bench.events.count["drop_aborted"]) == COMPLETE


@cocotb.test()
@cocotb.parametrize(slots=[255, 0])
async def longer_than_it_says(dut, slots):
    """The message is cut at its length and void, even if it finds no room; the messages around it are whole."""
    bench = await Bench.start(dut, slots=slots)
    sent = messages(100, size=lambda: random.randint(2, 6) * FLIT_BYTES)
    liars = {}
    for message in random.sample(sent, 30):
        flits = random.randint(1, flits_of(message.data) - 1)
        message.desc["length"] = flits * FLIT_BYTES
        liars[message.data[:4]] = flits
    ledger = await bench.run(sent)
    assert slots == 255 or any(message.data[:4] in liars for message in ledger.detoured)
    for message in [*ledger.done, *ledger.detoured]:
        tag, origin = message.data[:4], ledger.origin(message)
        assert message.bad == (tag in liars)
        if tag in liars:
            assert len(message.data) == liars[tag] * FLIT_BYTES
        else:
            assert message.data in (flip(origin.data), origin.data)


@cocotb.test(skip=not COMPLETE)
async def complete_before_it_leaves(dut):
    """However slow the engine is, a message leaves without a bubble."""
    bench = await Bench.start(dut, engine_idle=0.8)
    ledger = await bench.run(messages(40, size=12 * FLIT_BYTES))
    for message in ledger.done:
        assert message.last - message.first == flits_of(message.data) - 1
    assert ledger.done
