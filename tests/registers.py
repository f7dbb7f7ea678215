# SPDX-License-Identifier: Apache-2.0
"""What each tile's registers must do, whatever its kind."""

from __future__ import annotations

from girih.card.registers import Registers


def keep_what_is_written(registers: Registers, tile_name: str) -> None:
    """The tile says its node, and each bit of every register that can be written holds both values; in the end all are as before. Only for a tile at rest."""
    tile = registers.manifest.tile(tile_name)
    assert registers.read(f"{tile_name}.node") == tile.node
    for name, register in tile.registers.items():
        if register.access != "rw":
            continue
        usual = registers.read(f"{tile_name}.{name}")
        bits = 0x8001_FFFF if name.startswith("next_hop") else (1 << register.width) - 1  # others of its bits are always 0
        for value in (usual ^ bits, usual):
            registers.write(f"{tile_name}.{name}", value)
            assert registers.read(f"{tile_name}.{name}") == value, name
