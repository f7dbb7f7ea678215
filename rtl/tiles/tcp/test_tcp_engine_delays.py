# SPDX-License-Identifier: Apache-2.0
"""Delayed acknowledgements (RFC 1122, 4.2.3.2; RFC 5681, 4.2): which are delayed, for how long, and which segments carry them."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, CONNECTIONS, MODULUS, PORT, TICK, WINDOW, TcpBench

DELAY = 12
LATE = 2  # ticks: a connection is visited once in one, and its turn comes a little later


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


@cocotb.test()
async def a_lone_segment_is_acknowledged_late_and_each_second_one_at_once(dut):
    bench = await TcpBench.start(dut, ack_delay=DELAY)
    peer = await bench.open(seq=MODULUS - 150)
    for size in (1, 700):
        peer.send(random.randbytes(size))
        await bench.quiet((DELAY - 1) * TICK)
        ack = await bench.segment((1 + LATE) * TICK)
        assert ack.ack == peer.seq and not ack.payload
    for _ in range(3):
        for turn in range(2):
            if turn:
                await bench.quiet(3 * TICK)
            peer.send(random.randbytes(50))
        assert (await bench.segment(200)).ack == peer.seq
    await bench.quiet(2 * DELAY * TICK)
    assert bench.events["mark_late_acks"] == 2


@cocotb.test()
async def what_is_sent_takes_it_along(dut):
    """Data, a FIN or a window update carries the acknowledgement."""
    bench = await TcpBench.start(dut, ack_delay=DELAY)
    peer = await bench.open()
    peer.send(b"question")
    await ClockCycles(dut.clk_i, 100)
    peer.write(b"answer")
    answer = await bench.segment()
    assert answer.ack == peer.seq and peer.take(answer) == b"answer"
    peer.send()
    await bench.quiet(2 * DELAY * TICK)
    peer.send(random.randbytes(WINDOW // 2 + 100))
    await ClockCycles(dut.clk_i, 100)
    peer.read()
    await peer.data()
    update = await bench.segment(200)
    assert update.ack == peer.seq and update.window >= WINDOW - 200
    await bench.quiet(2 * DELAY * TICK)
    peer.send(b"last")
    await ClockCycles(dut.clk_i, 100)
    bench.command(CLOSE, peer.connection)
    fin = await bench.segment()
    assert "F" in fin.flags and fin.ack == peer.seq
    peer.take(fin)
    peer.send()
    await bench.quiet(2 * DELAY * TICK)
    assert "mark_late_acks" not in bench.events


@cocotb.test()
async def what_is_not_simply_the_next_is_acknowledged_at_once(dut):
    """Segments that are acknowledged at once: behind a gap, into a gap, repeated, larger than the window, with a FIN (RFC 5681, 4.2)."""
    bench = await TcpBench.start(dut, ack_delay=DELAY)
    peer = await bench.open()
    start = peer.seq
    text = random.randbytes(3000)
    for first, last, ack in ((100, 200, 0), (0, 50, 50), (50, 100, 200), (150, 200, 200), (150, 300, 300), (300, 300 + WINDOW, WINDOW)):
        peer.send(text[first:last], seq=start + first)
        assert ((await bench.segment(300)).ack - start) % MODULUS == ack
        await bench.quiet(3 * TICK)
    peer.seq = (start + WINDOW) % MODULUS
    peer.read()
    assert (await peer.data()).data == text[:WINDOW]
    assert (await bench.segment()).window == WINDOW
    peer.send(text[WINDOW:], flags="FA")
    assert (await bench.segment(300)).ack == peer.seq
    await bench.quiet(2 * DELAY * TICK)
    assert "mark_late_acks" not in bench.events


@cocotb.test()
async def a_stream_needs_half_the_acknowledgements(dut):
    """Acknowledgements come in order, at most two segments apart; the application gets all bytes at once."""
    for delay in (0, DELAY):
        bench = await TcpBench.start(dut, ack_delay=delay)
        peer = await bench.open()
        peer.read(stands=True)
        text = random.randbytes(4000)
        start, known, acks, got = peer.seq, 0, 0, b""
        for at in range(0, len(text), 100):
            peer.send(text[at : at + 100])
            await ClockCycles(dut.clk_i, 60)
        await ClockCycles(dut.clk_i, (DELAY + LATE) * TICK)
        bench._sort()
        for segment in bench.segments:
            assert known <= (segment.ack - start) % MODULUS <= known + 200 and segment.sport == PORT
            known = (segment.ack - start) % MODULUS
            acks += 1
        got = b"".join(message.data for message in bench.told)
        assert known == len(text) and got == text
        assert acks >= 40 if not delay else 20 <= acks <= 24, acks


@cocotb.test()
async def one_that_is_broken_acknowledges_nothing(dut):
    bench = await TcpBench.start(dut, ack_delay=DELAY)
    peer = await bench.open()
    peer.send(b"question")
    await ClockCycles(dut.clk_i, 100)
    bench.command(ABORT, peer.connection)
    assert "R" in (await bench.segment()).flags
    await bench.quiet(2 * DELAY * TICK)
    assert "mark_late_acks" not in bench.events
