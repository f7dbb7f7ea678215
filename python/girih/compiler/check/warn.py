# SPDX-License-Identifier: Apache-2.0
"""Warnings: what is legal but rarely intended. The card is built regardless."""

from __future__ import annotations

from girih.compiler.explain import name_of
from girih.compiler.model import Card
from girih.compiler.paths import services
from girih.compiler.traffic import link_gbps, overloads


def warnings(card: Card) -> list[str]:
    """The warnings for a correct card, one sentence each."""
    return [*_overloads(card), *_visits(card), *_repeats(card)]


def _overloads(card: Card) -> list[str]:
    """Links whose expected traffic exceeds their capacity."""
    most = link_gbps(card)
    return [
        f"{name_of(card, link)} is to carry {gbps:.1f} Gbps and carries {most:.1f} at most. "
        "Put tiles elsewhere, spread the traffic over more, or make the card wider."
        for link, gbps in overloads(card).items()
    ]


def _visits(card: Card) -> list[str]:
    """Traffic whose messages can visit a tile twice; every round uses link bandwidth."""
    found = []
    for service in services(card):
        if service.round:
            ways = " > ".join([*service.round, service.round[0]])
            found.append(f"messages of {service.name} can come to {service.round[0]} again, {ways}. Is their next hop what was meant?")
    return list(dict.fromkeys(found))


def _repeats(card: Card) -> list[str]:
    """Chains that visit a service more than once."""
    found = []
    for chain in card.scheduling.chains:
        names = [hop.service for hop in chain.hops]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            hops = " and ".join(str(number) for number, each in enumerate(names, 1) if each == name)
            units = " and ".join(card.scheduling.service(name).units)
            found.append(f"chain {chain.name} goes to service {name} at hops {hops}: each visit takes its part of {units}. Is it meant?")
    return found
