# SPDX-License-Identifier: Apache-2.0
"""Peers of many connections with a card, each of which does what it is told: sends a message, or opens a connection and closes it."""

from __future__ import annotations

import random

from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.experiments.tcp import ACK, FAULT, FIN, OPTIONS, PUSH, RST, SYN, Peer, Segment, peer_port

LOOK = 16  # cycles between two looks
FIRST_PORT = 1024
WINDOW = 8192  # bytes, of the card


class Crowd:
    """The peers by their ports, and one wire to the card, on which a frame follows another no sooner than it can."""

    def __init__(self, card: VirtualCard):
        self.card, self.peers = card, dict[int, Peer]()
        self._free_at, self._next_port = 0, FIRST_PORT
        self._asked = Peer(card, 0)
        self._may_refuse = False

    def join(self, port: int) -> Peer:
        """A new peer, whose connection to this port of the card is yet to be opened."""
        peer = Peer(self.card, port, self._next_port)
        self.peers[peer.own_port] = peer
        self._next_port += 1
        return peer

    def put(self, peer: Peer, flags: int, data: bytes = b"", options: bytes = b"", not_before: int = 0) -> None:
        """A segment, as soon as the wire is free."""
        frame = peer.frame(data, flags, options)
        peer.seq = (peer.seq + len(data) + bool(flags & (SYN | FIN))) & 0xFFFFFFFF
        at = max(self._free_at, self.card.cycle, not_before)
        self.card.inject(0, frame, cycle=at)
        self._free_at = at - -(len(frame) * 8 // -self.card.manifest.data_width)

    def look(self, cycles: int = LOOK) -> list[tuple[Peer, Segment]]:
        """Lets the card run, and returns the segments that have come."""
        self.card.run(cycles)
        came = []
        for frame in self.card.collect():
            peer = self.peers.get(peer_port(frame), self._asked)  # which answers questions for the address of all
            peer.receive(frame)
            for segment in peer.come():
                if segment.flags & RST and not self._may_refuse:
                    raise GirihError("the card resets a connection", self.card.manifest.name, FAULT)
                peer.ack = (segment.seq + len(segment.data) + bool(segment.flags & (SYN | FIN))) & 0xFFFFFFFF
                came.append((peer, segment))
        return came

    def connect(self, port: int, count: int) -> list[Peer]:
        """Opens so many connections. The card refuses a few of the last ones, for which its table has no place (docs/tcp.md); others are opened instead."""
        opened: dict[int, Peer] = {}
        self._may_refuse = True
        while len(opened) < count:
            for _ in range(count - len(opened) if opened else 1):  # the card asks for the address of the first one
                self.put(self.join(port), SYN, options=OPTIONS)
                self._answer(self.look(), opened)
            for _ in range(2):
                self._answer(self.look(2000), opened)
        self._may_refuse = False
        self.peers = dict(opened)
        return list(opened.values())

    def _answer(self, came: list[tuple[Peer, Segment]], opened: dict[int, Peer]) -> None:
        for peer, segment in came:
            if segment.flags & RST:
                opened.pop(peer.own_port, None)
            elif segment.flags & SYN:
                opened[peer.own_port] = peer
                self.put(peer, ACK)


def messages(crowd: Crowd, peers: list[Peer], size: int, spacing: float, cycles: int, *, echo: bool, seed: int = 1) -> float | None:
    """Messages per cycle that the card takes or, as an echo, returns, while one is offered in each `spacing` cycles, each of a connection at random. None if
    one is lost. A connection with as many unacknowledged bytes as half of its window is left out."""
    rng, card, text = random.Random(seed), crowd.card, bytes(range(size))
    acknowledged = {peer.own_port: peer.seq for peer in peers}
    done, due, begin, end = 0, float(card.cycle), card.cycle + cycles, card.cycle + 2 * cycles
    while card.cycle < end:
        counts = card.cycle >= begin
        for peer, segment in crowd.look():
            news = len(segment.data) if echo else (segment.ack - acknowledged[peer.own_port]) % (1 << 32)
            acknowledged[peer.own_port] = segment.ack
            done += news // size * counts
        while due < card.cycle + 2 * LOOK:
            peer = rng.choice(peers)
            if (peer.seq - acknowledged[peer.own_port]) % (1 << 32) <= WINDOW // 2 - size:
                crowd.put(peer, ACK | PUSH, text, not_before=int(due))
            due += spacing
    crowd.look(5000)
    lost = sum(count for name, count in card.registers.counters("eth_rx")["eth_rx"].items() if name.startswith("drop_"))
    return None if lost else done / cycles


def connections(crowd: Crowd, port: int, under_way: int, cycles: int) -> float:
    """Connections per cycle that are opened and closed, the peer first, with so many of them under way at a time."""
    card, done, begin, end = crowd.card, 0, crowd.card.cycle + cycles, crowd.card.cycle + 2 * cycles
    ended = 0

    def freed() -> int:
        return card.registers.counters("tcp")["tcp"]["mark_freed"]

    def start() -> None:
        crowd.put(crowd.join(port), SYN, options=OPTIONS)

    before, begun = freed(), 0
    while card.cycle < end:
        if begun < under_way:  # one at a time, since a burst would not fit into the port's buffer
            begun += 1
            start()
        for peer, segment in crowd.look():
            if segment.flags & SYN:
                crowd.put(peer, ACK | FIN)
            elif segment.flags & FIN:
                crowd.put(peer, ACK)
                del crowd.peers[peer.own_port]
                ended += 1
                done += card.cycle >= begin
                start()
    crowd.look(2000)
    if not ended <= freed() - before <= ended + under_way:
        raise GirihError(f"{ended} connections have ended, and the card has freed {freed() - before}", card.manifest.name, FAULT)
    return done / cycles
