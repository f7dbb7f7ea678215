# SPDX-License-Identifier: Apache-2.0
"""next_hop_table: against a search in Python, on random tables with few keys, so that keys repeat."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from girih.testing import run_cocotb

NODES = random.Random(1).getrandbits(256)


@pytest.mark.parametrize("entries", [1, 4, 8])
def test_next_hop_table(entries):
    run_cocotb("next_hop_table", __file__, parameters={"Entries": entries, "Nodes": f"256'd{NODES}"}, testcase="lowest_matching_entry_wins")


@pytest.mark.parametrize("entries", [1, 3, 8])
def test_an_entry_for_each_key(entries):
    run_cocotb("next_hop_table", __file__, parameters={"Entries": entries, "Nodes": f"256'd{NODES}", "Direct": 1}, testcase="each_key_has_its_entry")


@cocotb.test()
async def lowest_matching_entry_wins(dut):
    hits = 0
    for _ in range(3000):
        table = []
        for i in range(len(dut.entries_i)):
            valid, any_key = random.random() < 0.7, random.random() < 0.2
            node, key = random.getrandbits(8), random.choice([0, 1, 0x0800, 0xFFFF])
            table.append((valid, any_key, node, key))
            dut.entries_i[i].value = valid << 25 | any_key << 24 | node << 16 | key
        wanted = random.choice([0, 1, 0x0800, 0xFFFF, 7])
        dut.key_i.value = wanted
        await Timer(1, unit="ns")
        found = [node for valid, any_key, node, key in table if valid and (any_key or key == wanted)]
        assert dut.hit_o.value == bool(found)
        assert dut.takes_o.value == (NODES >> found[0] & 1 if found else 0)
        if found:
            hits += 1
            assert dut.node_o.value == found[0]
    assert 0 < hits < 3000


@cocotb.test()
async def each_key_has_its_entry(dut):
    keys = len(dut.entries_i)
    for _ in range(1000):
        table = [(random.random() < 0.7, random.getrandbits(8)) for _ in range(keys)]
        for k, (valid, node) in enumerate(table):
            dut.entries_i[k].value = valid << 25 | node << 16 | random.getrandbits(16)
        for key in [*range(keys), keys, 0xFFFF]:
            dut.key_i.value = key
            await Timer(1, unit="ns")
            valid, node = table[key] if key < keys else (False, 0)
            assert dut.hit_o.value == valid
            assert dut.takes_o.value == (NODES >> node & 1 if valid else 0)
            if valid:
                assert dut.node_o.value == node
