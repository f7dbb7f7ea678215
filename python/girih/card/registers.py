# SPDX-License-Identifier: Apache-2.0
"""Registers of a card by name, over any way to reach them: the virtual card, its control socket, a board."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence

from girih.card.manifest import Manifest, Register, Tile
from girih.errors import GirihError
from girih.spec.kinds import COPIES, INTERRUPTS, TILE_BYTES, WINDOW_BYTES, WINDOW_DATA, WINDOW_INDEX

WORD_BYTES = 4
TRIED = 5  # accesses that are timed
PENDING, ENABLE = INTERRUPTS  # the registers of a tile with interrupts
TENANT_SHIFT = 24  # of a request's tenant in its byte address
# The terms of the conservation law (docs/contracts.md) by prefix of a counter's name.
SOURCES = ("in_", "made_")
ENDS = ("out_", "drop_", "used_")
# What the shells count at each fabric port: what tiles send into the fabric, and what they receive from it.
ON_THE_FABRIC = {"messages": ("out_messages", "in_messages"), "flits": ("mark_out_flits", "mark_in_flits")}


class AccessRefused(GirihError):
    """The card answered an access with an error: nothing is at this address, or the tenant must not access it."""


class Bus(ABC):
    """32-bit accesses to the card's AXI4-Lite address space. A board implements these two.

    Both raise AccessRefused if the answer is an error.
    """

    @abstractmethod
    def read32(self, address: int) -> int:
        """The word at byte address `address`."""

    @abstractmethod
    def write32(self, address: int, value: int) -> None:
        """Writes the word at byte address `address`."""

    def read_many(self, addresses: Sequence[int]) -> list[int]:
        """The words at these addresses, read in order."""
        return [self.read32(address) for address in addresses]

    def read_indirect(self, tile: int, at: int, words: int = 1) -> list[int]:
        """Words from byte `at` of the window of the tile at byte address `tile` on, by its index, which goes on with each. One operation, so that no access
        of another program comes between."""
        self.write32(tile + WINDOW_INDEX, at)
        return [self.read32(tile + WINDOW_DATA) for _ in range(words)]

    def write_indirect(self, tile: int, at: int, value: int) -> None:
        """Writes that word, likewise."""
        self.write32(tile + WINDOW_INDEX, at)
        self.write32(tile + WINDOW_DATA, value)

    def change(self, writes: Sequence[tuple[int, int]]) -> None:
        """Writes words at addresses, in order; as one change if the way to the card has such changes."""
        for address, value in writes:
            self.write32(address, value)


class _TenantBus(Bus):
    """Another bus, with a tenant's number, of so many bits, in every request."""

    def __init__(self, bus: Bus, tenant: int, bits: int):
        if not 0 < tenant < 1 << bits:
            raise GirihError(f"there is no tenant {tenant}", "control", f"Give 1 to {(1 << bits) - 1}.")
        self._bus = bus
        self._bits = tenant << TENANT_SHIFT

    def read32(self, address: int) -> int:
        return self._bus.read32(address | self._bits)

    def write32(self, address: int, value: int) -> None:
        self._bus.write32(address | self._bits, value)

    def read_indirect(self, tile: int, at: int, words: int = 1) -> list[int]:
        return self._bus.read_indirect(tile | self._bits, at, words)

    def write_indirect(self, tile: int, at: int, value: int) -> None:
        self._bus.write_indirect(tile | self._bits, at, value)


class Registers:
    """Registers, counters and histograms of a design by name, through `bus`.

    tenant: who accesses; 0 is the operator. A tenant reaches only its own parts of windows.
    """

    def __init__(self, manifest: Manifest, bus: Bus, tenant: int = 0):
        self.manifest = manifest
        self._operator_bus = bus
        self.bus = bus if tenant == 0 else _TenantBus(bus, tenant, manifest.params.tenant_bits)

    @property
    def shown(self) -> list[Tile]:
        """The tiles whose counters can be read."""
        return self.manifest.tiles

    def as_tenant(self, tenant: int) -> Registers:
        """The same registers as a tenant other than the operator sees them; most accesses raise GirihError."""
        return Registers(self.manifest, self._operator_bus, tenant)

    def window_address(self, tile_name: str, offset: int) -> int:
        """The address of a byte of a tile's window, of those that are accessed directly."""
        _, address = self._place(tile_name, offset)
        if address is None:
            raise GirihError(f"offset {offset} of the window is accessed by an index", tile_name, "Use read_window and write_window.")
        return address

    def _place(self, tile_name: str, offset: int) -> tuple[Tile, int | None]:
        """A tile, and the address of a byte of its window; None: it is accessed by an index. Raises GirihError if its window has no such word."""
        tile = self.manifest.tile(tile_name)
        if tile.window is None:
            known = ", ".join(t.name for t in self.manifest.tiles if t.window is not None) or "none"
            raise GirihError(f"tile {tile_name} has no window", self.manifest.name, f"Tiles with a window: {known}.")
        if not 0 <= offset < tile.window_bytes or offset % WORD_BYTES:
            raise GirihError(f"offset {offset} is not in a window", tile_name, f"Give a multiple of 4 below {tile.window_bytes}.")
        direct = WINDOW_BYTES if tile.window_bytes == WINDOW_BYTES else WINDOW_INDEX - tile.window
        return tile, tile.base + tile.window + offset if offset < direct else None

    def read_window(self, tile_name: str, offset: int) -> int:
        """The word at byte `offset` of a tile's window. Raises GirihError if the engine refuses it."""
        return self.read_window_words(tile_name, offset, 1)[0]

    def read_window_words(self, tile_name: str, offset: int, words: int) -> list[int]:
        """Words from byte `offset` of a tile's window on, in order. Raises GirihError if the engine refuses one."""
        tile, address = self._place(tile_name, offset)
        if address is None:
            return self.bus.read_indirect(tile.base, offset, words)
        return self.bus.read_many([self.window_address(tile_name, offset + WORD_BYTES * word) for word in range(words)])

    def write_window(self, tile_name: str, offset: int, value: int) -> None:
        """Writes the word at byte `offset` of a tile's window."""
        tile, address = self._place(tile_name, offset)
        if address is None:
            self.bus.write_indirect(tile.base, offset, value)
        else:
            self.bus.write32(address, value)

    def _find(self, name: str) -> tuple[Tile, Register]:
        tile_name, dot, register_name = name.partition(".")
        tile = self.manifest.tile(tile_name)
        register = tile.registers.get(register_name)
        if not dot or register is None:
            known = ", ".join(f"{tile.name}.{r}" for r in tile.registers) or "none"
            raise GirihError(f"tile {tile_name} has no register {register_name!r}", name, f"It has: {known}.")
        return tile, register

    def name_of(self, address: int) -> str:
        """Describes a byte address: a register's name, else the tile and the offset in it, else the address."""
        for tile in self.manifest.tiles:
            offset = address - tile.base
            for name, register in tile.registers.items():
                if register.offset <= offset < register.offset + WORD_BYTES * -(-register.width // 32):
                    return f"{tile.name}.{name}"
            if 0 <= offset < TILE_BYTES:
                return f"offset {offset:#06x} of tile {tile.name}"
        return f"address {address:#010x}"

    def read(self, name: str) -> int:
        """The value of register `tile.register`, of any width."""
        tile, register = self._find(name)
        words = -(-register.width // 32)
        value = sum(self.bus.read32(tile.base + register.offset + WORD_BYTES * i) << (32 * i) for i in range(words))
        return value & ((1 << register.width) - 1)

    def write(self, name: str, value: int) -> None:
        """Writes register `tile.register`, lowest word first."""
        for address, word in self._words(name, value):
            self.bus.write32(address, word)

    def write_many(self, values: Mapping[str, int]) -> None:
        """Writes registers in order, as one change if the way to the card has such changes."""
        self.bus.change([write for name, value in values.items() for write in self._words(name, value)])

    def _words(self, name: str, value: int) -> list[tuple[int, int]]:
        """The addresses and words of a register's value, lowest word first."""
        tile, register = self._find(name)
        if "w" not in register.access:
            raise GirihError("the register can only be read", name, "Choose one whose access has a w.")
        if not 0 <= value < 1 << register.width:
            raise GirihError(f"{value} does not fit {register.width} bits", name, f"It may be 0 to {(1 << register.width) - 1}.")
        first = tile.base + register.offset
        return [(first + WORD_BYTES * i, value >> (32 * i) & 0xFFFF_FFFF) for i in range(-(-register.width // 32))]

    def counter(self, tile: Tile, name: str) -> int:
        """A 64-bit counter, read consistently while it counts: the high word is read before and after."""
        return self.read_counter(tile.base + tile.counters[name])

    def read_counter(self, address: int) -> int:
        """The 64-bit counter at a byte address."""
        while True:
            high = self.bus.read32(address + WORD_BYTES)
            low = self.bus.read32(address)
            if self.bus.read32(address + WORD_BYTES) == high:
                return high << 32 | low

    def read_counters(self, addresses: Sequence[int]) -> list[int]:
        """The 64-bit counters at these byte addresses, each read consistently."""
        return [self.read_counter(address) for address in addresses]

    def counters(self, tile_name: str | None = None) -> dict[str, dict[str, int]]:
        """Tile to counter to value, of one tile or of all. On a card with snapshots, those of a tile are of one cycle."""
        tiles = [self.manifest.tile(tile_name)] if tile_name else self.shown
        read = self._snapshot if self.manifest.snapshots else self._one_by_one
        return {tile.name: read(tile) for tile in tiles}

    def seconds_to_count(self, more: int = 0) -> float:
        """About how long `counters` and `more` accesses take on this card, from the shortest of a few accesses: longer ones also waited for the processor."""
        words = sum(2 * len(tile.counters) for tile in self.shown) + more
        return words * min(self._seconds_of_an_access() for _ in range(TRIED))

    def _seconds_of_an_access(self) -> float:
        start = time.monotonic()
        self.bus.read32(self.shown[-1].base)
        return time.monotonic() - start

    def _one_by_one(self, tile: Tile) -> dict[str, int]:
        return {name: self.counter(tile, name) for name in tile.counters}

    def _snapshot(self, tile: Tile) -> dict[str, int]:
        """Copies the counters of a tile in one cycle, and reads the copy."""
        start = tile.base + COPIES
        self.bus.write32(start, 1)
        first = min(tile.counters.values())
        words = {name: start + offset - first for name, offset in tile.counters.items()}
        return {name: self.bus.read32(word) | self.bus.read32(word + WORD_BYTES) << 32 for name, word in words.items()}

    def check_interrupts(self, tile_name: str) -> Tile:
        """The tile, if it has interrupts. Raises GirihError."""
        tile = self.manifest.tile(tile_name)
        if not tile.interrupts:
            raise GirihError(f"tile {tile_name} has no interrupts", self.manifest.name, f"Tiles with interrupts: {', '.join(self.manifest.interrupts) or 'none'}.")
        return tile

    def interrupts(self, tile_name: str) -> list[str]:
        """The pending interrupts of a tile, by name."""
        tile = self.check_interrupts(tile_name)
        pending = self.read(f"{tile_name}.{PENDING}")
        return [name for bit, name in enumerate(tile.interrupts) if pending >> bit & 1]

    def enable_interrupts(self, tile_name: str, names: Collection[str] | None = None) -> None:
        """Lets these interrupts of a tile, or all, raise its line, and no others."""
        self.write(f"{tile_name}.{ENABLE}", self._interrupt_bits(tile_name, names))

    def clear_interrupts(self, tile_name: str, names: Collection[str] | None = None) -> None:
        """Clears these pending interrupts of a tile, or all."""
        self.write(f"{tile_name}.{PENDING}", self._interrupt_bits(tile_name, names))

    def _interrupt_bits(self, tile_name: str, names: Collection[str] | None) -> int:
        known = self.check_interrupts(tile_name).interrupts
        unknown = sorted(set(names or ()) - set(known))
        if unknown:
            raise GirihError(f"tile {tile_name} has no interrupt {unknown[0]!r}", self.manifest.name, f"It has: {', '.join(known)}.")
        return sum(1 << bit for bit, name in enumerate(known) if names is None or name in names)

    def link_stalls(self, counters: Mapping[str, Mapping[str, int]] | None = None) -> dict[str, int]:
        """Cycles in which each link held a flit that was not taken, by the link's name: those between a tile and the
        fabric (`fabric > echo`), then those between routers (`[0, 0] > [1, 0]`). counters: of all tiles, if they are known."""
        return self._tile_stalls(counters) | {link: self.read_counter(address) for link, address in self.manifest.stalls.items()}

    def _tile_stalls(self, counters: Mapping[str, Mapping[str, int]] | None) -> dict[str, int]:
        values = counters or self.counters()
        return {name: values[tile.name][counter] for name, tile, counter in self._tile_links()}

    def _tile_links(self) -> Iterator[tuple[str, Tile, str]]:
        """The links between a tile and the fabric: name, tile, and the counter of its stalls there."""
        shown = {tile.name: tile for tile in self.shown}
        for link, name in zip(self.manifest.links, self.manifest.watch.links if self.manifest.watch else self.manifest.links):
            tile, _, end = link.partition(".")
            side, _, port = end.partition("_")
            counter = f"mark_{side}_stalls" + (f"_{port}" if port else "")
            if tile in shown and counter in shown[tile].counters:
                yield name, shown[tile], counter

    def histograms(self) -> dict[str, list[int]]:
        """Tile to bins, of the tiles that have a histogram."""
        return {
            tile.name: self.bus.read_many([tile.base + tile.histogram.offset + WORD_BYTES * i for i in range(tile.histogram.bins)])
            for tile in self.shown
            if tile.histogram
        }


def total(counters: Mapping[str, int], prefixes: tuple[str, ...]) -> int:
    """The sum of a tile's counters whose names have one of the prefixes."""
    return sum(value for name, value in counters.items() if name.startswith(prefixes))


def violations(counters: Mapping[str, Mapping[str, int]], holding: Collection[str] = ()) -> list[str]:
    """Sentences about what breaks the conservation law; the card must be at rest, and the counters those of all its tiles.

    In each tile, every message that came in or was made has left, was used or was dropped. Over all tiles, the messages
    and flits sent into the fabric equal those received from it. holding: tiles that have messages.
    """
    found = []
    for tile, values in counters.items():
        if tile in holding:
            continue
        entered, left = total(values, SOURCES), total(values, ENDS)
        if entered != left:
            parts = ", ".join(f"{n} {v}" for n, v in values.items() if v and n.startswith(SOURCES + ENDS))
            found.append(f"tile {tile}: {entered} messages came in or were made, but {left} are accounted for ({parts})")
    for what, (sent, received) in ON_THE_FABRIC.items():
        sums = [sum(total(values, (name,)) for values in counters.values()) for name in (sent, received)]
        if sums[0] != sums[1]:
            found.append(f"fabric: the tiles sent {sums[0]} {what} into it and received {sums[1]} from it")
    return found
