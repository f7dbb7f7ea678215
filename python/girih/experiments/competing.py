# SPDX-License-Identifier: Apache-2.0
"""Two flows of different priority that together exceed the speed of a unit: on a card with a scheduler, and on a
NIC whose offloads form a pipeline."""

from __future__ import annotations

import random
import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from girih.card import VirtualCard
from girih.errors import GirihError
from girih.experiments import Progress, Row
from girih.experiments.panic import QUIET, byte_time, gbps, open_card, packet_rate
from girih.paths import DESIGNS

NICS = {"girih": DESIGNS / "panic_overload.yaml", "pipeline": DESIGNS / "panic_pipeline.yaml"}
UDP_PORTS = {1: 2000, 2: 2001}  # of the flows; flow 1 has priority
TURN, FIRST_OF_TURN = 10, 3  # of each 10 packets, 3 belong to flow 1
SLOW = 60  # Gbps, of the first unit; the second keeps up with the link
SIZE = 1500
CREDITS = 2  # keep a unit busy, and put at most two packets ahead of one of flow 1
FILLING = 0.3  # the part of a run before measurement starts
LEAD = 64  # cycles before the first packet
SEED = 1


@contextmanager
def open_nic(nic: str, progress: Progress) -> Iterator[VirtualCard]:
    """Builds a card of NICS and configures it."""
    with open_card(progress, NICS[nic]) as card:
        if nic == "pipeline":
            card.registers.write("nic.byte_time[0]", byte_time(SLOW))
        else:
            card.registers.write("slow.byte_time", byte_time(SLOW))
            set_credits(card, CREDITS)
        yield card


def set_credits(card: VirtualCard, credits: int) -> None:
    """Sets the credits of the slow unit of Girih's card, which must be idle."""
    card.registers.write("scheduler.unit_credits[0]", credits)


@dataclass(frozen=True)
class Share:
    """The outcome of a flow. sent, received: in the whole run. gbps, and latencies in cycles from first beat in to
    last beat out: of the time in which the flows sent and the queues had filled."""

    sent: int
    received: int
    gbps: float
    latencies: list[int]

    def account(self, params: Mapping[str, object]) -> list[Row]:
        counts = {"sent": self.sent, "received": self.received, "dropped": self.sent - self.received}
        return [Row(name, dict(params), "packets", None, count) for name, count in counts.items()]


def compete(card: VirtualCard, load: float, *, count: int, flows: Collection[int] = tuple(UDP_PORTS)) -> dict[int, Share]:
    """Sends `count` packets at even distances, at `load` times the speed of the slow unit; which of them are flow
    1's is random, the same in each run, and those that are not in `flows` are left out.

    Raises GirihError unless each packet came out once and whole, or was counted as dropped once.
    """
    distance = 1 / packet_rate(load * SLOW, SIZE)
    draw = random.Random(SEED)
    owners = [flow for _ in range(0, count, TURN) for flow in draw.sample([1] * FIRST_OF_TURN + [2] * (TURN - FIRST_OF_TURN), TURN)]
    dropped = _dropped(card)
    start = card.cycle + LEAD
    sent: dict[bytes, tuple[int, int]] = {}
    card.keep_output(True)
    for number, flow in enumerate(owners):
        if flow in flows:
            frame, cycle = _frame(flow, number), start + round(number * distance)
            card.inject(0, frame, cycle=cycle)
            sent[frame] = (flow, cycle)
    card.check_conservation(QUIET)
    received = [frame for port in range(card.manifest.ports) for frame in card.collect(port)]
    card.keep_output(False)
    dropped = _dropped(card) - dropped
    good = {frame.data for frame in received if frame.data in sent and not frame.bad}
    if len(good) != len(received) or len(sent) != len(received) + dropped:
        raise GirihError(
            f"of {len(sent)} packets {len(received)} came, {len(good)} of them different and right, and {dropped} were dropped",
            card.manifest.name,
            "This is a fault of the card: its figures mean nothing.",
        )
    span = len(owners) * distance
    begin, end = start + FILLING * span, start + span
    shares = {}
    for flow in flows:
        own = [(frame.last_cycle, frame.last_cycle - sent[frame.data][1]) for frame in received if sent[frame.data][0] == flow]
        latencies = [latency for cycle, latency in own if begin <= cycle < end]
        total = sum(owner == flow for owner in owners)
        shares[flow] = Share(total, len(own), gbps(len(latencies) / (end - begin), SIZE), latencies)
    return shares


def whole(shares: Mapping[int, Share], params: Mapping[str, object]) -> list[Row]:
    """The totals of all flows."""
    both = Share(sum(s.sent for s in shares.values()), sum(s.received for s in shares.values()), 0, [])
    return both.account({**params, "flow": "both"})


def _dropped(card: VirtualCard) -> int:
    """Packets that were counted as dropped so far."""
    counters = card.registers.counters()
    return sum(value for tile in counters.values() for name, value in tile.items() if name.startswith("drop_"))


def _frame(flow: int, number: int) -> bytes:
    """A UDP packet of a flow, different from all others. No tile on its path checks the checksum."""
    ethernet = bytes.fromhex("020000000002020000000001") + struct.pack("!H", 0x0800)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, SIZE - len(ethernet), number & 0xFFFF, 0, 64, 17, 0) + bytes([10, 77, 0, 1, 10, 77, 0, 2])
    udp = struct.pack("!HHHH", 40000, UDP_PORTS[flow], SIZE - len(ethernet) - len(ip), 0)
    payload = random.Random(number).randbytes(SIZE - len(ethernet) - len(ip) - len(udp))
    return ethernet + ip + udp + payload
