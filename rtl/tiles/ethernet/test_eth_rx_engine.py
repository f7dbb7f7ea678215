# SPDX-License-Identifier: Apache-2.0
"""eth_rx: filter, tags, runts, oversize, overflow, malformed beats, latency and throughput."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether

from girih.spec.kinds import load_kind
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now, start_clock
from girih.testing.messages import FLIT_BYTES, PARAMS, Events, Sink, time_at

MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:99"
KIND = load_kind("eth_rx")


@pytest.mark.parametrize("data_width", WIDTHS)
def test_eth_rx_engine(data_width):
    run_cocotb("eth_rx_engine", __file__, data_width=data_width, parameters={"Port": 3})


def config(mac=MAC, promiscuous=0, tenant=5) -> int:
    values = {"mac": int(mac.replace(":", ""), 16), "promiscuous": promiscuous, "tenant": tenant}
    word = 0
    for field in KIND.config:
        word = word << field.width | values[field.name]
    return word


class Mac:
    """Drives s_axis as a MAC does: without regard to tready, which has to be 1."""

    def __init__(self, dut, idle=0.0):
        self.dut, self.idle = dut, idle
        self.size = FLIT_BYTES
        self.beats = []
        cocotb.start_soon(self._run())

    def send(self, frame: bytes, bad: bool = False) -> dict:
        """Returns a dict that will hold the cycle of the first beat as `first`."""
        at = {}
        chunks = [frame[i : i + self.size] for i in range(0, len(frame), self.size)]
        for i, chunk in enumerate(chunks):
            last = i == len(chunks) - 1
            data = int.from_bytes(chunk + random.randbytes(self.size - len(chunk)), "little")
            user = int(bad) if last else random.getrandbits(1)
            self.beats.append((data, (1 << len(chunk)) - 1, int(last), user, at if i == 0 else None))
        return at

    def send_beat(self, data: int, keep: int, last: int, user: int = 0) -> None:
        self.beats.append((data, keep, last, user, None))

    async def drained(self):
        while self.beats:
            await RisingEdge(self.dut.clk_i)
        await ClockCycles(self.dut.clk_i, 2)

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if not self.beats or random.random() < self.idle:
                dut.s_axis_tvalid.value = 0
                dut.s_axis_tdata.value = 0
                continue
            data, keep, last, user, at = self.beats.pop(0)
            dut.s_axis_tvalid.value = 1
            dut.s_axis_tdata.value, dut.s_axis_tkeep.value = data, keep
            dut.s_axis_tlast.value, dut.s_axis_tuser.value = last, user
            if at is not None:
                at["first"] = cycle_now() + 1  # the edge at which this beat is taken


async def begin(dut, idle=0.0, stall=0.0, **cfg):
    start_clock(dut)
    dut.rst_i.value = 1
    dut.s_axis_tvalid.value = 0
    dut.cfg_i.value = config(**cfg)
    dut.now_i.value = 0

    async def count_cycles():
        while True:
            dut.now_i.value = time_at(cycle_now() + 1)
            await RisingEdge(dut.clk_i)

    cocotb.start_soon(count_cycles())
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    events = Events(dut, [c.name for c in KIND.engine_counters])
    return Mac(dut, idle), Sink(dut, stall=stall), events


async def finish(dut, mac, sink, cycles=20):
    await mac.drained()
    quiet = 0
    while quiet < cycles:
        await RisingEdge(dut.clk_i)
        quiet = 0 if sink.busy else quiet + 1


def frame_of(size, dst=MAC, vlan=False, src=OTHER) -> bytes:
    """vlan: in a random VLAN, or in this one."""
    frame = Ether(dst=dst, src=src)
    if vlan is not False:
        frame /= Dot1Q(vlan=random.randrange(4095) if vlan is True else vlan, prio=random.randrange(8))
    frame /= IP(dst="10.0.0.1") / UDP()
    return (bytes(frame) + random.randbytes(size))[:size]


def conserved(events, sink):
    count = events.count
    drops = sum(value for name, value in count.items() if name.startswith("drop_"))
    assert count["in_frames"] == len(sink.messages) + drops


@cocotb.test()
async def frames_for_us_become_messages(dut):
    mac, sink, events = await begin(dut)
    want, dropped, runts, tags, bads = [], 0, 0, 0, 0
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.3), (0.4, 0.4)]:
        mac.idle, sink.stall = idle, stall
        for _ in range(80):
            dst = random.choice([MAC, MAC, MAC, "ff:ff:ff:ff:ff:ff", OTHER, "01:00:5e:00:00:01"])
            size = random.choice([13, 14, 17, 18, 60, 64, 1514, random.randint(1, 400)])
            vlan, bad = random.random() < 0.3, random.random() < 0.1
            frame = frame_of(size, dst, vlan)
            runt = size < (18 if vlan and size >= 14 else 14)
            at = mac.send(frame, bad)
            bads += bad
            runts += runt
            tags += vlan and not runt
            if not runt and dst in (OTHER, "01:00:5e:00:00:01"):
                dropped += 1
            elif not runt:
                want.append((frame, bad, vlan, at))
        await finish(dut, mac, sink)
    for (frame, bad, vlan, at), have in zip(want, sink.messages, strict=True):
        assert (have.data, have.bad) == (frame, bad)
        assert have.desc["port"] == 3 and have.desc["tenant"] == 5
        assert have.desc["l3_offset"] == (18 if vlan else 14) and have.desc["length"] == 0
        assert have.desc["timestamp_valid"] == 1 and have.desc["timestamp"] == time_at(at["first"])
        where = 16 if vlan else 12
        assert have.key == int.from_bytes(frame[where : where + 2], "big")
    assert events.count["drop_runt"] == runts > 0
    assert events.count["drop_not_ours"] == dropped > 0
    assert events.count["mark_vlan"] == tags > 0
    assert events.count["mark_bad_frame"] == bads > 0
    assert events.count["drop_overflow"] == events.count["mark_oversize"] == 0
    conserved(events, sink)


@cocotb.test()
@cocotb.parametrize(promiscuous=[0, 1])
async def sources_and_vlans_that_cannot_be_are_refused(dut, promiscuous):
    mac, sink, events = await begin(dut, stall=0.2, promiscuous=promiscuous)
    sources = ["ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "03:00:00:00:00:99", "00:00:00:00:00:00", MAC]
    want = []
    for size in (14, 18, 60, 200, 1514):
        for src in sources:
            mac.send(frame_of(size, src=src, vlan=random.choice([False, 4095] if size >= 18 else [False])))
        if size >= 18:
            mac.send(frame_of(size, vlan=4095))
        want.append(frame_of(size))
        mac.send(want[-1])
        for vlan in (0, 4094) if size >= 18 else ():
            want.append(frame_of(size, dst="ff:ff:ff:ff:ff:ff", vlan=vlan))
            mac.send(want[-1])
    await finish(dut, mac, sink)
    assert [m.data for m in sink.messages] == want
    assert events.count["drop_bad_source"] == 5 * len(sources) and events.count["drop_bad_vlan"] == 4
    conserved(events, sink)


@cocotb.test()
async def promiscuous_takes_every_address(dut):
    mac, sink, events = await begin(dut, promiscuous=1)
    mac.send(frame_of(100, OTHER))
    mac.send(frame_of(100, "33:33:00:00:00:01"))
    await finish(dut, mac, sink)
    assert len(sink.messages) == 2
    conserved(events, sink)


@cocotb.test()
async def oversize_is_cut_and_void(dut):
    mac, sink, events = await begin(dut, stall=0.3)
    limit, flit = PARAMS.max_frame, FLIT_BYTES
    sizes = [limit, limit + 1, limit - 1, limit + flit, 2 * limit, 60, limit + 7 * flit, limit]
    frames = [frame_of(size) for size in sizes]
    for frame in frames:
        mac.send(frame)
        await finish(dut, mac, sink)
    for frame, have in zip(frames, sink.messages, strict=True):
        assert have.data == frame[:limit]
        assert have.bad == (len(frame) > limit)
    assert events.count["mark_oversize"] == 4 and events.count["mark_bad_frame"] == 0
    conserved(events, sink)


@cocotb.test()
async def a_full_buffer_drops_whole_frames(dut):
    mac, sink, events = await begin(dut, stall=1.0)
    frames = [frame_of(random.choice([60, 1514, 9018])) for _ in range(60)]
    for frame in frames:
        mac.send(frame)
    await mac.drained()
    assert events.count["drop_overflow"] > 0
    sink.stall = 0
    await finish(dut, mac, sink)
    sink.stall = 0.5
    more = [frame_of(60) for _ in range(200)]
    for frame in more:
        mac.send(frame)
        await ClockCycles(dut.clk_i, random.randrange(8))
    await finish(dut, mac, sink)
    position = 0
    everything = frames + more
    for message in sink.messages:  # the output is a subsequence of the input
        position = everything.index(message.data, position) + 1
        assert not message.bad
    assert sink.messages[-1].data == more[-1]
    conserved(events, sink)


@cocotb.test()
async def malformed_beats_hang_nothing(dut):
    mac, sink, events = await begin(dut, stall=0.2)
    size = FLIT_BYTES
    full = (1 << size) - 1
    head = int.from_bytes(frame_of(size), "little")
    mac.send_beat(head, full, 0)
    mac.send_beat(0, 0b1011, 1)  # a hole
    mac.send_beat(head, full, 0)
    mac.send_beat(0, 0, 1)  # an empty last beat
    mac.send_beat(head, full >> 1, 0)  # a short beat in the middle
    mac.send_beat(0, full, 1)
    mac.send_beat(head, full & ~1, 1)  # no first byte
    await finish(dut, mac, sink)
    assert [m.bad for m in sink.messages] == [True] * 4
    mac.send_beat(0, 0, 1)  # a frame of no bytes
    await finish(dut, mac, sink)
    assert events.count["drop_runt"] == 1
    for _ in range(3000):
        mac.send_beat(
            random.choice([head, random.getrandbits(8 * size)]),
            random.choice([full, full, 0, random.getrandbits(size), full >> random.randrange(size)]),
            int(random.random() < 0.4),
            random.getrandbits(1),
        )
    mac.send_beat(head, full, 1)
    await finish(dut, mac, sink)
    sink.messages.clear()
    seen = events.count["in_frames"]
    frames = [frame_of(random.randint(14, 300)) for _ in range(20)]
    for frame in frames:
        mac.send(frame)
    await finish(dut, mac, sink)
    assert [m.data for m in sink.messages] == frames and not any(m.bad for m in sink.messages)
    assert events.count["in_frames"] - seen == 20


@cocotb.test()
async def two_cycles_and_no_bubble(dut):
    mac, sink, _ = await begin(dut)
    await ClockCycles(dut.clk_i, 3)
    flit = FLIT_BYTES
    for size in (60, 64, 65, 1514, 9014):
        sink.messages.clear()
        number = 400 if size < 100 else 8
        ats = [mac.send(frame_of(size)) for _ in range(number)]
        await finish(dut, mac, sink)
        assert len(sink.messages) == number
        assert sink.messages[-1].last - sink.messages[0].first + 1 == number * -(-size // flit)
        assert sink.messages[0].first - ats[0]["first"] == 2
    mac.send(frame_of(64, vlan=True))
