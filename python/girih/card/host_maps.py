# SPDX-License-Identifier: Apache-2.0
"""The memory mapped behind a card's port to the host. Several programs map memory there: for a guest, and for tiles that use
`dma`. Each unmaps only its own regions, and no region may overlap that of another program."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from girih.card.library import Library
from girih.errors import GirihError


@dataclass(frozen=True)
class Region:
    """Bytes of host memory, by their address there."""

    address: int
    size: int

    @property
    def text(self) -> str:
        return f"{self.address:#x} to {self.address + self.size - 1:#x}"

    def overlaps(self, other: Region) -> bool:
        return self.address < other.address + other.size and other.address < self.address + self.size


@dataclass(frozen=True, eq=False)
class Mapped:
    """A region that is mapped, and the file that it is in, from `at` on. Whoever holds it owns the region: two are never equal, even with the same fields."""

    region: Region
    file: int
    at: int


class HostMaps:
    """The regions that are mapped in a card, each of which one program owns."""

    def __init__(self, library: Library, card: object):
        self._library, self._card = library, card
        self._mapped: list[Mapped] = []

    def map(self, region: Region, descriptor: int, at: int) -> Mapped:
        """Maps the bytes of a file from `at` on. Raises GirihError if one of them is mapped already or is not in the file."""
        for other in self._mapped:
            if region.overlaps(other.region):
                raise GirihError(f"host memory {region.text} overlaps what is mapped there from {other.region.text}", remedy="Choose other addresses, or unmap that first.")
        self._library.call("host_map", self._card, region.address, region.size, descriptor, at)
        mapped = Mapped(region, os.dup(descriptor), at)
        self._mapped.append(mapped)
        return mapped

    def unmap(self, mine: Iterable[Mapped]) -> None:
        """Unmaps regions; those already unmapped are ignored. The card does not run meanwhile, so it sees all other regions stay."""
        gone = set(mine) & set(self._mapped)
        if not gone:
            return
        self._mapped = [mapped for mapped in self._mapped if mapped not in gone]
        for mapped in gone:
            os.close(mapped.file)
        self._library.call("host_unmap", self._card)
        for mapped in self._mapped:
            with suppress(GirihError):  # its file has become shorter: accesses to it end with bus errors, as before
                self._library.call("host_map", self._card, mapped.region.address, mapped.region.size, mapped.file, mapped.at)

    def close(self) -> None:
        """Forgets all regions, whose files are closed; the card has ended."""
        for mapped in self._mapped:
            os.close(mapped.file)
        self._mapped = []

    def all(self) -> list[Mapped]:
        """All mapped regions, of every program."""
        return list(self._mapped)
