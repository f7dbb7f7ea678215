# SPDX-License-Identifier: Apache-2.0
"""The last drops of the tiles with a `drop_log` in the design, each with its cycle and its reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

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
NUMBERS = 1 << 32  # of records, before they start again
CYCLES = 1 << 48  # of a record, likewise
AHEAD = 1 << 32  # more cycles than a copy of the card runs while it is read
NO_NEXT_HOP = "drop_no_next_hop"  # the reason with which a record has a key


@dataclass(frozen=True)
class Drop:
    """What a tile dropped in one cycle, for one reason or several. number: from 0 on, modulo 2^32. cycle: in which the tile reported it,
    the low 48 bits of the card's register `cycles`; of a tile with a clock of its own, the nearest by the ratio of the clocks. key: of a message without a next hop, else None."""

    tile: str
    number: int
    cycle: int
    reasons: tuple[str, ...]
    key: int | None


@dataclass(frozen=True)
class LastDrops:
    """drops: the records that a tile still has, oldest first. If drops come as fast as they are read, only the newest may be left.
    overwritten: the number of records before them, modulo 2^32."""

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
    many = tile.drop_log.entries
    while True:
        read, found = _newest(registers, tile, tile.drop_log, many)
        if found.drops or not read or many == 1:
            return found
        many //= 2  # fewer are read faster


def _newest(registers: Registers, tile: Tile, log: DropLog, many: int) -> tuple[int, LastDrops]:
    """Reads up to this many of a tile's newest drops. Returns the number read, and those that were not overwritten meanwhile."""
    end = _next(registers, tile)
    first = end - many  # below 0 where the numbers have started again
    if first < 0 and registers.bus.read32(_record(tile, log, -1)) == 0:  # they have not
        first = 0
    words = registers.bus.read_many([_record(tile, log, number) + WORD_BYTES * i for number in range(first, end) for i in range(WORDS)])
    later = (_next(registers, tile) - end) % NUMBERS
    oldest = max(first, end + later - log.entries)
    ratio = registers.manifest.ratio(tile)
    drops = [_drop(tile.name, log, ratio, number, *words[WORDS * i : WORDS * (i + 1)]) for i, number in enumerate(range(first, end)) if number >= oldest]
    return end - first, LastDrops(drops, oldest % NUMBERS)


def in_order(drops: Iterable[Drop], now: int) -> list[Drop]:
    """Drops of several tiles, oldest first. now: a cycle of the card, at most 2^32 before the last of them (a copy of the card, which is read
    in its place, runs on meanwhile) and less than 2^48 - 2^32 after the first."""
    return sorted(drops, key=lambda drop: (drop.cycle - now - AHEAD - 1) % CYCLES)


def last_drops_of(answer: dict) -> LastDrops:
    """From the answer of a card to `drops`: `asdict` of them, as JSON."""
    return LastDrops([Drop(**{**drop, "reasons": tuple(drop["reasons"])}) for drop in answer["drops"]], answer["overwritten"])


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
        slots = [*range(len(names)), tile.drop_log.keys]
        found[tile.name] = dict(zip([*names, OTHER_KEYS], registers.read_counters([counts + COUNT_BYTES * slot for slot in slots]), strict=True))
    return found


def most_accesses(registers: Registers) -> int:
    """Those that `drops_by_key` makes where all keys are in use: a word for each, and three for each count."""
    return sum(log.keys + 3 * (log.keys + 1) for tile in registers.shown if (log := tile.drop_log) and log.keys)


def key_text(log: DropLog, key: int) -> str:
    """A key for people: `ethertype 0x88cc`, `destination port 53`."""
    if log.key is None:
        return "no key"
    return f"{log.key} {key:#06x}" if log.key == "ethertype" else f"{log.key} {key}"


def _record(tile: Tile, log: DropLog, number: int) -> int:
    """The address of the first word of a record."""
    return tile.base + DROPS + offset(WINDOW, "records", slot=number % log.entries)


def _next(registers: Registers, tile: Tile) -> int:
    """The number of the next record."""
    return registers.bus.read32(tile.base + DROPS + offset(WINDOW, "next"))


def _drop(tile: str, log: DropLog, ratio: Fraction, number: int, bits: int, low: int, high: int) -> Drop:
    reasons = tuple(reason for bit, reason in enumerate(log.reasons) if bits >> bit & 1)
    key = high >> 16 if NO_NEXT_HOP in reasons and log.key is not None else None
    return Drop(tile, number % NUMBERS, int(((high & 0xFFFF) << 32 | low) * ratio) % CYCLES, reasons, key)
