# SPDX-License-Identifier: Apache-2.0
"""The data from which the watchdog of a running card explains a stall: see girih.card.stall."""

from __future__ import annotations

from dataclasses import replace

from girih.compiler.dependencies import dependencies
from girih.compiler.explain import name_of
from girih.compiler.messages import Path
from girih.compiler.model import Card
from girih.topology import IN, OUT, Channel


def watched(card: Card) -> tuple[Channel, ...]:
    """The links in the order in which the watchdog samples them: those of the tiles, then those between routers."""
    tiles = [
        Channel(OUT if link.into_tile else IN, place, place, link.message_class)
        for link in card.links
        for place in [link.tile.places[link.port]]
    ]
    between = tuple(replace(link, message_class=number) for number in range(card.classes) for link in card.fabric.shape.links())
    return (*tiles, *between) if tiles else ()


def watch(card: Card, built: Card | None = None) -> dict:
    """links: names of the links; nodes: tiles by number; wires: Ethernet ports by the tile that sends there; waits: by
    holder and by what is wanted, the messages `src > dst` that wait, or the reason as a sentence.

    built: the card that runs, if `card` differs from it by its node tables.
    """
    waits: dict[str, dict[str, list[str]]] = {}
    for edge in dependencies(card).edges:
        reasons = [f"{reason.src} > {reason.dst}" if isinstance(reason, Path) else reason.text for reason in edge.reasons]
        waits.setdefault(name_of(card, edge.holder), {})[name_of(card, edge.wanted)] = list(dict.fromkeys(reasons))
    return {
        "links": [name_of(card, channel) for channel in watched(built or card)],
        "nodes": {str(node): tile.name for tile in card.tiles for node in tile.nodes},
        "wires": {tile.name: tile.port for tile in card.tiles if "axis_out" in tile.kind.uses},
        "waits": waits,
    }
