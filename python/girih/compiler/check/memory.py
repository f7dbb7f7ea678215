# SPDX-License-Identifier: Apache-2.0
"""External memory: a card has one AXI4 port, and a tile at it if the design describes a memory. Grants are to tiles that can ask."""

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
        what = f"{users[0].name} and {tile.name} are both at the card's memory port, and there is one"
        report.error(tile.line, what, f"Remove one of them, and send its requests to the other, next: {users[0].name}")
    if not users and design.memory_line is not None:
        report.error(design.memory_line, "the card has a memory, and no tile that uses it", "Add one: memory: {kind: memory}, or remove the section memory.")
    for tile in users:
        _check_grants(tile, tiles, report)
    _check_host(tiles, report)
    return design.memory if users else None


def _check_host(tiles: Sequence[Tile], report: Report) -> None:
    """A card has one port to the host."""
    users = [tile for tile in tiles if "host" in tile.kind.uses]
    for tile in users[1:]:
        report.error(tile.line, f"{users[0].name} and {tile.name} are both at the card's port to the host, and there is one", "Remove one of them.")



def _check_grants(memory: Tile, tiles: Sequence[Tile], report: Report) -> None:
    """Each grant that is in use holds pages, and a tile that takes replies, or any tile."""
    columns = dict(memory.config)
    entries = [columns[f"grant_{part}"] for part in ("rights", "node", "first", "last")]
    askers = [tile for tile in tiles if tile.kind.takes_replies]
    for number, (rights, node, first, last) in enumerate(zip(*entries, strict=True)):
        whose = f"grant {number} of tile {memory.name}"
        if rights & READ_OR_WRITE and not rights & ANY_NODE and node not in [tile.node for tile in askers]:
            names = values.listing(tile.name for tile in askers)
            report.error(memory.line, f"{whose} is for no tile that takes replies", f"Name in grant_node: {names}, or add {ANY_NODE} to its grant_rights for any tile.")
        if first > last:
            report.error(memory.line, f"{whose} is from page {first} to page {last}, which are none", "Exchange grant_first and grant_last.")
