# SPDX-License-Identifier: Apache-2.0
"""Access to the match-action tables of a card's ports by the operator or one tenant's controller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.rmt import stage
from girih.rmt.stage import Entry, Shape
from girih.rmt.tables import Table, layout, table_for
from girih.services.chains import Bits, Key

MOST_STAGES = 4


@contextmanager
def _at(port: str, number: int) -> Iterator[None]:
    """Adds the table to errors."""
    try:
        yield
    except stage.Refused:
        raise
    except GirihError as error:
        raise GirihError(error.what, f"{error.where} of stage {number} of {port}", error.remedy) from error


class Stages:
    """Tables by port and stage. `tables` is shared: it holds the tables as each controller of a card knows them."""

    def __init__(self, registers: Registers, tenant: int, tables: dict[tuple[str, int, int], Table]):
        self._registers = registers
        self._tenant = tenant
        self._tables = tables
        self._shapes: dict[tuple[str, int], Shape] = {}
        self._numbers: dict[str, list[int]] = {}

    def run(self, port: str, number: int, steps: stage.Steps):
        """Executes steps in the window of a stage. Raises Refused if the card answers with an error."""
        base = (1 + number) * stage.WINDOW_BYTES

        def access(write: bool, offset: int, data: int) -> int:
            try:
                if not write:
                    return self._registers.read_window(port, base + offset)
                self._registers.write_window(port, base + offset, data)
            except AccessRefused as refused:
                raise stage.Refused(refused.what, f"stage {number} of {port}") from refused
            return 0

        return stage.run(steps, access)

    def shape(self, port: str, number: int) -> Shape:
        """The shape of a stage. Raises GirihError if it does not exist."""
        if (port, number) not in self._shapes:
            try:
                if not 0 <= number < MOST_STAGES:
                    raise stage.Refused(f"stage {number}")
                self._shapes[port, number] = self.run(port, number, stage.shape())
            except stage.Refused as refused:
                raise GirihError(f"there is no stage {number}", port, f"It has {len(self.numbers(port))}, from 0.") from refused
        return self._shapes[port, number]

    def numbers(self, port: str) -> list[int]:
        """The stages of a port."""
        if port not in self._numbers:
            found = []
            for number in range(MOST_STAGES):
                try:
                    self.run(port, number, stage.shape())
                except stage.Refused:
                    break
                found.append(number)
            self._numbers[port] = found
        return self._numbers[port]

    def key(self, port: str, number: int) -> Key:
        """The key of a stage."""
        shape = self.shape(port, number)
        halves = self.run(port, number, stage.key(shape.key_halves))
        while halves and halves[-1][1] == 0:
            halves.pop()
        return Key(tuple(halves), shape.key_halves)

    def entry(self, port: str, number: int, bits: Bits, action: dict, order: int) -> Entry:
        """An entry for packets with these bits. Raises GirihError if the stage cannot match them."""
        key, exact = self.key(port, number), self.shape(port, number).kind == "exact"
        entry = key.entry(bits, action, owner=self._tenant, order=order)
        if exact and {half: mask for half, mask in bits.masks.items() if mask} != dict(key.halves):
            remedy = "It is exact: match the same fields as its other entries, or write kind_0: 1 in the design."
            raise GirihError("the table compares other fields, too", f"stage {number} of {port}", remedy)
        if any(mask & ~dict(key.halves).get(half, 0) for half, mask in bits.masks.items()):
            remedy = "Match only fields that other chains match."
            raise GirihError("the key of the stage lacks a field of the match", f"stage {number} of {port}", remedy)
        return entry

    def table(self, port: str, number: int) -> Table:
        """The table, with the entries that this controller may see."""
        place = port, number, self._tenant
        if place not in self._tables:
            table = table_for(self.shape(port, number), self._tenant)
            self.run(port, number, table.load())
            self._tables[place] = table
        return self._tables[place]

    def forget(self) -> None:
        """Discards the tables, so that their next use reads them again, for cards to which others write."""
        self._tables.clear()

    def cleared(self, port: str, number: int, wanted: Mapping[int, int]) -> None:
        """Starts with an empty table, as after reset. wanted: the number of entries of each tenant."""
        shape = self.shape(port, number)
        ranges = layout(shape.kind, shape.entries, wanted)
        if ranges is None:
            remedy = "Give tenants fewer entries, or the table more."
            raise GirihError("the tenants' entries do not fit", f"stage {number} of {port}", remedy)
        for tenant, entries in ranges.items():
            self.run(port, number, stage.set_entries(tenant, entries))
        self._tables[port, number, self._tenant] = table_for(shape, self._tenant, ranges)

    def insert(self, port: str, number: int, entry: Entry) -> int:
        """Adds an entry; its index. Raises GirihError for one with the same match; then nothing has changed."""
        table = self.table(port, number)
        index = table.find(entry)
        if index is not None:
            raise GirihError(f"entry {index} already matches these packets", f"stage {number} of {port}", "Delete it first, or match other packets.")
        self._changed(port, number)
        with _at(port, number):
            return self.run(port, number, table.insert(entry))

    def delete(self, port: str, number: int, index: int) -> None:
        """Deletes the entry at an index; the card refuses it for another tenant's."""
        table = self.table(port, number)
        self._changed(port, number)
        self.run(port, number, table.delete_at(index))

    def give(self, places: Iterable[tuple[str, int]], tenant: int, entries: range) -> None:
        """Gives a tenant its own entries, in all given tables or in none. Raises GirihError."""
        tables = {place: self.table(*place) for place in places}
        for (port, number), table in tables.items():
            with _at(port, number):
                table.check_range(tenant, entries)
        given: dict[tuple[str, int], range] = {}
        try:
            for (port, number), table in tables.items():
                self._changed(port, number)
                before = table.ranges.get(tenant, range(0))
                with _at(port, number):
                    self.run(port, number, table.give(tenant, entries))
                given[port, number] = before
        except GirihError:
            for (port, number), before in given.items():
                self.run(port, number, tables[port, number].give(tenant, before))
            raise

    def _changed(self, port: str, number: int) -> None:
        """Discards other controllers' copies of the table; they read it again."""
        for place in [place for place in self._tables if place[:2] == (port, number) and place[2] != self._tenant]:
            del self._tables[place]
