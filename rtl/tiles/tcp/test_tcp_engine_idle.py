# SPDX-License-Identifier: Apache-2.0
"""Connections whose peer is silent: keep-alive (RFC 9293, 3.8.4), and the time-out of data that is not acknowledged (3.8.3)."""

import itertools
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from cocotb.utils import get_sim_time

from girih.testing import run_cocotb
from girih.testing.clock import PERIOD_NS
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, CONNECTIONS, MODULUS, PORT, TICK, WINDOW, Peer, TcpBench

IDLE, INTERVAL, COUNT = 12, 6, 3
KEEPS = {"keep_idle": IDLE, "keep_interval": INTERVAL, "keep_count": COUNT}
LATE = 2  # ticks: a connection is visited once in one, and its turn comes a little later
UNANSWERED = 1


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def ticks(bench: TcpBench) -> float:
    """The time at which the last message came."""
    return bench.bench.sink.messages[-1].first / TICK


async def question(bench: TcpBench, peer: Peer, limit: int = IDLE + LATE) -> float:
    """Expects a keep-alive as the next segment; returns its time."""
    segment = await bench.segment(limit * TICK)
    assert str(segment.flags) == "A" and not segment.payload and segment.ack == peer.seq
    assert (segment.seq + 1) % MODULUS == peer.ack, "it is not one that has to be answered"
    return ticks(bench)


async def given_up(bench: TcpBench, peer: Peer, limit: int, sent: int = 0) -> None:
    """The peer gets a reset, and the application is told the reason. sent: the number of bytes that are not acknowledged."""
    reset = await bench.segment(limit * TICK)
    assert "R" in reset.flags and reset.seq == (peer.ack + sent) % MODULUS
    answer = await peer.data()
    assert answer.desc["stream_reset"] and answer.desc["stream_end"] and answer.desc["stream_room"] == UNANSWERED and not answer.data
    bench.command(ABORT, peer.connection)


@cocotb.test()
async def a_silent_peer_of_an_idle_connection_is_asked_and_given_up(dut):
    bench = await TcpBench.start(dut, **KEEPS)
    peer = await bench.open()
    peer.read()
    opened = ticks(bench)
    times = [await question(bench, peer) for _ in range(COUNT)]
    assert IDLE - 1 <= times[0] - opened <= IDLE + LATE, (opened, times)
    for before, after in itertools.pairwise(times):
        assert INTERVAL - 1 <= after - before <= INTERVAL + LATE, times
    await given_up(bench, peer, INTERVAL + LATE)
    await bench.closed(1)
    assert bench.events["mark_keep_alives"] == COUNT and bench.events["mark_gave_up"] == 1 and "mark_retransmitted" not in bench.events


@cocotb.test()
async def a_peer_that_answers_stays(dut):
    """The peer's answers keep the connection, however often it is asked and however late it answers. Its own keep-alives are answered, and have no other effect."""
    bench = await TcpBench.start(dut, **KEEPS)
    peer = await bench.open(seq=MODULUS - 3)
    for turn in range(4):
        for _ in range(1 + turn % COUNT):
            await question(bench, peer)
        peer.send()
    peer.send(seq=peer.seq - 1)
    assert (await bench.segment()).ack == peer.seq % MODULUS
    text = random.randbytes(300)
    peer.write(text)
    assert peer.take(await bench.segment()) == text
    peer.send(text)
    assert (await bench.segment()).ack == peer.seq
    peer.read()
    assert (await peer.data()).data == text
    assert "mark_gave_up" not in bench.events and "mark_freed" not in bench.events
    # A peer that no longer knows the connection answers with a reset.
    await question(bench, peer)
    peer.send(flags="R", seq=peer.seq)
    peer.read()
    answer = await peer.data()
    assert answer.desc["stream_reset"] and not answer.desc.get("stream_room")
    bench.command(CLOSE, peer.connection)
    await bench.closed(1)


@cocotb.test()
async def what_happens_on_a_connection_puts_the_question_off(dut):
    bench = await TcpBench.start(dut, **KEEPS, retries=2)
    peer = await bench.open()
    for turn in range(4):
        await bench.quiet(IDLE * 3 // 4 * TICK)
        if turn % 2:
            peer.write(b"more")
            assert peer.take(await bench.segment()) == b"more"
            peer.send()
        else:
            peer.send(b"text")
            assert (await bench.segment()).ack == peer.seq % MODULUS
            peer.read()
            assert (await peer.data()).data == b"text"
    await question(bench, peer)
    # Bytes that are written meanwhile get the full number of retransmissions.
    await question(bench, peer)
    peer.write(b"late")
    for _ in range(1 + 2):
        assert bytes((await bench.segment(200 * TICK)).payload) == b"late"
    peer.read()
    await given_up(bench, peer, 50, sent=4)
    await bench.closed(1)


@cocotb.test()
async def without_keep_alive_nothing_is_asked(dut):
    bench = await TcpBench.start(dut)
    await bench.open()
    await bench.quiet(3 * IDLE * TICK)


@cocotb.test()
async def halves_of_a_connection_are_asked_after_as_long_as_something_can_come(dut):
    """Keep-alives go on after the application or the peer has closed its direction; once both have, there is nothing to keep alive."""
    bench = await TcpBench.start(dut, **KEEPS)
    peer = await bench.open()
    bench.command(CLOSE, peer.connection, end=1)
    peer.take(await bench.segment())
    peer.send()
    peer.read()
    await question(bench, peer)
    peer.send(b"text")
    assert (await bench.segment()).ack == peer.seq
    assert (await peer.data()).data == b"text"
    await question(bench, peer)
    peer.send(flags="FA")
    assert (await bench.segment()).ack == peer.seq
    await bench.quiet(2 * IDLE * TICK)
    bench.command(CLOSE, peer.connection)
    await bench.closed(1)

    peer = await bench.open()
    peer.send(flags="FA")
    assert (await bench.segment()).ack == peer.seq
    for _ in range(COUNT):
        await question(bench, peer)
    reset = await bench.segment((INTERVAL + LATE) * TICK)
    assert "R" in reset.flags
    bench.command(ABORT, peer.connection)
    await bench.closed(2)

    # An application that closes only after a while gets as much time as any other.
    peer = await bench.open()
    bench.command(CLOSE, peer.connection, end=1)
    peer.take(await bench.segment())
    peer.send()
    await question(bench, peer)
    peer.send()
    bench.command(CLOSE, peer.connection)
    await ClockCycles(dut.clk_i, 8 * TICK)
    assert bench.events["mark_freed"] == 2
    await bench.closed(3)


@cocotb.test()
async def what_is_not_acknowledged_for_so_long_ends_the_connection(dut):
    """The user time-out ends the connection, however many retransmissions there are, and also if the peer's window is closed."""
    bench = await TcpBench.start(dut, user_timeout=24, retries=15, rto_max=1000)
    for shut in (False, True):
        peer = await bench.open(window=0 if shut else 60000)
        await bench.quiet(30 * TICK)  # nothing waits: nothing ends
        peer.write(b"text")
        start = get_sim_time("ns") / PERIOD_NS / TICK
        peer.read()
        while True:
            segment = await bench.segment(30 * TICK)
            if "R" in segment.flags:
                break
            if shut:
                assert len(segment.payload) <= 1
                peer.send()  # no room
        end = ticks(bench)
        assert 23 <= end - start <= 24 + LATE, (start, end)
        answer = await peer.data()
        assert answer.desc["stream_reset"] and answer.desc["stream_room"] == UNANSWERED
        bench.command(ABORT, peer.connection)
    # A connection whose peer acknowledges a little at a time is kept.
    peer = await bench.open(options=[("MSS", 100)])
    peer.write(random.randbytes(1000))
    for _ in range(4):
        await ClockCycles(dut.clk_i, 16 * TICK)
        peer.ack = (peer.ack + 100) % MODULUS
        peer.send()
    bench.segments.clear()
    assert bench.events["mark_gave_up"] == 2
    await ClockCycles(dut.clk_i, 30 * TICK)
    assert bench.events["mark_gave_up"] == 3
    bench.command(ABORT, peer.connection)
    await bench.closed(3)


@cocotb.test()
async def a_hand_shake_ends_after_the_same_time(dut):
    bench = await TcpBench.start(dut, user_timeout=24, retries=15, rto_max=1000)
    peer = bench.peer()
    await peer.shake()
    bench.dial(80, 40000, application=9)
    other = bench.peer(80, to=40000)
    await other.not_opened(UNANSWERED, 9, limit=(24 + LATE) * TICK)
    await bench.closed(2)
    bench._sort()
    assert {segment.dport for segment in bench.segments} == {80, peer.port} and PORT in {segment.sport for segment in bench.segments}
