# SPDX-License-Identifier: Apache-2.0
"""A control ring with three masters: the host and two tiles, against a memory in Python."""

import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import Event, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.messages import reset
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS

BASE, STOPS, TAGS = 4, 4, 4
WINDOW = 0x4000
OKAY, REFUSED, ERROR, NO_NODE = range(4)
MISSING = 0x77  # the masters have a right to this node, which does not exist
ALL = 0b1111


def test_ctrl_masters():
    run_cocotb("ctrl_masters_bench", __file__, parameters={"Stops": STOPS, "Base": BASE})


@dataclass(frozen=True)
class Answer:
    status: int
    data: int
    cycles: int


class TileMaster:
    """The engine of master 1 or 2: several requests in flight, each with a free tag."""

    def __init__(self, dut, number: int):
        self.dut, self.number = dut, number
        self.pins = {name: getattr(dut, f"{name.rpartition('_')[0]}_{number}_{name.rpartition('_')[2]}")
                     for name in ("request_valid_i", "request_ready_o", "request_i", "answer_valid_o", "answer_o", "refused_o")}
        self.waiting: dict[int, tuple[Event, list]] = {}
        self.refused = 0
        self.answers = 0
        self.seen = 0  # data bits seen outside of an answer
        self.cycle = 0
        self.offering = False
        self.watch = cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            self.cycle += 1
            self.refused += int(self.pins["refused_o"].value)
            answer = unpack(ANSWER_FIELDS, int(self.pins["answer_o"].value))
            if self.pins["answer_valid_o"].value == 0:
                self.seen |= answer["data"]
            else:
                event, found = self.waiting.pop(answer["tag"])  # one request waits for it
                self.answers += 1
                found.append((answer["status"], answer["data"], self.cycle))
                event.set()

    async def ask(self, node: int, offset: int, data: int | None = None) -> Answer:
        while self.offering or len(self.waiting) == TAGS:
            await RisingEdge(self.dut.clk_i)
        tag = random.choice([tag for tag in range(TAGS) if tag not in self.waiting])
        event, found = Event(), []
        self.waiting[tag] = (event, found)
        self.offering = True
        beat = {"write": int(data is not None), "tag": tag, "node": node, "offset": offset, "data": data or 0}
        self.pins["request_i"].value = pack(REQUEST_FIELDS, beat)
        self.pins["request_valid_i"].value = 1
        start = self.cycle
        while True:
            await RisingEdge(self.dut.clk_i)
            if self.pins["request_ready_o"].value == 1:
                break
        self.pins["request_valid_i"].value = 0
        self.offering = False
        await with_timeout(event.wait(), 50, "us")
        status, value, cycle = found[0]
        assert status == OKAY or value <= (status == ERROR), f"status {status} with data {value:#x}"
        assert self.seen == 0, f"data that is no answer: {self.seen:#x}"
        return Answer(status, value if status == OKAY else 0, cycle - start)


async def bench(dut) -> tuple[AxiLiteMaster, TileMaster, TileMaster]:
    quiet = {f"request_valid_{m}_i": 0 for m in (1, 2)}
    rights = {f"{right}_{m}_i": ALL for m in (1, 2) for right in ("read", "write")}
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_i)
    await reset(dut, hold_i=0, **quiet, **rights)
    for _ in range(5):
        await RisingEdge(dut.clk_i)
    return host, TileMaster(dut, 1), TileMaster(dut, 2)


async def host_read(host: AxiLiteMaster, node: int, offset: int) -> tuple[int, AxiResp]:
    answer = await with_timeout(host.read(node << 16 | offset, 4), 50, "us")
    return int.from_bytes(answer.data, "little"), answer.resp


async def host_write(host: AxiLiteMaster, node: int, offset: int, value: int) -> AxiResp:
    return (await with_timeout(host.write(node << 16 | offset, value.to_bytes(4, "little")), 50, "us")).resp


@cocotb.test()
async def each_request_has_its_own_answer(dut):
    """Each master has words of its own. All work at once, each with several requests in flight."""
    host, one, two = await bench(dut)
    memory = {(node, word): word << 8 | node for node in range(BASE, BASE + STOPS) for word in range(8)}

    async def tile(master: TileMaster, words: range, nodes: range, times: int, tenant_nodes: int | None):
        for _ in range(times):
            node, word = random.choice(nodes), random.choice(words)
            foreign = tenant_nodes is not None and node % 4 != tenant_nodes
            if random.random() < 0.5:
                value = random.getrandbits(32)
                answer = await master.ask(node, 4 * word, value)
                assert answer.status == (ERROR if foreign else OKAY)
                if not foreign:
                    memory[node, word] = value
            else:
                answer = await master.ask(node, 4 * word)
                expected = (ERROR, 0) if foreign else (OKAY, memory[node, word])
                assert (answer.status, answer.data) == expected

    async def hosts(words: range):
        for _ in range(100):
            node, word = random.choice(range(BASE, BASE + STOPS)), random.choice(words)
            if random.random() < 0.5:
                value = random.getrandbits(32)
                assert await host_write(host, node, 4 * word, value) == AxiResp.OKAY
                memory[node, word] = value
            else:
                assert await host_read(host, node, 4 * word) == (memory[node, word], AxiResp.OKAY)

    reach = range(BASE, BASE + 3)
    tasks = [cocotb.start_soon(tile(one, range(i, i + 1), reach, 100, None)) for i in range(4)]
    tasks += [cocotb.start_soon(tile(two, range(4 + i, 5 + i), reach, 100, 1)) for i in range(3)]  # tenant 1 has node Base + 1
    tasks.append(cocotb.start_soon(hosts(range(7, 8))))
    for task in tasks:
        await task


@cocotb.test()
async def masters_that_fight_for_one_tile_get_equal_shares(dut):
    """All three keep several requests for the same slow word in flight. Each gets a third of the answers, and none waits longer than for the requests
    that can precede it."""
    host, one, two = await bench(dut)
    node, offset, service = BASE + 1, 0x1C, 9 + 2
    done = {"host": 0}
    longest = 0
    ended = False

    async def tile(master: TileMaster):
        nonlocal longest
        while not ended:
            answer = await master.ask(node, offset)
            assert (answer.status, answer.data) == (OKAY, 7 << 8 | node)
            longest = max(longest, answer.cycles)

    async def hosts():
        while not ended:
            assert await host_read(host, node, offset) == (7 << 8 | node, AxiResp.OKAY)
            done["host"] += 1

    tasks = [cocotb.start_soon(worker) for worker in [tile(m) for m in (one, two) for _ in range(TAGS)] + [hosts() for _ in range(TAGS)]]
    for _ in range(5000):
        await RisingEdge(dut.clk_i)
    counts = [done["host"], one.answers, two.answers]
    ended = True
    for task in tasks:
        await task
    assert min(counts) > 0.8 * max(counts), f"answers: {counts}"
    assert sum(counts) > 0.9 * 5000 / service, f"{sum(counts)} answers in 5000 cycles"
    assert longest <= 3 * TAGS * service + 40, f"one waited {longest} cycles"


@cocotb.test()
async def a_window_that_does_not_answer_holds_up_no_other_node(dut):
    host, one, two = await bench(dut)
    dut.hold_i.value = 1 << 1
    alone = [(await one.ask(BASE, 0)).cycles for _ in range(5)]
    stuck = cocotb.start_soon(two.ask(BASE + 1, WINDOW))
    for _ in range(20):
        await RisingEdge(dut.clk_i)
    for _ in range(4):  # of another master, and of the same one
        answer = await one.ask(BASE, 0)
        assert answer.status == OKAY and answer.cycles <= max(alone) + 2
        assert (await two.ask(BASE + 2, 0)).status == ERROR  # a word of another tenant's
    assert not stuck.done()
    assert (await stuck).status == ERROR
    dut.hold_i.value = 0
    assert await host_read(host, BASE, 0) == (BASE, AxiResp.OKAY)


@cocotb.test()
async def rights_cannot_be_exceeded(dut):
    host, one, _two = await bench(dut)
    for read in range(16):
        write = random.randrange(16)
        dut.read_1_i.value, dut.write_1_i.value = read, write
        await RisingEdge(dut.clk_i)
        before = one.refused
        refusals = 0
        for node in [*range(BASE, BASE + STOPS), MISSING, 0, 0xFF, 0x80]:
            place = 3 if node == MISSING else node - BASE if node < BASE + 3 else -1
            value = random.getrandbits(32)
            for right, data in ((write, value), (read, None)):
                held = (await host_read(host, node, 0))[0] if BASE <= node < BASE + STOPS else 0
                answer = await one.ask(node, 0, data)
                allowed = place >= 0 and right >> place & 1
                assert answer.status == (REFUSED if not allowed else NO_NODE if node == MISSING else OKAY)
                refusals += not allowed
                if answer.status == OKAY and data is None:
                    assert answer.data == held
                if BASE <= node < BASE + STOPS:
                    expected = data if allowed and data is not None else held
                    assert await host_read(host, node, 0) == (expected, AxiResp.OKAY)
        assert one.refused - before == refusals


@cocotb.test()
async def requests_to_one_node_are_done_in_order(dut):
    host, one, two = await bench(dut)
    noise = [cocotb.start_soon(two.ask(BASE + 1, 4 * (i % 8))) for i in range(40)]
    for _ in range(20):
        values = [random.getrandbits(32) for _ in range(4)]
        tasks = []
        for value in values:  # started one after another
            tasks.append(cocotb.start_soon(one.ask(BASE + 1, 8, value)))
            for _ in range(3):
                await RisingEdge(dut.clk_i)
        for task in tasks:
            assert (await task).status == OKAY
        assert await host_read(host, BASE + 1, 8) == (values[-1], AxiResp.OKAY)
    for task in noise:
        await task


@cocotb.test()
async def the_host_gets_its_answers_in_order(dut):
    """A slow word of one node, then fast ones of others and of the card: the fast answers are there first, and wait."""
    host, _one, _two = await bench(dut)
    for _ in range(10):
        places = [(BASE + 1, 7), (BASE + 2, 0), (BASE + 3, 1), (BASE, 2)]
        tasks = [cocotb.start_soon(host_read(host, node, 4 * word)) for node, word in places]
        ended = []
        for task, (node, word) in zip(tasks, places):
            assert await task == (word << 8 | node, AxiResp.OKAY)
            ended.append(node)
        assert ended == [node for node, _ in places]


@cocotb.test()
async def refused_requests_among_answers(dut):
    """A request that is refused at once is in no answer's way: several workers of one master, of which some ask for what it may not reach."""
    _host, one, _two = await bench(dut)
    dut.read_1_i.value = 0b0011
    asked = {OKAY: 0, REFUSED: 0}

    async def worker(node: int, word: int, expected: int):
        for _ in range(60):
            answer = await one.ask(node, 4 * word)
            assert answer.status == expected and (expected == REFUSED or answer.data == word << 8 | node)
            asked[expected] += 1

    work = [(BASE, 0, OKAY), (BASE + 1, 1, OKAY), (BASE + 2, 0, REFUSED), (BASE, 2, OKAY)]
    for task in [cocotb.start_soon(worker(*item)) for item in work]:
        await task
    assert asked == {OKAY: 180, REFUSED: 60} and one.refused == 60


@cocotb.test()
async def a_request_waits_while_its_tag_is_in_flight(dut):
    """An engine that uses one tag again and again: the second request stays off the ring until the first one is answered, so each gets its own answer."""
    _host, one, _two = await bench(dut)
    one.watch.cancel()
    words = [7, 0, 3, 1]
    answers = []

    async def collect():
        while len(answers) < len(words):
            await RisingEdge(dut.clk_i)
            if one.pins["answer_valid_o"].value == 1:
                answers.append(unpack(ANSWER_FIELDS, int(one.pins["answer_o"].value)))

    collector = cocotb.start_soon(collect())
    for word in words:
        one.pins["request_i"].value = pack(REQUEST_FIELDS, {"write": 0, "tag": 2, "node": BASE + word % 3, "offset": 4 * word, "data": 0})
        one.pins["request_valid_i"].value = 1
        while True:
            await RisingEdge(dut.clk_i)
            if one.pins["request_ready_o"].value == 1:
                break
        one.pins["request_valid_i"].value = 0
    await with_timeout(collector, 50, "us")
    assert [(answer["tag"], answer["status"], answer["data"]) for answer in answers] == [(2, OKAY, word << 8 | BASE + word % 3) for word in words]
