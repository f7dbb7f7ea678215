# SPDX-License-Identifier: Apache-2.0
"""Third pass: a tile that needs a header gets only messages whose descriptor has the header's offset."""

from __future__ import annotations

from girih.compiler import values
from girih.compiler.messages import State, ends, walk
from girih.compiler.model import Card
from girih.compiler.paths import in_order
from girih.compiler.read.parse import Report
from girih.spec.kinds import HEADERS, Kind, load_kinds

Place = tuple[str, str | None]
"""A tile, and the word of its node table that a message takes, if the sender determines it."""
_WORDS = {"network": "the network header", "transport": "the transport header", "payload": "the payload"}


def check_headers(card: Card, report: Report) -> None:
    """Reports each hop to a tile that needs headers which no tile has located by then."""
    goes_on = (step for step in in_order(card, walk(card).steps) if not (step.after.reply and ends(card.tile(step.path.dst), step.after)))
    steps = dict.fromkeys((_place(step.before), _place(step.after), step.path) for step in goes_on)
    found = _found(card, [(before, after) for before, after, _ in steps])
    kinds = {tile.name: tile.kind for tile in card.tiles}
    reported = set()
    for before, _, path in steps:
        missing = [header for header in kinds[path.dst].needs if header not in found[before] | _known_after(kinds[path.src])]
        if missing and path not in reported:
            reported.add(path)
            tile = card.tile(path.src)
            line = next((hop.line for hop in tile.hops if hop.to == path.dst and hop.line), tile.line)
            givers = [kind.name for kind in load_kinds().values() if missing[0] in kind.gives and (kind.has_input or "axis_in" in kind.uses) and (card.params.chain_hops or not kind.chained)]
            report.error(
                line,
                f"messages from {path.src} reach {path.dst} of kind {kinds[path.dst].name} before any tile has found {_WORDS[missing[0]]}",
                f"Send them through a tile of kind {values.listing(givers)} first.",
            )


def _place(state: State) -> Place:
    return state.at.tile, state.word


def _known_after(kind: Kind) -> frozenset[str]:
    """The headers known in all messages that leave a tile of this kind. Includes what it needs, so that a missing header is reported once."""
    return frozenset((*kind.gives, *kind.needs))


def _found(card: Card, steps: list[tuple[Place, Place]]) -> dict[Place, frozenset[str]]:
    """For each place, the headers known in every message that arrives there."""
    everything = frozenset(HEADERS)
    kinds = {tile.name: tile.kind for tile in card.tiles}
    places = dict.fromkeys(place for step in steps for place in step)
    found = {place: frozenset() if {"axis_in", "host"} & {*kinds[place[0]].uses} else everything for place in places}
    while True:
        before = dict(found)
        for src, dst in steps:
            if not {"axis_in", "host"} & {*kinds[dst[0]].uses}:  # messages leave the card there
                found[dst] &= found[src] | _known_after(kinds[src[0]])
        if found == before:
            return found
