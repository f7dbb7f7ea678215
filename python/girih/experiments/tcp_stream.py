# SPDX-License-Identifier: Apache-2.0
"""An ideal peer of one connection with a card: it always has something to send, and takes and acknowledges everything that arrives. It
sends without gaps as far as the card's window allows, with no more in flight than the card's port stores, so nothing is lost. It reads
what has come every few cycles."""

from __future__ import annotations

import random

from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.experiments.tcp import ACK, FAULT, HEADERS, PUSH, RST, Peer, Segment

LOOK = 16  # cycles between two looks
OPTIONS = bytes.fromhex("020405b401030304")  # of its SYN: MSS 1,460, window scale 4
OWN_WINDOW = 65535
UNDER_WAY = 240  # flits; a card's port stores 256


class IdealPeer(Peer):
    """sends: bytes of each segment, or 0 if it only receives. text: what the card sends again and again, or None if it echoes. late: the share
    of the segments that leave after their successor."""

    def __init__(self, card: VirtualCard, port: int, own_port: int, *, sends: int, text: bytes | None, late: float = 0.0, seed: int = 1):
        super().__init__(card, port, own_port)
        self.sends, self.text, self.late, self._rng = sends, text, late, random.Random(seed)
        self.received = 0  # bytes
        self.first = self.first_ack = 0  # sequence numbers of the first byte each way
        self.unacknowledged = self.edge = 0  # of its own stream, and where the card's window ends
        self.again = 0  # bytes that the card has retransmitted
        self._free_at, self._owes, self._behind = 0, False, b""
        self._most = sends * (UNDER_WAY // self._flits(HEADERS + sends))  # bytes in flight
        self._pattern = random.Random(seed).randbytes(1 << 14)

    @property
    def acknowledged(self) -> int:
        """Bytes that the card has acknowledged."""
        return (self.unacknowledged - self.first) % (1 << 32)

    def open(self) -> None:
        start = self.card.cycle
        _, answer = self._ask(OPTIONS)
        self.scale = window_scale(answer)
        self.first = self.unacknowledged = self.seq
        self.edge = self.seq + answer.window
        self.first_ack = self.ack
        self.send(flags=ACK)
        self._free_at = max(self.card.cycle, start)

    def run(self, cycles: int) -> None:
        """Sends and receives for this many cycles."""
        end = self.card.cycle + cycles
        while self.card.cycle < end:
            for segment in self._after(LOOK):
                self._look_at(segment)
            self._fill()

    def abort(self) -> None:
        """Breaks the connection, and waits until the card has noticed."""
        self._free_at = max(self._free_at, self.card.cycle)
        for segment in self._after(self._free_at - self.card.cycle + 500):
            self._look_at(segment)
        self._put(self.frame(b"", flags=RST | ACK))
        self.card.run(500)
        self.card.collect()

    def _look_at(self, segment: Segment) -> None:
        self.unacknowledged = segment.ack
        self.edge = segment.ack + (segment.window << self.scale)
        if not segment.data:
            return
        self._owes = True
        if segment.seq != self.ack:
            if (segment.seq - self.ack) % (1 << 32) < 1 << 31:
                raise GirihError("the card leaves bytes out", self.card.manifest.name, FAULT)
            self.again += len(segment.data)
            return
        text = self._pattern if self.text is None else self.text
        at = self.received % len(text)
        if (text[at:] + text[: at + len(segment.data)])[: len(segment.data)] != segment.data:
            raise GirihError("the card sends other bytes", self.card.manifest.name, FAULT)
        self.received += len(segment.data)
        self.ack = (self.ack + len(segment.data)) & 0xFFFFFFFF

    def _fill(self) -> None:
        """Queues the segments that leave up to the time after the next look."""
        self._free_at = max(self._free_at, self.card.cycle)
        until = self.card.cycle + 2 * LOOK
        edge = self.unacknowledged + min(self._most, (self.edge - self.unacknowledged) % (1 << 32))
        while self.sends and self._free_at < until and (edge - self.seq - self.sends) % (1 << 32) < 1 << 31:
            at = (self.seq - self.first) % len(self._pattern)
            frame = self.frame((self._pattern[at:] + self._pattern[: self.sends])[: self.sends], flags=ACK | PUSH, window=OWN_WINDOW)
            self.seq = (self.seq + self.sends) & 0xFFFFFFFF
            self._owes = False
            if not self._behind and self._rng.random() < self.late:
                self._behind = frame
                continue
            self._put(frame)
            if self._behind:
                self._put(self._behind)
                self._behind = b""
        if self._behind and (edge - self.seq - self.sends) % (1 << 32) >= 1 << 31:  # nothing may overtake it
            self._put(self._behind)
            self._behind = b""
        if self._owes:
            self._owes = False
            self._put(self.frame(b"", flags=ACK, window=OWN_WINDOW))

    def _put(self, frame: bytes) -> None:
        self.card.inject(0, frame, cycle=self._free_at)
        self._free_at += self._flits(len(frame))

    def _flits(self, size: int) -> int:
        return -(-size * 8 // self.card.manifest.data_width)


def window_scale(answer: Segment) -> int:
    """The window scale in the card's SYN."""
    at = answer.options.find(b"\x03\x03")
    return answer.options[at + 2] if at >= 0 else 0


def chargen_text() -> bytes:
    """The text of RFC 864, once through its cycle of lines."""
    printable = bytes(range(0x20, 0x7F))
    return b"".join((printable + printable)[line : line + 72] + b"\r\n" for line in range(len(printable)))

