# SPDX-License-Identifier: Apache-2.0
"""Pacing: new bytes are spread over the round trip at the rate of Linux, whatever the window, segment and round trip; nothing else waits for it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

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
    FLIT_BYTES,
    KIND,
    LATE,
    MODULUS,
    PORT,
    TICK,
    WINDOW,
    Peer,
    TcpBench,
)
from rtl.tiles.tcp.tcp_ecn_bench import CAPABLE, NOT_CAPABLE
from rtl.tiles.tcp.test_tcp_engine_sack import NEAR_WRAP, Receiver
from rtl.tiles.tcp.test_tcp_engine_sack import OPTIONS as WITH_SACK
from rtl.tiles.tcp.test_tcp_engine_tail import Capable, middle

L4 = 34  # where a segment begins in a message
MSS = 64
OPTIONS = [("MSS", MSS)]
INITIAL = 10 * MSS  # the first congestion window
APPLICATION, OTHER, OWN = 9, 5, 40000  # names of applications that open connections, and their port
TRIP = 32  # ticks of a round trip
FAR = 160  # the same for a connection whose waits are longer than the time-outs of SHORT
LONG = 4000  # ticks of a time-out
SHORT = 3
SETTINGS = {"pacing": PORT, "rto_initial": LONG, "rto_min": LONG, "rto_max": LONG}
AT_ONCE = 120 + LATE  # cycles from a command or a segment to its answer, if nothing else is sent
QUANTUM = 256  # cycles: what is late by less than two of these is made up, and bursts of several segments take no longer
ERROR = 0.02  # of the time of a segment: of the logarithms, and of the measured round trip, which is in ticks
JITTER = CONNECTIONS + 30 + LATE // 3  # cycles: others that wait, and other events; of buffers in a memory, only the first bytes of a write wait for it


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def time_of(size: int, cwnd: float, trip: float, factor: float) -> float:
    """How long these bytes take at the rate of Linux' tcp_update_pacing_rate: of each round trip `factor` windows. In the unit of `trip`."""
    return size * trip / (factor * cwnd)


SLOW_START, AVOIDANCE = 2.0, 1.2


def forget(bench: TcpBench) -> None:
    """What has been sent is of no interest any more."""
    bench._sort()
    bench.segments.clear()


async def middle_of(bench: TcpBench, tick: int) -> None:
    """Waits for the middle of this tick."""
    await ClockCycles(bench.dut.clk_i, bench.begun + tick * TICK + TICK // 2 - cycle_now())


async def hand_shakes(bench: TcpBench, *peers: tuple[Peer, int]) -> None:
    """Connections of the application at PORT, whose hand-shakes take so many ticks each, beside one another."""
    forget(bench)
    first = (cycle_now() - bench.begun) // TICK + 1
    ends = sorted((first + number + trip, number) for number, (_, trip) in enumerate(peers))
    for number, (peer, _) in enumerate(peers):
        await middle_of(bench, first + number)
        await peer.shake()
    for tick, number in ends:
        await middle_of(bench, tick)
        peers[number][0].send()
        await peers[number][0].opened()


async def opened(bench: TcpBench, trip: int = TRIP, **fields) -> Peer:
    peer = bench.peer(**({"options": OPTIONS} | fields))
    await hand_shakes(bench, (peer, trip))
    return peer


async def dialled(bench: TcpBench, application: int, number: int) -> Peer:
    """The same for one that an application opens."""
    forget(bench)
    await middle(bench)
    bench.dial(80 + number, OWN, application=application)
    peer = bench.peer(80 + number, to=OWN)
    syn = await bench.segment()
    assert str(syn.flags) == "S"
    peer.ack = (syn.seq + 1) % MODULUS
    await middle(bench, TRIP - 1)
    bench.give(peer.make("SA", options=OPTIONS))
    peer.seq = (peer.seq + 1) % MODULUS
    assert str((await bench.segment()).flags) == "A"
    await peer.opened(application)
    return peer


@dataclass
class Sent:
    """A segment that has come, and when its first flit did."""

    cycle: int
    segment: TCP

    @property
    def size(self) -> int:
        return len(self.segment.payload)


class Wire:
    """Notes when each segment comes, and can acknowledge each after a round trip."""

    def __init__(self, bench: TcpBench):
        self.bench, self._read = bench, len(bench.bench.sink.messages)
        self.sent: list[Sent] = []
        self.trips: dict[int, tuple[Peer, int]] = {}  # by the peer's port: in cycles
        self.acknowledged: list[tuple[int, int, int]] = []  # cycle, port, bytes
        self._due: list[tuple[int, Peer, int]] = []
        cocotb.start_soon(self._run())

    def answers(self, peer: Peer, trip: int) -> None:
        """From now on, each segment to this peer is acknowledged so many cycles after it was sent."""
        self.trips[peer.port] = (peer, trip)

    def look(self) -> None:
        """Takes note of what has come."""
        messages = self.bench.bench.sink.messages
        new, self._read = messages[self._read :], len(messages)
        for message in new:
            if message.key:
                continue
            segment = TCP(message.data[L4:])
            self.sent.append(Sent(message.first, segment))
            if segment.dport in self.trips and segment.payload:
                peer, trip = self.trips[segment.dport]
                self._due.append((message.first + trip, peer, (segment.seq + len(segment.payload)) % MODULUS))

    async def _run(self) -> None:
        while True:
            await ClockCycles(self.bench.dut.clk_i, 8)
            self.look()
            while self._due and min(self._due, key=lambda due: due[0])[0] <= cycle_now():
                due = min(self._due, key=lambda due: due[0])
                self._due.remove(due)
                _, peer, behind = due
                if 0 < (behind - peer.ack) % MODULUS < 1 << 31:
                    self.acknowledged.append((cycle_now(), peer.port, (behind - peer.ack) % MODULUS))
                    peer.ack = behind
                    peer.send()

    def of(self, peer: Peer, since: int = 0) -> list[Sent]:
        """The segments to this peer that are not forgotten."""
        return [sent for sent in self.sent if sent.segment.dport == peer.port and sent.cycle >= since]

    async def come(self, peer: Peer, count: int, limit: int = 20000) -> list[Sent]:
        """Waits until so many segments have come to this peer, and forgets them."""
        for _ in range(0, limit, 8):
            await ClockCycles(self.bench.dut.clk_i, 8)
            if len(self.of(peer)) >= count:
                found = self.of(peer)
                self.sent = [sent for sent in self.sent if sent.segment.dport != peer.port]
                assert len(found) == count
                return found
        raise AssertionError(f"{len(self.of(peer))} segments of {count} came in {limit} cycles")

    async def transfer(self, peer: Peer, size: int, trip: int) -> tuple[int, list[Sent]]:
        """The application writes so many bytes, whenever there is room; how long they take, and the segments."""
        text, written, since = random.randbytes(size), 0, cycle_now()
        self.answers(peer, trip)
        first = peer.ack
        while written < size:
            peer.read(least=0, room=min(size - written, WINDOW))
            notice = await self.bench.notice(100 * trip)
            part = text[written : written + notice.desc["stream_room"]]
            peer.write(part)
            written += len(part)
        while (peer.ack - first) % MODULUS < size:
            await ClockCycles(self.bench.dut.clk_i, 8)
        segments = self.of(peer, since)
        assert b"".join(bytes(sent.segment.payload) for sent in segments) == text
        return cycle_now() - since, segments


def gaps(sent: list[Sent]) -> list[int]:
    return [second.cycle - first.cycle for first, second in pairwise(sent)]


def even(sent: list[Sent], time: float) -> bool:
    """One segment after the other, so many cycles apart; lateness does not add up."""
    total = sent[-1].cycle - sent[0].cycle
    right = time * (len(sent) - 1)
    return all(abs(gap - time) <= ERROR * time + JITTER for gap in gaps(sent)) and abs(total - right) <= ERROR * right + JITTER


async def ended(bench: TcpBench, peer: Peer) -> None:
    """Ends a connection."""
    bench.command(ABORT, peer.connection)
    assert "R" in (await bench.segment()).flags


def at_once(sent: list[Sent], since: int) -> bool:
    """Also the bytes of a segment take their time: to come from the application, and to leave."""
    return sent[-1].cycle - since < AT_ONCE + sum(10 + 2 * (one.size // FLIT_BYTES) for one in sent)


@cocotb.test()
async def the_first_window_is_spread_over_half_a_round_trip(dut):
    """Two windows per round trip in slow start. A write that comes after a long time is spread as evenly, from its first segment on."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    wire = Wire(bench)
    waits = 0
    for mss, trip, seq in ((MSS, TRIP, NEAR_WRAP), (MSS, 3 * TRIP, None), (536, TRIP, None), (1400, 2 * TRIP, None)):
        peer = await opened(bench, trip, seq=seq, options=[("MSS", mss)])
        await ClockCycles(dut.clk_i, 1500)
        wire.sent.clear()
        since, size = cycle_now(), min(10 * mss, WINDOW)
        peer.write(random.randbytes(size))
        sent = await wire.come(peer, -(-size // mss), trip * TICK)
        waits += len(sent)
        assert at_once(sent[:1], since) and [one.size for one in sent][:-1] == [mss] * (len(sent) - 1)
        assert even(sent, time_of(mss, 10 * mss, trip * TICK, SLOW_START)), gaps(sent)
    assert bench.events["mark_paced"] == waits


@cocotb.test()
async def after_a_loss_the_window_is_spread_over_most_of_a_round_trip(dut):
    """1.2 windows per round trip in congestion avoidance. The retransmission itself comes at once."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    wire = Wire(bench)
    peer = await opened(bench)
    await ClockCycles(dut.clk_i, 1500)
    wire.sent.clear()
    peer.write(random.randbytes(INITIAL))
    first = (await wire.come(peer, 10))[0].segment
    since = cycle_now()
    for _ in range(3):
        bench.give(peer.make("A"))
    (again,) = await wire.come(peer, 1)
    assert again.segment.seq == first.seq and at_once([again], since)
    peer.ack = (peer.ack + INITIAL) % MODULUS
    peer.send()
    await ClockCycles(dut.clk_i, TRIP * TICK)
    left = INITIAL // 2
    peer.write(random.randbytes(left))
    sent = await wire.come(peer, left // MSS, TRIP * TICK)
    assert even(sent, time_of(MSS, left, TRIP * TICK, AVOIDANCE)), gaps(sent)


@cocotb.test()
async def only_connections_of_the_applications_in_the_setting_are_paced(dut):
    """Whether the peer or the application has opened them. The setting is read when a connection begins; without it, a window is sent at once."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"pacing": APPLICATION << 32}))
    peers = [(await dialled(bench, APPLICATION, 0), True), (await dialled(bench, OTHER, 1), False), (await opened(bench), False)]
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS))
    peers += [(await dialled(bench, APPLICATION, 2), False), (await opened(bench), True)]
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"pacing": 0}))
    peers.append((await opened(bench), False))
    wire = Wire(bench)
    for peer, paced in peers:
        before, since = bench.events.get("mark_paced", 0), cycle_now()
        peer.write(random.randbytes(INITIAL))
        sent = await wire.come(peer, 10)
        assert at_once(sent, since) != paced and (not paced or even(sent, time_of(MSS, INITIAL, TRIP * TICK, SLOW_START))), gaps(sent)
        await ClockCycles(dut.clk_i, 1500)
        assert bench.events.get("mark_paced", 0) - before == 10 * paced


@cocotb.test()
async def there_is_no_wait_before_the_round_trip_is_known(dut):
    """The answer to a SYN cookie has measured none: the first window comes at once, and the next one is spread. A round trip of less than a tick is none to spread it over."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"half_open": 1}))
    await bench.peer().shake()  # the next SYN is answered by a cookie
    peer = await bench.open(options=OPTIONS)
    assert bench.events["mark_cookies"] == 1
    wire = Wire(bench)
    await middle(bench)
    since = cycle_now()
    peer.write(random.randbytes(INITIAL))
    assert at_once(await wire.come(peer, 10), since) and "mark_paced" not in bench.events
    await middle(bench, TRIP - 1)
    peer.ack = (peer.ack + INITIAL) % MODULUS
    peer.send()
    peer.write(random.randbytes(INITIAL))
    sent = await wire.come(peer, 10)
    assert even(sent, time_of(MSS, INITIAL + MSS, TRIP * TICK, SLOW_START)), gaps(sent)

    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = bench.peer(options=OPTIONS)
    wire = Wire(bench)
    await middle(bench)
    bench.give(peer.make("S", options=OPTIONS))
    peer.seq = (peer.seq + 1) % MODULUS
    (answer,) = await wire.come(peer, 1)
    peer.ack = (answer.segment.seq + 1) % MODULUS
    peer.send()
    await peer.opened()
    since = cycle_now()
    peer.write(random.randbytes(INITIAL))
    assert at_once(await wire.come(peer, 10), since) and "mark_paced" not in bench.events


def bounded(sent: list[Sent], wire: Wire, peer: Peer, trip: int) -> None:
    """In no span of time, more comes than the rate allows, besides one burst and what is made up: a burst of QUANTUM cycles or one segment, and two of these.
    The window is at most the first one and what was acknowledged before (slow start)."""
    steps = []
    for one in sent:
        acknowledged = sum(size for cycle, port, size in wire.acknowledged if port == peer.port and cycle <= one.cycle)
        steps.append(time_of(one.size, INITIAL + acknowledged + MSS, trip, SLOW_START) / (1 + ERROR))
    for first in range(len(sent)):
        least = 0.0
        for last in range(first + 1, len(sent)):
            least += steps[last - 1]
            span = sent[last].cycle - sent[first].cycle
            assert span >= least - 3 * QUANTUM - JITTER, f"{last - first} segments in {span} cycles, which take {least:.0f}"


@cocotb.test()
async def a_transfer_is_spread_and_as_fast_as_its_window_allows(dut):
    """Compared with one without pacing, it takes at most one round trip more: what its last window takes. For round trips from one tick on."""
    for trip, size in ((TRIP, 4000), (8, 6000), (1, 6000)):
        times = []
        for pacing in (0, PORT):
            bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"pacing": pacing}))
            peer = await opened(bench, trip)
            wire = Wire(bench)
            time, sent = await wire.transfer(peer, size, trip * TICK)
            times.append(time)
            assert (bench.events.get("mark_paced", 0) > 0) == bool(pacing)
        dut._log.info(f"round trip of {trip} ticks: {times[0]} cycles unpaced, {times[1]} paced")
        assert times[1] <= times[0] + trip * TICK + 100, times
        bounded(sent, wire, peer, trip * TICK)


@cocotb.test()
async def writes_at_any_time_make_no_burst(dut):
    """Pieces of any size, with pauses of any length between them."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await opened(bench)
    wire = Wire(bench)
    wire.answers(peer, TRIP * TICK)
    text = b""
    for _ in range(60):
        piece = random.randbytes(random.choice([1, 10, 63, 64, 65, 300]))
        peer.write(piece)
        text += piece
        await ClockCycles(dut.clk_i, random.choice([10, 200, 300, 500, 1000, 3000]))
        while len(text) - sum(size for *_, size in wire.acknowledged) > WINDOW - 300:
            await ClockCycles(dut.clk_i, 100)
    while sum(size for *_, size in wire.acknowledged) < len(text):
        await ClockCycles(dut.clk_i, 100)
    sent = wire.of(peer)
    assert b"".join(bytes(one.segment.payload) for one in sent) == text
    bounded(sent, wire, peer, TRIP * TICK)


@cocotb.test()
async def others_do_not_wait(dut):
    """While eight connections wait, each at its own rate, all are spread evenly; and what others send, with pacing or without, comes at once."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    trips = [TRIP + 8 * number for number in range(8)]
    peers = [bench.peer(options=OPTIONS) for _ in trips]
    await hand_shakes(bench, *zip(peers, trips, strict=True))
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"pacing": 0}))
    other = await opened(bench)
    wire = Wire(bench)
    for peer in peers:
        peer.write(random.randbytes(INITIAL))
    await ClockCycles(dut.clk_i, 1000)
    since = cycle_now()
    other.write(random.randbytes(INITIAL))
    assert at_once(await wire.come(other, 10), since)
    since = cycle_now()
    other.send(b"data")
    assert at_once(await wire.come(other, 1), since)
    for peer, trip in zip(peers, trips, strict=True):
        sent = await wire.come(peer, 10)
        assert even(sent, time_of(MSS, INITIAL, trip * TICK, SLOW_START)), gaps(sent)


@cocotb.test()
async def only_new_bytes_wait(dut):
    """While they wait, acknowledgements, fast retransmissions, those after a time-out, probes of a closed window, a FIN and a reset come at once. If nothing is in
    flight, the timer makes one segment come sooner, and the others wait."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    wait = time_of(MSS, INITIAL, FAR * TICK, SLOW_START)
    timed = (SHORT - 1) * TICK, (SHORT + 2) * TICK  # the first tick may be nearly over
    assert wait > 1.5 * timed[1]
    cases = ("acknowledgement", "fast", "time-out", "probe", "nothing in flight", "FIN", "reset")
    peers = [bench.peer(options=OPTIONS) for _ in cases]
    await hand_shakes(bench, *((peer, FAR) for peer in peers))
    wire = Wire(bench)
    for case, peer in zip(cases, peers, strict=True):
        segments = {"FIN": 1}.get(case, 10)
        peer.write(random.randbytes(segments * MSS))
        (first,) = await wire.come(peer, 1)
        since = cycle_now()
        if case == "acknowledgement":
            peer.send(b"data")
            (ack,) = await wire.come(peer, 1)
            assert not ack.segment.payload and ack.segment.ack == peer.seq and at_once([ack], since)
        elif case == "fast":
            for _ in range(3):
                bench.give(peer.make("A"))
            (again,) = await wire.come(peer, 1)
            assert again.segment.seq == first.segment.seq and again.size == MSS and at_once([again], since)
        elif case == "time-out":
            (second,) = await wire.come(peer, 1)
            dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rto_max": SHORT}))
            (again,) = await wire.come(peer, 1)
            dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS))
            assert again.segment.seq == first.segment.seq and again.size == MSS
            since, peer.ack = cycle_now(), second.segment.seq
            peer.send()
            (again,) = await wire.come(peer, 1)
            assert again.segment.seq == second.segment.seq and at_once([again], since) and again.cycle < second.cycle + wait - AT_ONCE
        elif case in ("probe", "nothing in flight"):
            dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rto_max": SHORT}))
            peer.window, peer.ack = 60000 * (case != "probe"), (peer.ack + MSS) % MODULUS
            peer.send()
            (again,) = await wire.come(peer, 1)
            assert again.segment.seq == (first.segment.seq + MSS) % MODULUS and again.size == (1 if case == "probe" else MSS)
            assert timed[0] < again.cycle - since < timed[1]
            dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS))
            if case == "nothing in flight":
                (third,) = await wire.come(peer, 1)
                assert abs(third.cycle - first.cycle - wait) <= ERROR * wait + JITTER
        elif case == "FIN":
            bench.command(CLOSE, peer.connection)
            (fin,) = await wire.come(peer, 1)
            assert "F" in fin.segment.flags and not fin.size and at_once([fin], since)
        else:
            bench.command(ABORT, peer.connection)
            (reset,) = await wire.come(peer, 1)
            assert "R" in reset.segment.flags and at_once([reset], since)
        if case in ("acknowledgement", "fast"):
            (second,) = await wire.come(peer, 1)
            assert second.segment.seq == (first.segment.seq + MSS) % MODULUS and abs(second.cycle - first.cycle - wait) <= ERROR * wait + JITTER
        bench.give(peer.make("R"))
        if case != "reset":
            bench.command(ABORT, peer.connection)
        await ClockCycles(dut.clk_i, 500)


@cocotb.test()
async def what_is_sent_again_does_not_count(dut):
    """Nor does a probe of a closed window: no wait follows."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await opened(bench)
    wire = Wire(bench)
    peer.write(random.randbytes(MSS))
    (first,) = await wire.come(peer, 1)
    await ClockCycles(dut.clk_i, 2000)
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rto_max": SHORT}))
    (again,) = await wire.come(peer, 1)
    assert again.segment.seq == first.segment.seq
    peer.window, peer.ack = 0, (peer.ack + MSS) % MODULUS
    peer.send()
    peer.write(random.randbytes(MSS))
    (probe,) = await wire.come(peer, 1)
    assert probe.segment.seq == peer.ack and probe.size == 1
    assert bench.events["mark_paced"] == 1


@cocotb.test()
async def the_next_connection_in_a_place_does_not_wait_for_the_last(dut):
    """Its first bytes come at once, while the wait of the former one is not over; then it is paced."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    far = 200
    former = await opened(bench, far, port=2000)
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS | {"rto_max": SHORT}))
    wire = Wire(bench)
    former.write(random.randbytes(MSS))
    await wire.come(former, 2)  # the time-out leaves a window of one segment, the acknowledgement makes it two
    dut.cfg_i.value = config_word(KIND, **(CONFIG | SETTINGS))
    former.ack = (former.ack + MSS) % MODULUS
    former.send()
    await ClockCycles(dut.clk_i, 6000)
    former.write(random.randbytes(10 * MSS))
    (last,) = await wire.come(former, 1)
    until = last.cycle + time_of(MSS, 2 * MSS, far * TICK, AVOIDANCE)
    bench.command(ABORT, former.connection)
    await wire.come(former, 1)
    forget(bench)
    for number in range(1, CONNECTIONS):  # places are used in turn
        await ended(bench, await bench.open(2000 + number))
    peer = bench.peer(3000, options=OPTIONS)
    wire.look()
    await middle(bench)
    bench.give(peer.make("S", options=OPTIONS))
    peer.seq = (peer.seq + 1) % MODULUS
    (answer,) = await wire.come(peer, 1)
    peer.ack = (answer.segment.seq + 1) % MODULUS
    await middle(bench, TRIP - 1)
    peer.send()
    await peer.opened()
    assert (peer.connection - former.connection) % CONNECTIONS == 0
    since = cycle_now()
    assert since < until - 2000
    peer.write(random.randbytes(4 * MSS))
    assert at_once(await wire.come(peer, 4), since)
    await ClockCycles(dut.clk_i, int(until - cycle_now()) + 1000)
    peer.write(random.randbytes(6 * MSS))
    sent = await wire.come(peer, 6)
    assert even(sent, time_of(MSS, INITIAL, TRIP * TICK, SLOW_START)), gaps(sent)


@cocotb.test()
async def a_closed_window_ends_no_connection(dut):
    """The peer closes its window while the card waits, and opens it much later: the bytes come then, and are spread."""
    bench = await TcpBench.start(dut, stall=0.0, **SETTINGS)
    peer = await opened(bench)
    wire = Wire(bench)
    peer.write(random.randbytes(INITIAL))
    first = (await wire.come(peer, 3))[0].cycle
    peer.window, peer.ack = 0, (peer.ack + 3 * MSS) % MODULUS
    peer.send()
    trip = (7 * TRIP * TICK + (cycle_now() - first)) / 8  # the mean of RFC 6298 after this sooner acknowledgement
    await ClockCycles(dut.clk_i, 5000)
    assert not wire.of(peer)
    peer.window = 60000
    peer.send()
    sent = await wire.come(peer, 7)
    assert even(sent, time_of(MSS, INITIAL + MSS, trip, SLOW_START)), gaps(sent)


@cocotb.test()
async def what_is_marked_is_measured_beside(dut):
    """Many connections with DCTCP and pacing, on a short path: the ends of waits and of observation windows come at any time, also at the same time, and none is lost."""
    bench = await TcpBench.start(dut, stall=0.0, **(SETTINGS | {"dctcp": PORT}))
    bench.services = {NOT_CAPABLE, CAPABLE}
    peers = [Capable(bench, 2000 + number, options=OPTIONS) for number in range(10)]
    await hand_shakes(bench, *((peer, 12) for peer in peers))
    wire = Wire(bench)
    begins = [peer.ack for peer in peers]
    written = [0] * len(peers)
    for peer in peers:
        wire.answers(peer, 2 * TICK)
    for _ in range(600):
        for number, peer in enumerate(peers):
            if written[number] - (peer.ack - begins[number]) % MODULUS <= WINDOW - 512 and written[number] < 10000:
                peer.write(bytes(512))
                written[number] += 512
        await ClockCycles(dut.clk_i, 64)
    assert [(peer.ack - begin) % MODULUS for peer, begin in zip(peers, begins, strict=True)] == written and min(written) >= 10000


@cocotb.test()
async def bytes_are_right_whatever_is_lost(dut):
    """With and without SACK, of NewReno and CUBIC, while the output stalls."""
    rng = random.Random(9002)
    for cubic in (0, PORT):
        bench = await TcpBench.start(dut, **(SETTINGS | {"rto_initial": 12, "rto_min": 12, "rto_max": 40, "tail_probe": 1, "cubic": cubic}))
        for number, options in enumerate((OPTIONS, WITH_SACK)):
            text = random.randbytes(WINDOW + WINDOW // 2)
            peer = await opened(bench, 8, options=options, seq=None if number else NEAR_WRAP)
            await Receiver(peer, text, lambda _at, _times: rng.random() < 0.15).gets_all()
        assert bench.events["mark_paced"] > 20
