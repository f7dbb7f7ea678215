# SPDX-License-Identifier: Apache-2.0
"""Third pass: the descriptor has the groups of fields that the card's kinds use, and every field that one kind reads, another writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from girih.compiler import values
from girih.compiler.model import Card, Design
from girih.compiler.read.parse import Report
from girih.spec.kinds import Kind
from girih.spec.message import CHAIN, group_doc, in_order


def with_groups(design: Design, kinds: Mapping[str, Kind | None]) -> Design:
    """The design with the groups that its tiles need. kinds: the kind of every tile, None if unknown."""
    groups = frozenset().union(*(kind.groups for kind in kinds.values() if kind is not None))
    groups = groups | {CHAIN} if design.params.chain_hops else groups - {CHAIN}  # which has been reported
    return replace(design, params=replace(design.params, groups=in_order(groups)))


def check_groups(card: Card, kinds: Mapping[str, Kind], report: Report) -> None:
    """Reports each tile that reads fields which no tile of the card writes. kinds: all known kinds."""
    written = frozenset().union(*(tile.kind.written for tile in card.tiles))
    for tile in card.tiles:
        for group in (group for group in tile.kind.reads if group not in written):
            writers = [kind.name for kind in kinds.values() if group in kind.written]
            report.error(
                tile.line,
                f"tile {tile.name} of kind {tile.kind.name} reads {group} ({group_doc(group)}), which no tile of the card writes",
                f"Add a tile of kind {values.listing(writers)}, or remove {tile.name}." if writers else f"No kind writes it: remove {tile.name}.",
            )
