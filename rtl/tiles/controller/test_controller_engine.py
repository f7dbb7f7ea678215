# SPDX-License-Identifier: Apache-2.0
"""The controller between a stack, a control network and a host: what it does for operators with the key, and what it refuses to everyone else."""

import os
import random
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.management.protocol import Entry, Request, mac, sealed
from girih.spec.windows import offset
from girih.testing import run_cocotb
from girih.testing.engines import config_word
from rtl.tiles.controller.controller_bench import (
    HIDDEN,
    KEY,
    LOCKED,
    NOBODY,
    NODE,
    OPERATORS,
    OTHER,
    SIZE,
    WORDS,
    ControllerBench,
    Operator,
)
from rtl.tiles.tcp.tcp_bench import DATA

FORGERIES = int(os.environ.get("FORGERIES", "1500"))


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_controller_engine(data_width):
    run_cocotb("controller_engine", __file__, data_width=data_width, groups=["stream"], chained=True, parameters={"Operators": OPERATORS})


@pytest.mark.thorough
def test_a_hundred_thousand_forgeries():
    run_cocotb("controller_engine", __file__, data_width=512, groups=["stream"], chained=True, parameters={"Operators": OPERATORS}, environment={"FORGERIES": "100000"}, testcase="forged_requests_change_nothing", seconds=4 * 3600)


def some(count: int, node: int = NODE) -> list[Entry]:
    """Entries for different words that can be written."""
    return [Entry(node, 4 * word, random.getrandbits(32)) for word in random.sample(range(WORDS - 1), count)]


def reads(entries: list[Entry]) -> list[Entry]:
    return [replace(entry, data=0) for entry in entries]


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5], idle=[0.0, 0.5])
async def reads_and_changes(dut, stall, idle):
    bench = await ControllerBench.start(dut, stall=stall, idle=idle)
    operator = await bench.connect()
    cycle = 0
    for count in (1, 8, 2, 5):
        entries = some(count)
        answer = await operator.ask("change", *entries)
        assert answer.status == "done" and list(answer.entries) == entries and answer.cycle > cycle
        cycle = answer.cycle
        assert all(bench.ring.words[entry.node, entry.offset] == entry.data for entry in entries)
        answer = await operator.ask("read", *reads(entries))
        assert answer.status == "done" and list(answer.entries) == entries
    written = [entry for entry in bench.ring.log if entry[0] == "write"]
    assert len(written) == 16
    operator.send(b"", end=True)
    await operator.closed()
    assert (bench.events["mark_changes"], bench.events["mark_reads"]) == (4, 4)


@cocotb.test()
async def writes_are_done_in_order(dut):
    bench = await ControllerBench.start(dut)
    operator = await bench.connect()
    entries = some(8)
    await operator.ask("change", *entries)
    assert [entry[1:] for entry in bench.ring.log if entry[0] == "write"] == [(e.node, e.offset, e.data) for e in entries]


@cocotb.test()
async def a_change_is_done_whole_or_not_at_all(dut):
    bench = await ControllerBench.start(dut)
    operator = await bench.connect()
    ring = bench.ring
    for count in range(1, 9):
        for place in range(count):
            before = dict(ring.words)
            entries = some(count)
            # A node that refuses this write, or a word that cannot be read, cannot be written or does not exist.
            ring.fails = {ring.writes + place + 1}
            answer = await operator.ask("change", *entries)
            assert (answer.status, answer.index) == ("access", place) and ring.words == before and not ring.held
            ring.fails = set()
            bad, status = random.choice([(Entry(NODE, 4 * WORDS), "access"), (Entry(NODE, 4 * WORDS - 4, 1), "access"), (Entry(HIDDEN, 0), "right"), (Entry(NOBODY, 0), "node"), (Entry(LOCKED, 0, 1), "right")])
            entries[place] = bad
            answer = await operator.ask("change", *entries)
            assert (answer.status, answer.index) == (status, place) and ring.words == before and not ring.held
    assert "mark_changes" not in bench.events and "mark_torn" not in bench.events
    # Restoring the former value fails, too: that cannot be helped, but it is reported.
    ring.fails = {ring.writes + 3, ring.writes + 4}
    assert (await operator.ask("change", *some(3))).status == "torn"
    assert bench.events["mark_torn"] == 1 and not ring.held


@cocotb.test()
async def tiles_hold_back_a_change_of_several_words(dut):
    """Whatever the order of the tiles: each is asked to hold before the first write, and released after the last one, also when a write fails."""
    bench = await ControllerBench.start(dut)
    operator = await bench.connect()
    ring = bench.ring
    for _ in range(40):
        ring.log.clear()
        nodes = [random.choice((NODE, OTHER)) for _ in range(random.randint(2, 8))]
        places = random.sample(range(WORDS - 1), len(nodes))
        ring.fails = {ring.writes + random.randint(1, 8)} if random.random() < 0.3 else set()
        await operator.ask("change", *(Entry(node, 4 * place, random.getrandbits(32)) for node, place in zip(nodes, places)))
        steps = [(what, node, data) for what, node, _, data in ring.log if what != "read"]
        kinds = [("write" if what == "write" else "release" if data == 0 else "hold") for what, _, data in steps]
        assert kinds == sorted(kinds, key=["hold", "write", "release"].index)
        for wanted in ("hold", "release"):
            assert {node for kind, (_, node, _) in zip(kinds, steps) if kind == wanted} == set(nodes)
        assert not ring.held
    ring.fails = set()
    ring.log.clear()
    assert (await operator.ask("change", *some(1))).status == "done"
    assert [what for what, *_ in ring.log] == ["write"]  # a single word needs none


@cocotb.test()
async def a_read_says_what_it_may_not_read(dut):
    bench = await ControllerBench.start(dut)
    operator = await bench.connect()
    for bad, status in ((Entry(HIDDEN, 0), "right"), (Entry(NOBODY, 0), "node"), (Entry(NODE, 4 * WORDS), "access")):
        answer = await operator.ask("read", Entry(NODE, 0), bad, Entry(NODE, 4))
        assert (answer.status, answer.index) == (status, 1) and not any(entry.data for entry in answer.entries)
    assert (await operator.ask("read", Entry(LOCKED, 0))).entries[0].data == bench.ring.words[LOCKED, 0]


@cocotb.test()
async def nothing_is_done_without_the_key(dut):
    """The key is missing, half written or another. Nobody but the operator sets it, and nobody reads it."""
    bench = await ControllerBench.start(dut, key=None)
    await bench.open().aborted()
    at = [offset("controller_window", "key", word=word) for word in range(8)] + [offset("controller_window", "start", half=half) for half in (0, 1)]
    for address in at:
        assert (await bench.window(address, 1, tenant=3))[0] and (await bench.window(address))[0]
    assert (await bench.window(offset("controller_window", "state"))) == (False, 0)
    await bench.unlock(KEY)
    assert (await bench.window(offset("controller_window", "state"))) == (False, 1)
    operator = await bench.connect()
    await bench.window(at[3], 0)
    await bench.open().aborted()
    before = dict(bench.ring.words)
    operator.send(operator.text("change", *some(2)))
    await operator.closed()  # without an answer: half a key would sign it
    assert bench.ring.words == before and bench.events["mark_wrong_mac"] == 1 and bench.events["mark_locked"] == 2


@cocotb.test()
async def nonces_are_never_used_again(dut):
    """Not even another controller of the card that was started with the same number uses them: each nonce contains its node."""
    bench = await ControllerBench.start(dut)
    seen = set()
    for start, node in ((1, 0), (2, 0), (2, 5)):
        await bench.unlock(KEY, start)
        bench.node = node
        for _ in range(20):
            operator = await bench.connect()
            assert operator.nonce[15] == node and operator.nonce[:15] not in seen
            seen.add(operator.nonce[:15])
            operator.send(b"", end=True)
            await operator.closed()


def forged(operator: Operator, other: list[tuple[bytes, bytes]]) -> tuple[bytes, str]:
    """Bytes that must change nothing, and the counter of the reason."""
    right = operator.text("change", *some(random.randint(1, 8)))
    kind = random.choice(["bit", "bit", "random", "key", "nonce", "number", "replay", "other", "truncated", "excess", "malformed", "malformed"])
    if kind == "bit":
        flipped = bytearray(right)
        flipped[random.randrange(SIZE)] ^= 1 << random.randrange(8)
        return bytes(flipped), "mark_wrong_mac"
    if kind == "random":
        return random.randbytes(SIZE), "mark_wrong_mac"
    if kind == "key":
        return sealed(random.randbytes(32), operator.nonce, Request(operator.number + 1, "change", tuple(some(1)))), "mark_wrong_mac"
    if kind == "nonce":
        return sealed(KEY, random.randbytes(16), Request(operator.number + 1, "change", tuple(some(1)))), "mark_wrong_mac"
    if kind == "number":
        number = random.choice([operator.number, operator.number + 2, random.getrandbits(32)])
        return sealed(KEY, operator.nonce, Request(number, "change", tuple(some(1)))), "mark_replayed"
    if kind == "replay":
        mine = [text for nonce, text in other if nonce == operator.nonce]
        return (random.choice(mine), "mark_replayed") if mine else (random.randbytes(SIZE), "mark_wrong_mac")
    if kind == "other":
        others = [text for nonce, text in other if nonce != operator.nonce]
        return (random.choice(others) if others else bytes(SIZE)), "mark_wrong_mac"
    if kind == "truncated":
        return right[: random.randint(1, SIZE - 1)], "mark_truncated"
    if kind == "excess":
        return right + random.randbytes(random.choice([1, 16, SIZE, 1000, 4096 - SIZE])), "mark_excess"
    body = bytearray(right[:80])
    where = random.choice(["kind", "count", "status", "index", "cycle", "reserved", "offset", "behind", "data"])
    if where == "kind":
        body[4] = random.choice([0, 1, 4, 5, 255])
    elif where == "count":
        body[5] = random.choice([0, 9, 255, 16])
    elif where in ("status", "index"):
        body[6 if where == "status" else 7] = random.randint(1, 255)
    elif where == "cycle":
        body[random.randint(8, 15)] = random.randint(1, 255)
    elif where == "reserved":
        body[16 + 3] = random.randint(1, 255)
    elif where == "offset":
        body[16] |= random.randint(1, 3)
    elif where == "data":
        entries = reads(some(random.randint(1, 8)))
        entries[0] = replace(entries[0], data=random.randint(1, 2**32 - 1))
        random.shuffle(entries)
        body = bytearray(operator.text("read", *entries)[:80])
    else:
        body[5] = 1
        body[16 + 8 * random.randint(1, 7) + random.randint(0, 7)] = random.randint(1, 255)
    return bytes(body) + mac(KEY, operator.nonce, bytes(body)), "mark_malformed"


async def assault(dut, count: int) -> None:
    bench = await ControllerBench.start(dut, stall=0.1)
    expected: dict[str, int] = {}
    seen: list[tuple[bytes, bytes]] = []
    steady = await bench.connect()
    bench.kept.add(steady.connection)
    bench.next = steady.connection - 20  # so that the numbers of others soon reach this one's
    assert (await steady.ask("change", *some(1))).status == "done"
    operator = await bench.connect()
    for turn in range(count):
        before = dict(bench.ring.words)
        if random.random() < 0.3:  # a right request, to be replayed later
            text = operator.text("change", *some(1))
            operator.send(text)
            operator.number += 1
            assert (await operator.answer()).status == "done"
            seen = [*seen[-50:], (operator.nonce, text)]
            before = dict(bench.ring.words)
        text, reason = forged(operator, seen)
        expected[reason] = expected.get(reason, 0) + 1
        operator.send(text, end=reason == "mark_truncated")
        answer = await operator.answer()
        assert answer.status == reason.removeprefix("mark_").removeprefix("wrong_").replace("replayed", "replay"), (turn, reason, answer)
        assert bench.ring.words == before, (turn, reason)
        if reason == "mark_malformed":
            operator.number += 1
            assert not operator.over
        else:
            assert operator.over
            operator = await bench.connect()
        if turn % 100 == 0:
            assert (await steady.ask("change", *some(1))).status == "done"
    assert {name: bench.events.get(name, 0) for name in expected} == expected
    assert "mark_torn" not in bench.events and "mark_evicted" not in bench.events


@cocotb.test()
async def forged_requests_change_nothing(dut):
    """A flipped bit, random bytes, another key, another nonce, numbers out of sequence, replays, too few bytes, too many, and requests without
    meaning."""
    await assault(dut, FORGERIES)


@cocotb.test()
async def a_connection_that_breaks_in_a_request_leaves_what_was(dut):
    bench = await ControllerBench.start(dut)
    before = dict(bench.ring.words)
    for size in (0, 1, 64, SIZE - 1, SIZE):
        operator = await bench.connect()
        operator.send(operator.text("change", *some(3))[:size], broken=True)
        await operator.closed()
    assert bench.ring.words == before
    # A whole request that is followed by the end of the connection is done.
    operator = await bench.connect()
    operator.send(operator.text("change", *some(1)), end=True)
    assert (await operator.answer()).status == "done" and operator.over


@cocotb.test()
async def operators_work_at_once(dut):
    """Each has its own nonce and numbers, and none waits for one that is silent."""
    bench = await ControllerBench.start(dut, stall=0.3, idle=0.3)
    operators = [await bench.connect() for _ in range(OPERATORS)]
    for _ in range(30):
        asked = []
        for operator in random.sample(operators[1:], random.randint(1, OPERATORS - 1)):
            entries = some(random.randint(1, 4))
            operator.send(operator.text("change", *entries))
            operator.number += 1
            asked.append((operator, entries))
        for operator, entries in asked:
            answer = await operator.answer()
            assert (answer.status, answer.number, list(answer.entries)) == ("done", operator.number, entries)
    assert (await operators[0].ask("change", *some(1))).status == "done"


@cocotb.test()
async def strangers_do_not_take_the_place_of_operators(dut):
    bench = await ControllerBench.start(dut)
    operators = [await bench.connect() for _ in range(OPERATORS - 1)]
    for operator in operators:
        assert (await operator.ask("read", Entry(NODE, 0))).status == "done"
    last = await bench.connect()
    for _ in range(20):
        stranger = await bench.connect()
        await last.aborted()
        last = stranger
    for operator in operators:
        assert (await operator.ask("read", Entry(NODE, 0))).status == "done"
    assert (await last.ask("read", Entry(NODE, 0))).status == "done"
    await bench.open().aborted()
    assert (bench.events["mark_evicted"], bench.events["mark_crowded"]) == (20, 1)
    # The answer for an operator who has lost his place does not go to another one.
    stranger.bench.give(DATA, 1, bytes(SIZE), bytes=SIZE)
    await ClockCycles(dut.clk_i, 200)
    assert "mark_wrong_mac" not in bench.events


@cocotb.test()
async def a_silent_operator_gives_its_place_to_a_new_one(dut):
    """Nobody does within `patience`; after it, one does, and the others go on."""
    bench = await ControllerBench.start(dut)
    operators = [await bench.connect() for _ in range(OPERATORS)]
    for operator in operators:
        assert (await operator.ask("read", Entry(NODE, 0))).status == "done"
    await bench.open().aborted()
    dut.cfg_i.value = config_word("controller", patience=0)
    await ClockCycles(dut.clk_i, 3)
    newest = await bench.connect()
    assert (await newest.ask("read", Entry(NODE, 0))).status == "done"
    assert (bench.events["mark_evicted"], bench.events["mark_crowded"]) == (1, 1)


@cocotb.test()
async def a_connection_that_opens_never_waits_for_an_access(dut):
    """While a window does not answer, others connect, and messages of the stack are taken."""
    bench = await ControllerBench.start(dut)
    operator = await bench.connect()
    dut.control_ready_i.value = 0
    bench.ring.silent = True
    operator.send(operator.text("change", *some(1)))
    for _ in range(3 * OPERATORS):
        bench.open()
    await bench.source.drained(2000)
    await ClockCycles(dut.clk_i, 300)
    assert dut.control_valid_o.value == 1, "the access has not begun"


@cocotb.test()
async def what_no_stack_sends_is_dropped(dut):
    bench = await ControllerBench.start(dut)
    for op in (0, 3, 4, 5, 6, 7):
        bench.give(op, 1, random.randbytes(random.choice((1, 300))))
    bench.give(DATA, 77, bytes(SIZE), bytes=SIZE)
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 100)
    assert (bench.events["drop_unexpected"], bench.events["used_messages"]) == (6, 1)
    assert not bench.sink.messages
