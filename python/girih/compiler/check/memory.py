# SPDX-License-Identifier: Apache-2.0
"""External memory: a card has one AXI4 port, with a tile at it if the design describes a memory or its clock. Only tiles that make requests get grants."""

from __future__ import annotations

from collections.abc import Sequence

from girih.compiler import values
from girih.compiler.model import Design, ExternalMemory, Tile
from girih.compiler.read.parse import Report
from girih.spec.formats import Format

ACCESS = Format("memory_access")
READ_OR_WRITE, ANY_NODE = (ACCESS.encode("grant_rights", dict.fromkeys(names, 1)) for names in (("read", "write"), ("any_node",)))


def check_memory(design: Design, tiles: Sequence[Tile], report: Report) -> ExternalMemory | None:
    """The memory behind the card's port; None if no tile uses it. Mistakes go to `report`."""
    users = [tile for tile in tiles if "axi" in tile.kind.uses]
    for tile in users[1:]:
        what = f"{users[0].name} and {tile.name} are both at the card's only memory port"
        report.error(tile.line, what, f"Remove one of them, and send its requests to the other, next: {users[0].name}")
    if not users and design.memory_line is not None:
        report.error(design.memory_line, "the card has a section memory, but no tile that uses it", "Add one: memory: {kind: memory}, or remove the section memory.")
    _check_host(tiles, report)
    _check_clocks(design, tiles, report)
    for tile in tiles:
        if any(name == "grant_rights" for name, _ in tile.config):
            _check_grants(tile, tiles, report)
        if tile.kind.next and tile.kind.next.key == SPACE:
            _check_spaces(tile, report)
    return design.memory if users else None


def _check_host(tiles: Sequence[Tile], report: Report) -> None:
    """Checks that at most one tile of each kind uses the port to the host."""
    first: dict[str, Tile] = {}
    for tile in tiles:
        if "host" not in tile.kind.uses:
            continue
        other = first.setdefault(tile.kind.name, tile)
        if other is not tile:
            report.error(tile.line, f"{other.name} and {tile.name} are both at the card's only port to the host", "Remove one of them.")


def _check_clocks(design: Design, tiles: Sequence[Tile], report: Report) -> None:
    """Checks that a tile is at each edge that has a clock of its own; a card always has Ethernet ports."""
    for edge, use, example in (("memory", "axi", "memory: {kind: memory}"), ("host", "host", "dma: {kind: dma}")):
        if edge in design.clocks.own and not any(use in tile.kind.uses for tile in tiles):
            line = dict(design.clock_lines).get(edge, 1)
            report.error(line, f"clocks names {edge}, but no tile of the card is at that edge", f"Add one, such as {example}, or remove {edge} from clocks.")


SPACE = "space"  # the key of a kind that accesses several memories


def _check_spaces(tile: Tile, report: Report) -> None:
    """Checks that every space has a next hop: commands may name any space, and a request without a next hop gets no reply."""
    keys = {hop.key for hop in tile.hops}
    missing = [name for name, key in tile.kind.next.names.items() if key not in keys] if None not in keys else []
    if tile.hops and missing:
        what = f"next of tile {tile.name} has no tile for {' and '.join(missing)}, and it may be told to copy there"
        report.error(tile.line, what, f"Add {', '.join(f'{name}: a_tile' for name in missing)}, or send everything to one tile, next: {tile.hops[0].to}")



def _check_grants(memory: Tile, tiles: Sequence[Tile], report: Report) -> None:
    """Checks that each grant in use has pages, and names a tile that takes replies, or any tile."""
    columns = dict(memory.config)
    entries = [columns[f"grant_{part}"] for part in ("rights", "node", "first", "last")]
    askers = [tile for tile in tiles if tile.kind.takes_replies]
    for number, (rights, node, first, last) in enumerate(zip(*entries, strict=True)):
        whose = f"grant {number} of tile {memory.name}"
        if rights & READ_OR_WRITE and not rights & ANY_NODE and node not in [tile.node for tile in askers]:
            names = values.listing(tile.name for tile in askers)
            report.error(memory.line, f"{whose} is for no tile that takes replies", f"Name in grant_node: {names}, or add {ANY_NODE} to its grant_rights for any tile.")
        if first > last:
            report.error(memory.line, f"{whose} is from page {first} to page {last}, the wrong way round", "Exchange grant_first and grant_last.")
