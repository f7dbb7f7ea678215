# SPDX-License-Identifier: Apache-2.0
"""match_stage: the rights of tenants' software, whose requests change nothing for other tenants; and bad requests."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge

from girih.rmt import stage as st
from girih.rmt.action import size
from girih.rmt.stage import Entry, Refused
from girih.rmt.tables import layout, table_for
from girih.testing import run_cocotb
from rtl.rmt.stage.match_bench import chain_action, packet_with, start

EXACT, TERNARY, LPM = range(3)
KEY, ENTRIES, RIGHTS, ROW = (4 * size(name) for name in ("KeyWords", "EntriesWords", "RightsWords", "RowWords"))
TENANTS = ["keeps_tenants_apart", "erases_staged_words_with_rights", "looks_alike_whatever_others_write", "refuses_bad_requests", "waits_until_it_is_cleared"]


@pytest.mark.parametrize(
    ("kind", "entries", "halves", "testcase"),
    [(EXACT, 256, 4, TENANTS), (TERNARY, 32, 10, TENANTS), (LPM, 32, 2, "looks_alike_whatever_others_write")],
    ids=["exact", "ternary", "lpm"],
)
def test_tenants_at_a_table(kind, entries, halves, testcase):
    run_cocotb("match_stage", __file__, chained=True, parameters={"Kind": kind, "Entries": entries, "KeyHalves": halves}, testcase=testcase)


@cocotb.test()
async def keeps_tenants_apart(dut):
    """A tenant's controller reaches only its own entries and the objects granted to it."""
    bench, shape = await start(dut)
    await bench.software(
        st.set_rights(1, services=[3, 5], meters=range(8, 16), counters=range(4), registers=range(16, 32))
    )
    await bench.software(st.set_rights(2, services=[7], rights=["exit", "rank", "edit", "lossless", "mirror"]))
    await bench.software(st.set_entries(1, range(4, 8)))
    await bench.software(st.set_entries(2, range(8, 12)))
    operators = Entry(1, chain_action(9), owner=0, mask=0xFFFF_FFFF)
    await bench.software(st.write_entry(0, operators))

    async def allowed(tenant, steps):
        try:
            await bench.software(steps, tenant)
        except Refused:
            return False
        return True

    def entry(**action):
        return Entry(7, action, mask=0xFFFF_FFFF)

    chain = [{"service": 3}, {"service": 5}, {"service": 7}]
    assert await allowed(1, st.write_entry(4, entry(chain_set=1, chain_count=2, chain=chain)))
    assert (await bench.software(st.read_entry(4))).owner == 1
    mine = await bench.software(st.read_entry(4), tenant=1)
    assert mine.action["chain_count"] == 2
    for index, owner in ((5, 0), (6, 2)):  # the operator may write into a tenant's range
        await bench.software(st.write_entry(index, Entry(index, chain_action(index), owner, mask=0xFFFF_FFFF)))
    refused = [
        (1, st.write_entry(0, entry())),  # the operator's
        (1, st.delete_entry(0)),
        (1, st.read_entry(0)),
        (1, st.write_entry(3, entry())),  # free, and outside of its range
        (1, st.write_entry(8, entry())),
        (1, st.write_entry(shape.entries - 1, entry())),
        (1, st.read_entry(3)),
        (1, st.delete_entry(8)),
        *((1, steps(index)) for index in (5, 6) for steps in (st.read_entry, st.delete_entry)),  # others' in its range
        *((1, st.write_entry(index, entry())) for index in (5, 6)),
        (2, st.write_entry(7, entry())),
        (2, st.write_entry(12, entry())),
        (3, st.write_entry(0, entry())),  # it has no entries
        (3, st.write_entry(12, entry())),
        (3, st.read_entry(12)),
        (1, st.set_entries(1, range(16))),
        (1, st.entries_of(2)),
        (2, st.write_entry(4, entry())),  # another tenant's
        (2, st.delete_entry(4)),
        (2, st.read_entry(4)),
        (1, st.write_entry(4, entry(chain_set=1, chain_count=3, chain=chain))),  # service 7
        (1, st.write_entry(4, entry(tenant_set=1, tenant=2))),
        (1, st.write_entry(4, entry(tenant_set=1, tenant=0))),
        (1, st.write_entry(4, entry(exit_set=1))),
        (1, st.write_entry(4, entry(mirror_set=1))),
        (1, st.write_entry(4, entry(lossless_set=1))),
        (1, st.write_entry(4, entry(rank_set=1))),
        (1, st.write_entry(4, entry(meter_set=1, meter=8, treatment=[{}, {"rank_set": 1}]))),
        (1, st.write_entry(4, entry(state={"enable": 1, "index": 16, "target": "rank"}))),
        (1, st.write_entry(4, entry(edit=[{"op": "set", "halves": 1}]))),
        (1, st.write_entry(4, entry(meter_set=1, meter=7))),
        (1, st.write_entry(4, entry(meter_set=1, meter=16))),
        (1, st.write_entry(4, entry(count_set=1, count=4))),
        (1, st.write_entry(4, entry(state={"enable": 1, "index": 15}))),
        (1, st.write_entry(4, entry(state={"enable": 1, "index": 16, "index_bits": 5}))),
        (1, st.write_meter(7, [1, 2, 3, 4])),
        (1, st.read_meter(16)),
        (1, st.read_counter(4)),
        (1, st.read_register(32)),
        (1, st.write_register(15, 1)),
        (1, st.write_default({})),
        (1, st.read_default()),
        (1, st.set_key([5])),
        (1, st.set_rights(1, services=range(16))),
        (2, st.read_meter(8)),
    ]
    before = [await bench.software(st.read_entry(i)) for i in (0, 4, 5, 6)]
    for tenant, steps in refused:
        assert not await allowed(tenant, steps)
    assert [await bench.software(st.read_entry(i)) for i in (0, 4, 5, 6)] == before
    for tenant, steps in [
        (1, st.write_entry(4, entry(meter_set=1, meter=15, count_set=1, count=3, tenant_set=1, tenant=1))),
        (1, st.write_entry(4, entry(state={"enable": 1, "index": 16, "index_bits": 4}))),
        (1, st.write_meter(8, [1, 2, 3, 4])),
        (1, st.read_counter(3)),
        (1, st.write_register(31, 5)),
        (2, st.write_entry(8, entry(exit_set=1, rank_set=1, mirror_set=1, lossless_set=1))),
        (1, st.delete_entry(4)),
        (1, st.write_entry(7, entry())),
        (2, st.write_entry(11, entry(edit=[{"op": "set", "halves": 1}]))),
        (1, st.entries_of(1)),
    ]:
        assert await allowed(tenant, steps)
    assert await bench.software(st.read_meter(8), tenant=1) == [1, 2, 3, 4]
    assert await bench.software(st.read_register(31), tenant=1) == 5

    # Staged words are each tenant's own.
    await bench.access(True, 0, 0x1111, tenant=1)
    await bench.access(True, 0, 0x2222, tenant=2)
    assert await bench.access(False, 0, tenant=1) == 0x1111

    # An entry of a tenant matches its packets only.
    for index in range(12):
        await bench.software(st.delete_entry(index))
    table = table_for(shape, 1, {1: range(4, 8)})
    await bench.software(table.insert(Entry(7, {"meta_set": 1, "meta": 77}, mask=0xFFFF_FFFF)), tenant=1)
    for tenant in range(4):
        after = await bench.send(packet_with(7, shape, tenant))
        assert after.meta == (77 if tenant == 1 else 0)


@cocotb.test()
async def waits_until_it_is_cleared(dut):
    """Commands right after reset see an empty table, and what they write stays."""
    bench, shape = await start(dut)
    old, new = shape.entries - 1, shape.entries - 2
    entry = Entry(7, chain_action(9), mask=0xFFFF_FFFF)
    await bench.software(st.write_entry(old, entry))
    assert await bench.software(st.read_entry(old))
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 0
    assert await bench.software(st.read_entry(old)) is None
    await bench.software(st.write_entry(new, entry))
    await ClockCycles(dut.clk_i, 2 * shape.entries)
    written = await bench.software(st.read_entry(new))
    assert (written.key, written.action["meta"]) == (7, 9)


@cocotb.test()
async def erases_staged_words_with_rights(dut):
    """The next tenant reads nothing of the staged words: they are erased by reset, and when a right, or the range of entries as a whole, comes or
    goes."""
    bench, _shape = await start(dut)

    async def words(tenant):
        return [await bench.access(False, 4 * word, 0, tenant) for word in range(64)]

    async def stage_words(tenant):
        for word in range(64):
            await bench.access(True, 4 * word, tenant << 16 | word + 1, tenant)
        return await words(tenant)

    async def reset():
        dut.rst_i.value = 1
        await ClockCycles(dut.clk_i, 2)
        dut.rst_i.value = 0

    erasing = [
        lambda: bench.software(st.set_entries(1, range(4, 8))),
        lambda: bench.software(st.set_entries(1, range(0))),
        lambda: bench.access(True, RIGHTS + 4, 1 << 5),
        lambda: bench.access(True, RIGHTS + 4, 0),
        lambda: bench.access(True, RIGHTS + 2 * ROW + 4, 8 << 16),
        reset,
    ]
    for operation in erasing:
        await stage_words(1)
        others = await stage_words(2)
        await operation()
        assert await words(1) == [0] * 64
        assert await words(2) == ([0] * 64 if operation is reset else others)

    # What a tenant stages stays when what it has merely changes.
    await bench.software(st.set_entries(1, range(4, 8)))
    await bench.access(True, RIGHTS + 4, 1 << 5)
    own = await stage_words(1)
    await bench.software(st.set_entries(1, range(8, 16)))
    await bench.access(True, RIGHTS + 4, 3 << 5)
    await bench.access(True, RIGHTS + 8, 0)  # tenant 2's
    assert await words(1) == own


@cocotb.test()
async def looks_alike_whatever_others_write(dut):
    """Of two runs that differ only in tenant 2's requests, tenant 1 gets the same answers after as many cycles, and its packets get the same
    results."""

    async def observed(seed):
        others, own = random.Random(seed), random.Random(99)
        for _ in range(20):  # long enough for packets that were in the pipeline
            dut.rst_i.value = 1
            await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        begin = bench.cycle
        await bench.software(st.set_key(list(range(shape.key_halves))))
        for tenant, entries in layout(shape.kind, shape.entries, {1: 8, 2: 8}).items():
            await bench.software(st.set_entries(tenant, entries))
        for tenant, half in ((1, 0), (2, 1)):
            ranges = [range(32 * half, 32 * half + 32)] * 3
            await bench.software(st.set_rights(tenant, range(16), ["exit", "mirror", "rank", "edit", "lossless"], *ranges))
        await bench.software(st.write_entry(0, Entry(1, {"meta_set": 1, "meta": 5}, mask=(1 << shape.key_bits) - 1)))
        seen = []
        for step in range(60):
            while bench.cycle - begin < 3000 + 2000 * step:  # time for any request of the other tenant
                await FallingEdge(dut.clk_i)
            for source, tenant in ((own, 1), (others, 2)):
                asked = bench.cycle
                for steps in requests(source, shape):
                    try:
                        answer = await bench.software(steps, tenant)
                    except Refused:
                        answer = "refused"
                    if tenant == 1:
                        seen.append((bench.cycle - asked, answer))
            for tenant, key in ((1, own.randrange(4)), (1, 1), (2, others.randrange(4))):
                after = await bench.send(packet_with(key, shape, tenant, step if tenant == 1 else None))
                if tenant == 1:
                    seen.append((after.meta, after.drop, after.desc))
        return seen

    bench, shape = await start(dut)
    first, second = await observed(1), await observed(2)
    assert first == second
    assert sum("refused" in each for each in first) > 10 and sum("refused" not in each for each in first) > 50


def staged_words(command: int, index: int) -> st.Steps[list[int]]:
    """A command that reads a register or an entry, and then all staged words."""
    yield st.Access(True, 0x100, (9 if command else 3) << 24 | index)
    words = []
    for word in range(25):
        words.append((yield st.Access(False, 4 * word)))
    return words


def requests(source: random.Random, shape) -> list:
    """Requests that a controller may try: entries anywhere, objects of any tenant, words at any address."""
    index, full = source.randrange(shape.entries), (1 << shape.key_bits) - 1
    if source.random() < 0.5:
        index = shape.entries - 1 - source.randrange(20)
    number = source.randrange(64)
    action = {"meta_set": 1, "meta": source.getrandbits(8), "count_set": 1, "count": number}
    beyond = source.getrandbits(160) & ~full  # bits beyond the key, which the table ignores
    entry = Entry(beyond | source.randrange(4), action, mask=full)
    return [
        source.choice(
            [
                st.write_entry(index, entry),
                st.write_entry(index, entry),
                st.read_entry(index),
                st.delete_entry(index),
                st.write_meter(number, [source.getrandbits(10) for _ in range(4)]),
                st.read_meter(number),
                st.read_counter(number),
                st.write_register(number, source.getrandbits(32)),
                st.read_register(number),
                st.write_default({"drop": 1}),
                st.set_entries(source.randrange(4), range(0)),
                st.entries_of(source.randrange(4)),
                st.set_key([source.randrange(8)]),
                *[staged_words(source.randrange(2), source.randrange(2)) for _ in range(6)],
            ]
        )
    ]


@cocotb.test()
async def refuses_bad_requests(dut):
    bench, shape = await start(dut)
    entry = Entry(3, chain_action(5), mask=0xFFFF_FFFF)
    await bench.software(st.write_entry(2, entry))
    before = [await bench.software(st.read_entry(i)) for i in range(8)]
    key = [await bench.access(False, KEY + 4 * i) for i in range(shape.key_halves)]
    blocks = [(True, ENTRIES + 4, 14 << 16 | 2), (True, ENTRIES + 4, 12 << 16), (True, ENTRIES + 4, 2 << 16), (True, ENTRIES + 4, 12 << 16 | 4)]
    bad = [
        (True, 0x100, 1 << 24 | shape.entries),
        (True, 0x100, 2 << 24 | 0xFFFFFF),
        (True, 0x100, 3 << 24 | 1 << 16),
        (True, 0x100, 4 << 24 | 1),
        (True, 0x100, 6 << 24 | shape.meters),
        (True, 0x100, 8 << 24 | shape.counters),
        (True, 0x100, 9 << 24 | shape.registers),
        (True, 0x100, 0),
        (True, 0x100, 11 << 24),
        (True, 0x100, 0xFF << 24),
        (False, 0x100, 0),
        (True, 0x104, 0),
        (True, 0x108, 0),
        (False, 0x10C, 0),
        (True, KEY, 40),
        (True, KEY, 0x100),
        (True, KEY + 4 * shape.key_halves, 0),
        (False, ENTRIES + 4 * 16, 0),
        (True, ENTRIES + 4, (shape.entries + 4) << 16 | 0),
        (True, ENTRIES + 4, 4 << 16 | 8),
        (True, ENTRIES + 4, 0xFFFF << 16),
        (True, 0x7FC, 0),
    ]
    for write, offset, data in [*bad, *(blocks if shape.kind == "exact" else [])]:
        with pytest.raises(Refused):
            await bench.access(write, offset, data)
    nonsense = [
        {"chain_set": 1, "chain_count": 9},
        {"meter_set": 1, "meter": shape.meters},
        {"count_set": 1, "count": shape.counters},
        {"state": {"enable": 1, "index_bits": 9}},
        {"edit": [{"op": "set", "halves": 3}, {"op": "add", "halves": 2}]},
        {"edit": [{"op": 3}]},
    ]
    for action in nonsense:
        with pytest.raises(Refused):
            await bench.software(st.write_entry(2, Entry(3, action)))
        with pytest.raises(Refused):
            await bench.software(st.write_default(action))
    with pytest.raises(Refused):
        await bench.software(st.write_meter(0, [0, 1 << 20, 0, 1]))
    assert [await bench.software(st.read_entry(i)) for i in range(8)] == before
    assert [await bench.access(False, KEY + 4 * i) for i in range(shape.key_halves)] == key
    assert (await bench.software(st.read_default()))["drop"] == 0
    for _ in range(100):  # any request at all gets an answer
        try:
            offset, data = 4 * random.randrange(512), random.getrandbits(32)
            await bench.access(random.random() < 0.5, offset, data, random.randrange(4))
        except Refused:
            pass
