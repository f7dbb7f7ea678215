# SPDX-License-Identifier: Apache-2.0
"""Third pass: a tile that needs a header gets only messages whose descriptor has the header's offset."""

from __future__ import annotations

from girih.compiler import values
from girih.compiler.model import Card
from girih.compiler.paths import message_paths
from girih.compiler.read.parse import Report
from girih.spec.kinds import HEADERS, Kind, load_kinds

_WORDS = {"network": "the network header", "transport": "the transport header", "payload": "the payload"}


def check_headers(card: Card, report: Report) -> None:
    """Reports each hop that leads to a tile whose headers are not known by then."""
    found = _found(card)
    kinds = {tile.name: tile.kind for tile in card.tiles}
    for path in message_paths(card):
        missing = [header for header in kinds[path.dst].needs if header not in found[path.src] | _known_after(kinds[path.src])]
        if missing:
            tile = card.tile(path.src)
            line = next((hop.line for hop in tile.hops if hop.to == path.dst and hop.line), tile.line)
            givers = [kind.name for kind in load_kinds().values() if missing[0] in kind.gives and (card.params.chain_hops or not kind.chained)]
            report.error(
                line,
                f"messages from {path.src} reach {path.dst} of kind {kinds[path.dst].name} before any tile has found {_WORDS[missing[0]]}",
                f"Send them through a tile of kind {values.listing(givers)} first.",
            )


def _known_after(kind: Kind) -> frozenset[str]:
    """The headers known in all messages that leave a tile of this kind. Includes what it needs, so that a missing header is reported once."""
    return frozenset((*kind.gives, *kind.needs))


def _found(card: Card) -> dict[str, frozenset[str]]:
    """For each tile, the headers known in every message that arrives there."""
    everything = frozenset(HEADERS)
    kinds = {tile.name: tile.kind for tile in card.tiles}
    found = {name: frozenset() if {"axis_in", "host"} & {*kind.uses} else everything for name, kind in kinds.items()}
    paths = message_paths(card)
    while True:
        before = dict(found)
        for path in paths:
            if not {"axis_in", "host"} & {*kinds[path.dst].uses}:  # messages leave the card there
                found[path.dst] &= found[path.src] | _known_after(kinds[path.src])
        if found == before:
            return found
