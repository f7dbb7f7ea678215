# SPDX-License-Identifier: Apache-2.0
"""The last drops of the tiles with a `drop_log` in the design, each with its cycle and its reasons."""

from __future__ import annotations

from dataclasses import dataclass

from girih.card.manifest import DropLog, Tile
from girih.card.registers import WORD_BYTES, Registers
from girih.errors import GirihError
from girih.spec.kinds import DROPS
from girih.spec.windows import offset

WINDOW = "drop_log_window"
WORDS = 3  # of a record
OTHER_KEYS = "other"  # stands for all keys without a counter
KEY_THERE = 1 << 31
COUNT_BYTES = 8
NO_NEXT_HOP = "drop_no_next_hop"  # the reason with which a record has a key


@dataclass(frozen=True)
class Drop:
    """What a tile dropped in one cycle, for one reason or several. number: from 0 on. cycle: in which the tile reported it,
    the low 48 bits of the card's register `cycles`. key: of a message without a next hop, else None."""

    tile: str
    number: int
    cycle: int
    reasons: tuple[str, ...]
    key: int | None


@dataclass(frozen=True)
class LastDrops:
    """drops: the records that a tile still has, oldest first. overwritten: the number of records before them."""

    drops: list[Drop]
    overwritten: int


def logging_tiles(registers: Registers) -> list[Tile]:
    """The tiles that keep their last drops and can be read."""
    return [tile for tile in registers.shown if tile.drop_log]


def last_drops(registers: Registers, tile_name: str) -> LastDrops:
    """The last drops of a tile. Those that are overwritten while they are read are left out. Raises GirihError."""
    tile = registers.manifest.tile(tile_name)
    if tile.drop_log is None:
        known = ", ".join(t.name for t in logging_tiles(registers)) or "none"
        raise GirihError(f"tile {tile_name} keeps no drops", registers.manifest.name, f"Give it drop_log: 64 in the design file. Tiles that keep them: {known}.")
    log, entries = tile.drop_log, tile.drop_log.entries
    end = _next(registers, tile)
    numbers = range(max(0, end - entries), end)
    first_words = [tile.base + DROPS + offset(WINDOW, "records", slot=number % entries) for number in numbers]
    words = registers.bus.read_many([word + WORD_BYTES * i for word in first_words for i in range(WORDS)])
    oldest = max(0, _next(registers, tile) - entries)
    drops = [_drop(tile_name, log, number, *words[WORDS * i : WORDS * (i + 1)]) for i, number in enumerate(numbers)]
    return LastDrops([drop for drop in drops if drop.number >= oldest], oldest)


def drops_by_key(registers: Registers) -> dict[str, dict[str, int]]:
    """For each tile that counts them, the messages without a next hop by key. The first keys since reset have counters of
    their own, and OTHER_KEYS has the rest."""
    found = {}
    for tile in logging_tiles(registers):
        if tile.drop_log is None or tile.drop_log.keys == 0:
            continue
        keys, counts = (tile.base + DROPS + offset(WINDOW, part) for part in ("keys", "counts"))
        words = registers.bus.read_many([keys + WORD_BYTES * i for i in range(tile.drop_log.keys)])
        names = [key_text(tile.drop_log, word & 0xFFFF) for word in words if word & KEY_THERE]
        found[tile.name] = {name: registers.read_counter(counts + COUNT_BYTES * i) for i, name in enumerate(names)}
        found[tile.name][OTHER_KEYS] = registers.read_counter(counts + COUNT_BYTES * tile.drop_log.keys)
    return found


def key_text(log: DropLog, key: int) -> str:
    """A key for people: `ethertype 0x88cc`, `destination port 53`."""
    return f"{log.key} {key:#06x}" if log.key == "ethertype" else f"{log.key} {key}"


def _next(registers: Registers, tile: Tile) -> int:
    """The number of the next record."""
    return registers.bus.read32(tile.base + DROPS + offset(WINDOW, "next"))


def _drop(tile: str, log: DropLog, number: int, bits: int, low: int, high: int) -> Drop:
    reasons = tuple(reason for bit, reason in enumerate(log.reasons) if bits >> bit & 1)
    return Drop(tile, number, (high & 0xFFFF) << 32 | low, reasons, high >> 16 if NO_NEXT_HOP in reasons else None)
