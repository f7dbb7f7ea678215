# SPDX-License-Identifier: Apache-2.0
"""Two connections of a card send over the same link of 10 Gbit/s, behind a queue: each gets its share of it, whoever computes the congestion windows, and with DCTCP the
queue stays short."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from girih.card import VirtualCard
from girih.card.virtual import CardFrame
from girih.compiler.compile import compile_design
from girih.experiments import CLOCK_MHZ
from girih.experiments.tcp import ACK, ETHERNET_ARP, SYN, peer_port
from girih.experiments.tcp_loss import OPTIONS, OWN_WINDOW, LossyPeer
from girih.paths import ROOT
from girih.testing import SEED

DESIGN = ROOT / "experiments" / "cards" / "tcp_stream.yaml"
PORT = 19  # character generator
LOOK = 100  # cycles between two looks
RATE = 10_000 / 8 / CLOCK_MHZ  # bytes per cycle of the link
ROUND_TRIP = 1500  # cycles, without the queue: 6 us
VARIES = 600  # cycles by which the delay varies: two packets of the link. Otherwise the same connection's packets come to the full queue each time
QUEUE = 20_000  # bytes
THRESHOLD = 12_000  # bytes in the queue from which on packets are marked
WIRE = 24  # bytes of a packet on the link that are not in its frame
FAIR = 0.10
FULL = 9.3  # Gbit/s of data: 1,460 of 1,538 bytes, less a little
OVERSHOOT = 2 * 2 * 1514  # bytes: until a mark has an effect, each connection grows by a segment in each of two round trips
WARMUP = 200_000  # cycles
ECT = 2
ECE, CWR = 0x40, 0x80


@dataclass
class Link:
    """A queue that drops what does not fit, and the link behind it. marks: from which length on."""

    marks: bool
    free_at: float = 0.0
    came_at: float = 0.0  # when the last packet came to its receiver
    rng: random.Random = field(default_factory=lambda: random.Random(SEED))
    dropped: int = 0
    marked: int = 0
    lengths: list[float] = field(default_factory=list)  # that packets find

    def pass_on(self, size: int, now: int, capable: bool) -> tuple[float, bool] | None:
        """When a packet has left the link, and whether it is marked; None if it is dropped."""
        waits = max(0.0, self.free_at - now) * RATE
        self.lengths.append(waits)
        if waits + size > QUEUE:
            self.dropped += 1
            return None
        marks = self.marks and capable and waits > THRESHOLD
        self.marked += marks
        self.free_at = max(self.free_at, now) + (size + WIRE) / RATE
        self.came_at = max(self.came_at, self.free_at + self.rng.random() * VARIES)
        return self.came_at, marks


class Receiver(LossyPeer):
    """Behind the link; with DCTCP, each acknowledgement says whether its segment was marked."""

    def __init__(self, card: VirtualCard, own_port: int, link: Link, ecn: bool):
        super().__init__(card, PORT, own_port, round_trip=ROUND_TRIP, loss=0.0, burst=1, sacks=True, seed=1)
        self.link, self.ecn, self.tells = link, ecn, False

    def begin(self) -> None:
        self.card.inject(0, self.frame(flags=SYN | (ECE | CWR if self.ecn else 0), options=OPTIONS))
        self.seq += 1

    def frame(self, data: bytes = b"", flags: int = ACK, options: bytes = b"", window: int = OWN_WINDOW) -> bytes:
        return super().frame(data, flags | (ECE if self.tells else 0), options, window)

    def arrives(self, frame: CardFrame) -> tuple[float, bool] | None:
        return self.link.pass_on(len(frame.data), frame.first_cycle, frame.data[15] & 3 == ECT)

    def hear(self, at: float, marked: bool, frame: CardFrame) -> None:
        """A frame that has left the link then."""
        self.receive(CardFrame(frame.data, round(at), frame.last_cycle, frame.bad))
        (segment,) = self.come()
        if segment.flags & SYN:
            assert segment.flags == SYN | ACK | (ECE if self.ecn else 0) and segment.ack == self.seq
            self._first = self.ack = (segment.seq + 1) % (1 << 32)
            self.card.inject(0, self.frame(), cycle=segment.first_cycle + self.round_trip)
        elif segment.data:
            self.tells = marked
            self._keep(segment)


def shares(folder, control: str, cycles: int) -> tuple[list[float], Link]:
    """Gbit/s of each of two connections, and the link."""
    with VirtualCard(folder) as card:
        card.registers.write_many({"chargen.bytes": 1460, "chargen.room": 16_000, "tcp.tail_probe": 1, "tcp.rack": 1})
        if control != "newreno":
            card.registers.write(f"tcp.{control}[0]", PORT)
        link = Link(marks=control == "dctcp")
        peers: dict[int, Receiver] = {}

        def run(cycles: int) -> None:
            end = card.cycle + cycles
            while card.cycle < end:
                card.run(LOOK)
                for frame in card.collect():
                    if frame.data[12:14] == ETHERNET_ARP:
                        peers[min(peers)].receive(frame)
                    elif passed := peers[peer_port(frame)].arrives(frame):
                        peers[peer_port(frame)].hear(*passed, frame)

        for port in (40001, 40002):
            peers[port] = Receiver(card, port, link, control == "dctcp")
            peers[port].begin()
            run(WARMUP // 4)  # the second comes to a link that is full
        run(WARMUP)
        had = [peer.received for peer in peers.values()]
        link.lengths.clear()
        link.dropped = link.marked = 0
        run(cycles)
        rates = [(peer.received - before) / cycles * 8 * CLOCK_MHZ / 1000 for peer, before in zip(peers.values(), had)]
        return rates, link


@pytest.mark.thorough
@pytest.mark.parametrize(("control", "cycles"), [("dctcp", 1_000_000), *((control, 4_000_000) for control in ("newreno", "cubic", "dctcp"))])
def test_two_connections_share_a_link(control, cycles):
    rates, link = shares(compile_design(DESIGN), control, cycles)
    lengths = sorted(link.lengths)
    mean, most = sum(lengths) / len(lengths), lengths[-1]
    print(f"{control}: {rates[0]:.2f} and {rates[1]:.2f} Gbit/s, {link.dropped} packets dropped, {link.marked} marked, queue {mean:.0f} bytes, at most {most:.0f}")
    assert sum(rates) > FULL
    assert abs(rates[0] - rates[1]) < FAIR * max(rates)
    if control == "dctcp":
        assert link.marked and not link.dropped
        assert mean < THRESHOLD and most < THRESHOLD + OVERSHOOT
    else:
        assert link.dropped and not link.marked
