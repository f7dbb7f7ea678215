# SPDX-License-Identifier: Apache-2.0
"""The last drops of a tile whose window is a model: it drops some more at each access, and its record numbers start anywhere."""

from pathlib import Path

import pytest

from girih.card.drops import CYCLES, Drop, drops_by_key, in_order, last_drops
from girih.card.manifest import DropLog, Manifest, Tile
from girih.card.registers import Bus, Registers
from girih.spec.kinds import load_kind

BASE, WINDOW = 0x50000, 0x5E000
REASONS = ("drop_bad_tenant", "drop_no_next_hop", "drop_bad_node")
ENTRIES, KEYS = 16, 2


class Log(Bus):
    """dropped: how many have been dropped since reset. rate: drops at each access."""

    def __init__(self, dropped: int, rate: int = 0):
        self.dropped, self.rate = dropped, rate
        self.words: dict[int, int] = {}  # any other

    def read32(self, address: int) -> int:
        self.dropped += self.rate
        at = address - WINDOW
        if at == 0:
            return self.dropped % 2**32
        if at < 0x1000:
            return self.words.get(at, 0)
        slot, word = at - 0x1000 >> 4, at >> 2 & 3
        assert slot < ENTRIES and word < 3
        number = max((n for n in range(max(0, self.dropped - ENTRIES), self.dropped) if n % ENTRIES == slot), default=None)
        return 0 if number is None else (2, number * 10 % 2**32, number % 2**16 << 16 | number * 10 >> 32)[word]

    def write32(self, address: int, value: int) -> None:
        raise AssertionError


def registers(log: Log, key: str | None = "port") -> Registers:
    tile = Tile("echo", "echo", 5, BASE, {}, {}, None, None, drop_log=DropLog(ENTRIES, KEYS, REASONS, key))
    return Registers(Manifest(Path("."), "card", "0", 512, 1, 250, 9018, [], [tile], [], None, 9, 8, {}, {}), log)


@pytest.mark.parametrize("dropped", [0, 1, ENTRIES - 1, ENTRIES, ENTRIES + 5, 2**32 - 3, 2**32, 2**32 + 1, 2**32 + ENTRIES - 1, 2**32 + ENTRIES, 2**33 + 7])
def test_the_number_of_records_wraps(dropped):
    found = last_drops(registers(Log(dropped)), "echo")
    there = range(max(0, dropped - ENTRIES), dropped)
    assert found.drops == [Drop("echo", number % 2**32, number * 10, ("drop_no_next_hop",), number % 2**16) for number in there]
    assert found.overwritten == (there.start % 2**32)


@pytest.mark.parametrize("dropped", [0, 5, ENTRIES, 1000, *(2**32 - before for before in (1, 20, 60, 200)), 2**32 + 3])
@pytest.mark.parametrize("rate", [1, 2, 3])
def test_those_that_last_are_found_however_fast_others_come(dropped, rate):
    """A record takes five accesses with those before and after it, so that at least the newest one lasts."""
    found = last_drops(registers(Log(dropped, rate)), "echo")
    assert found.drops and found.drops[0].number == found.overwritten
    for drop in found.drops:
        number = drop.cycle // 10
        assert drop == Drop("echo", number % 2**32, number * 10, ("drop_no_next_hop",), number % 2**16)


def test_what_is_overwritten_before_it_is_read_is_counted():
    log = Log(100, rate=ENTRIES)
    found = last_drops(registers(log), "echo")
    assert not found.drops and found.overwritten == log.dropped - ENTRIES


@pytest.mark.parametrize("key, name", [("ethertype", "ethertype 0x88cc"), ("destination port", "destination port 35020"), (None, "no key")])
def test_a_table_without_keys_has_none(key, name):
    assert [load_kind(kind).next.meaning for kind in ("eth_rx", "udp_rx", "icmp", "http")] == ["ethertype", "destination port", "protocol", None]
    log = Log(1)
    log.words = {0x100: 1 << 31 | (0x88CC if name != "no key" else 0), 0x200: 7, 0x210: 1}
    assert drops_by_key(registers(log, key)) == {"echo": {name: 7, "other": 1}}
    assert (last_drops(registers(log, key), "echo").drops[0].key is None) == (name == "no key")


def test_a_kind_without_a_table_has_no_key():
    assert last_drops(registers(Log(1), None), "echo").drops == [Drop("echo", 0, 0, ("drop_no_next_hop",), None)]


def test_drops_are_in_order_when_the_cycles_of_records_start_again():
    """The records have the low 48 bits of the cycle; the card has run for longer."""
    now = 3 * CYCLES + 50
    ages = [CYCLES - 2**33, 70_000, 60, 51, 50, 20, 0, -3, -100_000]  # the last two are of a copy that has run on
    drops = [Drop("udp_rx", number, (now - age) % CYCLES, (), None) for number, age in enumerate(ages)]
    assert in_order(reversed(drops), now) == drops
