# SPDX-License-Identifier: Apache-2.0
"""Tables against a stage made of a dict: load factors, and that no entry is ever missing while others move."""

import random

import pytest

from girih.rmt import action, hashing
from girih.rmt.stage import Entry, Refused, Shape, run
from girih.rmt.tables import ExactTable, LpmTable, TableFull, TernaryTable

COMMANDS = action.names("command")


class Card:
    """The window of one stage. after_write sees the entries after each command that changed one."""

    def __init__(self, tenant: int = 0):
        self.staged = [0] * 64
        self.entries: dict[int, list[int]] = {}
        self.tenant = tenant
        self.after_write = lambda entries: None

    def access(self, write: bool, offset: int, data: int) -> int:
        word = offset // 4
        if word < 64:
            if write:
                self.staged[word] = data
            return self.staged[word]
        assert write and word == action.size("CommandWord")
        command, index, owner = COMMANDS[data >> 24], data & 0xFFFFFF, action.size("StagedOwner")
        old = self.entries.get(index)
        if old and self.tenant not in (0, old[owner] & 15):
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


def shape(kind: str, entries: int, halves: int = 4) -> Shape:
    return Shape(kind, entries, halves, 64, 64, 256)


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
    operator = ExactTable(shape("exact", 32))
    for key in random_keys(16):
        run(operator.insert(Entry(key)), card.access)
    before = dict(card.entries)
    card.tenant = 3
    table = ExactTable(operator.shape, tenant=3)
    run(table.load(), card.access)
    with pytest.raises(TableFull):
        for key in range(32):
            run(table.insert(Entry(key)), card.access)
    assert before.items() <= card.entries.items()
    assert len(card.entries) > 24


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
