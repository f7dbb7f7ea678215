# SPDX-License-Identifier: Apache-2.0
"""Tables of match-action stages: decides at which index an entry goes, and moves others out of its way.

    table = table_for(shape)
    await run_async(table.insert(Entry(key, action)), access)

A table knows what is in the card because it has written it, or by `load`. A tenant's controller has its
own, with `tenant`: it sees and moves only the tenant's entries, and others' places are taken.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass, replace

from girih.errors import GirihError
from girih.rmt import hashing
from girih.rmt.stage import Entry, Refused, Shape, Steps, delete_entry, read_entry, write_entry


class TableFull(GirihError):
    """There is no place for an entry."""


@dataclass(frozen=True)
class Foreign:
    """A place that another owner has taken."""


class Table:
    """What all kinds share. entries: what is where, by index."""

    def __init__(self, shape: Shape, tenant: int = 0):
        self.shape = shape
        self.tenant = tenant
        self.entries: dict[int, Entry | Foreign] = {}

    def load(self) -> Steps[None]:
        """Reads back what is in the card."""
        self.entries = {}
        for index in range(self.shape.entries):
            entry: Entry | Foreign | None
            try:
                entry = yield from read_entry(index)
            except Refused:
                entry = Foreign()
            if entry:
                self.entries[index] = entry

    def find(self, entry: Entry) -> int | None:
        """The index of the entry with the same match and owner."""
        wanted = self._match(self._owned(entry))
        for index, other in self.entries.items():
            if isinstance(other, Entry) and self._match(other) == wanted:
                return index
        return None

    def insert(self, entry: Entry) -> Steps[int]:
        """Writes an entry, over the one with the same match and owner if there is one; gives its index.

        At no time is another entry missing. Raises TableFull; then nothing has changed.
        """
        entry = self._owned(entry)
        index = self.find(entry)
        if index is None:
            index = yield from self._make_room(entry)
        yield from write_entry(index, entry)
        self.entries[index] = entry
        return index

    def delete(self, entry: Entry) -> Steps[None]:
        """Deletes the entry with this match and owner. Raises KeyError if there is none."""
        index = self.find(entry)
        if index is None:
            raise KeyError(f"no entry with key {entry.key:#x}")
        yield from delete_entry(index)
        del self.entries[index]

    def _owned(self, entry: Entry) -> Entry:
        return replace(entry, owner=self.tenant) if self.tenant else entry

    def _match(self, entry: Entry) -> tuple:
        return entry.owner, entry.key & entry.mask, entry.mask & (1 << self.shape.key_bits) - 1, entry.order

    def _make_room(self, entry: Entry) -> Steps[int]:
        """An index that is free; what was there has been moved."""
        raise NotImplementedError


class TernaryTable(Table):
    """Entries by priority: the lowest order wins, wherever it stands, so any free index will do."""

    def _make_room(self, entry: Entry) -> Steps[int]:
        yield from ()
        for index in range(self.shape.entries):
            if index not in self.entries:
                return index
        raise TableFull(f"all {self.shape.entries} entries are taken; delete one first")


class LpmTable(TernaryTable):
    """Entries by prefix. The card itself makes longer prefixes go first."""

    def prefix(self, value: int, length: int, action: dict, owner: int = 0) -> Entry:
        """An entry for the keys that begin with the first `length` bits of `value`."""
        bits = self.shape.key_bits
        if not 0 <= length <= bits:
            raise ValueError(f"a prefix of {length} bits: the key has {bits}")
        mask = (1 << bits) - (1 << bits - length)
        return Entry(key=value & mask, mask=mask, action=action, owner=owner, order=bits - length)


class ExactTable(Table):
    """Cuckoo hashing: a key has one place in each of four ways, and others move to make one free."""

    def __init__(self, shape: Shape, tenant: int = 0):
        super().__init__(shape, tenant)
        self.row_bits = (shape.entries // hashing.WAYS - 1).bit_length()
        self._places: dict[int, list[int]] = {}

    def places(self, key: int) -> list[int]:
        """The indices at which a key can be."""
        if key not in self._places:
            rows = [hashing.row(key, way, self.row_bits) for way in range(hashing.WAYS)]
            self._places[key] = [row * hashing.WAYS + way for way, row in enumerate(rows)]
        return self._places[key]

    def find(self, entry: Entry) -> int | None:
        wanted = self._match(self._owned(entry))
        for index in self.places(entry.key):
            other = self.entries.get(index)
            if isinstance(other, Entry) and self._match(other) == wanted:
                return index
        return None

    def _match(self, entry: Entry) -> tuple:
        return entry.owner, entry.key

    def _make_room(self, entry: Entry) -> Steps[int]:
        path = self._path(self.places(entry.key))
        # From the free end: an entry is written to its new place before the one behind it takes the old one.
        for source, target in reversed(list(itertools.pairwise(path))):
            moved = self.entries[source]
            assert isinstance(moved, Entry)  # a path leads over entries of our own
            yield from write_entry(target, moved)
            self.entries[target] = moved
        return path[0]

    def _path(self, starts: list[int]) -> list[int]:
        """The fewest moves: indices from one of `starts` to a free one, each entry to the next index."""
        came_from: dict[int, int | None] = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            index = queue.popleft()
            entry = self.entries.get(index)
            if entry is None:
                path, at = [], came_from[index]
                while at is not None:
                    path.append(at)
                    at = came_from[at]
                return [*path[::-1], index]
            if isinstance(entry, Foreign):
                continue
            for place in self.places(entry.key):
                if place not in came_from:
                    came_from[place] = index
                    queue.append(place)
        taken = len(self.entries)
        raise TableFull(f"no place for the entry: {taken} of {self.shape.entries} are taken; delete one first")


def table_for(shape: Shape, tenant: int = 0) -> Table:
    """The table of a stage."""
    return {"exact": ExactTable, "ternary": TernaryTable, "lpm": LpmTable}[shape.kind](shape, tenant)
