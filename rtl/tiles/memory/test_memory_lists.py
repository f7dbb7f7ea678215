# SPDX-License-Identifier: Apache-2.0
"""Requests with a list of ranges, at the tiles `memory` and `dma`, against a model of a memory: gather and scatter between other accesses, lists that
break rules, errors of single ranges, and their rate."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC
from girih.testing.messages import FLIT_BYTES, Message
from rtl.tiles.memory.memory_bench import (
    ACCESS,
    PAGE,
    READ,
    STATUS,
    WRITE,
    Grant,
    Model,
    answers,
    begin,
    exchange,
    list_request,
    op,
    parts_of,
    request,
)  # fmt: skip

SLOTS = int(os.environ.get("GIRIH_SLOTS", "256"))
MOST_RANGES = ACCESS.size("ListRanges")
MOST_FLITS = -(-9018 // FLIT_BYTES)  # of a reply
MOST_BYTES = min(PAGE, min(MOST_FLITS, SLOTS // 2) * FLIT_BYTES)  # of a range that starts a page
Range = tuple[int, int]


@pytest.mark.parametrize("data_width", WIDTHS)
def test_lists(data_width):
    run_cocotb("memory_engine", __file__, groups=["memory"], parameters={"Lists": 1}, data_width=data_width)


def test_lists_with_few_slots():
    environment = {"GIRIH_SLOTS": "4"}
    run_cocotb("memory_engine", __file__, groups=["memory"], parameters={"Lists": 1, "Slots": 4}, testcase="answers_when_the_memory_is_late_and_its_answers_overtake", environment=environment)


@pytest.mark.parametrize("data_width", [128, pytest.param(512, marks=pytest.mark.thorough)])
def test_lists_of_ranges_of_the_host(data_width):
    run_cocotb("dma_engine", __file__, groups=["memory"], parameters={"Lists": 1}, data_width=data_width, environment={"GIRIH_KIND": "dma"})


def flits_of(ranges: list[Range]) -> int:
    return sum(-(-(addr % FLIT_BYTES + size) // FLIT_BYTES) for addr, size in ranges)


def random_range(base: int, most: int) -> Range:
    size = random.choice((1, 8, FLIT_BYTES, random.randint(1, FLIT_BYTES), random.randint(1, most)))
    at = random.randint(0, PAGE - size)
    if at % FLIT_BYTES + size > MOST_BYTES:
        at -= at % FLIT_BYTES
    return base + at, size


def random_ranges(base: int) -> list[Range]:
    """As a list may have. Now and then the largest number, or the largest size."""
    count = random.choice((1, 2, MOST_RANGES, random.randint(1, MOST_RANGES)))
    most = random.choice((FLIT_BYTES, 2 * FLIT_BYTES, MOST_BYTES))
    ranges = [random_range(base + 2 * PAGE * i, most) for i in range(count)]
    while flits_of(ranges) > MOST_FLITS - 2:
        ranges.pop()
    return ranges or [(base, 1)]


class Lists:
    """Makes lists and other accesses, each ordered behind the ones before, and knows every reply."""

    def __init__(self, src: int, base: int, model: Model):
        self.src, self.base, self.model = src, base, model
        self.wanted: list[tuple[Message, list[Range], list[bytes]]] = []

    def ask(self) -> Message:
        kind = random.choice(("gather", "scatter", "read", "write"))
        ranges = random_ranges(self.base)
        if kind in ("read", "write"):
            addr, size = ranges[0]
            written = random.randbytes(size) if kind == "write" else b""
            found = [self.model.answer(kind, addr, size, written, b"")]
            asked = request(kind, addr, size, written, src=self.src, ordered=True, tag=len(self.wanted))
            self.wanted.append((asked, ranges[:1], found))
            return asked
        data = [random.randbytes(size) for _, size in ranges] if kind == "scatter" else []
        found = [self.model.read(*where) for where in ranges] if kind == "gather" else []
        for (addr, _), part in zip(ranges, data, strict=False):
            self.model.write(addr, part)
        asked = list_request(kind, ranges, data, src=self.src, ordered=True, tag=len(self.wanted))
        self.wanted.append((asked, ranges, found))
        return asked

    def check(self, reply: Message) -> None:
        asked, ranges, found = self.wanted.pop(0)
        for name in ("memory_tag", "memory_op", "tenant"):
            assert reply.desc.get(name, 0) == asked.desc.get(name, 0), name
        assert STATUS[reply.desc["memory_status"]] == "ok"
        if asked.desc["memory_op"] in (op("gather"), op("read")):
            assert parts_of(reply.data, ranges) == found
        else:
            assert reply.data == bytes(FLIT_BYTES)


def askers(model: Model) -> list[Lists]:
    return [Lists(src, 0x400000 * (i + 1), model) for i, src in enumerate((3, 200))]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def answers_as_a_memory_does(dut, traffic):
    await answers(dut, askers, 60, *traffic, rest=8 * MOST_FLITS, stalls=traffic[0])


@cocotb.test()
async def answers_when_the_memory_is_late_and_its_answers_overtake(dut):
    await answers(dut, askers, 100, 0.1, 0.2, rest=8 * MOST_FLITS, latency=(1, 60), shuffle=True, stalls=0.3)


def with_word(message: Message, index: int, word: int) -> Message:
    """The list with another range."""
    data = message.data[: 8 * index] + word.to_bytes(8, "little") + message.data[8 * index + 8 :]
    return Message(data, message.desc)


def wrong_lists() -> list[Message]:
    gather = list_request("gather", [(0, 8), (PAGE, 8), (2 * PAGE, 8)])
    two = [b"x" * 9, b"y" * FLIT_BYTES]
    long = [b"x" * 9, b"y" * (MOST_BYTES + 1)]
    scatter = list_request("scatter", [(3, 9), (PAGE, FLIT_BYTES)], two)
    word = lambda addr, size: ACCESS.encode("range", {"addr": addr, "bytes": size})  # noqa: E731
    too_much = [(i * PAGE, MOST_BYTES) for i in range(MOST_FLITS * FLIT_BYTES // MOST_BYTES + 1)][:MOST_RANGES]
    assert flits_of(too_much) > MOST_FLITS
    return [
        with_word(gather, 0, word(0, 0)),
        with_word(gather, 1, word(PAGE - 1, 2)),  # crosses a page
        with_word(gather, 2, word(0, PAGE + 1)),
        with_word(gather, 2, word(0, 8) | 1 << 63),
        list_request("gather", []),
        list_request("gather", [(0, 8)] * (MOST_RANGES + 1)),
        list_request("gather", too_much),
        Message(gather.data[:-1], gather.desc),
        Message(gather.data + b"x", gather.desc),
        Message(gather.data + bytes(2 * FLIT_BYTES), gather.desc),
        Message(gather.data, gather.desc | {"memory_bytes": 23}),
        Message(gather.data[:-1], gather.desc | {"memory_bytes": 23}),
        Message(gather.data[:8], gather.desc | {"memory_bytes": 8 * (2 * MOST_RANGES + 1)}),
        Message(gather.data, gather.desc | {"memory_bytes": 8}),
        Message(gather.data, gather.desc | {"memory_bytes": 32}),
        Message(gather.data[:8], gather.desc | {"memory_bytes": 8 * MOST_RANGES}),
        Message(scatter.data, scatter.desc | {"memory_bytes": 0}),
        Message(scatter.data[:-1], scatter.desc),
        Message(scatter.data[:-FLIT_BYTES], scatter.desc),
        Message(scatter.data[:16], scatter.desc),
        Message(scatter.data + b"x", scatter.desc),
        Message(scatter.data + bytes(20 * FLIT_BYTES), scatter.desc),
        list_request("scatter", [(3, 9), (PAGE, MOST_BYTES + 1)], long),
        with_word(scatter, 0, word(3, 0)),
        with_word(scatter, 1, word(PAGE, FLIT_BYTES - 1)),
        list_request("scatter", [(i * PAGE, 1) for i in range(MOST_RANGES + 1)], [b"x"] * (MOST_RANGES + 1)),
    ]


@cocotb.test()
async def a_list_that_breaks_a_rule_has_no_effect(dut):
    """Between good ones, which are answered as ever."""
    bench, slave = await begin(dut)
    slave.model.write(9 * PAGE, b"abc")
    good = list_request("gather", [(9 * PAGE, 3), (9 * PAGE + 1, 1)])
    wrong = wrong_lists()
    asked = [message for one in wrong for message in (one, Message(good.data, good.desc))]
    out = await exchange(bench, asked)
    assert [STATUS[reply.desc["memory_status"]] for reply in out] == ["malformed", "ok"] * len(wrong)
    for bad, fine in zip(out[::2], out[1::2], strict=True):
        assert bad.data == bytes(FLIT_BYTES)
        assert parts_of(fine.data, [(9 * PAGE, 3), (9 * PAGE + 1, 1)]) == [b"abc", b"b"]
    assert bench.events == {"mark_malformed": len(wrong)}
    assert {addr for addr, byte in slave.model.bytes.items() if byte} == {9 * PAGE + i for i in range(3)}


@cocotb.test()
async def a_void_list_has_no_effect_and_no_reply(dut):
    bench, slave = await begin(dut)
    void = [request("read", 0, 8), list_request("gather", [(0, 8)] * 3), list_request("scatter", [(0, 8), (PAGE, 8)], [b"x" * 8] * 2), list_request("gather", [])]
    for message in void:
        message.bad = True
    out = await exchange(bench, [*void, request("read", 0, 8), list_request("gather", [(0, 8)] * 2), request("read", 0, 8)])
    assert [reply.desc["memory_op"] for reply in out] == [op("read"), op("gather"), op("read")]
    assert bench.events == {"drop_aborted": len(void)}
    assert not any(slave.model.bytes.values())


@cocotb.test()
async def the_first_error_is_the_lists(dut):
    """Of a range that is not granted, or at which the memory fails: one reply, without data. Ranges that are granted are written."""
    slave_error, decode_error = 2, 3
    fails = {5 * PAGE + FLIT_BYTES: slave_error, 6 * PAGE: decode_error}
    grants = [Grant(1, 3), Grant(4, 7, rights=READ | 12), Grant(5, 6, rights=WRITE | 12)]
    bench, slave = await begin(dut, grants, latency=(1, 30), shuffle=True, fails=lambda addr: fails.get(addr, 0))
    slave.model.write(PAGE, b"secret")
    fine, refused, slow, nowhere = (PAGE, 6), (0, 8), (5 * PAGE, 2 * FLIT_BYTES), (6 * PAGE, 8)
    cases = [([fine, fine], "ok"), ([fine, refused, nowhere], "refused"), ([refused], "refused"), ([fine, slow, nowhere], "slave"), ([nowhere, fine, refused], "decode")]
    wanted, asked = [], []
    for number in range(40):
        ranges, what = random.choice(cases)
        scatter = number % 2
        asked.append(list_request("scatter" if scatter else "gather", ranges, [bytes([number]) * size for _, size in ranges] if scatter else [], tag=number, ordered=True))
        wanted.append((what, ranges, scatter, number))
    out = await exchange(bench, asked)
    held = b"secret"
    for reply, (what, ranges, scatter, number) in zip(out, wanted, strict=True):
        assert (STATUS[reply.desc["memory_status"]], reply.desc["memory_tag"]) == (what, number)
        if scatter or what != "ok":
            assert reply.data == bytes(FLIT_BYTES)
        else:
            assert parts_of(reply.data, ranges) == [held, held]
        if scatter and fine in ranges:
            held = bytes([number]) * 6
    assert slave.model.read(PAGE, 6) == held
    counts = {name: sum(what == name for what, *_ in wanted) for name in ("refused", "slave", "decode")}
    assert bench.events == {"mark_refused": counts["refused"], "mark_slave_errors": counts["slave"], "mark_decode_errors": counts["decode"]}
    assert slave.model.bytes[0] == 0


@cocotb.test()
async def a_range_takes_two_cycles(dut):
    """One to check it and one to send its access, and the list takes one, and one for each flit. A list of one range takes five cycles more than the access."""
    bench, _ = await begin(dut)
    (one,) = await exchange(bench, [single := list_request("gather", [(0, FLIT_BYTES)])])
    assert one.first - single.first == 13
    count, ranges = 20, [(PAGE * i, FLIT_BYTES) for i in range(MOST_RANGES)]
    out = await exchange(bench, [list_request("gather", ranges) for _ in range(count)])
    assert len(out) == count
    each = 2 * MOST_RANGES + 1 + 8 * MOST_RANGES // FLIT_BYTES + (8 * MOST_RANGES % FLIT_BYTES > 0)
    assert out[-1].first - out[0].first == each * (count - 1)


@cocotb.test()
async def an_ordered_list_waits_once(dut):
    """For the requests before it, and its ranges not for one another."""
    late = 200
    bench, _ = await begin(dut, latency=(late, late))
    for ordered in (False, True):
        first = request("read", 0, 8)
        _, reply = await exchange(bench, [first, list_request("gather", [(i * PAGE, 8) for i in range(MOST_RANGES)], ordered=ordered)], 2 * late)
        assert (1 + ordered) * late < reply.first - first.first < (1 + ordered) * late + 80


@cocotb.test()
async def a_slow_requester_gets_whole_replies(dut):
    """Replies that are not taken fill the store; no access is asked of the memory that has no room."""
    bench, slave = await begin(dut, stall=1.0)
    slave.model.write(0, random.randbytes(PAGE))
    ranges = [(0, MOST_BYTES // 2), (FLIT_BYTES, FLIT_BYTES), (7, 1)]
    reads = [number >= 45 and number % 2 == 1 for number in range(60)]  # so many lists fill the store first
    writes = [number % 5 == 4 and not read for number, read in enumerate(reads)]
    for number, (read, write) in enumerate(zip(reads, writes, strict=True)):
        scatter = list_request("scatter", [(9 * PAGE, 1), (10 * PAGE, 1)], [b"x", b"y"], tag=number)
        bench.source.send(request("read", 8, 8, tag=number) if read else scatter if write else list_request("gather", ranges, tag=number))
    await ClockCycles(dut.clk_i, 8000)
    assert not bench.sink.messages
    bench.sink.stall = 0.1
    await exchange(bench, [])
    assert [reply.desc["memory_tag"] for reply in bench.sink.messages] == list(range(60))
    for reply, read, write in zip(bench.sink.messages, reads, writes, strict=True):
        if write:
            assert reply.data == bytes(FLIT_BYTES)
        elif read:
            assert reply.data[8 % FLIT_BYTES :][:8] == slave.model.read(8, 8)
        else:
            assert parts_of(reply.data, ranges) == [slave.model.read(*where) for where in ranges]


@cocotb.test()
async def a_reset_in_the_middle_leaves_nothing(dut):
    bench, _ = await begin(dut, latency=(5, 60), shuffle=True, stalls=0.3)
    for wait in (20, 60, 150):
        asker = Lists(1, 0, Model())
        bench.source.send(*(asker.ask() for _ in range(40)))
        await ClockCycles(dut.clk_i, wait)
        dut.rst_i.value = 1
        bench.source.forget()
        await ClockCycles(dut.clk_i, 2)
        dut.rst_i.value = 0
        await ClockCycles(dut.clk_i, 3)
    already = len(bench.sink.messages)
    await exchange(bench, [list_request("gather", [(0, 8), (PAGE, 8)], tag=number) for number in range(20)])
    assert [reply.desc["memory_tag"] for reply in bench.sink.messages[already:]] == list(range(20))
