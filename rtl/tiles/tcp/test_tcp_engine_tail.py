# SPDX-License-Identifier: Apache-2.0
"""Tail loss probes (RFC 8985, 7): when one comes and what it is, what is sent again after it, and what it leaves of the congestion window."""

from __future__ import annotations

import random
from typing import TypeVar

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from rtl.tiles.tcp.tcp_bench import (
    ABORT,
    CLOSE,
    CONFIG,
    CONNECTIONS,
    KIND,
    MODULUS,
    PORT,
    TICK,
    WINDOW,
    Peer,
    TcpBench,
    sizes,
)
from rtl.tiles.tcp.tcp_ecn_bench import CAPABLE, NOT_CAPABLE, tos
from rtl.tiles.tcp.test_tcp_engine import under_way
from rtl.tiles.tcp.test_tcp_engine_cubic import Path
from rtl.tiles.tcp.test_tcp_engine_path_mtu import HEADERS, error
from rtl.tiles.tcp.test_tcp_engine_sack import KEPT, Receiver, acknowledge, come
from rtl.tiles.tcp.test_tcp_engine_timestamps import OPTION_BYTES, Stamped

MSS = 64
NEAR_WRAP = MODULUS - 500
OPTIONS = [("MSS", MSS), ("SAckOK", b"")]
TRIP = 6  # ticks of a round trip
LONG = 30  # ticks of a time-out
BLOCKING = 8  # connections whose segments fill the card's queue
SETTINGS = {"tail_probe": 1, "rto_initial": LONG, "rto_min": LONG, "rto_max": 2 * LONG}
VISITS = 1.2  # ticks between two visits of the timer, with what a turn takes


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def sent_at(bench: TcpBench) -> float:
    """When the last message that came began, in ticks."""
    return bench.bench.sink.messages[-1].first / TICK


async def middle(bench: TcpBench, after: int = 0) -> None:
    """Waits so many ticks, and then for the middle of one: from middle to middle, the card measures whole ticks, and the same ones each time."""
    await ClockCycles(bench.dut.clk_i, after * TICK + 1)
    await ClockCycles(bench.dut.clk_i, 1 + (bench.begun + TICK // 2 - cycle_now()) % TICK)


P = TypeVar("P", bound=Peer)


async def timed(bench: TcpBench, **fields) -> Peer:
    """A connection whose every round trip has taken TRIP ticks."""
    return await opened(bench, bench.peer(**({"options": OPTIONS} | fields)))


async def opened(bench: TcpBench, peer: P, trip: int = TRIP) -> P:
    """The same for any kind of peer. trip: ticks of a round trip."""
    await middle(bench)
    await peer.shake()
    await middle(bench, trip - 1)
    peer.send()
    await peer.opened()
    await measured(bench, peer, trip)
    return peer


async def measured(bench: TcpBench, peer: Peer, trip: int = TRIP) -> None:
    """Some bytes, which are acknowledged after a round trip."""
    await middle(bench)
    peer.write(random.randbytes(10))
    segment = await bench.segment()
    await middle(bench, trip - 1)
    peer.take(segment)
    peer.send()
    await bench.quiet()


async def flight(bench: TcpBench, peer: Peer, segments: int) -> tuple[bytes, list[TCP]]:
    """So many segments, and their bytes."""
    text = random.randbytes(segments * MSS)
    peer.write(text)
    sent = [await bench.segment() for _ in range(segments)]
    assert b"".join(bytes(segment.payload) for segment in sent) == text
    return text, sent


def acknowledges(peer: Peer, segment: TCP) -> None:
    """The peer has everything up to the end of this segment."""
    peer.ack = (segment.seq + MSS) % MODULUS
    peer.send()


async def probe(bench: TcpBench, since: float) -> TCP:
    """The next segment, which comes two round trips after this time."""
    segment = await bench.segment(limit=LONG * TICK)
    assert 2 * TRIP - 0.5 < sent_at(bench) - since < 2 * TRIP + 1 + VISITS, sent_at(bench) - since
    return segment


async def end(bench: TcpBench, peer: Peer) -> None:
    """Ends a connection, and forgets what it has sent."""
    bench.give(peer.make("R"))
    bench.command(ABORT, peer.connection)
    await ClockCycles(bench.dut.clk_i, 500)
    bench._sort()
    bench.segments.clear()
    bench.told.clear()


def place(peer: Peer, segment: TCP) -> int:
    """Which segment of those in flight this is."""
    return (segment.seq - peer.ack) % MODULUS // MSS


@cocotb.test()
async def the_last_segment_comes_again_after_two_round_trips(dut):
    """Once; then the time-out counts from there. It is the last one, with its FIN, whatever the sequence numbers are."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for closes, seq in ((False, None), (True, NEAR_WRAP)):
        peer = await timed(bench, seq=seq)
        text, sent = await flight(bench, peer, 4)
        since = sent_at(bench)
        if closes:
            bench.command(CLOSE, peer.connection)
            assert "F" in (await bench.segment()).flags
        again = await probe(bench, since)
        assert place(peer, again) == 3 and bytes(again.payload) == text[3 * MSS :] and ("F" in again.flags) == closes
        since = sent_at(bench)
        first = await bench.segment(limit=3 * LONG * TICK)
        assert first.seq == sent[0].seq and LONG - 1 < sent_at(bench) - since < LONG + 2 + VISITS
        await end(bench, peer)
    assert bench.events["mark_tail_probes"] == 2


@cocotb.test()
async def an_acknowledgement_or_new_bytes_put_it_off(dut):
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await timed(bench)
    _, sent = await flight(bench, peer, 5)
    await ClockCycles(dut.clk_i, TRIP * TICK)
    peer.ack = (sent[1].seq) % MODULUS
    peer.send()
    assert place(peer, await probe(bench, sent_at(bench) + TRIP)) == 3
    # A duplicate acknowledgement that reports nothing new is none of the probe.
    peer.send()
    await bench.quiet()
    # An acknowledgement of everything ends it.
    acknowledges(peer, sent[4])
    await measured(bench, peer)
    await flight(bench, peer, 2)
    for ticks in (TRIP, TRIP + 2):  # new bytes
        await ClockCycles(dut.clk_i, ticks * TICK)
        await flight(bench, peer, 1)
    again = await probe(bench, sent_at(bench))
    assert place(peer, again) == 3
    assert bench.events["mark_tail_probes"] == 2


@cocotb.test()
async def there_is_none_without_sack_or_the_setting_or_for_one_segment(dut):
    """Then the time-out sends the first segment again."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    without_sack, peer = await timed(bench, options=OPTIONS[:1]), await timed(bench)
    for one, segments, setting in ((without_sack, 4, 1), (peer, 4, 0), (peer, 1, 1)):
        dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"tail_probe": setting}))
        _, sent = await flight(bench, one, segments)
        since = sent_at(bench)
        again = await bench.segment(limit=2 * LONG * TICK)
        assert again.seq == sent[0].seq and sent_at(bench) - since > LONG - 1
        acknowledges(one, sent[-1])
        await measured(bench, one)
    assert "mark_tail_probes" not in bench.events


@cocotb.test()
async def there_is_none_if_something_was_reported(dut):
    """Nor does what the peer reports put off the time-out."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await timed(bench)
    _, sent = await flight(bench, peer, 4)
    since = sent_at(bench)
    acknowledge(peer, (2 * MSS, 3 * MSS))
    again = await bench.segment(limit=2 * LONG * TICK)
    assert again.seq == sent[0].seq and LONG - 1 < sent_at(bench) - since < LONG + 2 + VISITS
    assert "mark_tail_probes" not in bench.events


@cocotb.test()
async def there_is_none_before_another_measurement(dut):
    """What a probe brings measures no round trip, because nobody knows which of two segments was acknowledged; the next bytes do."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await timed(bench)
    for probes in (1, 1, 2):
        _, sent = await flight(bench, peer, 3)
        await ClockCycles(dut.clk_i, 4 * TRIP * TICK)
        assert bench.events["mark_tail_probes"] == probes
        peer.ack = (sent[2].seq + MSS) % MODULUS
        for _ in range(2):  # the first time for the bytes, the second time for the probe
            peer.send()
        await ClockCycles(dut.clk_i, 200)
        bench._sort()
        bench.segments.clear()


@cocotb.test()
async def there_is_one_at_a_time(dut):
    """Although time stamps measure the round trip before all that was sent before it is acknowledged."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await opened(bench, Stamped(bench, 2000, options=[("MSS", MSS + OPTION_BYTES), ("SAckOK", b"")]))
    _, sent = await flight(bench, peer, 5)
    peer.see(await probe(bench, sent_at(bench)))
    peer.ack = sent[2].seq
    peer.send()
    since = cycle_now() / TICK
    again = await bench.segment(limit=2 * LONG * TICK)
    assert again.seq == sent[2].seq and sent_at(bench) - since > LONG - 1
    assert bench.events["mark_tail_probes"] == 1


@cocotb.test()
async def what_comes_before_its_turn_counts(dut):
    """While the output is blocked, the probe waits. Meanwhile its bytes are reported, or some of them acknowledged: then there is none. After a time-out, the first
    segment comes instead."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for case in ("reported", "acknowledged", "too late", "far too late"):
        peer = await timed(bench)
        others = [await bench.open(options=[("MSS", MSS)]) for _ in range(BLOCKING)]
        _, sent = await flight(bench, peer, 4)
        bench.bench.sink.stall = 1.0
        for other in others:
            other.write(bytes(10 * MSS))
        waits = {"too late": 2 * TRIP + LONG, "far too late": 4 * TRIP + LONG}.get(case, 2 * TRIP)
        await ClockCycles(dut.clk_i, (waits + 3) * TICK)
        if case == "reported":
            acknowledge(peer, (3 * MSS, 4 * MSS))
        elif case == "acknowledged":
            peer.ack = (sent[3].seq + 1) % MODULUS
            peer.send()
        await ClockCycles(dut.clk_i, 200)
        bench.bench.sink.stall = 0.0
        again = [segment for segment in await come(bench) if segment.dport == peer.port]
        assert [segment.seq for segment in again] == [sent[0].seq] * case.endswith("late"), case
        for one in (peer, *others):
            await end(bench, one)
    assert "mark_tail_probes" not in bench.events


@cocotb.test()
async def what_is_lost_before_the_last_segment_follows_it(dut):
    """The peer has nothing of the last eight segments: it reports the probe, and the others come at once, without a time-out. The window is halved once."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for seq in (None, NEAR_WRAP):
        peer = await timed(bench, seq=seq)
        text, sent = await flight(bench, peer, 10)
        peer.ack = sent[2].seq
        peer.send()
        again = await bench.segment(limit=LONG * TICK)
        assert place(peer, again) == 7
        acknowledge(peer, (7 * MSS, 8 * MSS))
        for lost in range(2, 9):
            again = await bench.segment()
            assert again.seq == sent[lost].seq and bytes(again.payload) == text[lost * MSS : (lost + 1) * MSS]
            peer.ack = (again.seq + MSS * (1 + (lost == 8))) % MODULUS
            acknowledge(peer, *([((8 - lost) * MSS, (9 - lost) * MSS)] if lost < 8 else []))
        await bench.quiet()
        await measured(bench, peer)
        assert await filled(bench, peer) == 4
        await end(bench, peer)
    assert bench.events["mark_fast_retransmit"] == 2 and bench.events["mark_tail_probes"] == 2


async def filled(bench: TcpBench, peer: Peer) -> int:
    """The segments that may be in flight: what the card sends of more."""
    peer.write(random.randbytes(28 * MSS))
    return len(await under_way(bench))


@cocotb.test()
async def a_loss_that_it_repairs_halves_the_window(dut):
    """It has repaired one if later bytes are acknowledged, and the same ones only once. If they are acknowledged twice, nothing was lost; but data or another window
    are no acknowledgement of the probe. With NewReno here; the peer cannot tell the first segment from the probe."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    for second in (None, {}, {"payload": b"data"}, {"window": 50000}):
        peer = await timed(bench)
        _, sent = await flight(bench, peer, 10)
        again = await probe(bench, sent_at(bench))
        assert place(peer, again) == 9
        acknowledges(peer, sent[9])
        if second is not None:
            peer.send(**second)
            peer.seq = (peer.seq + len(second.get("payload", b""))) % MODULUS
        await under_way(bench)
        _, sent = await flight(bench, peer, 2)
        acknowledges(peer, sent[1])
        await bench.quiet()
        allowed = await filled(bench, peer)
        assert allowed >= 12 if second == {} else allowed <= 12 // 2 + 3, (second, allowed)
        await end(bench, peer)


class Capable(Peer):
    """A peer that asks for ECN, and gets it."""

    async def shake(self) -> TCP:
        self.bench.give(self.make("SEC", options=self.options))
        self.seq = (self.seq + 1) % MODULUS
        answer = await self.bench.segment()
        assert str(answer.flags) == "SAE"
        self.ack = (answer.seq + 1) % MODULUS
        return answer


@cocotb.test()
async def a_repair_is_a_reduction_like_others(dut):
    """And happens once. With ECN, the probe cannot be marked, and the peer hears of the smaller window; CUBIC keeps 45/64 of it."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"ecn": PORT, "cubic": PORT}))
    bench.services = {NOT_CAPABLE, CAPABLE}
    peer = await opened(bench, Capable(bench, 2000, options=OPTIONS))
    _, sent = await flight(bench, peer, 10)
    assert tos(await probe(bench, sent_at(bench))) == NOT_CAPABLE
    acknowledges(peer, sent[9])
    await bench.quiet()
    _, sent = await flight(bench, peer, 2)
    acknowledges(peer, sent[1])
    await bench.quiet()
    _, sent = await flight(bench, peer, 1)
    assert "C" in sent[0].flags
    acknowledges(peer, sent[0])
    await bench.quiet()
    peer.write(random.randbytes(28 * MSS))
    segments = await come(bench)
    assert len(segments) == 10 * 45 // 64 and not any("C" in segment.flags for segment in segments)


@cocotb.test()
async def a_time_out_ends_it(dut):
    """What is acknowledged then is none of the probe's repair: the window grows again from one segment on, up to half of what it was."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await timed(bench)
    _, sent = await flight(bench, peer, 10)
    await probe(bench, sent_at(bench))
    assert (await bench.segment(limit=2 * LONG * TICK)).seq == sent[0].seq
    acknowledges(peer, sent[9])
    await bench.quiet()
    _, sent = await flight(bench, peer, 2)
    acknowledges(peer, sent[1])
    await bench.quiet()
    assert await filled(bench, peer) == 3


@cocotb.test()
async def with_dctcp_a_repair_halves_the_window(dut):
    """Whatever the share of marks was (RFC 8257, 3.4)."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"dctcp": PORT}))
    bench.services = {NOT_CAPABLE, CAPABLE}
    peer = await opened(bench, Capable(bench, 2000, options=OPTIONS))
    for _ in range(24):  # so that a mark would take a few per cent
        await measured(bench, peer)
    _, sent = await flight(bench, peer, 10)
    await probe(bench, sent_at(bench))
    acknowledges(peer, sent[9])
    await bench.quiet()
    _, sent = await flight(bench, peer, 2)
    acknowledges(peer, sent[1])
    await bench.quiet()
    allowed = await filled(bench, peer)
    assert 12 // 2 - 1 <= allowed <= 12 // 2 + 1, allowed


@cocotb.test()
async def an_error_about_its_size_ends_it(dut):
    """Bytes are sent again in smaller segments (RFC 1191), and not by the probe that waits; what is acknowledged then is none of a probe's repair, so the window
    becomes as large as it was."""
    large, small = 128, 64
    for waits in (False, True):
        bench = await TcpBench.start(dut, stall=0.0, **SETTINGS, path_mtu_least=0)
        peer = await timed(bench, options=[("MSS", large), ("SAckOK", b"")])
        others = [await bench.open(options=[("MSS", large)]) for _ in range(BLOCKING)]
        path = Path(peer)
        path.fill(10 * large)
        sent = await path.come()
        assert sizes(sent) == [large] * 10
        if waits:
            bench.bench.sink.stall = 1.0
            for other in others:
                other.write(bytes(10 * large))
        await ClockCycles(dut.clk_i, (2 * TRIP + 3) * TICK)
        bench.give(error(small + HEADERS, sent[0].seq, peer))
        await ClockCycles(dut.clk_i, 200)
        bench.bench.sink.stall = 0.0
        again = [segment for segment in await path.come() if segment.dport == peer.port]
        assert sizes(again) == [large] * (not waits) + [small] and again[-1].seq == sent[0].seq
        for other in others:
            await end(bench, other)
        path.acknowledge(sent[0].seq + small)
        flights = [await path.round() for _ in range(6)]
        assert flights[:4] == [small << turn for turn in range(1, 5)] and min(flights[4:]) >= 10 * large, flights
        assert bench.events.get("mark_tail_probes", 0) == (not waits)


class Prompt(Receiver):
    """Knows when the card has taken an acknowledgement: a probe that it has sent before, and that comes after, is none too many."""

    excused = before = recent = seen = 0

    async def run(self) -> None:
        self.used, self.before = self.peer.bench.used, self._probes()
        await super().run()

    async def tell(self) -> None:
        bench = self.peer.bench
        while bench.used - self.used < self.answers:
            await ClockCycles(bench.dut.clk_i, 1)
        self.excused += min(self.spurious - self.seen, self.recent)
        self.seen, self.recent, self.before = self.spurious, self._probes() - self.before, self._probes()
        await super().tell()

    def _probes(self) -> int:
        return self.peer.bench.events.get("mark_tail_probes", 0)


@cocotb.test()
async def bytes_are_right_whatever_is_lost(dut):
    """Nothing that the peer has reported comes again, unless it has reported more ranges than the card keeps."""
    bench = await TcpBench.start(dut, **(SETTINGS | {"rto_initial": 12, "rto_min": 12}))
    rng = random.Random(8985)
    rules = {
        "the last two": lambda at, times: times == 1 and at // MSS >= 46,
        "the last three": lambda at, times: times == 1 and at // MSS >= 45,
        "one of ten": lambda _at, _times: rng.random() < 0.1,
        "one of three": lambda _at, _times: rng.random() < 0.33,
    }
    for number, (name, rule) in enumerate(rules.items()):
        text = random.randbytes(WINDOW + WINDOW // 2)
        peer = await bench.open(options=OPTIONS, seq=None if number % 2 else NEAR_WRAP)
        receiver = Prompt(peer, text, rule)
        await receiver.gets_all()
        assert receiver.spurious == receiver.excused or receiver.most > KEPT, (name, receiver.spurious, receiver.excused)
        await end(bench, peer)
    assert bench.events["mark_tail_probes"] > 4
