# SPDX-License-Identifier: Apache-2.0
"""Tables against a stage made of a dict: load factors, and that no entry is ever missing while others move."""

import random

import pytest

from girih.errors import GirihError
from girih.rmt import action, hashing
from girih.rmt.stage import Entry, Refused, Shape, run
from girih.rmt.tables import ExactTable, LpmTable, TableFull, TernaryTable, layout, table_for

COMMANDS = action.names("command")


class Card:
    """The window of one stage. after_write sees the entries after each command that changed one."""

    def __init__(self, tenant: int = 0):
        self.staged = [0] * 64
        self.entries: dict[int, list[int]] = {}
        self.ranges = [0] * 16
        self.tenant = tenant
        self.after_write = lambda entries: None

    def access(self, write: bool, offset: int, data: int) -> int:
        word = offset // 4
        if word < 64:
            if write:
                self.staged[word] = data
            return self.staged[word]
        own = word - action.size("EntriesWords")
        if 0 <= own < 16:
            if write:
                assert self.tenant == 0
                self.ranges[own] = data
                self.after_write(self.entries)
            return self.ranges[own]
        assert write and word == action.size("CommandWord")
        command, index, owner = COMMANDS[data >> 24], data & 0xFFFFFF, action.size("StagedOwner")
        old = self.entries.get(index)
        if (old and self.tenant not in (0, old[owner] & 15)) or (self.tenant and index not in self.range_of(self.tenant)):
            raise Refused("another's")
        if command == "write":
            self.entries[index] = [*self.staged]
            self.entries[index][owner] |= 1 << 15 | self.tenant
        elif command == "delete":
            self.entries.pop(index, None)
        elif command == "read":
            self.staged = [*(old or [0] * 64)]
        self.after_write(self.entries)
        return 0

    def range_of(self, tenant: int) -> range:
        return range(self.ranges[tenant] & 0xFFFF, self.ranges[tenant] >> 16)

    def found(self, tenant: int, key: int, entries: int) -> int | None:
        """The owner of the entry that a packet with this key finds in an exact table."""
        own = next((each for each in (self.range_of(tenant), self.range_of(0)) if each), range(entries))
        owners = set()
        for way in range(4):
            row = hashing.row(key, way, (entries // 4 - 1).bit_length())
            words = self.entries.get((own.start // 4 + row % (len(own) // 4)) * 4 + way)
            if words and words[0] | words[1] << 32 == key:
                owners.add(words[action.size("StagedOwner")] & 15)
        return tenant if tenant in owners else 0 if 0 in owners else None


def shape(kind: str, entries: int, halves: int = 4) -> Shape:
    return Shape(kind, entries, halves, 64, 64, 256, 16)


def keys_in_a_row(count: int) -> list[int]:
    return [0x0A00_0000_0000 + 16 * i for i in range(count)]


def random_keys(count: int) -> list[int]:
    source = random.Random(5)
    return [source.getrandbits(64) for _ in range(count)]


@pytest.mark.parametrize("entries, percent", [(64, 90), (256, 95), (1024, 95), (4096, 96)])
@pytest.mark.parametrize("keys", [keys_in_a_row, random_keys])
def test_exact_fills(entries, percent, keys):
    table, card = ExactTable(shape("exact", entries)), Card()
    for key in keys(entries * percent // 100):
        run(table.insert(Entry(key)), card.access)
    assert len(card.entries) == entries * percent // 100


def test_no_entry_is_missing_while_others_move():
    table, card = ExactTable(shape("exact", 64)), Card()
    present = set()
    moves = 0

    def key_at(entries, index):
        return entries[index][0] | entries[index][1] << 32 if index in entries else None

    def check(entries):
        nonlocal moves
        moves += 1
        for key in present:
            assert any(key_at(entries, place) == key for place in table.places(key))

    card.after_write = check
    for key in random_keys(60):
        run(table.insert(Entry(key)), card.access)
        present.add(key)
    assert moves > 60  # more than insertions: some have moved others
    found = ExactTable(table.shape)
    card.after_write = lambda entries: None
    run(found.load(), card.access)
    assert {entry.key for entry in found.entries.values()} == present
    for key in sorted(present):
        run(found.delete(Entry(key)), card.access)
    assert not card.entries


def test_a_tenant_moves_only_its_own():
    card = Card()
    operator = ExactTable(shape("exact", 64))
    run(operator.give(0, range(32)), card.access)
    for key in random_keys(16):
        run(operator.insert(Entry(key)), card.access)
    run(operator.give(3, range(32, 64)), card.access)
    before = dict(card.entries)
    assert len(before) == 32  # a copy of each for the tenant's packets
    card.tenant = 3
    table = ExactTable(operator.shape, tenant=3)
    run(table.load(), card.access)
    with pytest.raises(TableFull):
        for key in range(32):
            run(table.insert(Entry(key)), card.access)
    assert before.items() <= card.entries.items()
    assert len(card.entries) > 32 + 8


def test_a_tenant_without_entries_writes_none():
    table, card = TernaryTable(shape("ternary", 8), tenant=2), Card(tenant=2)
    run(table.load(), card.access)
    with pytest.raises(TableFull, match="no entries of its own"):
        run(table.insert(Entry(1)), card.access)


@pytest.mark.parametrize("kind", ["exact", "ternary", "lpm"])
@pytest.mark.parametrize("last", [False, True])
def test_who_fills_its_entries_leaves_those_of_others_whole(kind, last):
    """Whatever the order, each tenant can fill its range, and no entry more."""
    card = Card()
    operator = table_for(shape(kind, 64))
    ranges = layout(kind, 64, {1: 16, 2: 8, 5: 4})
    for tenant, own in ranges.items():
        run(operator.give(tenant, own), card.access)
    for tenant in reversed([1, 2, 5]) if last else [1, 2, 5]:
        card.tenant = tenant
        table = table_for(operator.shape, tenant)
        run(table.load(), card.access)
        keys = iter(random_keys(4000)) if kind == "exact" else iter(range(64))
        full = 0
        while len(table.entries) < len(ranges[tenant]):
            try:
                run(table.insert(Entry(next(keys), order=3)), card.access)
            except TableFull:
                full += 1  # an exact table can be full for a key before it is for all
        with pytest.raises(TableFull):
            run(table.insert(Entry(next(keys), order=3)), card.access)
        assert {index for index, words in card.entries.items() if words[action.size("StagedOwner")] & 15 == tenant} == set(ranges[tenant])
        assert full == 0 or kind == "exact"
    assert len(card.entries) == 28


def test_ranges_change_while_packets_find_all_entries():
    """Entries for everybody and for a tenant are found by each tenant's packets after every single write."""
    card, table = Card(), ExactTable(shape("exact", 128))
    run(table.give(0, range(64)), card.access)
    keys = random_keys(10)
    present: list[int] = []

    def check(_entries):
        for key in present:
            assert all(card.found(tenant, key, 128) == 0 for tenant in range(4)), hex(key)

    card.after_write = check
    for key in keys:
        run(table.insert(Entry(key)), card.access)
        present.append(key)
    changes = [(1, 64, 96), (2, 96, 128), (1, 0, 0), (1, 64, 80), (2, 0, 0), (1, 64, 128), (1, 0, 0), (3, 48, 64), (1, 64, 128)]
    for tenant, first, stop in changes:
        run(table.give(tenant, range(first, stop)), card.access)
        assert [index for index, _ in table.listed()] == sorted(table.find(Entry(key)) for key in keys)
    with pytest.raises(TableFull):
        run(table.give(1, range(64, 72)), card.access)  # 10 do not fit into 8: nothing changes
    assert table.ranges[1] == card.range_of(1) == range(64, 128)
    other = ExactTable(table.shape)
    run(other.load(), card.access)
    assert set(other.entries) == set(table.entries) and other.ranges == table.ranges
    present.clear()
    for key in keys:
        run(table.delete(Entry(key)), card.access)
    assert not card.entries


@pytest.mark.parametrize(
    ("kind", "tenant", "own", "why"),
    [
        ("exact", 1, range(48, 60), "cannot be a range"),
        ("exact", 1, range(24, 40), "cannot be a range"),
        ("exact", 1, range(62, 64), "cannot be a range"),
        ("exact", 1, range(64, 128), "out of range"),
        ("ternary", 1, range(60, 65), "out of range"),
        ("exact", 1, range(32, 64), "tenant 2 has entries 48-63"),
        ("lpm", 1, range(48), "others have entries in this range: 0"),
        ("lpm", 2, range(48, 63), "would no longer be in its range"),
        ("exact", 2, range(0), "would no longer be in its range"),
        ("exact", 0, range(16), "the table has entries"),
    ],
)
def test_a_range_that_cannot_be_given_changes_nothing(kind, tenant, own, why):
    card, table = Card(), table_for(shape(kind, 64))
    run(table.give(2, range(48, 64)), card.access)
    run(table.insert(Entry(5)), card.access)
    for index in range(15 if kind == "exact" else 16):
        run(table.insert(Entry(100 + index, owner=2)), card.access)
    before = dict(card.entries), list(card.ranges)
    with pytest.raises(GirihError, match=why):
        run(table.give(tenant, own), card.access)
    assert (card.entries, card.ranges) == before


def test_layout():
    assert layout("exact", 64, {1: 16, 2: 4, 3: 0}) == {1: range(48, 64), 2: range(44, 48), 0: range(32)}
    assert layout("ternary", 32, {1: 5, 2: 3}) == {1: range(27, 32), 2: range(24, 27), 0: range(24)}
    assert layout("exact", 64, {}) == {}
    for wanted in ({1: 64}, {1: 12}, {1: 2}, {1: 32, 2: 32}, {1: 128}):
        assert layout("exact", 64, wanted) is None
    assert layout("lpm", 16, {1: 16}) is None


def test_the_same_match_is_replaced_in_place():
    for table in (TernaryTable(shape("ternary", 4)), ExactTable(shape("exact", 16))):
        card = Card()
        index = run(table.insert(Entry(5, {"drop": 1}, order=2)), card.access)
        assert run(table.insert(Entry(5, {"drop": 0}, order=2)), card.access) == index
        assert len(card.entries) == 1


def test_prefixes():
    table, card = LpmTable(shape("lpm", 4, halves=2)), Card()
    for length in (0, 8, 16, 32):
        entry = table.prefix(0x0A0B0C0D, length, {})
        assert entry.mask.bit_count() == length and entry.key == 0x0A0B0C0D & entry.mask
        run(table.insert(entry), card.access)
    with pytest.raises(TableFull):
        run(table.insert(table.prefix(0, 9, {})), card.access)
    with pytest.raises(ValueError, match="33 bits"):
        table.prefix(0, 33, {})


def test_hashes_are_independent():
    assert len({hashing.taps(way, bit) for way in range(4) for bit in range(16)}) == 64


def test_actions_come_back():
    word = {"chain_set": 1, "chain_count": 2, "chain": [{"service": 3}, {"meta": 9}], "state": {"target": "meta"}}
    decoded = action.decode(action.encode(word))
    assert action.encode(decoded) == action.encode(word)
    assert decoded["chain"][1]["meta"] == 9
    with pytest.raises(ValueError, match="target is one of"):
        action.encode({"state": {"target": "everywhere"}})
    with pytest.raises(KeyError):
        action.encode({"colour": 1})
