# SPDX-License-Identifier: Apache-2.0
"""An operator at the pins of a card: it sends and takes TCP segments frame by frame, so that cycles can be counted. These wires lose nothing."""

from __future__ import annotations

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import ARP, Ether

from girih.card import VirtualCard
from girih.errors import GirihError
from girih.management.network import PORT
from girih.management.protocol import REQUEST_BYTES, Entry, Request, nonce_of, opened, sealed

MAC, ADDRESS = "02:00:00:00:00:01", "10.77.0.1"
STEP, LIMIT = 20, 20_000  # cycles
BEHIND = 8  # confirmations that are not yet acknowledged when requests follow each other at fixed times


class PinOperator:
    """One connection to the controller of a card whose port 0 collects its frames."""

    def __init__(self, card: VirtualCard, key: bytes, source: int):
        self._card, self._key, self._source = card, key, source
        self._seq, self._ack, self.number = 1000, 0, 0
        self._ahead = 0  # scheduled requests whose confirmations are not acknowledged
        self._mac, self._ip = card.manifest.port_address(0)
        self.came: tuple[int, Request] | None = None  # the first cycle of the latest confirmation, and what it says
        card.inject(0, bytes(Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=MAC, psrc=ADDRESS, pdst=self._ip)).ljust(60, b"\0"))
        self._put(TCP(flags="S", options=[("MSS", 1460)]))
        self._seq += 1
        hello = self._take(1)[0]
        self.nonce = nonce_of(hello)
        self._put(TCP(flags="A"))

    def _put(self, segment: TCP, payload: bytes = b"", cycle: int = 0) -> None:
        segment.sport, segment.dport, segment.seq, segment.ack, segment.window = self._source, PORT, self._seq, self._ack, 60000
        self._card.inject(0, bytes(Ether(src=MAC, dst=self._mac) / IP(src=ADDRESS, dst=self._ip) / segment / payload), cycle=cycle)

    def _take(self, count: int) -> list[bytes]:
        """Runs until so many of the card's words have come; handles the hand-shake."""
        texts: list[bytes] = []
        for _ in range(LIMIT // STEP):
            self._card.run(STEP)
            texts += self._look()
            if len(texts) >= count:
                return texts
        raise GirihError("the controller does not answer", self._card.manifest.name, "Look at its counters: ./girih stats.")

    def _look(self) -> list[bytes]:
        texts = []
        for frame in self._card.collect(0):
            packet = Ether(frame.data)
            if TCP not in packet or packet[TCP].dport != self._source:
                continue
            segment = packet[TCP]
            if "S" in segment.flags:
                self._ack = segment.seq + 1
                self._put(TCP(flags="A"))
            payload = frame.data[54 : 14 + packet[IP].len]
            if payload and segment.seq == self._ack:
                self._ack += len(payload)
                texts.append(payload)
                self.came = frame.first_cycle, opened(payload)
        return texts

    def change(self, *entries: Entry, cycle: int = 0) -> int:
        """Puts one request, whose first beat is offered in `cycle` or at once; returns that cycle."""
        self.number += 1
        start = max(cycle, self._card.cycle)
        self._put(TCP(flags="PA"), sealed(self._key, self.nonce, Request(self.number, "change", entries)), start)
        self._seq += REQUEST_BYTES
        return start

    def ask(self, *entries: Entry) -> tuple[int, int, Request]:
        """Makes a single change; returns the cycle of its first beat, that of its confirmation, and the confirmation."""
        start = self.change(*entries)
        self._take(1)
        self._put(TCP(flags="A"))
        assert self.came
        return start, *self.came

    def schedule(self, cycle: int, *entries: Entry) -> None:
        """Schedules a change for a future cycle, whatever comes back until then. Frames of all operators must be given in the order of their cycles."""
        if self._ahead == BEHIND:
            self._ack += REQUEST_BYTES
        else:
            self._ahead += 1
        self.change(*entries, cycle=cycle)
