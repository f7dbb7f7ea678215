# SPDX-License-Identifier: Apache-2.0
"""eth_tx: addresses, padding, length, bad frames, the latency that it measures, and its own."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.kinds import load_kind
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now, start_clock
from girih.testing.messages import FLIT_BYTES, Events, Message, Source, time_at

KIND = load_kind("eth_tx")
MAC = bytes.fromhex("020000000001")


@pytest.mark.parametrize("data_width", WIDTHS)
def test_eth_tx_engine(data_width):
    run_cocotb("eth_tx_engine", __file__, data_width=data_width)


class Frames:
    """Collects frames from m_axis; checks tkeep, the zeros past the end, and that a held beat does not change."""

    def __init__(self, dut, stall=0.0):
        self.dut, self.stall, self.frames, self.latencies = dut, stall, [], []
        self.size = FLIT_BYTES
        self.open = b""
        cocotb.start_soon(self._run())

    async def _run(self):
        dut, held, first = self.dut, None, None
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_axis_tvalid.value == 1 and dut.rst_i.value == 0:
                names = ("tdata", "tkeep", "tlast", "tuser")
                data, keep, last, user = beat = tuple(int(getattr(dut, f"m_axis_{n}").value) for n in names)
                assert held in (None, beat)
                held = beat
                assert int(dut.latency_valid_o.value) in ((0, 1) if dut.m_axis_tready.value == 1 else (0,))
                if dut.m_axis_tready.value == 1:
                    held = None
                    count = keep.bit_length()
                    assert keep == (1 << count) - 1 and count > 0 and (last or count == self.size)
                    assert data >> (8 * count) == 0, "bytes past the end are not zero"
                    if not self.open:
                        first = cycle_now()
                        if dut.latency_valid_o.value == 1:
                            self.latencies.append(int(dut.latency_o.value))
                    else:
                        assert dut.latency_valid_o.value == 0
                    self.open += data.to_bytes(self.size, "little")[:count]
                    if last:
                        self.frames.append((self.open, user, first, cycle_now()))
                        self.open = b""
            else:
                assert held is None
            dut.m_axis_tready.value = int(random.random() >= self.stall)


async def begin(dut, reflect=0):
    start_clock(dut)
    dut.rst_i.value = 1
    dut.in_valid_i.value = 0
    dut.m_axis_tready.value = 0
    assert [field.name for field in KIND.config] == ["mac", "reflect"]
    dut.cfg_i.value = int.from_bytes(MAC, "big") << 1 | reflect

    async def count_cycles():
        while True:
            dut.now_i.value = time_at(cycle_now() + 1)
            await RisingEdge(dut.clk_i)

    cocotb.start_soon(count_cycles())
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    return Source(dut), Frames(dut), Events(dut, [c.name for c in KIND.engine_counters])


async def finish(dut, source, frames, number, limit=50_000):
    for _ in range(limit):
        if len(frames.frames) >= number and not source.busy:
            break
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 10)
    assert len(frames.frames) == number


def framed(message, reflect):
    """The model: the frame and its bad mark."""
    data = message.data
    bad = message.bad
    if length := message.desc["length"]:
        bad = bad or length > len(data)
        data = data[:length]
    full = data.ljust(12, b"\0")
    frame = (full[6:12] if reflect else full[:6]) + MAC + full[12:]
    return frame.ljust(60, b"\0"), bad


async def random_messages(dut, reflect):
    source, frames, events = await begin(dut, reflect)
    padded = bads = total = 0
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        source.idle, frames.stall = idle, stall
        sent = []
        for _ in range(120):
            size = random.choice([12, 14, 42, 59, 60, 61, 64, 1514, random.randint(14, 700)])
            length = random.choice([0, size, size, max(12, size - random.randrange(300)), size + random.randrange(80)])
            sent.append(Message(random.randbytes(size), {"length": length}, bad=random.random() < 0.1))
        source.send(*sent)
        frames.frames.clear()
        await finish(dut, source, frames, len(sent))
        for message, (frame, user, _, _) in zip(sent, frames.frames, strict=True):
            want, bad = framed(message, reflect)
            assert (frame, user) == (want, int(bad))
            padded += min(message.desc["length"] or len(message.data), len(message.data)) < 60
            bads += bad
        total += len(sent)
    count = events.count
    assert (count["out_frames"], count["mark_bad_frame"], count["mark_padded"]) == (total, bads, padded)
    assert padded and bads


@cocotb.test()
async def messages_become_frames(dut):
    await random_messages(dut, 0)


@cocotb.test()
async def answers_are_reflected(dut):
    await random_messages(dut, 1)


@cocotb.test()
async def latency_is_that_of_the_first_beat(dut):
    source, frames, _ = await begin(dut)
    for stall in (0, 0.7):
        frames.stall = stall
        for size in (60, 500):
            frames.latencies.clear()
            frames.frames.clear()
            begun = cycle_now()
            source.send(Message(bytes(size), {"timestamp_valid": 1, "timestamp": time_at(begun)}), Message(bytes(size)))
            await finish(dut, source, frames, 2)
            assert frames.latencies == [frames.frames[0][2] - begun]
    frames.latencies.clear()
    frames.frames.clear()
    stamp = time_at(cycle_now() - 1000)  # the counter has wrapped since
    source.send(Message(bytes(60), {"timestamp_valid": 1, "timestamp": stamp}))
    await finish(dut, source, frames, 1)
    assert 1000 < frames.latencies[0] < 1050


@cocotb.test()
async def one_cycle_and_no_bubble(dut):
    source, frames, _ = await begin(dut)
    await ClockCycles(dut.clk_i, 3)
    flit = FLIT_BYTES
    for size in (60, 64, 65, 1514, 9014):
        frames.frames.clear()
        sent = [Message(random.randbytes(size), {"length": size}) for _ in range(200 if size < 100 else 8)]
        source.send(*sent)
        await finish(dut, source, frames, len(sent))
        assert frames.frames[-1][3] - frames.frames[0][2] + 1 == len(sent) * -(-size // flit)
        assert frames.frames[0][2] - sent[0].first == 1
