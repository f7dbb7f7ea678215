# SPDX-License-Identifier: Apache-2.0
"""pipeline_nic: frames in order, first come first served; a full queue drops whole frames at its tail;
service times and latency are exact; every frame is accounted for."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.kinds import load_kind
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import FLIT_BYTES, PARAMS, Events, flits_of, reset, time_at
from rtl.tiles.ethernet.test_eth_rx_engine import Mac
from rtl.tiles.ethernet.test_eth_tx_engine import Frames

KIND = load_kind("pipeline_nic")
QUEUE_FLITS = 64
ONE = 1 << 16
LONG = 4000  # cycles of a service, in which all frames of a test come


@pytest.mark.parametrize("data_width", WIDTHS)
def test_pipeline_nic_engine(data_width):
    parameters = {"QueueBytes": QUEUE_FLITS * data_width // 8}
    run_cocotb("pipeline_nic_engine", __file__, data_width=data_width, chained=True, parameters=parameters)


def config(message_time=(0, 0), byte_time=(0, 0)) -> int:
    """Cycles of each unit; element 0 of an array is at the low end."""
    values = {"message_time": message_time, "byte_time": byte_time}
    word = 0
    for field in KIND.config:
        for value in reversed(values[field.name]):
            word = word << field.width | round(value * ONE)
    return word


class Bench:
    @classmethod
    async def start(cls, dut, idle=0.0, stall=0.0, **times):
        self = cls()
        self.dut, self.sent = dut, []
        dut.cfg_i.value = config(**times)
        await reset(dut, s_axis_tvalid=0, m_axis_tready=0, now_i=0)
        cocotb.start_soon(self._count())
        self.mac, self.frames = Mac(dut, idle), Frames(dut, stall)
        self.events = Events(dut, [counter.name for counter in KIND.engine_counters])
        await ClockCycles(dut.clk_i, 8)  # service times are drawn ahead
        return self

    async def _count(self):
        while True:
            self.dut.now_i.value = time_at(cycle_now() + 1)
            await RisingEdge(self.dut.clk_i)

    def send(self, size: int, bad: bool = False) -> dict:
        self.sent.append(random.randbytes(size))
        return self.mac.send(self.sent[-1], bad)

    async def finish(self) -> list[bytes]:
        """The frames that came out, once nothing has moved for a while; the counters account for the rest."""
        await self.mac.drained()
        quiet = 0
        while quiet < 100:
            await RisingEdge(self.dut.clk_i)
            quiet = 0 if self.dut.m_axis_tvalid.value == 1 else quiet + 1
        count = self.events.count
        assert count["in_frames"] == len(self.sent)
        assert count["out_frames"] == len(self.frames.frames)
        assert count["in_frames"] == count["out_frames"] + count["drop_full"] + count["drop_bad"]
        assert not any(bad for _, bad, _, _ in self.frames.frames)
        return [data for data, *_ in self.frames.frames]


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.2, 0.7])
async def frames_keep_their_order(dut, idle, stall):
    bench = await Bench.start(dut, idle, stall)
    for _ in range(300):
        size = random.choice([1, 59, 60, 64, FLIT_BYTES, random.randint(60, 12 * FLIT_BYTES)])
        bench.send(size, bad=random.random() < 0.1)
    got = await bench.finish()
    rest = iter(bench.sent)
    assert all(any(sent.ljust(60, b"\0") == data for sent in rest) for data in got), "out of order, or changed"
    assert bench.events.count["drop_bad"] > 0
    if (idle, stall) == (0.0, 0.7):
        assert bench.events.count["drop_full"] > 0
    elif stall == 0 and FLIT_BYTES >= 64:  # padding makes short frames longer than they came
        assert bench.events.count["drop_full"] == 0


@cocotb.test()
async def a_full_queue_drops_at_its_tail(dut):
    """While the first unit is busy there is room for the queue's flits, and for the one at its output."""
    bench = await Bench.start(dut, message_time=(LONG, 0))
    sizes = [random.choice([64, 200, 9 * FLIT_BYTES, random.randint(64, 15 * FLIT_BYTES)]) for _ in range(60)]
    room, kept = QUEUE_FLITS + 1, []
    for size in sizes:
        bench.send(size)
        if (flits := flits_of(bytes(size))) <= room:
            room -= flits
            kept.append(bench.sent[-1])
    await bench.mac.drained()
    dut.cfg_i.value = config()
    dropped = len(sizes) - len(kept)
    assert dropped and bench.events.count["drop_full"] == dropped
    # The service that began before is as long as it was.
    await ClockCycles(dut.clk_i, LONG)
    assert await bench.finish() == kept
    # There is room again, for all of it.
    bench.send(QUEUE_FLITS * FLIT_BYTES)
    assert (await bench.finish())[-1] == bench.sent[-1]


@cocotb.test()
async def frames_that_are_void_leave_no_trace(dut):
    bench = await Bench.start(dut)
    for bad, size in [(0, 100), (1, 100), (1, 1), (0, 1500 % (60 * FLIT_BYTES)), (1, PARAMS.max_frame + 1), (0, 64)] * 20:
        bench.send(size, bool(bad))
    got = await bench.finish()
    good = [data for index, data in enumerate(bench.sent) if index % 6 in (0, 3, 5)]
    rest = iter(good)
    assert all(any(sent.ljust(60, b"\0") == data for sent in rest) for data in got)
    assert bench.events.count["drop_bad"] + bench.events.count["drop_full"] == len(bench.sent) - len(got)
    assert bench.events.count["drop_bad"] >= 40


@cocotb.test()
async def latency_of_a_frame_alone(dut):
    """From the last beat in: 5 cycles to the first beat out, and each unit's service."""
    for services in [(0, 0), (40.5, 0), (0, 33), (60, 25)]:
        for size in (64, 5 * FLIT_BYTES):
            bench = await Bench.start(dut, message_time=services)
            at = bench.send(size)
            await bench.finish()
            flits = flits_of(bytes(size))
            (_, _, first, last) = bench.frames.frames[0]
            waits = sum(max(int(time) - flits, 0) for time in services)
            assert first - (at["first"] + flits - 1) == 5 + waits, (services, size, first, at)
            assert last - first == flits - 1
            assert bench.frames.latencies == [first - at["first"]]


@cocotb.test()
async def throughput(dut):
    """No bubbles if no unit is slow; otherwise the slow one sets the rate, to a fraction of a cycle."""
    size, count, beats = 6 * FLIT_BYTES, 8, 6
    for unit, message_time, byte_time in [(0, 0, 0), (0, 0, 0.05), (1, 0, 0.04), (0, 7.25, 0.02), (1, 9.6, 0.01)]:
        times = {"message_time": [0, 0], "byte_time": [0, 0]}
        times["message_time"][unit], times["byte_time"][unit] = message_time, byte_time
        bench = await Bench.start(dut, **times)
        for _ in range(count):
            bench.send(size)
        assert await bench.finish() == bench.sent
        service = max(message_time + size * byte_time, beats)
        ends = [last for *_, last in bench.frames.frames]
        assert abs(ends[-1] - ends[0] - (count - 1) * service) <= 1.01, times
