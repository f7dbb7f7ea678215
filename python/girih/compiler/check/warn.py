# SPDX-License-Identifier: Apache-2.0
"""Warnings about designs that are legal but rarely intended. The card is built regardless."""

from __future__ import annotations

from girih.compiler.explain import name_of
from girih.compiler.model import Card
from girih.compiler.paths import services
from girih.compiler.traffic import link_gbps, overloads
from girih.spec.message import STREAM

# Ethernet, IPv4 and TCP, and the least that Linux fills a segment with, whatever its peer asks for (net.ipv4.tcp_min_snd_mss). Its SYN has 74 bytes.
FRAME_OF_LINUX = 14 + 20 + 20 + 48


def warnings(card: Card) -> list[str]:
    """The warnings for a correct card, one sentence each."""
    return [*_overloads(card), *_visits(card), *_repeats(card), *_small_segments(card)]


def _overloads(card: Card) -> list[str]:
    """Links whose expected traffic exceeds their capacity."""
    most = link_gbps(card)
    return [
        f"{name_of(card, link)} is expected to carry {gbps:.1f} Gbps, but carries at most {most:.1f}. "
        "Move tiles, spread the traffic over more links, or make the card wider."
        for link, gbps in overloads(card).items()
    ]


def _visits(card: Card) -> list[str]:
    """Traffic whose messages can visit a tile twice; every round uses link bandwidth."""
    found = []
    for service in services(card):
        if service.round:
            ways = " > ".join([*service.round, service.round[0]])
            found.append(f"messages of {service.name} can reach {service.round[0]} again: {ways}. Is this intended?")
    return list(dict.fromkeys(found))


def _repeats(card: Card) -> list[str]:
    """Chains that visit a service more than once."""
    found = []
    for chain in card.scheduling.chains:
        names = [hop.service for hop in chain.hops]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            hops = " and ".join(str(number) for number, each in enumerate(names, 1) if each == name)
            units = " and ".join(card.scheduling.service(name).units)
            found.append(f"chain {chain.name} goes to service {name} at hops {hops}: each visit uses a share of {units}. Is this intended?")
    return found


def _small_segments(card: Card) -> list[str]:
    """Ends of TCP connections on a card that drops the frames of Linux hosts, because it takes none so large."""
    most = card.params.max_frame
    return [
        f"tile {tile.name} cannot talk to Linux hosts: their TCP segments need frames of up to {FRAME_OF_LINUX} bytes, and the card takes {most}. "
        f"Write max_frame: {FRAME_OF_LINUX} or more."
        for tile in card.tiles
        if STREAM in tile.kind.writes and "transport" in tile.kind.needs and most < FRAME_OF_LINUX
    ]
