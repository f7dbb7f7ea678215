# SPDX-License-Identifier: Apache-2.0
"""Requests and replies: a tile that sends requests takes replies, and sends them to a tile that answers."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler import values
from girih.compiler.messages import REPLIES, passes_on, requests_of
from girih.compiler.model import Card
from girih.compiler.read.parse import Report
from girih.spec.kinds import Kind


def check_replies(card: Card, kinds: Mapping[str, Kind], report: Report) -> None:
    """Reports each tile that sends requests but takes no replies, and each that takes replies but sends no requests, or sends
    them to a tile that never answers. kinds: all known kinds."""
    askers = values.listing([kind.name for kind in kinds.values() if kind.takes_replies])
    answerers = values.listing([kind.name for kind in kinds.values() if kind.sends_replies])
    for tile in card.tiles:
        for hop in (*tile.hops, *tile.ways):
            if card.tile(hop.to).kind.sends_replies and not tile.kind.takes_replies:
                what = f"tile {tile.name} sends to {hop.to}, which answers; a {tile.kind.name} takes no replies"
                report.error(hop.line, what, f"Only tiles of kind {askers} may send to it.")
        if not tile.kind.takes_replies:
            continue
        for hop in passes_on(tile):
            if card.tile(hop.to).kind.sends_replies:
                what = f"tile {tile.name} sends messages to {hop.to}, which takes requests only"
                report.error(hop.line, what, f"Name it for requests{_apart(tile.kind)}, or send them to another tile.")
        requests = requests_of(tile)
        if not requests:
            what = f"tile {tile.name} of kind {tile.kind.name} takes replies, and its next names no tile for its requests"
            report.error(tile.line, what, f"Name a tile of kind {answerers}{_apart(tile.kind)}.")
        for hop in requests:
            if not card.tile(hop.to).kind.sends_replies:
                what = f"tile {tile.name} sends requests to {hop.to}; a {card.tile(hop.to).kind.name} never answers"
                report.error(hop.line, what, f"Send them to a tile of kind {answerers}{_apart(tile.kind)}.")
            elif hop.key is None and _apart(tile.kind):
                what = f"tile {tile.name} sends to {hop.to} requests and what it makes of replies"
                report.error(hop.line, what, f"Name a tile for each{_apart(tile.kind)}.")


def _apart(kind: Kind) -> str:
    """The end of a remedy: how `next` names separate tiles, for a kind that sends other messages, too."""
    names = kind.next.names if kind.next else {}
    words = kind.requests or (names if REPLIES in names else {})
    return f", next: {{{', '.join(f'{name}: a_tile' for name in words)}}}" if words else ""
