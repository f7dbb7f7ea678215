# SPDX-License-Identifier: Apache-2.0
"""key_hops: for each key what a search of the table finds, a cycle after the table changes; what is held stays; the table at reset."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

Table = list[tuple[bool, bool, int, int]]  # valid, any, node, key


def word(table: Table, index: int) -> int:
    valid, any_key, node, key = table[index]
    return valid << 25 | any_key << 24 | node << 16 | key


def random_table(entries: int, keys: int, random: random.Random) -> Table:
    return [(random.random() < 0.7, random.random() < 0.2, random.getrandbits(8), random.choice([*range(keys), keys, 0xFFFF])) for _ in range(entries)]


def table_at_reset(entries: int, keys: int) -> Table:
    return random_table(entries, keys, random.Random(3))


@pytest.mark.parametrize(("entries", "keys"), [(1, 1), (4, 3), (8, 5), (2, 8)])
def test_key_hops(entries, keys):
    table = table_at_reset(entries, keys)
    packed = sum(word(table, i) << 26 * i for i in range(entries))
    run_cocotb("key_hops", __file__, parameters={"Entries": entries, "Keys": keys, "Reset": f"{26 * entries}'d{packed}"})


def check(dut, table: Table) -> int:
    """Compares what is in force with a search of the table; returns the number of keys without an entry."""
    missing = 0
    for key in range(len(dut.hops_o)):
        found = [node for valid, any_key, node, wanted in table if valid and (any_key or wanted == key)]
        hop = int(dut.hops_o[key].value)
        assert hop >> 25 == bool(found)
        if found:
            assert hop >> 16 & 0xFF == found[0]
        missing += not found
    return missing


@cocotb.test()
async def each_key_has_what_a_search_finds(dut):
    entries, keys = len(dut.entries_i), len(dut.hops_o)
    await reset(dut, hold_i=0)
    check(dut, table_at_reset(entries, keys))
    missing, in_force = 0, table_at_reset(entries, keys)
    for _ in range(3000):
        table, hold = random_table(entries, keys, random), random.random() < 0.3
        for i in range(entries):
            dut.entries_i[i].value = word(table, i)
        dut.hold_i.value = hold
        await RisingEdge(dut.clk_i)  # the table is there
        in_force = in_force if hold else table
        await RisingEdge(dut.clk_i)
        missing += check(dut, in_force)
    assert 0 < missing < 3000 * keys
