# SPDX-License-Identifier: Apache-2.0
"""The tiles `memory` and `dma` against a model of a memory: every access, errors, grants, order, rates; a slave that answers late and out of
order, and cocotbext-axi's as another judge."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiRam

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, config_word
from girih.testing.messages import FLIT_BYTES, Message
from rtl.tiles.memory.memory_bench import (
    ACCESSES,
    GRANTS,
    KIND,
    OPS,
    PAGE,
    PREFIX,
    READ,
    STATUS,
    WRITE,
    Grant,
    Model,
    answers,
    begin,
    bench_of,
    config,
    converse,
    exchange,
    request,
    status,
)  # fmt: skip

SLOTS = int(os.environ.get("GIRIH_SLOTS", "256"))
MOST = min(PAGE, SLOTS // 2 * FLIT_BYTES, 9018 // FLIT_BYTES * FLIT_BYTES)  # bytes of an access at the start of a page


@pytest.mark.parametrize("data_width", WIDTHS)
def test_memory_engine(data_width):
    run_cocotb("memory_engine", __file__, groups=["memory"], data_width=data_width)


@pytest.mark.parametrize("testcase", ["answers_when_the_memory_is_late_and_its_answers_overtake", "slots_are_taken_again_while_their_reply_still_leaves"])
def test_a_memory_with_few_slots(testcase):
    run_cocotb("memory_engine", __file__, groups=["memory"], parameters={"Slots": 4}, testcase=testcase, environment={"GIRIH_SLOTS": "4"})


@pytest.mark.parametrize("data_width", [128, pytest.param(512, marks=pytest.mark.thorough)])
def test_a_memory_with_lists(data_width):
    """Other requests are answered as they are without lists, and in the same cycles."""
    run_cocotb("memory_engine", __file__, groups=["memory"], data_width=data_width, parameters={"Lists": 1})


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_dma_engine(data_width):
    """The same, with the memory of a host, which answers in order."""
    run_cocotb("dma_engine", __file__, groups=["memory"], data_width=data_width, environment={"GIRIH_KIND": "dma"})


class Requester:
    """Makes random requests, which are ordered where their result depends on those before, and knows each reply."""

    def __init__(self, src: int, base: int, size: int, model: Model):
        self.src, self.base, self.size, self.model = src, base, size, model
        self.wanted: list[tuple[int, bytes, int]] = []  # tag, data, lane
        self._read: list[range] = []  # since the last ordered request
        self._written: list[range] = []
        self._tag = random.getrandbits(10)

    def ask(self) -> Message:
        kind = random.choices(ACCESSES, [8, 6, 3, 1, 1])[0]
        size = 8 if kind in ("add", "swap") else self._random_size()
        page = random.randrange(self.size // PAGE) * PAGE
        if kind == "masked":
            size = min(size, FLIT_BYTES)
            at = random.randrange(PAGE // FLIT_BYTES) * FLIT_BYTES + random.randint(0, FLIT_BYTES - size)
        elif kind in ("add", "swap"):
            at = random.randrange(PAGE // 8) * 8
        else:
            at = random.randint(0, PAGE - size)
            if at % FLIT_BYTES + size > MOST:
                at -= at % FLIT_BYTES
        addr = self.base + page + at
        data = random.randbytes(size) if kind != "read" else b""
        operand = random.randbytes(FLIT_BYTES // 8 if kind == "masked" else 8)
        if kind == "swap" and random.random() < 0.5:
            operand = self.model.read(addr, 8)
        touched = range(addr, addr + size)
        against = self._written if kind == "read" else [*self._written, *self._read]
        ordered = any(touched.start < other.stop and other.start < touched.stop for other in against) or random.random() < 0.02
        if ordered:
            self._read, self._written = [], []
        (self._read if kind == "read" else self._written).append(touched)
        self._tag = (self._tag + 1) % 1024
        self.wanted.append((self._tag, self.model.answer(kind, addr, size, data, operand), addr % FLIT_BYTES))
        return request(kind, addr, size, data, operand, tag=self._tag, src=self.src, ordered=ordered)

    def _random_size(self) -> int:
        kind = random.random()
        if kind < 0.6:
            return random.randint(1, FLIT_BYTES)
        return random.randint(1, min(4 * FLIT_BYTES, MOST)) if kind < 0.97 else MOST

    def check(self, reply: Message) -> None:
        tag, data, lane = self.wanted.pop(0)
        assert (reply.desc["memory_tag"], reply.desc["memory_status"]) == (tag, status("ok"))
        assert reply.data[lane : lane + len(data)] == data


def requesters_of(model: Model) -> list[Requester]:
    return [Requester(src, 0x40000 * index, 2 * PAGE, model) for index, src in enumerate((3, 7, 255))]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def answers_as_a_memory_does(dut, traffic):
    await answers(dut, requesters_of, 150, *traffic, stalls=traffic[0])


@cocotb.test()
async def answers_when_the_memory_is_late_and_its_answers_overtake(dut):
    await answers(dut, requesters_of, 400, 0.1, 0.2, latency=(1, 60), shuffle=True, stalls=0.3)


@cocotb.test()
async def another_judge_agrees(dut):
    """The memory of cocotbext-axi, which takes no part in how this test believes that AXI4 works."""
    ram = AxiRam(AxiBus.from_prefix(dut, PREFIX), dut.clk_i, dut.rst_i, size=1 << 20)
    bench = await bench_of(dut)
    model = Model()
    await converse(bench, requesters_of(model), 100)
    for addr, byte in model.bytes.items():
        assert ram.read(addr, 1)[0] == byte


async def outcomes(bench, *requests: Message) -> list[tuple[str, bytes]]:
    """The status and the data of the reply to each request."""
    return [(STATUS[reply.desc["memory_status"]], reply.data) for reply in await exchange(bench, requests)]


@cocotb.test()
async def atomic_accesses_are_one_against_all(dut):
    """Of several nodes to one word, none of them ordered, and between them writes and reads of it: each sees all before it."""
    bench, _ = await begin(dut, latency=(1, 40), shuffle=True, stalls=0.2)
    model, asked, wanted = Model(), [], []
    for number in range(120):
        kind = random.choices(("add", "swap", "write", "read"), [6, 3, 1, 1])[0]
        data, operand = random.randbytes(8), random.choice((model.read(64, 8), random.randbytes(8)))
        after_atomic = bool(asked) and OPS[asked[-1].desc["memory_op"]] in ("add", "swap")
        if kind in ("write", "read") and not after_atomic:
            continue  # only an atomic access keeps those around it apart
        asked.append(request(kind, 64, 8, b"" if kind == "read" else data, operand, src=number % 5))
        wanted.append(model.answer(kind, 64, 8, data, operand))
    out = await exchange(bench, asked)
    lane = 64 % FLIT_BYTES
    assert [reply.data[lane : lane + len(data)] for reply, data in zip(out, wanted, strict=True)] == wanted


@cocotb.test()
async def what_is_no_access_is_refused(dut):
    bench, slave = await begin(dut)
    malformed = [
        request("read", 0, 0),
        request("read", PAGE - 1, 2),  # crosses a page
        request("read", 0, PAGE + 1),
        request("write", PAGE - FLIT_BYTES, FLIT_BYTES + 1, bytes(FLIT_BYTES + 1)),
        request("write", 0, 9, bytes(8)),
        request("write", 0, 8, bytes(9)),
        request("write", 0, FLIT_BYTES, bytes(2 * FLIT_BYTES)),
        request("masked", 1, FLIT_BYTES, bytes(FLIT_BYTES), bytes(FLIT_BYTES // 8)),
        request("masked", 0, 8, b"", b"x"),
        request("add", 4, 8, bytes(8)),
        request("add", 8, 4, bytes(4)),
        request("swap", 0, 8, bytes(8), b""),
        Message(bytes(2 * FLIT_BYTES), request("read", 0, 8).desc),
        *(Message(b"\0", request("read", 0, 8).desc | {"memory_op": number}) for number in range(len(ACCESSES), 8)),
    ]
    out = await outcomes(bench, *malformed, request("read", 0, 8))
    assert [what for what, _ in out] == ["malformed"] * len(malformed) + ["ok"]
    assert bench.events == {"mark_malformed": len(malformed)}
    assert not any(slave.model.bytes.values())


@cocotb.test()
async def void_requests_have_no_effect_and_no_reply(dut):
    bench, slave = await begin(dut)
    void = [request(kind, 64, 8, b"" if kind == "read" else bytes([255] * 8), bytes(8)) for kind in ACCESSES]
    for message in void:
        message.bad = True
    out = await outcomes(bench, *void, request("read", 64, 8))
    assert [what for what, _ in out] == ["ok"]
    assert bench.events == {"drop_aborted": len(void)}
    assert not any(slave.model.bytes.values())


@cocotb.test()
async def errors_of_the_bus_are_replies(dut):
    """Of any beat; such a reply brings no data."""
    slave_error, decode_error = 2, 3
    fails = {5 * PAGE + FLIT_BYTES: slave_error, 6 * PAGE: decode_error}
    bench, slave = await begin(dut, latency=(1, 30), shuffle=True, fails=lambda addr: fails.get(addr, 0))
    slave.model.write(5 * PAGE, b"secret" * 20)
    size = 3 * FLIT_BYTES
    wanted = [
        (request("read", 5 * PAGE, size), "slave"),
        (request("read", 6 * PAGE, 1), "decode"),
        (request("write", 5 * PAGE, size, bytes(size)), "slave"),
        (request("add", 6 * PAGE, 8, bytes(8)), "decode"),
        (request("swap", 6 * PAGE, 8, bytes(8), bytes(8)), "decode"),
        (request("masked", 6 * PAGE, 8, bytes(8), bytes(FLIT_BYTES // 8)), "decode"),
        (request("read", 7 * PAGE, size), "ok"),
        (request("add", 7 * PAGE, 8, bytes(8)), "ok"),
    ]
    out = await outcomes(bench, *(message for _ in range(10) for message, _ in wanted))
    assert [what for what, _ in out] == [what for _, what in wanted] * 10
    assert all(what == "ok" or data == bytes(FLIT_BYTES) for what, data in out)
    assert bench.events == {"mark_slave_errors": 20, "mark_decode_errors": 40}


def random_grant() -> Grant:
    first = random.randrange(8)
    return Grant(first, random.randint(first, 7), random.randrange(3), random.randrange(3), random.randrange(16))


@cocotb.test()
async def nobody_reaches_what_is_not_granted(dut):
    """Random grants and random requests: a reply without data, and nothing on the bus."""
    bench, slave = await begin(dut)
    for page in range(9):
        slave.model.write(page * PAGE, b"\xee" * 64)
    refused = 0
    for _ in range(12):
        grants = [random_grant() for _ in range(random.randint(0, GRANTS))]
        dut.cfg_i.value = word_of(grants)
        asked, allowed = [], []
        for _ in range(20):
            kind, page, src, tenant = random.choice(ACCESSES), random.choice([*range(9), (1 << 28) - 1]), random.randrange(3), random.randrange(3)
            needed = {"read": READ, "write": WRITE, "masked": WRITE}.get(kind, READ | WRITE)
            allowed.append(any(grant.allows(src, tenant, page, needed) for grant in grants))
            asked.append(request(kind, page * PAGE, 8, b"" if kind == "read" else b"\xee" * 8, bytes(8), src=src, tenant=tenant))
        out = await outcomes(bench, *asked)
        assert [what for what, _ in out] == ["ok" if good else "refused" for good in allowed]
        assert all(good or data == bytes(FLIT_BYTES) for good, (_, data) in zip(allowed, out, strict=True))
        refused += allowed.count(False)
    assert bench.events == {"mark_refused": refused}
    assert 0 < refused < 240


def word_of(grants: list[Grant]) -> int:
    return config_word(KIND, **config(grants))


@cocotb.test()
async def another_tenants_data_make_no_difference(dut):
    """Two runs with the same requests, which differ in what the other tenant writes and compares, look alike to this one: the
    replies, bit by bit, and their cycles."""
    grants = [Grant(0, 3, tenant=1, rights=READ | WRITE | 4), Grant(4, 7, tenant=2, rights=READ | WRITE | 4)]
    bench, slave = await begin(dut, grants, latency=(10, 10))
    seen = []
    for other in (0x00, 0xFF):
        chosen = random.Random(7)
        for page in range(8):
            slave.model.write(page * PAGE, bytes([other if page >= 4 else 0]) * PAGE)
        asked = []
        for number in range(120):
            mine = chosen.random() < 0.5
            kind, page = chosen.choice(("read", "write", "masked", "add")), chosen.randrange(8 if mine else 4) + (0 if mine else 4)
            size = 8 if kind == "add" else chosen.randint(1, FLIT_BYTES)
            data = chosen.randbytes(size) if mine else bytes([other]) * size
            operand = chosen.randbytes(FLIT_BYTES // 8) if mine else bytes([other]) * (FLIT_BYTES // 8)
            asked.append(request(kind, page * PAGE, size, b"" if kind == "read" else data, operand, tag=number, tenant=1 if mine else 2))
        out = [reply for reply in await exchange(bench, asked) if reply.desc["tenant"] == 1]
        seen.append([(reply.desc, reply.data, reply.first - asked[0].first) for reply in out])
        refused = [reply for reply in out if reply.desc["memory_status"] == status("refused")]
        assert refused and all(reply.data == bytes(FLIT_BYTES) for reply in refused)
    assert seen[0] == seen[1]


@cocotb.test()
async def a_read_and_a_reply_in_every_cycle(dut):
    """With the memory 100 cycles away; as many are in flight as there are slots, or as its time needs."""
    bench, slave = await begin(dut, latency=(100, 100))
    out = await exchange(bench, [request("read", FLIT_BYTES * number % PAGE, FLIT_BYTES) for number in range(1000)], 500)
    gaps = out[-1].first - out[0].first
    assert gaps == 999, f"{gaps} cycles for 1000 replies"
    assert 100 <= slave.most <= 110
    slave.latency = (400, 400)
    slave.most = 0
    await exchange(bench, [request("read", 0, FLIT_BYTES) for _ in range(1000)], 500)
    assert slave.most >= SLOTS - 10


@cocotb.test()
async def the_tiles_own_time(dut):
    """From the request to the memory and back, beside the memory's time, which is a cycle here."""
    bench, _ = await begin(dut)
    for kind in ("read", "write"):
        message = request(kind, 0, FLIT_BYTES, b"" if kind == "read" else bytes(FLIT_BYTES))
        (reply,) = await exchange(bench, [message])
        assert reply.first - message.first == 8, f"a {kind} took {reply.first - message.first} cycles"


@cocotb.test()
async def a_slow_requester_holds_back_only_what_has_no_room(dut):
    """Replies that are not taken: no more is asked of the memory than there is room for."""
    bench, _ = await begin(dut, stall=1.0)
    bench.source.send(*(request("read", 0, FLIT_BYTES) for _ in range(SLOTS + 600)))
    await ClockCycles(dut.clk_i, SLOTS + 1500)
    assert not bench.sink.messages
    bench.sink.stall = 0.0
    out = await exchange(bench, [])
    assert len(out) == SLOTS + 600


@cocotb.test()
async def slots_are_taken_again_while_their_reply_still_leaves(dut):
    """With all slots taken, each flit of a long reply that leaves makes room for a request, which is done, or fails, before the
    long reply has ended: both are whole."""
    broken = 9 * PAGE
    bench, slave = await begin(dut, fails=lambda addr: 2 if addr >= broken else 0)
    slave.model.write(0, random.randbytes(PAGE))
    kinds = {
        "ok": request("read", 0, FLIT_BYTES),
        "malformed": request("read", 0, 0),
        "slave": request("read", broken, FLIT_BYTES),
        "long": request("read", 0, MOST),
        "long slave": request("read", broken, MOST),
        "write": request("write", 8 * PAGE, 1, b"x"),
    }
    for short in ("malformed", "ok", "slave", "write", "any"):
        names = [name for _ in range(4) for name in ("long", *(short if short != "any" else random.choice(list(kinds)) for _ in range(SLOTS)))]
        bench.sink.stall = 1.0
        bench.source.send(*(Message(kinds[name].data, kinds[name].desc) for name in names))
        await ClockCycles(dut.clk_i, 2 * SLOTS)
        bench.sink.stall = random.choice((0.0, 0.3))
        out = await exchange(bench, [])
        out, bench.sink.messages[:] = list(bench.sink.messages), []
        wanted = [name.replace("long slave", "slave").replace("long", "ok").replace("write", "ok") for name in names]
        assert [STATUS[reply.desc["memory_status"]] for reply in out] == wanted
        for name, reply in zip(names, out, strict=True):
            data = {"long": slave.model.read(0, MOST), "ok": slave.model.read(0, FLIT_BYTES)}.get(name, bytes(FLIT_BYTES))
            assert reply.data == data, f"the data of {name}"


@cocotb.test()
async def a_reset_in_the_middle_leaves_nothing(dut):
    bench, _ = await begin(dut, latency=(5, 60), shuffle=True, stalls=0.3)
    bench.source.send(*(requesters_of(Model())[0].ask() for _ in range(200)))
    await ClockCycles(dut.clk_i, 150)
    for cycles in (1, 5):
        dut.rst_i.value = 1
        bench.source.forget()
        await ClockCycles(dut.clk_i, cycles)
        dut.rst_i.value = 0
        await ClockCycles(dut.clk_i, 3)
    already = len(bench.sink.messages)
    out = await outcomes(bench, *(request("read", 64 * number % PAGE, 8, tag=number) for number in range(2 * SLOTS)))
    assert [what for what, _ in out] == ["ok"] * 2 * SLOTS
    assert [reply.desc["memory_tag"] for reply in bench.sink.messages[already:]] == list(range(2 * SLOTS))
