# SPDX-License-Identifier: Apache-2.0
"""The peer's SACK blocks are used (RFC 2018, 6675): all gaps are filled in one round trip, and nothing that it has is sent again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import ABORT, CONNECTIONS, FLIT_BYTES, LATE, MODULUS, TICK, WINDOW, Peer, TcpBench

MSS = 64
NEAR_WRAP = MODULUS - 700
TIMES = {"rto_initial": 12, "rto_min": 12, "rto_max": 24}  # longer than a recovery without a time-out takes
OPTIONS = [("MSS", MSS), ("SAckOK", b"")]
BLOCKS = 3  # in an acknowledgement
KEPT = 4  # ranges that the card remembers


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def come(bench: TcpBench) -> list[TCP]:
    """All segments that the card sends before it waits."""
    await ClockCycles(bench.dut.clk_i, 120 + LATE + 5 * WINDOW // 2 // FLIT_BYTES)
    bench._sort()
    segments = bench.segments[:]
    bench.segments.clear()
    return segments


def acknowledge(peer: Peer, *blocks: tuple[int, int], payload: bytes = b"", padding: int = 2, **fields) -> None:
    """Reports by SACK that the peer has everything before `peer.ack`, and these ranges, relative to it."""
    edges = tuple((peer.ack + edge) % MODULUS for block in blocks for edge in block)
    options = [("NOP", None)] * padding + [("SAck", edges)] * bool(edges)
    peer.bench.give(peer.make("A", payload, options=options, **fields))
    peer.seq = (peer.seq + len(payload)) % MODULUS


class Receiver:
    """The other end, which keeps all that comes and is not lost, byte by byte. lost: whether a segment that begins at this byte and comes for the n-th time is."""

    def __init__(self, peer: Peer, text: bytes, lost: Callable[[int, int], bool]):
        self.peer, self.text, self.lost, self.start = peer, text, lost, peer.ack
        self.has: set[int] = set()
        self.told: set[int] = set()  # in acknowledgements that the card has taken
        self.news: list[tuple[int, int]] = []  # blocks, the newest first
        self.times: dict[int, int] = {}
        self.spurious = self.rounds = self.most = self.sent = self.answers = 0
        self.forgotten = 0  # at a time-out: all before comes again

    @property
    def next(self) -> int:
        return (self.peer.ack - self.start) % MODULUS

    def take(self, segment: TCP) -> None:
        at, data = (segment.seq - self.start) % MODULUS, bytes(segment.payload)
        assert data == self.text[at : at + len(data)] and data
        self.sent = max(self.sent, at + len(data))
        self.spurious += at >= self.forgotten and not self.told.isdisjoint(range(at, at + len(data)))
        self.times[at] = self.times.get(at, 0) + 1
        if self.lost(at, self.times[at]):
            return
        self.has.update(range(at, at + len(data)))
        following = self.next
        while following in self.has:
            following += 1
        self.peer.ack = (self.start + following) % MODULUS
        if at > following:
            first, behind = at, at + len(data)
            while first - 1 in self.has:
                first -= 1
            while behind in self.has:
                behind += 1
            self.news = [(first, behind), *(block for block in self.news if block[1] < first or block[0] > behind)]
        self.news = [block for block in self.news if block[0] > following]
        self.most = max(self.most, len(self.news))
        acknowledge(self.peer, *((first - following, behind - following) for first, behind in self.news[:BLOCKS]))
        self.answers += 1

    async def tell(self) -> None:
        """The card learns of what has come."""
        self.told = set(self.has)

    async def run(self) -> None:
        """Each round trip ends when the card waits; one without a segment ends with a time-out."""
        silent = 0
        while self.next < len(self.text):
            segments = await come(self.peer.bench)
            self.rounds += bool(segments)
            silent = 0 if segments else silent + 1
            assert silent < 200, "the card sends nothing any more"
            for segment in segments:
                self.take(segment)
            await self.tell()
            if not segments:
                self.forgotten = self.sent

    async def gets_all(self) -> None:
        """The application writes the text piece by piece, whenever there is room, until all of it has come."""
        bench, written = self.peer.bench, 0
        self.peer.read(least=0, room=1)
        running = cocotb.start_soon(self.run())
        while written < len(self.text):
            while not bench.told:
                await ClockCycles(bench.dut.clk_i, 20)
            piece = self.text[written : written + bench.told.pop(0).desc["stream_room"]]
            self.peer.write(piece)
            written += len(piece)
            if written < len(self.text):
                self.peer.read(least=0, room=MSS)
        await running


@cocotb.test()
async def all_gaps_are_filled_in_one_round_trip(dut):
    bench = await TcpBench.start(dut, **TIMES)
    for seq in (None, NEAR_WRAP):
        peer = await bench.open(options=OPTIONS, seq=seq)
        peer.write(random.randbytes(29 * MSS))
        assert len(await come(bench)) == 10
        gaps = [0, 2, 5]  # of ten segments
        for got in ([(1, 2)], [(3, 4), (1, 2)], [(3, 5), (1, 2)], [(6, 7), (3, 5), (1, 2)], [(6, 8), (3, 5), (1, 2)]):
            acknowledge(peer, *((first * MSS, behind * MSS) for first, behind in got))
        sent = await come(bench)
        assert [(segment.seq - peer.ack) % MODULUS // MSS for segment in sent] == [10, 11, *gaps]  # the first two acknowledgements permit new segments
        assert [len(segment.payload) for segment in sent] == [MSS] * len(sent)
        acknowledge(peer, (6 * MSS, 12 * MSS), (3 * MSS, 5 * MSS), (1 * MSS, 2 * MSS))
        start = peer.ack
        for part in (2, 5, 12):
            peer.ack = (start + part * MSS) % MODULUS
            acknowledge(peer, *([(6 * MSS - part * MSS, 12 * MSS - part * MSS)] * (part < 12)))
            assert all((segment.seq - start) % MODULUS >= 12 * MSS for segment in await come(bench))
        bench.command(ABORT, peer.connection)
        await come(bench)
    assert bench.events["mark_fast_retransmit"] == 2 and bench.events["mark_retransmitted"] == 6


@cocotb.test()
async def nothing_that_the_peer_has_comes_again(dut):
    """Whatever is lost: one of n, several in a row, what is sent again, anything; what comes is what was written. Only of more ranges than the card keeps may
    some bytes come again."""
    bench = await TcpBench.start(dut, **TIMES)
    rng = random.Random(6675)
    lost: dict[str, Callable[[int, int], bool]] = {
        "one of 7": lambda at, times: times == 1 and at // MSS % 7 == 3,
        "one of 3": lambda at, times: times == 1 and at // MSS % 3 == 1,
        "every second": lambda at, times: times == 1 and at // MSS % 2 == 0 and at > 6 * MSS,
        "a burst": lambda at, times: times == 1 and 12 <= at // MSS < 18,
        "bursts": lambda at, times: times == 1 and at // MSS % 16 in (5, 6, 7, 11),
        "what is sent again": lambda at, times: times < 3 and at // MSS in (9, 11),
        "one of ten at random": lambda _at, _times: rng.random() < 0.1,
        "one of five at random": lambda _at, _times: rng.random() < 0.2,
    }
    for number, (name, rule) in enumerate(lost.items()):
        text = random.randbytes(WINDOW + WINDOW // 2)
        peer = await bench.open(options=OPTIONS, seq=None if number % 2 else NEAR_WRAP)
        receiver = Receiver(peer, text, rule)
        await receiver.gets_all()
        dut._log.info(f"{name}: {receiver.rounds} round trips, {receiver.most} ranges, {receiver.spurious} segments for nothing")
        assert not receiver.spurious or receiver.most > KEPT, (name, receiver.spurious)
        assert receiver.spurious <= receiver.most
        bench.command(ABORT, peer.connection)
        await come(bench)
    assert bench.events["mark_fast_retransmit"] > 8


@cocotb.test()
async def nonsense_is_refused(dut):
    """Blocks before or at the first byte that is missing, behind the last that was sent, reversed, or round the numbers: as if there were none. So are those of a
    segment that is not in the window, or of a peer that has not asked for SACK."""
    bench = await TcpBench.start(dut, **TIMES)
    peer = await bench.open(options=OPTIONS, seq=NEAR_WRAP)
    peer.write(random.randbytes(29 * MSS))
    assert len(await come(bench)) == 10
    for _ in range(2):
        acknowledge(peer)
    assert len(await come(bench)) == 2
    most = 12 * MSS
    wrong = [(0, 32), (-100, -50), (-50, 32), (most - 32, most + 1), (most, most + 32), (300, 200), (200, 200), (2**31 - 1, -2), (2**31, 32), (1, 2**17), (2**17 + 1, 2**17 + 32)]
    for block in wrong:
        acknowledge(peer, block)
    acknowledge(peer, (32, 40), seq=peer.seq + 3 * WINDOW)
    acknowledge(peer, (32, 40), seq=peer.seq - 1)
    again = [segment for segment in await come(bench) if (segment.seq - peer.ack) % MODULUS < most and segment.payload]
    assert [((segment.seq - peer.ack) % MODULUS, len(segment.payload)) for segment in again] == [(0, MSS)]
    acknowledge(peer, (96, 100))
    assert [((segment.seq - peer.ack) % MODULUS, len(segment.payload)) for segment in await come(bench) if (segment.seq - peer.ack) % MODULUS < most] == [(MSS, 32)]
    other = await bench.open(options=OPTIONS[:1])
    other.write(random.randbytes(29 * MSS))
    assert len(await come(bench)) == 10
    for _ in range(5):
        acknowledge(other, (40, 80), (100, 120))
    assert [((segment.seq - other.ack) % MODULUS, len(segment.payload)) for segment in await come(bench) if (segment.seq - other.ack) % MODULUS < 10 * MSS] == [(0, MSS)]


PLAIN = (253, bytes([0xA5, 200, 0, 0]))


def with_length(segment: Message, length: int) -> Message:
    """The option PLAIN gets another length, and a byte behind it is changed so that the checksum stays right."""
    before = bytes([253, 6, 0xA5, 200])
    assert segment.data.count(before) == 1
    return replace(segment, data=segment.data.replace(before, bytes([253, length, 0xA5, 206 - length])))


@cocotb.test()
async def options_are_read_wherever_they_are(dut):
    """The first gap shows what was understood: it ends where a block begins. An option with a wrong length ends the options."""
    bench = await TcpBench.start(dut, **TIMES)
    pad, unknown, end = ("NOP", None), (254, b"sixteen bytes..."), ("EOL", None)
    for front, gap, *length in (
        ([], 40),
        ([pad], 40),
        ([pad] * 3, 40),
        ([unknown, pad], 40),
        ([pad, unknown], 40),
        ([pad, pad, ("Timestamp", (1, 2)), pad, pad], 40),
        ([("SAck", (0, 0)), pad, pad], 40),
        ([end], MSS),
        *(([PLAIN], 40 if length == 6 else MSS, length) for length in (0, 1, 6, 17, 41, 200)),
    ):
        peer = await bench.open(options=OPTIONS)
        peer.write(random.randbytes(10 * MSS))
        assert len(await come(bench)) == 10
        for behind in (50, 60, 70):
            edges = tuple((peer.ack + edge) % MODULUS for edge in (40, behind))
            segment = peer.make("A", options=[*front, ("SAck", edges)])
            bench.give(with_length(segment, *length) if length else segment)
        again = await come(bench)
        assert [((segment.seq - peer.ack) % MODULUS, len(segment.payload)) for segment in again] == [(0, gap)], front
        bench.command(ABORT, peer.connection)
        await come(bench)


@cocotb.test()
async def a_time_out_forgets_it(dut):
    """The peer may have discarded data that it has reported but not acknowledged (RFC 2018, 8): after a time-out everything is sent again."""
    bench = await TcpBench.start(dut, rto_initial=8, rto_min=8)
    peer = await bench.open(options=OPTIONS)
    peer.write(random.randbytes(10 * MSS))
    assert len(await come(bench)) == 10
    acknowledge(peer, (MSS, 9 * MSS))
    first = await bench.segment(40 * TICK)
    seen = []
    while len(seen) < 10:
        segment = first if not seen else await bench.segment()
        assert peer.take(segment)
        seen.append(segment)
        peer.send()
    assert bench.events["mark_retransmitted"] == 10


@cocotb.test()
async def segments_with_bytes_tell_of_gaps_too(dut):
    """A peer that sends data all the time never sends a pure duplicate acknowledgement."""
    bench = await TcpBench.start(dut, **TIMES)
    peer = await bench.open(options=OPTIONS)
    peer.write(random.randbytes(10 * MSS))
    assert len(await come(bench)) == 10
    for behind in (2, 3, 4):
        assert not bench.events.get("mark_fast_retransmit")
        acknowledge(peer, (MSS, behind * MSS), payload=random.randbytes(20))
        segments = await come(bench)
    assert MSS in [len(segment.payload) for segment in segments] and bench.events["mark_fast_retransmit"] == 1
    # Repeating the same blocks is no new information.
    peer.ack = (peer.ack + 4 * MSS) % MODULUS
    peer.send()
    await come(bench)
    for _ in range(5):
        acknowledge(peer, (MSS, 2 * MSS), payload=random.randbytes(20))
    await come(bench)
    assert bench.events["mark_fast_retransmit"] == 1
