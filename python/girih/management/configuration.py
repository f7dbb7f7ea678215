# SPDX-License-Identifier: Apache-2.0
"""Saves the configuration registers of a running card to a file, and restores them."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from ruamel.yaml import YAML, YAMLError
from ruamel.yaml.scalarint import HexInt

from girih.card.registers import WORD_BYTES, Registers
from girih.errors import GirihError
from girih.management.protocol import MOST_ENTRIES
from girih.spec.kind import CONFIG, TILE_MAP
from girih.whole_file import write_whole

COUNTERS = TILE_MAP.size("CountersBase")
RIGHTS = range(TILE_MAP.size("RightsBase"), TILE_MAP.size("NodeTableBase"))  # registers of masters of the control network, and interrupts: only the host writes them


def settings(registers: Registers) -> dict[str, int]:
    """The configuration and the node tables of all tiles that can be read, by name."""
    return {name: registers.read(name) for name in _names(registers)}


def _names(registers: Registers) -> list[str]:
    return [
        f"{tile.name}.{name}"
        for tile in registers.shown
        for name, register in tile.registers.items()
        if "w" in register.access and CONFIG <= register.offset < COUNTERS and register.offset not in RIGHTS
    ]


def save(registers: Registers, path: Path) -> int:
    """Writes them to a file, whole or not at all; returns their number. Raises GirihError."""
    found = settings(registers)
    text = StringIO()
    text.write(f"# The configuration of card {registers.manifest.name}; ./girih ctl restore puts it into the card again.\n")
    YAML().dump({name: HexInt(value) for name, value in found.items()}, text)
    write_whole(path, text.getvalue())
    return len(found)


def load(registers: Registers, path: Path) -> dict[str, int]:
    """The contents of such a file. Raises GirihError, also if it names registers that the card does not have, or that cannot be read."""
    try:
        found = YAML(typ="safe").load(path.read_text())
    except (OSError, ValueError, YAMLError) as error:
        raise GirihError(f"the configuration cannot be read ({error})", str(path), "Make one: ./girih ctl save FILE") from error
    known = set(_names(registers))
    wrong = [name for name, value in found.items() if name not in known or not isinstance(value, int)] if isinstance(found, dict) else ["all of it"]
    if wrong:
        raise GirihError(f"{wrong[0]} is no setting of card {registers.manifest.name}", str(path), "Take a file that ./girih ctl save has made of a card of this design.")
    return found


def restore(registers: Registers, path: Path) -> list[str]:
    """Writes the registers that differ from a file, in as few changes as possible; returns their names. Each change is atomic."""
    wanted, now = load(registers, path), settings(registers)
    differ = [name for name in wanted if wanted[name] != now[name]]
    group: dict[str, int] = {}
    room = MOST_ENTRIES
    for name in differ:
        words = _words(registers, name)
        if words > room:
            registers.write_many(group)
            group, room = {}, MOST_ENTRIES
        group[name] = wanted[name]
        room -= words
    if group:
        registers.write_many(group)
    return differ


def _words(registers: Registers, name: str) -> int:
    tile, _, register = name.partition(".")
    return -(-registers.manifest.tile(tile).registers[register].width // (8 * WORD_BYTES))
