# SPDX-License-Identifier: Apache-2.0
"""Losses that time tells (RACK, RFC 8985, 6.2): when a gap that the peer has reported is sent again, and what it leaves of the congestion window."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from rtl.tiles.tcp.tcp_bench import CONFIG, CONNECTIONS, KIND, MODULUS, PORT, TICK, WINDOW, Peer, TcpBench, come
from rtl.tiles.tcp.tcp_ecn_bench import CAPABLE, NOT_CAPABLE
from rtl.tiles.tcp.test_tcp_engine_path_mtu import HEADERS, error
from rtl.tiles.tcp.test_tcp_engine_sack import KEPT, Receiver, acknowledge
from rtl.tiles.tcp.test_tcp_engine_tail import (
    MSS,
    NEAR_WRAP,
    OPTIONS,
    VISITS,
    Capable,
    end,
    filled,
    flight,
    middle,
    opened,
    place,
    sent_at,
)

TRIP = 24  # ticks of a round trip
QUARTER = TRIP // 4
TWICE = 2 * TRIP | 3  # times are not exact
LONG = 100  # ticks of a time-out
SETTINGS = {"rack": 1, "rto_initial": LONG, "rto_min": LONG, "rto_max": 2 * LONG}


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def timed(bench: TcpBench, **fields) -> Peer:
    """A connection whose every round trip has taken TRIP ticks."""
    return await opened(bench, bench.peer(**({"options": OPTIONS} | fields)), TRIP)


async def reports(bench: TcpBench, peer: Peer, *blocks: tuple[int, int]) -> float:
    """An acknowledgement with these blocks, in segments from the first missing byte on. Returns its time, in ticks."""
    await middle(bench)
    acknowledge(peer, *((first * MSS, behind * MSS) for first, behind in blocks))
    return cycle_now() / TICK


async def again(bench: TcpBench, since: float, quarter: int = QUARTER) -> TCP:
    """The next segment, which comes a quarter of the round trip after this time."""
    segment = await bench.segment(limit=LONG * TICK)
    assert quarter < sent_at(bench) - since < quarter + 1.5 + VISITS, sent_at(bench) - since
    return segment


def places(peer: Peer, segments: list[TCP]) -> list[int]:
    """Which segments these are, from the first missing byte on."""
    return [place(peer, segment) for segment in segments]


@cocotb.test()
async def a_gap_comes_again_after_a_quarter_of_the_round_trip(dut):
    """After one duplicate acknowledgement or two, whose news does not put it off; then the other gaps at once. The time-out counts from there; before it, the first
    gap is sent again once more."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for seq, blocks in ((None, [(1, 2), (3, 4)]), (NEAR_WRAP, [(1, 2)])):
        peer = await timed(bench, seq=seq)
        text, sent = await flight(bench, peer, 4)
        since = await reports(bench, peer, blocks[0])
        for number in range(1, len(blocks)):
            await ClockCycles(dut.clk_i, (QUARTER - 1) * TICK)
            acknowledge(peer, *((first * MSS, behind * MSS) for first, behind in reversed(blocks[: number + 1])))
        first = await again(bench, since)
        assert first.seq == sent[0].seq and bytes(first.payload) == text[:MSS]
        since = sent_at(bench)
        if len(blocks) > 1:
            acknowledge(peer, (3 * MSS, 4 * MSS), (MSS, 2 * MSS))
            assert places(peer, await come(bench)) == [2]
        assert (await again(bench, since, TWICE)).seq == sent[0].seq
        first = await bench.segment(limit=2 * LONG * TICK)
        assert first.seq == sent[0].seq and LONG - 1 < sent_at(bench) - since < LONG + 2 + VISITS
        await end(bench, peer)
    assert bench.events["mark_late_segments"] == bench.events["mark_fast_retransmit"] == bench.events["mark_lost_again"] == 2


@cocotb.test()
async def a_retransmission_that_is_lost_comes_again_after_two_round_trips(dut):
    """Once for each gap, from when it was sent again or became the first one; and the window is not reduced again."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"rto_initial": 4 * LONG, "rto_min": 4 * LONG, "rto_max": 4 * LONG}))
    for seq in (None, NEAR_WRAP):
        peer = await timed(bench, seq=seq)
        assert await filled(bench, peer) == 10
        for behind in (2, 3, 4, 5):
            await reports(bench, peer, (1, behind))
        since = cycle_now() / TICK
        assert places(peer, await come(bench)) == [10, 11, 0]
        await reports(bench, peer, (6, 12), (1, 5))  # the second gap, of which it has heard only now
        assert places(peer, (await come(bench))[:1]) == [5]
        assert places(peer, [await again(bench, since - 1, TWICE)]) == [0]
        await ClockCycles(dut.clk_i, (TWICE + TRIP) * TICK)
        assert not await come(bench)
        peer.ack = (peer.ack + 5 * MSS) % MODULUS  # the first gap is filled; what has been sent again in the second one must be lost, too
        since = await reports(bench, peer, (1, 7))
        segments = await come(bench)
        assert places(peer, segments).count(0) == 1
        assert places(peer, [await again(bench, since, TWICE)]) == [0]
        peer.ack = (peer.ack + 7 * MSS + sum(len(segment.payload) for segment in segments if place(peer, segment))) % MODULUS
        peer.send()
        assert len(await come(bench)) == 5, "half of ten"
        await end(bench, peer)
    assert (bench.events["mark_lost_again"], bench.events["mark_fast_retransmit"]) == (4, 2)


@cocotb.test()
async def it_halves_the_window_once(dut):
    """Of ten segments. The duplicates that came before permit one more each (RFC 3042), which do not count."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for duplicates in (1, 2):
        peer = await timed(bench)
        assert await filled(bench, peer) == 10
        for number in range(duplicates):
            acknowledge(peer, (MSS, (2 + number) * MSS))
        segments = await come(bench)
        await ClockCycles(dut.clk_i, (QUARTER + 3) * TICK)
        segments += await come(bench)
        assert places(peer, segments) == [*range(10, 10 + duplicates), 0]
        peer.ack = (peer.ack + MSS * (10 + duplicates)) % MODULUS
        peer.send()
        assert len(await come(bench)) == 5
        await end(bench, peer)
    assert bench.events["mark_late_segments"] == 2


@cocotb.test()
async def what_comes_in_time_is_not_sent_again(dut):
    """Bytes that have only been overtaken. Nor what the third duplicate has sent again already, or a time-out."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await timed(bench)
    _, sent = await flight(bench, peer, 4)
    await reports(bench, peer, (1, 2))
    await ClockCycles(dut.clk_i, (QUARTER - 1) * TICK)
    peer.ack = sent[2].seq
    peer.send()
    await ClockCycles(dut.clk_i, 3 * QUARTER * TICK)
    assert not await come(bench)
    since = await reports(bench, peer, (1, 2))  # another gap has its own time, and the round trip has become shorter
    assert places(peer, [await again(bench, since, QUARTER - 1)]) == [0]
    await end(bench, peer)
    peer = await timed(bench)
    _, sent = await flight(bench, peer, 6)
    for last in (2, 3, 4):
        await reports(bench, peer, (1, last))
    assert places(peer, await come(bench)) == [0]
    await ClockCycles(dut.clk_i, 3 * QUARTER * TICK)
    assert not await come(bench)
    assert (bench.events["mark_late_segments"], bench.events["mark_fast_retransmit"]) == (1, 2)


@cocotb.test()
async def there_is_none_without_sack_its_news_or_the_setting(dut):
    """Then the time-out sends the segment again."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    without, peer, silent = await timed(bench, options=OPTIONS[:1]), await timed(bench), await timed(bench)
    for one, rack in ((without, 1), (silent, 1), (peer, 0)):
        dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rack": rack}))
        _, sent = await flight(bench, one, 4)
        since = sent_at(bench)
        if one is silent:
            one.send()
        else:
            acknowledge(one, (MSS, 2 * MSS))
        segment = await bench.segment(limit=2 * LONG * TICK)
        assert segment.seq == sent[0].seq and sent_at(bench) - since > LONG - 2
        await end(bench, one)
    assert "mark_late_segments" not in bench.events


@cocotb.test()
async def what_ends_the_flight_ends_it(dut):
    """A time-out, or an ICMP error after which all is sent again in smaller segments."""
    large, small = 128, 64
    for what, size in (("time-out", large), ("error", small)):
        bench = await TcpBench.start(dut, stall=0.0, **SETTINGS, path_mtu_least=0)
        peer = await timed(bench, options=[("MSS", large), ("SAckOK", b"")])
        peer.write(random.randbytes(4 * large))
        sent = [await bench.segment() for _ in range(4)]
        await middle(bench)
        acknowledge(peer, (large, 2 * large))
        if what == "error":
            bench.give(error(small + HEADERS, sent[0].seq, peer))
        else:
            dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rto_max": 1}))
        first = await bench.segment(limit=QUARTER * TICK)
        assert first.seq == sent[0].seq and len(first.payload) == size
        dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS))
        await ClockCycles(dut.clk_i, 2 * QUARTER * TICK)
        assert "mark_late_segments" not in bench.events
        await end(bench, peer)


@cocotb.test()
async def it_is_a_reduction_like_others(dut):
    """With ECN, the peer hears of the smaller window; CUBIC keeps 45/64 of it."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"ecn": PORT, "cubic": PORT}))
    bench.services = {NOT_CAPABLE, CAPABLE}
    peer = await opened(bench, Capable(bench, 2000, options=OPTIONS), TRIP)
    _, sent = await flight(bench, peer, 10)
    since = await reports(bench, peer, (1, 2))
    assert (await again(bench, since)).seq == sent[0].seq
    peer.ack = (sent[9].seq + MSS) % MODULUS
    peer.send()
    await bench.quiet()
    peer.write(random.randbytes(28 * MSS))
    segments = await come(bench)
    assert "C" in segments[0].flags and not any("C" in segment.flags for segment in segments[1:])
    assert len(segments) == 11 * 45 // 64


@cocotb.test()
async def nothing_that_the_peer_has_comes_again(dut):
    """Whatever is lost; a round trip is so long here that most losses are known by time."""
    bench = await TcpBench.start(dut, **(SETTINGS | {"rto_min": 12, "rto_max": 24}))
    rng = random.Random(8985)
    lost = [
        lambda at, times: times == 1 and at // MSS % 5 == 3,
        lambda at, times: times == 1 and at // MSS % 2 == 0,
        lambda at, times: times < 3 and at // MSS in (9, 11),
        lambda _at, _times: rng.random() < 0.1,
        lambda _at, _times: rng.random() < 0.2,
    ]
    for number, rule in enumerate(lost):
        peer = await bench.open(options=OPTIONS, seq=None if number % 2 else NEAR_WRAP)
        receiver = Receiver(peer, random.randbytes(WINDOW + WINDOW // 2), rule)
        await receiver.gets_all()
        assert not receiver.spurious or receiver.most > KEPT, (number, receiver.spurious)
        await end(bench, peer)
    assert bench.events["mark_late_segments"] > 2
