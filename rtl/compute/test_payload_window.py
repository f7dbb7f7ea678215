# SPDX-License-Identifier: Apache-2.0
"""payload_window, in a traffic manager: the engine sees payloads from byte 0, and headers bypass it."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, Message, flits_of, reset
from rtl.compute.compute_bench import Engine, UnitBench, done_desc, random_desc, tagged_messages

HEADER_BYTES = 128
STALLED = (0.6, 0.6, 0, 0)
TRAFFIC = [(0, 0, 0, 0), (0.4, 0, 0.3, 0), (0, 0.4, 0, 0.3), STALLED, (0.3, 0.3, 0.4, 0.4)]


@pytest.mark.parametrize("data_width", WIDTHS)
def test_payload_window(data_width):
    run_cocotb("traffic_manager", __file__, data_width=data_width, chained=True, parameters={"PayloadOnly": 1})


def invert(data: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in data)


def same_size(data: bytes, desc: dict) -> tuple[bytes, dict, bool]:
    return invert(data), desc, False


def other_size(data: bytes, desc: dict) -> tuple[bytes, dict, bool]:
    """Cuts a third off or adds as much; the engine's length counts."""
    change = random.Random(data).choice([-1, 1]) * (len(data) // 3)
    data = data[:change] if change < 0 else data + bytes(change)
    return data, dict(desc, length=len(data)), False


async def start(dut, work, idle=0.0, stall=0.0, engine_stall=0.0, engine_idle=0.0) -> UnitBench:
    await reset(dut, in_valid_i=0, out_ready_i=0, slots_i=255, m_axis_tready=0, s_axis_tvalid=0)
    bench = UnitBench(dut, idle=idle, stall=stall)
    bench.engine = Engine(dut, work, stall=engine_stall, idle=engine_idle)
    return bench


def messages(count: int) -> list[Message]:
    """With headers of any length that fits, and payloads that may be empty."""
    result = []
    for tag in range(count):
        some = random.randint(4, HEADER_BYTES)
        offset = random.choice([4, 14, 42, 62, 63, 64, 65, HEADER_BYTES - 1, HEADER_BYTES, some])
        some = random.choice([random.randint(0, 3 * FLIT_BYTES), random.randint(0, 1500)])
        size = offset + random.choice([0, 1, 22, FLIT_BYTES, some, some])
        desc = random_desc(size, payload_offset=offset, route_count=0, detoured=0)
        if size > offset and random.random() < 0.2:
            desc["length"] = 0
        result.append(Message(tag.to_bytes(4, "little") + random.randbytes(size - 4), desc))
    return result


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def headers_go_round(dut, traffic):
    bench = await start(dut, same_size, *traffic)
    sent = messages(600 if traffic == STALLED else 200)  # enough for the queue of headers to wrap while the output is held back
    ledger = await bench.run(sent)
    kept = [ledger.origin(m) for m in ledger.done]
    assert ledger.done and not ledger.missing
    for (payload, desc), origin in zip(bench.engine.seen, kept, strict=True):
        offset = origin.desc["payload_offset"]
        assert payload == origin.data[offset:]
        assert desc["length"] == (len(payload) if origin.desc["length"] else 0)
    for message, origin in zip(ledger.done, kept, strict=True):
        offset = origin.desc["payload_offset"]
        assert message.data == origin.data[:offset] + invert(origin.data[offset:])
        assert message.desc == done_desc(origin.desc) and not message.bad


@cocotb.test()
async def payloads_may_change_their_length(dut):
    bench = await start(dut, other_size, 0.1, 0.1, 0.1, 0.1)
    sent = messages(200)
    ledger = await bench.run(sent)
    for message in ledger.done:
        origin = ledger.origin(message)
        offset = origin.desc["payload_offset"]
        assert message.data == origin.data[:offset] + other_size(origin.data[offset:], {})[0]
        assert message.desc["length"] in (len(message.data), 0)


@cocotb.test()
async def a_payload_at_byte_0_is_the_whole_message(dut):
    bench = await start(dut, lambda data, desc: (data[:4] + invert(data[4:]), desc, False))
    ledger = await bench.run(tagged_messages(100, size=lambda: random.randint(4, 500), payload_offset=0))
    for message in ledger.done:
        origin = ledger.origin(message)
        assert message.data == origin.data[:4] + invert(origin.data[4:])


@cocotb.test()
async def impossible_headers_make_it_void(dut):
    """The header is longer than the bypass or than its message. The messages between these are whole."""
    bench = await start(dut, same_size, 0.1, 0.1, 0.1, 0.1)
    sent, liars = messages(200), set()
    for message in random.sample(sent, 60):
        liars.add(message.data[:4])
        if random.random() < 0.5:
            message.desc["payload_offset"] = random.randint(HEADER_BYTES + 1, 255)
        else:
            message.desc["payload_offset"] = random.randint(min(len(message.data) + 1, 255), 255)
        message.desc["length"] = random.choice([len(message.data), 0])
    ledger = await bench.run(sent)
    for message in ledger.done:
        assert message.bad == (message.data[:4] in liars)
    assert {m.data[:4] for m in ledger.missing} <= liars
    assert bench.events.count["drop_engine"] == len(ledger.missing)


@cocotb.test()
async def three_cycles_more_and_no_bubbles(dut):
    bench = await start(dut, same_size)
    await ClockCycles(dut.clk_i, 5)
    for size, offset in [(FLIT_BYTES, FLIT_BYTES - 8), (FLIT_BYTES, 4), (1500, 42), (1500, 64)]:
        sent = tagged_messages(40, size=size, payload_offset=min(offset, HEADER_BYTES), credit=1)
        bench.sink.messages.clear()
        bench.source.send(*sent)
        out = await bench.sink.count(40)
        if size == FLIT_BYTES:
            assert out[0].first - sent[0].first == 6
        assert out[-1].last - out[0].first <= 40 * (flits_of(bytes(size)) + (size > FLIT_BYTES)) - 1
        await ClockCycles(dut.clk_i, 100)
