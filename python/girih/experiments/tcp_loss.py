# SPDX-License-Identifier: Apache-2.0
"""A peer that takes what a card sends on one connection, over a path with a round trip of its own that loses some of the segments. It acknowledges
each segment that comes, and reports what it has behind a gap by SACK (RFC 2018) if it is asked to."""

from __future__ import annotations

import random

from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.experiments.tcp import ACK, FAULT, RST, Peer, Segment
from girih.experiments.tcp_stream import chargen_text

LOOK = 100  # cycles between two looks
OPTIONS = bytes.fromhex("020405b40103030401010402")  # of its SYN: MSS 1,460, window scale 4, SACK permitted
SACK_PERMITTED = bytes.fromhex("01010402")
OWN_WINDOW = 65535
MOST_BLOCKS = 4  # of SACK in an acknowledgement without time stamps


class LossyPeer(Peer):
    """round_trip: cycles from the first beat of a segment to that of its acknowledgement. loss: the share of the card's segments that are lost,
    `burst` of them in a row. seed: of the choice which ones."""

    def __init__(self, card: VirtualCard, port: int, own_port: int, *, round_trip: int, loss: float, burst: int, sacks: bool, seed: int):
        super().__init__(card, port, own_port)
        self.round_trip, self.loss, self.burst, self.sacks, self._rng = round_trip, loss, burst, sacks, random.Random(seed)
        self._loses = 0  # segments of a burst that are still to come
        self.received = 0  # bytes up to the first gap
        self.came = self.again = 0  # bytes that came, and those of them that had come before
        self._first = 0
        self._blocks: list[tuple[int, int]] = []  # bytes behind a gap, counted like `received`, the last to change first
        self._text = chargen_text()
        self._text *= 2 + (1 << 14) // len(self._text)

    def open(self) -> None:
        _, answer = self._ask(OPTIONS if self.sacks else OPTIONS.removesuffix(SACK_PERMITTED))
        self._first = self.ack
        self.card.inject(0, self.frame(flags=ACK, window=OWN_WINDOW), cycle=answer.first_cycle + self.round_trip)  # the first round trip that the card measures

    def run(self, cycles: int) -> None:
        """Takes what comes in so many cycles."""
        end = self.card.cycle + cycles
        while self.card.cycle < end:
            for segment in self._after(LOOK):
                if segment.data and not self._is_lost():
                    self._keep(segment)

    def abort(self) -> None:
        """Breaks the connection, once everything that is under way has come."""
        self.run(self.round_trip + 1000)
        self.card.run(self.round_trip + 1000)
        self.card.inject(0, self.frame(flags=RST | ACK))
        self.card.run(1000)
        self.card.collect()

    def _is_lost(self) -> bool:
        if not self._loses and self._rng.random() < self.loss / self.burst:
            self._loses = self.burst
        if not self._loses:
            return False
        self._loses -= 1
        return True

    def _keep(self, segment: Segment) -> None:
        at = self.received + (segment.seq - self.ack + (1 << 31)) % (1 << 32) - (1 << 31)
        behind = at + len(segment.data)
        start = at % len(chargen_text())
        if at < 0 or self._text[start : start + len(segment.data)] != segment.data:
            raise GirihError("the card sends other bytes", self.card.manifest.name, FAULT)
        self.came += behind - at
        had = [(0, self.received), *self._blocks]
        self.again += sum(max(0, min(behind, last) - max(at, first)) for first, last in had)
        touched = [block for block in self._blocks if block[0] <= behind and at <= block[1]]
        self._blocks = [block for block in self._blocks if block not in touched]
        at, behind = min([at, *(first for first, _ in touched)]), max([behind, *(last for _, last in touched)])
        if at > self.received:
            self._blocks.insert(0, (at, behind))
        else:
            self.received = max(self.received, behind)
        self.ack = (self._first + self.received) & 0xFFFFFFFF
        self.card.inject(0, self.frame(flags=ACK, options=self._report(), window=OWN_WINDOW), cycle=segment.first_cycle + self.round_trip)

    def _report(self) -> bytes:
        """The option SACK."""
        blocks = self._blocks[:MOST_BLOCKS] if self.sacks else []
        if not blocks:
            return b""
        edges = b"".join(((self._first + edge) & 0xFFFFFFFF).to_bytes(4, "big") for block in blocks for edge in block)
        return b"\x01\x01\x05" + bytes([2 + len(edges)]) + edges
