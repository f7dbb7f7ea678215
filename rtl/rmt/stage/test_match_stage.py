# SPDX-License-Identifier: Apache-2.0
"""match_stage: results of tables and effects of actions, with a packet in every cycle."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.rmt import stage as st
from girih.rmt.stage import Entry, Refused
from girih.rmt.tables import TableFull, layout, table_for
from girih.spec.message import CardParams
from girih.synth import synthesize
from girih.testing import run_cocotb
from rtl.rmt.stage.match_bench import (
    DROP_ACTION,
    Bench,
    chain_action,
    check_chain,
    key_of,
    packet_with,
    random_phv,
    start,
)

EXACT, TERNARY, LPM = range(3)


def build(kind: int, entries: int, halves: int, testcase: list[str]) -> None:
    run_cocotb(
        "match_stage",
        __file__,
        chained=True,
        parameters={"Kind": kind, "Entries": entries, "KeyHalves": halves},
        testcase=testcase,
    )


MODEL = ["finds_what_a_model_finds", "finds_what_a_model_finds_in_ranges"]


def test_exact():
    build(EXACT, 256, 4, ["finds_nothing_before_it_is_empty", "fills_to_the_stated_load", "replaces_whole_entries_under_load"])


def test_exact_with_the_widest_key():
    build(EXACT, 64, 10, MODEL)


def test_a_large_exact_table():
    build(EXACT, 8192, 2, ["a_command_waits_until_the_table_is_empty"])


@pytest.mark.thorough
def test_an_exact_table_is_block_ram():
    area = synthesize("match_exact", CardParams.chained())
    assert area.bram >= 4 and area.lutram <= 16  # for the rows of tenants; a way in LUT RAM would be some hundred


def test_ternary():
    build(TERNARY, 32, 10, [*MODEL, "finds_the_last_entry_first", "replaces_whole_entries_under_load", "never_joins_two_entries"])


def test_lpm():
    build(LPM, 32, 2, [*MODEL, "refuses_what_is_no_prefix"])


def best(entries: dict[int, Entry], key: int, tenant: int, exact: bool) -> Entry | None:
    """The expected result of a table."""
    found = [
        (e.owner == 0 if exact else e.order, index, e)
        for index, e in entries.items()
        if (e.owner in (0, tenant)) and ((key ^ e.key) & e.mask) & (1 << 160) - 1 == 0
    ]
    return min(found, key=lambda f: f[:2])[2] if found else None


def random_entry(table, shape, keys: list[int], number: int) -> Entry:
    bits = shape.key_bits
    owner = random.choice([0, 0, 1, 2])
    key = random.choice(keys)
    action = chain_action(number)
    if shape.kind == "lpm":
        return table.prefix(key, random.randint(0, bits), action, owner)
    full = (1 << bits) - 1
    if shape.kind == "exact":
        return Entry(key, action, owner, full)
    mask = random.choice([full, random.getrandbits(bits), full << random.randint(0, bits) & full])
    return Entry(key, action, owner, mask, random.randint(0, 7))


@cocotb.test()
async def finds_what_a_model_finds(dut):
    await finds_what_a_model_finds_with(dut, {})


@cocotb.test()
async def finds_what_a_model_finds_in_ranges(dut):
    """Tenants 1 and 2 have entries of their own; 3 has none."""
    await finds_what_a_model_finds_with(dut, {1: 16, 2: 4})


async def finds_what_a_model_finds_with(dut, wanted):
    bench, shape = await start(dut)
    table = table_for(shape)
    for tenant, own in layout(shape.kind, shape.entries, wanted).items():
        await bench.software(table.give(tenant, own))
    base = random.getrandbits(shape.key_bits)
    keys = [base ^ 1 << random.randrange(shape.key_bits) for _ in range(30)]
    outcomes = {True: 0, False: 0}

    def check(before, after):
        entry = best(table.entries, key_of(before, shape), before.desc["tenant"], shape.kind == "exact")
        outcomes[entry is not None] += 1
        if entry:
            check_chain(after, entry.action["meta"])
        else:
            assert after.drop == DROP_ACTION and after.meta == 0 and after.desc["chain_count"] == 0

    await bench.software(st.write_default({"drop": 1}))
    bench.on_packet = check
    for number in range(120):
        live = list(table.entries.values())
        if live and (random.random() < 0.3 or len(live) > shape.entries * 3 // 4):
            await bench.software(table.delete(random.choice(live)))
        else:
            try:
                await bench.software(table.insert(random_entry(table, shape, keys, number)))
            except TableFull:
                assert wanted
        for _ in range(40):
            bench.queue.append(packet_with(random.choice(keys), shape, random.choice([0, 1, 2, 3])))
        while bench.queue or bench.inside:
            await cocotb.triggers.RisingEdge(dut.clk_i)
    for index in range(shape.entries):
        entry = await bench.software(st.read_entry(index))
        if index in table.entries:
            mine = table.entries[index]
            assert (entry.key, entry.mask, entry.owner) == (mine.key, mine.mask, mine.owner)
            assert entry.action["meta"] == mine.action["meta"]
        else:
            assert entry is None
    for tenant, own in table.ranges.items():
        if tenant:
            assert {table.entries[index].owner for index in own if index in table.entries} <= {0, tenant}
    assert min(outcomes.values()) > 50


@cocotb.test()
async def finds_nothing_before_it_is_empty(dut):
    """After reset the memory of the table has random content."""
    bench = await Bench(dut).start()
    packets = 0

    def check(before, after):
        nonlocal packets
        packets += 1
        assert (after.meta, after.drop, after.word) == (0, 0, before.word)
        assert after.desc["chain_count"] == 0

    bench.on_packet = check
    bench.make = random_phv
    await ClockCycles(dut.clk_i, 200)
    assert packets > 150


@cocotb.test()
async def finds_the_last_entry_first(dut):
    """Every entry matches every packet. Their priorities decide, whatever their places."""
    bench, shape = await start(dut)
    places = [shape.entries - 1, 0, 7]
    for place in places:
        for order, index in enumerate([place, *(p for p in places if p != place)]):
            await bench.software(st.write_entry(index, Entry(0, chain_action(1 + index), mask=0, order=order)))
        for _ in range(20):
            check_chain(await bench.send(random_phv()), 1 + place)


@cocotb.test()
async def fills_to_the_stated_load(dut):
    """Software fills the table to 95 % while packets look up every entry all the time."""
    bench, shape = await start(dut)
    table = table_for(shape)
    present: list[tuple[int, int]] = []  # key, number

    def check(before, after):
        check_chain(after, before.headers)

    def make():
        key, number = random.choice(present)
        packet = packet_with(key, shape)
        packet.headers = number
        return packet

    bench.on_packet = check
    wanted = shape.entries * 95 // 100
    keys = [0x0A00_0000_0000_0000 + i for i in range(wanted // 2)]
    keys += [random.getrandbits(64) for _ in range(wanted - len(keys))]
    for number, key in enumerate(keys):
        await bench.software(table.insert(Entry(key, chain_action(number))))
        present.append((key, number))
        bench.make = make
    assert len(table.entries) == wanted
    assert bench.left > 10_000
    with pytest.raises(TableFull):
        for _ in range(shape.entries):
            await bench.software(table.insert(Entry(random.getrandbits(64))))


@cocotb.test()
async def replaces_whole_entries_under_load(dut):
    """A packet in every cycle: each gets the old action or the new one, and never the old one after the new one."""
    bench, shape = await start(dut)
    table = table_for(shape)
    mask = (1 << shape.key_bits) - 1
    keys = [random.getrandbits(shape.key_bits) for _ in range(4)]
    newest = {}
    seen = dict.fromkeys(keys, 0)
    for key in keys:
        await bench.software(table.insert(Entry(key, chain_action(0), mask=mask)))
        newest[key] = 0

    def check(before, after):
        key = key_of(before, shape)
        assert seen[key] <= after.meta <= newest[key]
        check_chain(after, after.meta)
        seen[key] = after.meta

    busy = keys[0]
    bench.on_packet = check
    bench.make = lambda: packet_with(busy, shape)
    for number in range(1, 150):
        key = random.choice([busy, random.choice(keys)])
        newest[key] = number
        await bench.software(table.insert(Entry(key, chain_action(number), mask=mask)))
        if number % 10 == 0:
            busy = random.choice(keys)
    assert bench.left > 5000 and sum(seen.values()) > 300


@cocotb.test()
async def never_joins_two_entries(dut):
    """One index is used for one key and then for another: no packet gets the other key's action."""
    bench, shape = await start(dut)
    keys = [random.getrandbits(shape.key_bits) for _ in range(2)]
    hits = 0

    def check(before, after):
        nonlocal hits
        if after.meta:
            assert after.meta % 2 == keys.index(key_of(before, shape))
            check_chain(after, after.meta)
            hits += 1

    bench.on_packet = check
    bench.make = lambda: packet_with(random.choice(keys), shape)
    for number in range(1, 100):
        entry = Entry(keys[number % 2], chain_action(number), mask=(1 << shape.key_bits) - 1)
        await bench.software(st.write_entry(3, entry))
    assert hits > 1000


@cocotb.test()
async def refuses_what_is_no_prefix(dut):
    bench, shape = await start(dut)
    for mask in (1, 1 << shape.key_bits - 2, (1 << shape.key_bits) - 1 ^ 1 << shape.key_bits // 2):
        with pytest.raises(Refused):
            await bench.software(st.write_entry(0, Entry(0, mask=mask)))
        assert await bench.software(st.read_entry(0)) is None


@cocotb.test()
async def a_command_waits_until_the_table_is_empty(dut):
    """A large table is cleared, one row of four entries per cycle, while the window already answers: a command waits for the end, and its entry is found."""
    bench, shape = await start(dut)
    rows = shape.entries // 4
    packet = random_phv()
    table = table_for(shape)
    assert bench.cycle < rows - 500
    await bench.software(table.insert(Entry(key_of(packet, shape), chain_action(3), mask=(1 << shape.key_bits) - 1)))
    assert rows <= bench.cycle < rows + 100
    check_chain(await bench.send(packet), 3)
