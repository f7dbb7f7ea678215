# SPDX-License-Identifier: Apache-2.0
"""Tables of match-action stages: choose the index of an entry, and move others out of its way.

    table = table_for(shape)
    await run_async(table.insert(Entry(key, action)), access)

A table knows the card's entries because it has written them, or from `load`. A tenant's controller has its
own table, with `tenant`: it sees and moves only the tenant's entries, and all other places count as taken.

A tenant has its own range of entries (`give`), to which only the tenant and the operator write.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from girih.errors import GirihError
from girih.rmt import hashing
from girih.rmt.stage import Entry, Refused, Shape, Steps, delete_entry, entries_of, read_entry, set_entries, write_entry

OPERATOR = 0


class TableFull(GirihError):
    """There is no place for an entry."""


@dataclass(frozen=True)
class Foreign:
    """A place that another owner has taken."""


def layout(kind: str, entries: int, wanted: Mapping[int, int]) -> dict[int, range] | None:
    """Ranges for tenants with the wanted numbers of entries, from the end of a table down, and the operator's range before them.

    None if they do not fit. In an exact table all are powers of two from 4, as the hardware requires.
    """
    found: dict[int, range] = {}
    end = entries
    for tenant, count in sorted(wanted.items(), key=lambda item: (-item[1], item[0])):
        if not count:
            continue
        if kind == "exact" and not _is_block(range(end - count, end)):
            return None
        found[tenant] = range(end - count, end)
        end -= count
        if end <= 0:
            return None
    if found:
        found[OPERATOR] = range(1 << end.bit_length() - 1) if kind == "exact" else range(end)
    return found if kind != "exact" or all(_is_block(each) for each in found.values()) else None


def _is_block(entries: range) -> bool:
    """Whether a range is valid in an exact table: a power of two of whole rows, aligned to its size."""
    size = len(entries)
    return size >= hashing.WAYS and size & size - 1 == 0 and entries.start % size == 0


class Table:
    """The common part of all kinds. entries: by index. ranges: of tenants that have their own entries."""

    def __init__(self, shape: Shape, tenant: int = OPERATOR, ranges: Mapping[int, range] | None = None):
        self.shape = shape
        self.tenant = tenant
        self.ranges: dict[int, range] = dict(ranges or {})
        self.entries: dict[int, Entry | Foreign] = {}

    def load(self) -> Steps[None]:
        """Reads back the entries of the card."""
        self.entries = {}
        self.ranges = {}
        for tenant in [self.tenant] if self.tenant else range(self.shape.tenants):
            own = yield from entries_of(tenant)
            if own:
                self.ranges[tenant] = own
        for index in self.ranges.get(self.tenant, ()) if self.tenant else range(self.shape.entries):
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
        """Writes an entry, or overwrites the one with the same match and owner; returns its index.

        At no time is another entry missing. Raises TableFull; then nothing has changed.
        """
        entry = self._owned(entry)
        index = self.find(entry)
        if index is None:
            index = yield from self._make_room(entry, self._region(entry.owner))
        yield from self._write(index, entry)
        return index

    def delete(self, entry: Entry) -> Steps[None]:
        """Deletes the entry with this match and owner. Raises KeyError if there is none."""
        index = self.find(entry)
        if index is None:
            raise KeyError(f"no entry with key {entry.key:#x}")
        yield from self.delete_at(index)

    def delete_at(self, index: int) -> Steps[None]:
        """Deletes the entry at an index."""
        yield from delete_entry(index)
        self.entries.pop(index, None)

    def listed(self) -> Iterator[tuple[int, Entry]]:
        """The entries that this controller may see, by index."""
        for index, entry in sorted(self.entries.items()):
            if isinstance(entry, Entry):
                yield index, entry

    def check_range(self, tenant: int, entries: range) -> None:
        """Raises GirihError unless a tenant can have these entries (an empty range: none)."""
        where = _named(entries)
        if entries.stop > self.shape.entries:
            raise GirihError("these entries are out of range", where, f"The table has 0-{self.shape.entries - 1}.")
        for other, taken in self.ranges.items():
            if other not in (tenant, OPERATOR) and tenant != OPERATOR and _overlap(taken, entries):
                raise GirihError(f"tenant {other} has entries {taken.start}-{taken.stop - 1}", where, "Give others, or remove those first.")
        lost = [index for index, entry in self.listed() if tenant and entry.owner == tenant and self._would_lose(tenant, index, entries)]
        if lost:
            remedy = f"Delete them first, as the operator or with --tenant: {', '.join(map(str, lost[:8]))}."
            raise GirihError(f"the tenant has {len(lost)} entries that would no longer be in its range", where, remedy)

    def give(self, tenant: int, entries: range) -> Steps[None]:
        """Sets the range of a tenant's entries; it replaces the previous one. Only for the operator.

        No packet misses an entry meanwhile. Raises GirihError; then nothing has changed.
        """
        self.check_range(tenant, entries)
        yield from set_entries(tenant, entries)
        self._know(tenant, entries)

    def _know(self, tenant: int, entries: range) -> None:
        self.ranges.pop(tenant, None)
        if entries:
            self.ranges[tenant] = entries

    def _would_lose(self, tenant: int, index: int, entries: range) -> bool:
        """Whether a tenant's entry would lose its effect with another range."""
        return index not in entries

    def _holder(self, index: int) -> int:
        """The tenant in whose range an index is; the operator for the rest."""
        return next((tenant for tenant, own in self.ranges.items() if tenant != OPERATOR and index in own), OPERATOR)

    def _region(self, owner: int) -> int:
        """The tenant in whose range the entries of an owner are: its own if it has one. Raises TableFull."""
        if self.tenant and self.tenant not in self.ranges:
            raise TableFull("the tenant has no entries of its own", "entry", "The operator gives them: ./girih ctl tenant set NAME --entries FIRST-LAST.")
        return owner if owner in self.ranges else OPERATOR

    def _write(self, index: int, entry: Entry) -> Steps[None]:
        yield from write_entry(index, entry)
        self.entries[index] = entry

    def _owned(self, entry: Entry) -> Entry:
        return replace(entry, owner=self.tenant) if self.tenant else entry

    def _match(self, entry: Entry) -> tuple:
        return entry.owner, entry.key & entry.mask, entry.mask & (1 << self.shape.key_bits) - 1, entry.order

    def _make_room(self, entry: Entry, region: int) -> Steps[int]:
        """A free index in the range of a tenant; an entry that was there has been moved."""
        raise NotImplementedError


def _named(entries: range) -> str:
    return f"entries {entries.start}-{entries.stop - 1}" if entries else "no entries"


def _overlap(a: range, b: range) -> bool:
    return bool(a) and bool(b) and a.start < b.stop and b.start < a.stop


class TernaryTable(Table):
    """Entries by priority: the lowest order wins at any index, so any free index is good."""

    def check_range(self, tenant: int, entries: range) -> None:
        super().check_range(tenant, entries)
        others = [index for index, entry in self.listed() if tenant and index in entries and entry.owner != tenant]
        if others:
            where = _named(entries)
            raise GirihError(f"others have entries in this range: {', '.join(map(str, others[:8]))}", where, "Delete them first, or give others.")

    def _make_room(self, entry: Entry, region: int) -> Steps[int]:
        yield from ()
        places = [index for index in self.ranges.get(region, range(self.shape.entries)) if self._holder(index) == region]
        for index in places:
            if index not in self.entries:
                return index
        raise TableFull(f"all {len(places)} entries are taken", "entry", "Delete one first.")


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
    """Cuckoo hashing: a key has one place in each of four ways, and others move to make one free.

    Packets of a tenant that has a range are looked up only there. So an entry for every tenant (owner 0) has a copy in each
    range; the one in the operator's is the one that is listed.
    """

    def __init__(self, shape: Shape, tenant: int = OPERATOR, ranges: Mapping[int, range] | None = None):
        super().__init__(shape, tenant, ranges)
        self._places: dict[tuple[int, range], list[int]] = {}

    def places(self, key: int, region: int = OPERATOR) -> list[int]:
        """The indices at which a key can be, in the range of a tenant."""
        own = self.ranges.get(region, range(self.shape.entries))
        if (key, own) not in self._places:
            row_bits = (self.shape.entries // hashing.WAYS - 1).bit_length()
            first, rows = own.start // hashing.WAYS, len(own) // hashing.WAYS
            found = [hashing.row(key, way, row_bits) & rows - 1 | first for way in range(hashing.WAYS)]
            self._places[key, own] = [row * hashing.WAYS + way for way, row in enumerate(found)]
        return [index for index in self._places[key, own] if self._holder(index) == region]

    def find(self, entry: Entry) -> int | None:
        entry = self._owned(entry)
        return self._find(entry, entry.owner if entry.owner in self.ranges else OPERATOR)

    def _find(self, entry: Entry, region: int) -> int | None:
        for index in self.places(entry.key, region):
            other = self.entries.get(index)
            if isinstance(other, Entry) and self._match(other) == self._match(entry):
                return index
        return None

    def insert(self, entry: Entry) -> Steps[int]:
        entry = self._owned(entry)
        written: list[int] = []
        old: dict[int, Entry] = {}
        try:
            for region in self._regions(entry):
                index = self._find(entry, region)
                if index is None:
                    index = yield from self._make_room(entry, region)
                else:
                    old[index] = self._entry(index)
                yield from self._write(index, entry)
                written.append(index)
        except GirihError:
            for index in written:
                yield from self._write(index, old[index]) if index in old else super().delete_at(index)
            raise
        return written[0]

    def delete_at(self, index: int) -> Steps[None]:
        entry = self.entries.get(index)
        if isinstance(entry, Entry):
            for region in self._regions(entry):
                copy = self._find(entry, region)
                if copy is not None and copy != index:
                    yield from super().delete_at(copy)
        yield from super().delete_at(index)

    def listed(self) -> Iterator[tuple[int, Entry]]:
        return ((index, entry) for index, entry in super().listed() if self.find(entry) == index)

    def check_range(self, tenant: int, entries: range) -> None:
        if entries and not _is_block(entries):
            remedy = f"In an exact table they are a power of two, from {hashing.WAYS}, at a multiple of their number: such as 32-63."
            raise GirihError("these entries cannot be a range", _named(entries), remedy)
        super().check_range(tenant, entries)
        if tenant == OPERATOR and any(self._holder(index) == OPERATOR for index in self.entries):
            raise GirihError("the table has entries", "entries of the operator", "Delete them first: afterwards packets are looked up in another range.")

    def _would_lose(self, tenant: int, index: int, entries: range) -> bool:
        return entries != self.ranges.get(tenant, range(0))

    def give(self, tenant: int, entries: range) -> Steps[None]:
        self.check_range(tenant, entries)
        if tenant == OPERATOR:
            yield from super().give(tenant, entries)
            return
        before = self.ranges.get(tenant, range(0))
        if before:  # from then on packets are looked up in the operator's range, which has all entries
            yield from super().give(tenant, range(0))
            for index in [index for index in before if index in self.entries]:
                yield from super().delete_at(index)
        if not entries:
            return
        try:
            yield from self._move_in(tenant, entries)
        except GirihError:
            if before:
                yield from self._move_in(tenant, before)
            raise

    def _move_in(self, tenant: int, entries: range) -> Steps[None]:
        """Makes a range for a tenant that has none: entries there move out, copies of the entries for every tenant's packets move in,
        and then the tenant's packets are looked up there."""
        self._know(tenant, entries)
        displaced = [index for index in entries if index in self.entries]
        known = [(index, self._entry(index)) for index in self.entries]
        everybodys = [entry for index, entry in known if entry.owner == OPERATOR and self._holder(index) in (OPERATOR, tenant)]
        written: list[int] = []
        try:
            for index in displaced:
                entry = self._entry(index)
                yield from self._write((yield from self._make_room(entry, OPERATOR)), entry)
                yield from super().delete_at(index)
            for entry in everybodys:
                index = yield from self._make_room(entry, tenant)
                yield from self._write(index, entry)
                written.append(index)
        except GirihError:
            for index in written:
                yield from super().delete_at(index)
            self._know(tenant, range(0))
            raise
        yield from set_entries(tenant, entries)

    def _entry(self, index: int) -> Entry:
        """The entry at an index that no other tenant uses."""
        entry = self.entries[index]
        assert isinstance(entry, Entry)
        return entry

    def _match(self, entry: Entry) -> tuple:
        return entry.owner, entry.key

    def _regions(self, entry: Entry) -> list[int]:
        """The tenants in whose ranges an entry is."""
        everybody = [tenant for tenant in self.ranges if tenant != OPERATOR] if entry.owner == OPERATOR else []
        return [self._region(entry.owner), *everybody]

    def _make_room(self, entry: Entry, region: int) -> Steps[int]:
        path = self._path(entry.key, region)
        # Starts at the free end, so that an entry is in its new place before its old place is overwritten.
        for source, target in reversed(list(itertools.pairwise(path))):
            yield from self._write(target, self._entry(source))
        return path[0]

    def _path(self, key: int, region: int) -> list[int]:
        """The fewest moves: indices from one of a key's to a free one, each entry to the next index."""
        starts = self.places(key, region)
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
            for place in self.places(entry.key, region):
                if place not in came_from:
                    came_from[place] = index
                    queue.append(place)
        own = self.ranges.get(region, range(self.shape.entries))
        taken = sum(index in own for index in self.entries)
        raise TableFull(f"no place for the entry: {taken} of {len(own)} are taken", "entry", "Delete one first.")


def table_for(shape: Shape, tenant: int = OPERATOR, ranges: Mapping[int, range] | None = None) -> Table:
    """The table of a stage. ranges: those of tenants with their own entries; `load` reads them from the card."""
    return {"exact": ExactTable, "ternary": TernaryTable, "lpm": LpmTable}[shape.kind](shape, tenant, ranges)
