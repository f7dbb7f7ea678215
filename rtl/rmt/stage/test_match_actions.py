# SPDX-License-Identifier: Apache-2.0
"""match_stage: what the actions do to packets, counters, meters and registers, with a packet in every cycle."""

import random

import cocotb
from cocotb.triggers import RisingEdge

from girih.rmt import stage as st
from girih.rmt.stage import Entry
from girih.spec.message import pack
from girih.testing import run_cocotb
from girih.testing.messages import DESC_FIELDS
from rtl.rmt.stage.match_bench import DROP_ACTION, DROP_METER, EDITS, META_HALF, NO_DROP, WORDS, Bench, Phv, random_phv

KEY_HALF = META_HALF  # the mark's low half chooses the entry
ANY = 0xFFFF
SOURCE_META, SOURCE_LENGTH = WORDS, WORDS + 3


def test_actions():
    run_cocotb("match_stage", __file__, chained=True, parameters={"Kind": 1, "Entries": 16, "KeyHalves": 1})


async def start(dut, actions: list[dict]) -> Bench:
    """A stage whose entry i does actions[i] to the packets with mark i."""
    bench = await Bench(dut).start()
    await bench.software(st.set_key([KEY_HALF]))
    for index, action in enumerate(actions):
        await bench.software(st.write_entry(index, Entry(index, action, mask=ANY)))
    return bench


async def drain(bench):
    while bench.queue or bench.inside:
        await RisingEdge(bench.dut.clk_i)


def packet(number: int, length: int = 64) -> Phv:
    phv = random_phv(length=length)
    phv.meta = number
    return phv


def ones_complement(a: int, b: int) -> int:
    total = a + b
    return (total & 0xFFFF) + (total >> 16)


def edited(phv: Phv, edits: list[dict]) -> tuple[list[int], list[dict], bool]:
    """The words, the list of edits, and whether the list was too short."""
    words, done, full = list(phv.word), list(phv.edit), False
    for edit in edits:
        number, halves, value = edit["number"], edit["halves"], edit["value"]
        if edit["op"] == "none" or not halves or not phv.word_valid >> number & 1:
            continue
        old = phv.word[number]
        if edit["op"] == "set":
            new = value
        elif halves == 3:
            new = old + value & 0xFFFF_FFFF
        else:
            new = (old & 0xFFFF_0000) + (value & 0xFFFF_0000) & 0xFFFF_0000 | old + value & 0xFFFF
        mask = (0xFFFF if halves & 1 else 0) | (0xFFFF_0000 if halves & 2 else 0)
        if len(done) == EDITS:
            full = True
            continue
        words[number] = words[number] & ~mask | new & mask
        delta = [
            ones_complement(new >> 16 * h & 0xFFFF, ~old >> 16 * h & 0xFFFF) if halves >> h & 1 else 0 for h in (0, 1)
        ]
        done.append({"number": number, "halves": halves, "value": words[number], "delta": delta})
    return words, done, full


def random_edits() -> list[dict]:
    edits: list[dict] = [
        {
            "op": random.choice(["none", "set", "add", "add"]),
            "number": random.randrange(WORDS),
            "halves": random.randrange(4),
            "value": random.choice([random.getrandbits(32), 0xFF00_FF00]),
        }
        for _ in range(2)
    ]
    one, other = edits
    if random.random() < 0.3:
        other["number"] = one["number"]
    if one["number"] == other["number"]:
        other["halves"] &= ~one["halves"] & 3
    return edits


@cocotb.test()
async def edits_words(dut):
    actions = [{"edit": random_edits()} for _ in range(16)]
    bench = await start(dut, actions)
    lists = {True: 0, False: 0}

    def check(before, after):
        words, edits, full = edited(before, actions[before.meta]["edit"])
        assert after.word == words
        assert after.edit == edits
        assert after.drop == (DROP_ACTION if full else NO_DROP)
        lists[full] += 1

    bench.on_packet = check
    for _ in range(2000):
        phv = packet(random.randrange(16))
        phv.word_valid = random.getrandbits(16) | random.getrandbits(16)
        earlier = random.randint(0, EDITS)
        phv.edit = [{"number": 1, "halves": 1, "value": 5, "delta": [7, 0]} for _ in range(earlier)]
        bench.queue.append(phv)
    await drain(bench)
    assert min(lists.values()) > 100


@cocotb.test()
async def sets_and_drops(dut):
    hop = {"service": 9, "rank_class": 4, "meta": 0x5A}
    settings = [
        ({"tenant_set": 1, "tenant": 5}, {"tenant": 5}),
        ({"chain_set": 1, "chain_count": 8, "chain": [hop] * 8}, {"chain_count": 8, "chain": [0x945A] * 8}),
        ({"exit_set": 1, "exit": 0x31}, {"exit": 0x31}),
        ({"flow_set": 1, "flow": 0xBEEF}, {"flow": 0xBEEF}),
        ({"lossless_set": 1, "lossless": 1}, {"lossless": 1}),
        ({"rank_set": 1, "rank": 0x555}, {"rank_valid": 1, "rank": 0x555}),
    ]
    bench = await start(dut, [action for action, _ in settings] + [{"drop": 1}, {"mirror_set": 1, "mirror": 7}])
    for number, (_, wanted) in enumerate(settings):
        before = packet(number)
        before.desc |= {"exit": 3, "flow": 4, "port": 2}
        after = await bench.send(before)
        assert pack(DESC_FIELDS, after.desc) == pack(DESC_FIELDS, before.desc | wanted)
        assert (after.drop, after.mirror, after.word) == (NO_DROP, 0, before.word)
    number = len(settings)
    assert (await bench.send(packet(number))).drop == DROP_ACTION
    after = await bench.send(packet(number + 1))
    assert (after.mirror, after.mirror_exit) == (1, 7)
    dropped = packet(1)
    dropped.drop = DROP_METER
    after = await bench.send(dropped)
    assert after.drop == DROP_METER and after.desc["chain_count"] == 0


@cocotb.test()
async def counts_exactly(dut):
    bench = await start(dut, [{"count_set": 1, "count": i // 2, "drop": i % 2} for i in range(16)])
    totals = {i: [0, 0] for i in range(8)}
    for _ in range(1500):
        number, length = random.choice([0, 0, random.randrange(16)]), random.randint(60, 9018)
        bench.queue.append(packet(number, length))
        totals[number // 2][0] += 1
        totals[number // 2][1] += length
    await drain(bench)
    for index, total in totals.items():
        assert list(await bench.software(st.read_counter(index))) == total
    assert await bench.software(st.read_counter(63)) == (0, 0)


@cocotb.test()
async def keeps_state(dut):
    """Count and compare, a maximum in a register that the packet selects, and results as rank and mark."""
    atom = {"constant": 100, "against": "state_constant", "compare": "less", "if_true": "increment"}
    first = {"enable": 1, "index": 5, "target": "drop_if_false", "atom": atom}
    largest = {
        "enable": 1,
        "index": 0x40,
        "index_half": 1,
        "index_bits": 2,
        "source": SOURCE_LENGTH,
        "target": "meta",
        "atom": {"if_true": "max", "result": "new"},
    }
    sequence = {"enable": 1, "index": 9, "target": "rank", "atom": {"if_true": "increment", "result": "old"}}
    part = {
        "enable": 1,
        "index": 10,
        "source": 3,
        "part": "high",
        "target": "flow",
        "atom": {"if_true": "operand", "result": "new"},
    }
    low = part | {"index": 11, "part": "low"}
    step = {"constant": 0xABC_DE01, "if_true": "add", "result": "new"}
    sum_up = {"enable": 1, "index": 12, "part": "constant", "target": "meta", "atom": step}
    until = {"constant": 3, "against": "state_constant", "compare": "at_least", "if_false": "increment"}
    last = {"enable": 1, "index": 13, "target": "drop_if_true", "atom": until}
    bench = await start(dut, [{"state": s} for s in (first, largest, sequence, part, low, sum_up, last)])
    counted, maxima, numbers, steps, passed = 0, [0] * 4, 0, 0, 0

    def check(before, after):
        nonlocal counted, numbers, steps, passed
        if before.meta == 0:
            assert after.drop == (NO_DROP if counted < 100 else DROP_ACTION)
            counted = min(counted + 1, 100)
        elif before.meta == 1:
            which = before.word[0] >> 16 & 3
            maxima[which] = max(maxima[which], before.desc["length"])
            assert after.meta == maxima[which]
        elif before.meta == 2:
            assert (after.desc["rank_valid"], after.desc["rank"]) == (1, numbers & 0x7FF)
            numbers += 1
        elif before.meta == 3:
            assert after.desc["flow"] == before.word[3] >> 16
        elif before.meta == 4:
            assert after.desc["flow"] == before.word[3] & 0xFFFF
        elif before.meta == 5:
            steps += 1
            assert after.meta == steps * 0xABC_DE01 & 0xFFFF_FFFF
        else:
            passed += 1
            assert after.drop == (NO_DROP if passed <= 3 else DROP_ACTION)

    bench.on_packet = check
    for _ in range(1500):
        bench.queue.append(packet(random.choice([0, 1, 2, 2, 2, 3, 4, 5, 6]), random.randint(60, 9018)))
    await drain(bench)
    assert counted == 100 and numbers > 400 and steps > 100 and passed > 100
    assert await bench.software(st.read_register(5)) == 100
    assert [await bench.software(st.read_register(0x40 + i)) for i in range(4)] == maxima
    await bench.software(st.write_register(5, 40))
    counted = 40
    bench.queue.append(packet(0))
    await drain(bench)
    assert await bench.software(st.read_register(5)) == 41


@cocotb.test()
async def treats_colours(dut):
    """A burst is green, then yellow with a rank, then dropped; a meter passes its rate."""
    treatment = [{}, {"rank_set": 1, "rank": 77}, {"drop": 1}]
    bench = await start(dut, [{"meter_set": 1, "meter": 3, "treatment": treatment}])
    # 64 meters: a turn is 64 cycles; 1024 and 2048 bytes per turn.
    words = [1024 << 12, 2048, 2048 << 12, 8192]
    await bench.software(st.write_meter(3, words))
    assert await bench.software(st.read_meter(3)) == words
    for _ in range(64):
        await RisingEdge(dut.clk_i)
    colours = []

    def check(_before, after):
        assert after.desc["rank"] == (77 if yellow(after) else 0)
        colours.append(2 if after.drop == DROP_METER else 1 if yellow(after) else 0)

    def yellow(after):
        return after.desc["rank_valid"] == 1

    bench.on_packet = check
    bench.make = lambda: packet(0, 64)
    while len(colours) < 64 * 64:
        await RisingEdge(dut.clk_i)
    bench.make = None
    await drain(bench)
    assert colours[: 2048 // 64] == [0] * 32
    green, yellow_bytes = colours.count(0) * 64, colours.count(1) * 64
    assert abs(green - (64 * 1024 + 2048)) <= 2 * 1024
    assert abs(green + yellow_bytes - (64 * 2048 + 8192)) <= 2 * 2048
