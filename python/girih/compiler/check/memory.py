# SPDX-License-Identifier: Apache-2.0
"""External memory: a card has one AXI4 port, and a tile at it if the design describes a memory."""

from __future__ import annotations

from collections.abc import Sequence

from girih.compiler.model import Design, ExternalMemory, Tile
from girih.compiler.read.parse import Report


def check_memory(design: Design, tiles: Sequence[Tile], report: Report) -> ExternalMemory | None:
    """The memory behind the card's port; None if no tile uses it. Mistakes go to `report`."""
    users = [tile for tile in tiles if "axi" in tile.kind.uses]
    for tile in users[1:]:
        what = f"{users[0].name} and {tile.name} are both at the card's memory port, and there is one"
        report.error(tile.line, what, f"Remove one of them, and send its requests to the other, next: {users[0].name}")
    if not users and design.memory_line is not None:
        report.error(design.memory_line, "the card has a memory, and no tile that uses it", "Add one: memory: {kind: memory}, or remove the section memory.")
    return design.memory if users else None
