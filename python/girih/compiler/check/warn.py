# SPDX-License-Identifier: Apache-2.0
"""What may be meant, but mostly is not: a card is built all the same."""

from __future__ import annotations

from girih.compiler.explain import name_of
from girih.compiler.model import Card
from girih.compiler.paths import services
from girih.compiler.traffic import link_gbps, overloads


def warnings(card: Card) -> list[str]:
    """What to say of a card that is right, in sentences."""
    return [*_overloads(card), *_visits(card), *_repeats(card)]


def _overloads(card: Card) -> list[str]:
    """Links that are to carry more than they can, by the traffic that the design expects."""
    most = link_gbps(card)
    return [
        f"{name_of(card, link)} is to carry {gbps:.1f} Gbps and carries {most:.1f} at most. "
        "Put tiles elsewhere, spread the traffic over more, or make the card wider."
        for link, gbps in overloads(card).items()
    ]


def _visits(card: Card) -> list[str]:
    """Sorts of traffic whose messages can come to a tile again: each round takes its part of the links."""
    found = []
    for service in services(card):
        if service.round:
            ways = " > ".join([*service.round, service.round[0]])
            found.append(f"messages of {service.name} can come to {service.round[0]} again, {ways}. Is their next hop what was meant?")
    return list(dict.fromkeys(found))


def _repeats(card: Card) -> list[str]:
    """Chains that go to a service more than once."""
    found = []
    for chain in card.scheduling.chains:
        names = [hop.service for hop in chain.hops]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            hops = " and ".join(str(number) for number, each in enumerate(names, 1) if each == name)
            units = " and ".join(card.scheduling.service(name).units)
            found.append(f"chain {chain.name} goes to service {name} at hops {hops}: each visit takes its part of {units}. Is it meant?")
    return found
