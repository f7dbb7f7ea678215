# SPDX-License-Identifier: Apache-2.0
"""What open connections of the card of `designs/tcp_echo.yaml` carry while SYNs of invented addresses come beside them. Two runs differ by these alone."""

from __future__ import annotations

import ipaddress
import random
import struct
from fractions import Fraction
from itertools import zip_longest

import pytest

from girih.card import VirtualCard
from girih.card.virtual import CardFrame
from girih.experiments.tcp import (
    ACK,
    ETHERNET_ARP,
    OPTIONS,
    OWN_IP,
    PUSH,
    RST,
    SYN,
    Peer,
    Segment,
    ip_frame,
    peer_port,
    with_checksum,
)
from girih.experiments.tcp_stream import window_scale
from girih.testing import SEED

MODULUS = 1 << 32
LOOK = 32  # cycles between two looks at the output
CONNECTIONS = 4
MSS = 1460
UNDER_WAY = 2 * MSS  # bytes that a connection has in flight at most: those of all fit into the memory of the card's port
EVERY = 400  # cycles between two segments of a connection, if the window has room: 29 Gbit/s each way for all of them
WARMUP = 10_000  # cycles
LOST_AFTER = 3000  # cycles without an acknowledgement of anything, after which a peer sends from there on again
KEPT = 0.95
RATE = Fraction(1, 4)  # SYNs per cycle


class Sender(Peer):
    """Sends a segment every so many cycles, or as soon as the card's window allows it, and takes the echo."""

    def __init__(self, card: VirtualCard, own_port: int):
        super().__init__(card, 7, own_port)
        self.pattern = random.Random(own_port).randbytes(1 << 15)
        self.received = 0

    def open(self) -> None:
        _, answer = self._ask(OPTIONS)
        self.scale = window_scale(answer)
        self.first = self.una = self.seq
        self.edge = self.seq + answer.window
        self.heard_at = self.next_at = self.card.cycle
        self.send(flags=ACK)

    def _bytes(self, at: int, size: int) -> bytes:
        at %= len(self.pattern)
        return (self.pattern[at:] + self.pattern[:size])[:size]

    def look_at(self, segment: Segment) -> None:
        assert not segment.flags & RST, "a connection was reset"
        news = (segment.ack - self.una) % MODULUS
        if news < 1 << 31:
            if news:
                self.una, self.heard_at = segment.ack, self.card.cycle
                if (self.seq - self.una) % MODULUS >= 1 << 31:
                    self.seq = self.una
            self.edge = segment.ack + (segment.window << self.scale)
        if segment.data and segment.seq == self.ack:
            assert segment.data == self._bytes(self.received, len(segment.data)), "other bytes come back"
            self.received += len(segment.data)
            self.ack = (self.ack + len(segment.data)) % MODULUS

    def fill(self, owes: bool) -> list[bytes]:
        """What leaves now."""
        frames = []
        if self.una != self.seq and self.card.cycle - self.heard_at > LOST_AFTER:
            self.seq, self.heard_at = self.una, self.card.cycle
        if self.una == self.seq:
            self.heard_at = self.card.cycle
        edge = self.una + min(UNDER_WAY, (self.edge - self.una) % MODULUS)
        while self.card.cycle >= self.next_at and (edge - self.seq - MSS) % MODULUS < 1 << 31:
            self.next_at = max(self.next_at, self.card.cycle - EVERY) + EVERY
            frames.append(self.frame(self._bytes((self.seq - self.first) % MODULUS, MSS), ACK | PUSH))
            self.seq = (self.seq + MSS) % MODULUS
        return frames or ([self.frame(b"", ACK)] if owes else [])


class Flood:
    """SYNs, each from an address and a port of its own, with the options of Linux."""

    def __init__(self, card: VirtualCard):
        addresses = card.manifest.addresses
        self.rng, self.count, self._owed = random.Random(SEED), 0, Fraction()
        self.mac, self.ip = bytes.fromhex(addresses["mac"].replace(":", "")), ipaddress.ip_address(addresses["ip"]).packed

    def take(self, more: Fraction) -> list[bytes]:
        """So many more, rounded down; the rest counts next time."""
        self._owed += more
        count = int(self._owed)
        self._owed -= count
        self.count += count
        return [self._next() for _ in range(count)]

    def _next(self) -> bytes:
        source = struct.pack("!I", 0xC0000000 | self.rng.getrandbits(24))
        head = struct.pack("!HHIIBBHHH", self.rng.randrange(1024, 65536), 7, self.rng.getrandbits(32), 0, 0x80, SYN, 65535, 0, 0) + OPTIONS
        return ip_frame(self.mac, source, self.ip, with_checksum(source, self.ip, head))


class Load:
    """A card with open connections that carry bytes, and a flood."""

    def __init__(self, card: VirtualCard):
        card.registers.write("arp.gateway", int(ipaddress.ip_address(OWN_IP)))
        self.card, self.flood, self._owes = card, Flood(card), set[int]()
        self.peers = {port: Sender(card, port) for port in range(40000, 40000 + CONNECTIONS)}
        for peer in self.peers.values():
            peer.open()
        self._run(WARMUP, Fraction())

    def carried(self, cycles: int, rate: Fraction) -> tuple[float, int]:
        """Bytes per cycle that come back in so many cycles, and the SYNs meanwhile. rate: SYNs per cycle, from a while before."""
        self._run(WARMUP, rate)
        before, count, start = self._received(), self.flood.count, self.card.cycle
        self._run(cycles, rate)
        return (self._received() - before) / (self.card.cycle - start), self.flood.count - count

    def _received(self) -> int:
        return sum(peer.received for peer in self.peers.values())

    def _run(self, cycles: int, rate: Fraction) -> None:
        end = self.card.cycle + cycles
        while self.card.cycle < end:
            frames = [frame for port, peer in self.peers.items() for frame in peer.fill(port in self._owes)]
            self._owes.clear()
            for data in mixed(frames, self.flood.take(rate * LOOK)):
                self.card.inject(0, data)
            self.card.run(LOOK)
            for frame in self.card.collect():
                self._look_at(frame)

    def _look_at(self, frame: CardFrame) -> None:
        first = self.peers[40000]
        if frame.data[12:14] == ETHERNET_ARP:
            first.receive(frame)
        elif frame.data[30:34] == first._own_ip and (peer := self.peers.get(peer_port(frame))):
            peer.receive(frame)
            (segment,) = peer.come()
            peer.look_at(segment)
            if segment.data:
                self._owes.add(peer.own_port)


def mixed(frames: list[bytes], others: list[bytes]) -> list[bytes]:
    """Of both kinds, one after the other as long as there are both."""
    return [frame for pair in zip_longest(frames, others) for frame in pair if frame]


@pytest.mark.slow
@pytest.mark.parametrize("syns", [5_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def test_a_flood_of_syns_leaves_connections_their_throughput(built, syns):
    """At a rate of 62 million SYNs per second at 250 MHz, which take half of the link. The card answers as many as it has time for."""
    cycles = int(syns / RATE)
    with VirtualCard(built("tcp_echo")) as card:
        alone, _ = Load(card).carried(min(cycles, 500_000), Fraction())
    with VirtualCard(built("tcp_echo")) as card:
        load = Load(card)
        before = card.registers.counters()
        beside, sent = load.carried(cycles, RATE)
        after = card.registers.counters()
        print(f"{alone:.3f} bytes per cycle alone, {beside:.3f} beside {sent} SYNs")
        answered = sum(after["tcp"][name] - before["tcp"][name] for name in ("mark_cookies", "mark_begun", "drop_backlog"))
        lost = after["eth_rx"]["drop_overflow"] - before["eth_rx"]["drop_overflow"]  # while the burst at the beginning is let in
        assert sent >= syns - LOOK and answered + lost >= sent and lost < syns / 10
        assert alone > 0.9 * CONNECTIONS * MSS / EVERY
        assert beside > KEPT * alone


@pytest.mark.slow
def test_connections_outlast_a_flood_that_fills_the_link(built):
    """Beside as many SYNs as the link has room for, the card's input overflows. No connection ends, and after it each carries what it did before."""
    with VirtualCard(built("tcp_echo")) as card:
        load = Load(card)
        before, _ = load.carried(20_000, Fraction())
        beside, sent = load.carried(20_000, Fraction(1, 2))
        after, _ = load.carried(20_000, Fraction())
        print(f"{before:.3f} bytes per cycle before, {beside:.3f} beside {sent} SYNs, {after:.3f} behind them")
        assert card.registers.counters("eth_rx")["eth_rx"]["drop_overflow"]
        assert after > KEPT * before
