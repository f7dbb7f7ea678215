# SPDX-License-Identifier: Apache-2.0
"""rmt_inner: messages from tiles get their chain or their exit, and keep their port and tenant; what finds no room is dropped, unless it is lossless."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.rmt import stage
from girih.spec.kinds import load_kind
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import FLIT_BYTES, Events, Message, Sink, Source, flits_of, reset, time_at
from rtl.rmt.parser.frames import every_stack, frame_of
from rtl.rmt.parser.graph_reference import interpret
from rtl.rmt.pipeline_bench import GRAPH, PipelineBench, announced, program

KIND = load_kind("rmt_inner")
EXIT, TERNARY, MAX_FRAME = 0x42, 1, 9018


@pytest.mark.parametrize("data_width", WIDTHS)
def test_rmt_inner_engine(data_width):
    run_cocotb("rmt_inner_engine", __file__, data_width=data_width, chained=True, parameters={"Kind0": TERNARY, "Entries0": 16, "KeyHalves0": 2})


class Bench(PipelineBench):
    """The engine with a fabric and a controller around it."""

    @classmethod
    async def start(cls, dut, idle=0.0, stall=0.0, **cfg):
        self = cls()
        self.dut = dut
        dut.cfg_i.value = config_word("rmt_inner", **({"exit": EXIT, "lossless": 0} | cfg))
        await reset(dut, now_i=0, in_valid_i=0, out_ready_i=0, window_valid_i=0)
        cocotb.start_soon(self._count())
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.events = Events(dut, [c.name for c in KIND.engine_counters])
        for offset, value in program().writes():
            await self.access(True, offset, value)
        return self

    async def _count(self):
        while True:
            self.dut.now_i.value = time_at(cycle_now() + 1)
            await RisingEdge(self.dut.clk_i)

    async def finish(self, cycles=200):
        quiet = 0
        while quiet < cycles:
            await RisingEdge(self.dut.clk_i)
            quiet = 0 if self.sink.busy or self.source.busy else quiet + 1

    def drops(self) -> int:
        return sum(count for name, count in self.events.count.items() if name.startswith("drop_"))


def message(frame: bytes, **more) -> Message:
    return Message(frame, bad=random.random() < 0.1, desc={"port": random.randrange(16), "tenant": random.randrange(8), **more})


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], stall=[0.0, 0.4])
async def messages_keep_their_port_and_tenant(dut, idle, stall):
    """Frames of all sorts go to the exit, with the facts of their headers; what the descriptor held before, such as a chain or a route, is gone. A message that has
    a time keeps it."""
    bench = await Bench.start(dut, idle, stall)
    stacks = [frame for _, frame in every_stack()]
    # Slowly enough that all find room.
    frames = [random.choice(stacks) + random.randbytes(random.choice((0, 0, 20, 200))) for _ in range(120)]
    sent = []
    for frame in frames:
        timed = {"timestamp_valid": 1, "timestamp": random.getrandbits(16)} if random.random() < 0.5 else {}
        sent.append(message(frame, chain_count=3, exit=7, flow=99, rank_valid=1, rank=5, l3_offset=77, **timed))
        bench.source.send(sent[-1])
        await ClockCycles(dut.clk_i, 3 * flits_of(frame) + random.randrange(6))
    await bench.finish()
    assert bench.drops() == 0
    for one, have in zip(sent, bench.sink.messages, strict=True):
        want = interpret(GRAPH, one.data)
        assert (have.data, have.bad) == (one.data[: announced(one.data)], one.bad or announced(one.data) > len(one.data))
        time = one.desc["timestamp"] if "timestamp" in one.desc else time_at(one.first)
        expected = {"port": one.desc["port"], "tenant": one.desc["tenant"], "exit": EXIT, "flow": want.flow, "length": want.length, "l3_offset": want.l3, "timestamp": time}
        expected |= {"chain_count": 0, "route_count": 1, "rank_valid": 0, "lossless": 0, "timestamp_valid": 1}
        assert {name: have.desc[name] for name in expected} == expected
        assert have.desc["route"][0] == EXIT


@cocotb.test()
async def tables_give_chains_and_tenants_and_drop(dut):
    bench = await Bench.start(dut, lossless=1)
    await bench.insert("udp.dst", 53, {"chain_set": 1, "chain_count": 1, "chain": [{"service": 5}], "tenant_set": 1, "tenant": 9})
    await bench.insert("udp.dst", 80, {"drop": 1})
    await bench.insert("udp.dst", 9000, {"mirror_set": 1, "mirror": 0x17, "lossless_set": 1, "lossless": 0})
    sent = [message(frame_of("ipv4", "udp", payload=bytes(random.randrange(200)))) for _ in range(100)]
    for one in sent:
        bench.source.send(one)
        await ClockCycles(dut.clk_i, 12)
    await bench.finish()
    want = []
    for one in sent:
        port = int.from_bytes(one.data[36:38])
        facts = {"tenant": 9 if port == 53 else one.desc["tenant"], "chain_count": int(port == 53), "port": one.desc["port"], "lossless": int(port != 9000)}
        want += [(one.data, facts)] * (0 if port == 80 else 2 if port == 9000 else 1)
    for (data, facts), have in zip(want, bench.sink.messages, strict=True):
        assert have.data == data and {name: have.desc[name] for name in facts} == facts
    assert bench.events.count["drop_action"] > 5 and bench.events.count["made_mirrored"] > 5 and bench.drops() == bench.events.count["drop_action"]


@cocotb.test()
async def what_finds_no_room_is_dropped_or_waits(dut):
    """Nothing is taken at the output: droppable messages are taken at once, and dropped whole; a lossless one waits until there is room, and what is behind it."""
    bench = await Bench.start(dut, stall=1.0)
    droppable = [Message(frame_of("ipv4", "udp", payload=bytes(1400)), desc={"tenant": 1}) for _ in range(40)]
    bench.source.send(*droppable)
    flits = 40 * flits_of(droppable[0].data)
    await ClockCycles(dut.clk_i, flits + 20)
    assert not bench.source.busy
    lost = bench.events.count["drop_overflow"]
    assert 0 < lost < 40 and bench.sink.messages == []
    lossless = [Message(frame_of("ipv4", "udp", payload=bytes(1400)), desc={"tenant": 2, "lossless": 1}) for _ in range(12)]
    bench.source.send(*lossless)
    await ClockCycles(dut.clk_i, 100)
    assert bench.source.busy
    bench.sink.stall = 0.0
    await bench.finish()
    assert bench.events.count["drop_overflow"] == lost
    assert [have.data for have in bench.sink.messages] == [one.data for one in droppable[: 40 - lost]] + [one.data for one in lossless]


@cocotb.test()
async def as_fast_as_promised(dut):
    """A flit in every cycle; a message of one flit leaves eight cycles after it came."""
    bench = await Bench.start(dut)
    frame = frame_of("ipv4", "udp", payload=bytes(max(FLIT_BYTES - 42, 0)))[: max(FLIT_BYTES, 42)]
    count = 60
    sent = [Message(frame, desc={"tenant": 1}) for _ in range(count)]
    bench.source.send(*sent)
    await bench.finish()
    have = bench.sink.messages
    if len(frame) == FLIT_BYTES:
        assert have[0].first - sent[0].first == 8
    assert len(have) == count and have[-1].last - have[0].first == count * flits_of(frame) - 1
    await bench.steps(stage.write_default({"drop": 1}))
    bench.source.send(Message(frame))
    await bench.finish()
    assert bench.events.count["drop_action"] == 1
