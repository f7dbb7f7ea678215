# SPDX-License-Identifier: Apache-2.0
"""What a tile adds to the path of a router: the card has the tile between its two halves, and is compared with one that has a relay there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.card.ports import CardFrame
from girih.errors import GirihError
from girih.experiments import Progress

# Frames keep their Ethernet header: what the tile adds does not depend on the tile that would write it.
ROUTER = """\
name: router_{kind}
fabric: {{mesh: [4, 2]}}
ports: 2
mac: 02:67:69:72:69:68
tiles:
  in_rx: {{kind: eth_rx, at: [0, 0], port: 0, next: {{ipv4: in_ip}}}}
  in_ip: {{kind: ipv4_rx, at: [1, 0], forward: 1, ip: 10.0.0.1/24, next: {kind}}}
  in_tx: {{kind: eth_tx, at: [2, 1], port: 0}}
  {kind}: {{kind: {kind}, at: [2, 0], {settings}}}
  out_rx: {{kind: eth_rx, at: [0, 1], port: 1, next: {{ipv4: out_ip}}}}
  out_ip: {{kind: ipv4_rx, at: [1, 1], forward: 1, ip: 203.0.113.1/24, next: {kind}}}
  out_tx: {{kind: eth_tx, at: [3, 0], port: 1}}
"""
ACROSS = "next: {0: out_tx, 1: in_tx}"
RELAY_CYCLES = 1
HOST = "02:00:00:00:00:03"
INSIDE, OUTSIDE, SHARED = "10.0.0.3", "203.0.113.9", "203.0.113.1"
FLOWS, TURNS = 64, 50  # flows that take turns, and packets of each when one arrives in every cycle
ALONE = 101  # cycles from packet to packet when each has the card for itself
QUIET = 2000  # cycles after which nothing is under way


@dataclass(frozen=True)
class Tile:
    """A kind and its settings in the design file. port: where packets arrive. packet: one of a flow. becomes: the source and the destination of what leaves.

    answered: whether the answers to what left are carried too.
    """

    kind: str
    settings: str
    port: int
    packet: Callable[[int], IP]
    becomes: tuple[str, str]
    answered: bool = False


@dataclass(frozen=True)
class Passed:
    """Packets of one direction. latency: the greatest from the first beat in to the first beat out, in cycles, each packet alone. rate: packets per cycle, when one arrives in every cycle."""

    latency: int
    rate: float
    left: list[IP]


def datagram(src: str, dst: str, flow: int) -> IP:
    """Of two bytes, so that its frame is a single flit even with two IPv4 headers."""
    return IP(src=src, dst=dst) / UDP(sport=2000 + flow, dport=7) / flow.to_bytes(2, "big")


NAT = Tile(
    "nat",
    f"inside_ip: 10.0.0.1, outside_ip: {SHARED}, next: {{inside: in_tx, outside: out_tx}}",
    0,
    lambda flow: datagram(INSIDE, OUTSIDE, flow),
    (SHARED, OUTSIDE),
    answered=True,
)
TUNNEL_TX = Tile(
    "ipip_tx",
    f"ip: {SHARED}, to: [172.16.0.0], mask: [255.255.0.0], remote: [{OUTSIDE}], enabled: 1, {ACROSS}",
    0,
    lambda flow: datagram(INSIDE, "172.16.0.1", flow),
    (SHARED, OUTSIDE),
)
TUNNEL_RX = Tile(
    "ipip_rx",
    f"remote: [{OUTSIDE}], enabled: 1, {ACROSS}",
    1,
    lambda flow: IP(src=OUTSIDE, dst="172.17.0.1") / datagram("172.16.0.1", "172.18.0.1", flow),
    ("172.16.0.1", "172.18.0.1"),
)
TILES = (NAT, TUNNEL_TX, TUNNEL_RX)


@contextmanager
def router(kind: str, settings: str, progress: Progress) -> Iterator[VirtualCard]:
    """Builds and opens the card with such a tile."""
    progress(f"building a router with {kind}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"router_{kind}.yaml"
        path.write_text(ROUTER.format(kind=kind, settings=settings))
        with VirtualCard.open(path, collect=True) as card:
            card.run(QUIET)  # after a reset, NAT clears its table
            yield card


def pass_through(card: VirtualCard, tile: Tile) -> list[Passed]:
    """Carries the packets of the tile in one direction, and their answers in the other."""
    passed = [_direction(card, tile.port, [tile.packet(flow) for flow in range(FLOWS)])]
    if tile.answered:
        passed.append(_direction(card, 1 - tile.port, [_answer(packet) for packet in passed[0].left]))
    return passed


def _answer(packet: IP) -> IP:
    return IP(src=packet.dst, dst=packet.src) / UDP(sport=packet[UDP].dport, dport=packet[UDP].sport) / packet[UDP].load


def _direction(card: VirtualCard, port: int, packets: list[IP]) -> Passed:
    start, frames = _carry(card, port, packets, ALONE)
    latency = max(frame.first_cycle - start - number * ALONE for number, frame in enumerate(frames))
    _, crowd = _carry(card, port, packets * TURNS, 1)
    return Passed(
        latency,
        (len(crowd) - 1) / (crowd[-1].first_cycle - crowd[0].first_cycle),
        [Ether(frame.data)[IP] for frame in frames],
    )


def _carry(card: VirtualCard, port: int, packets: list[IP], every: int) -> tuple[int, list[CardFrame]]:
    """Offers packets at a port, one in so many cycles; returns the cycle of the first, and the frames that left by the other port."""
    start, to = card.cycle + 10, card.manifest.port_address(port)[0]
    for number, packet in enumerate(packets):
        frame = bytes(Ether(src=HOST, dst=to) / packet).ljust(60, b"\0")
        card.inject(port, frame, cycle=start + number * every)
    card.run(len(packets) * every + QUIET)
    frames = card.collect(1 - port)
    if [Ether(frame.data)[UDP].load for frame in frames] != [packet[UDP].load for packet in packets]:
        raise GirihError(
            f"{len(packets)} packets came in, and {len(frames)} or others left",
            card.manifest.name,
            "Look at the tiles' counters.",
        )
    return start, frames


def added(progress: Progress) -> Iterator[tuple[str, int, float]]:
    """Of each tile: its kind, the cycles that it adds, and packets per cycle. A relay adds one cycle, and carries the same packets to the same places."""
    with router("relay", ACROSS, progress) as card:
        without = {tile.kind: [passed.latency for passed in pass_through(card, tile)] for tile in TILES}
    for tile in TILES:
        with router(tile.kind, tile.settings, progress) as card:
            passed = pass_through(card, tile)
        if any((packet.src, packet.dst) != tile.becomes for packet in passed[0].left):
            raise GirihError(
                "a packet left with other addresses than the tile is to give it",
                tile.kind,
                "Look at the tile's configuration.",
            )
        latency = max(way.latency - relay for way, relay in zip(passed, without[tile.kind], strict=True)) + RELAY_CYCLES
        yield tile.kind, latency, min(way.rate for way in passed)
