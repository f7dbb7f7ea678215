# SPDX-License-Identifier: Apache-2.0
"""syslog: other tiles, which raise interrupts and count, and a collector that reads by the grammar of RFC 5424. Times are short."""

from __future__ import annotations

import itertools
import random
import re

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.spec.kinds import load_kind
from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import Events, Message, Sink, reset
from girih.testing.ring import ANSWER_FIELDS, REQUEST_FIELDS

CARD, COLLECTOR = "10.77.0.2", "192.0.2.77"
PENDING, ENABLE = 0x0C00, 0x0C04
OKAY, REFUSED, ERROR, NO_NODE = range(4)
INTERVAL, PERIOD = 400, 1500
TILES = {0: 0x00, 3: 0x1F, 31: 0xFE}  # those with interrupts: right and node
COUNTERS = [(0x1F, 0x8040), (0x02, 0x8000), (0x1F, 0xBFF8)]

# RFC 5424, section 6, as it stands there: what is optional, and how long each part may be.
SD_NAME = r"[!#-<>-\[\\^-~\]]{1,32}".replace(r"\]", "")  # printable ASCII except '=', space, ']' and '"'
SD_PARAM = rf'{SD_NAME}="(?:[^"\\\]]|\\["\\\]])*"'
SD_ELEMENT = rf"\[{SD_NAME}(?: {SD_PARAM})*\]"
FULL_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
FULL_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
SYSLOG = re.compile(
    rf"<(?P<pri>\d{{1,3}})>(?P<version>[1-9]\d{{0,2}}) (?P<time>-|{FULL_DATE}T{FULL_TIME}) (?P<host>-|[!-~]{{1,255}}) (?P<app>-|[!-~]{{1,48}})"
    rf" (?P<procid>-|[!-~]{{1,128}}) (?P<msgid>-|[!-~]{{1,32}}) (?P<data>-|(?:{SD_ELEMENT})+)(?: (?P<msg>.*))?",
    re.ASCII | re.DOTALL,
)


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_syslog_engine(data_width):
    run_cocotb("syslog_engine", __file__, data_width=data_width)


@pytest.mark.parametrize("wrong", ["<192 1 - h a - m -", "<132>1 -h a - m -", '<132>1 - h a - m [x y="]"]', "<132>0 - h a - m -", '<132>1 - h a - m [x y="z"', "<132>1 - h a - " + "m" * 33 + " -"])
def test_the_grammar_takes_what_the_rfc_has_and_nothing_else(wrong):
    for right in ("<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - 'su root' failed", "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time",
                  '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application"][examplePriority@32473 class="high"]'):
        assert SYSLOG.fullmatch(right)
    assert not SYSLOG.fullmatch(wrong)


class Tiles:
    """The control network and the tiles behind it. status: what each node answers instead of doing it; writes: what it answers only writes."""

    def __init__(self, dut):
        self.dut = dut
        self.pending, self.enabled, self.counters = dict.fromkeys(TILES.values(), 0), dict.fromkeys(TILES.values(), 0), dict.fromkeys(COUNTERS, 0)
        self.status: dict[int, int] = {}
        self.write_status: dict[int, int] = {}
        self.asked: list[tuple[int, int, int, int]] = []
        self.silent = False
        dut.control_ready_i.value = dut.control_answer_valid_i.value = dut.control_answer_i.value = dut.control_interrupt_i.value = 0
        cocotb.start_soon(self._answers())
        cocotb.start_soon(self._lines())

    def do(self, asked: dict[str, int]) -> tuple[int, int]:
        node, offset, write = asked["node"], asked["offset"], asked["write"]
        self.asked.append((node, offset, write, asked["data"]))
        status = self.status.get(node, OKAY) or (write and self.write_status.get(node, OKAY))
        if status:
            return status, 0
        if write:
            assert offset in (PENDING, ENABLE), hex(offset)
            if offset == ENABLE:
                self.enabled[node] = asked["data"]
            else:
                self.pending[node] &= ~asked["data"]
            return OKAY, 0
        if offset == ENABLE:
            return OKAY, self.enabled[node]
        return OKAY, self.pending[node] if offset == PENDING else self.counters[node, offset] & 0xFFFFFFFF

    async def _answers(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            dut.control_answer_valid_i.value = 0
            if dut.rst_i.value == 0 and dut.control_ready_i.value == 1 and dut.control_valid_o.value == 1:
                asked = unpack(REQUEST_FIELDS, int(dut.control_request_o.value))
                dut.control_ready_i.value = 0
                await ClockCycles(dut.clk_i, random.randint(1, 20))
                while self.silent:
                    await RisingEdge(dut.clk_i)
                status, data = self.do(asked)
                dut.control_answer_i.value = pack(ANSWER_FIELDS, {"tag": asked["tag"], "status": status, "data": data})
                dut.control_answer_valid_i.value = 1
                continue
            dut.control_ready_i.value = int(random.random() < 0.7)

    async def _lines(self) -> None:
        """As the tiles' shells drive them: a cycle behind their registers."""
        while True:
            await RisingEdge(self.dut.clk_i)
            self.dut.control_interrupt_i.value = sum(((self.pending[node] & self.enabled[node]) != 0) << right for right, node in TILES.items())


class Bench:
    def __init__(self, dut, sink: Sink, events: Events, tiles: Tiles):
        self.dut, self.sink, self._events, self.tiles, self.read, self.zero = dut, sink, events, tiles, 0, cycle_now()

    @classmethod
    async def start(cls, dut, *, stall: float = 0.1, **changed) -> Bench:
        cls.config = {
            "ip": CARD, "collector": COLLECTOR, "collector_port": 5514, "ethernet_port": 2, "local_number": 3, "severity": 5, "interval": INTERVAL, "period": PERIOD,
            "line": sum((0x100 | node) << 9 * right for right, node in TILES.items()), "watch": sum((node << 16 | at) << 24 * index for index, (node, at) in enumerate(COUNTERS)),
            "threshold": 10 | 1 << 32 | 0 << 64,
        }  # fmt: skip
        dut.cfg_i.value = config_word("syslog", **cls.config | changed)
        tiles = Tiles(dut)
        await reset(dut, out_ready_i=0)
        return cls(dut, Sink(dut, stall=stall), Events(dut, [counter.name for counter in load_kind("syslog").engine_counters]), tiles)

    def set(self, **changed) -> None:
        self.dut.cfg_i.value = config_word("syslog", **self.config | changed)

    @property
    def events(self) -> dict[str, int]:
        return {name: count for name, count in self._events.count.items() if count}

    async def said(self, limit: int = 20 * PERIOD) -> dict[str, str]:
        """The next message, which is checked in full."""
        for _ in range(limit):
            if self.read < len(self.sink.messages):
                self.read += 1
                return self.parsed(self.sink.messages[self.read - 1])
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"nothing was said in {limit} cycles")

    async def silence(self, cycles: int) -> None:
        await ClockCycles(self.dut.clk_i, cycles)
        assert self.read == len(self.sink.messages), [message.data[42:] for message in self.sink.messages[self.read :]]

    def parsed(self, message: Message) -> dict[str, str]:
        frame = Ether(message.data)
        assert not message.bad and message.key == 0 and (message.desc["length"], message.desc["port"]) == (len(message.data), 2)
        assert (message.desc["l3_offset"], message.desc["l4_offset"], message.desc["payload_offset"]) == (14, 34, 42)
        assert (frame[IP].src, frame[IP].dst, frame[IP].version, frame[IP].ihl, frame[IP].proto, frame.type) == (CARD, COLLECTOR, 4, 5, 17, 0x0800)
        assert (frame[UDP].sport, frame[UDP].dport) == (514, 5514)
        found = SYSLOG.fullmatch(message.data[42:].decode("ascii"))
        assert found, message.data[42:]
        assert (found["pri"], found["version"], found["time"], found["host"], found["app"], found["procid"], found["msg"]) == (str((16 + 3) * 8 + 5), "1", "-", CARD, "girih", "-", None)
        name, _, rest = found["data"][1:-1].partition(" ")
        assert name == "girih@32473"
        values = dict(re.findall(r'(\S+)="([^"]*)"', rest))
        assert int(values["number"], 16) == self.read - 1
        return {"msgid": found["msgid"], **values, "first": str(message.first)}


def told(message: dict[str, str]) -> tuple:
    value = next(name for name in ("pending", "increase", "status") if name in message)
    return message["msgid"], int(message["node"], 16), int(message["register"], 16), value, int(message[value], 16)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.9])
async def interrupts_are_told_and_cleared(dut, stall):
    """Each tile's pending bits come once, as they were read; what comes between the reading and the clearing stays."""
    bench = await Bench.start(dut, stall=stall)
    await bench.silence(PERIOD)
    assert {(node, at, data) for node, at, write, data in bench.tiles.asked if write} == {(node, ENABLE, 0xFFFFFFFF) for node in TILES.values()}
    for node, bits in ((0x1F, 0x80000001), (0x00, 2), (0xFE, 0xFFFFFFFF)):
        start = cycle_now()
        bench.tiles.pending[node] = bits
        message = await bench.said()
        assert told(message) == ("interrupt", node, PENDING, "pending", bits)
        assert int(message["first"]) - start < 600 or stall
        assert start - 3 < bench.zero + int(message["cycle"], 16) < int(message["first"]), "cycles since reset"
        assert bench.tiles.pending[node] == 0
    await bench.silence(2 * PERIOD)
    assert {name: count for name, count in bench.events.items() if name != "mark_held"} == {"made_message": 3, "mark_interrupt": 3}


@cocotb.test()
async def no_event_of_a_storm_is_lost_and_the_wire_is_not_flooded(dut):
    """Bits are set at random in all tiles: each is told after it was set, and never one that was not; messages keep the interval, and no tile waits for ever."""
    bench = await Bench.start(dut, stall=0.3)
    owed: dict[int, int] = dict.fromkeys(TILES.values(), 0)
    do, cleared = bench.tiles.do, []

    def noted(asked):  # what is cleared is owed to the collector; during the storm another event comes just before
        if storms and asked["write"] and asked["offset"] == PENDING:
            happens(asked["node"])
        before = dict(bench.tiles.pending)
        answer = do(asked)
        if asked["write"] and asked["offset"] == PENDING:
            cleared.append((asked["node"], before[asked["node"]] & asked["data"]))
        return answer

    def happens(node: int) -> None:
        bit = 1 << random.randrange(32)
        bench.tiles.pending[node] |= bit
        owed[node] |= bit

    bench.tiles.do, storms = noted, True
    for _ in range(400):
        happens(random.choice([*TILES.values(), 0x1F, 0x1F]))
        await ClockCycles(dut.clk_i, random.randint(1, 50))
    messages, storms = [], False
    while any(bench.tiles.pending.values()) or len(messages) < len(cleared):
        messages.append(await bench.said())
    assert [(int(message["node"], 16), int(message["pending"], 16)) for message in messages] == cleared
    assert {node: sum_of(messages, node) for node in owed} == owed, "each bit that was set, and no other"
    firsts = [int(message["first"]) for message in messages]
    assert all(after - before >= INTERVAL - 100 for before, after in itertools.pairwise(firsts))
    assert firsts[-1] - firsts[0] >= (len(firsts) - 1) * INTERVAL - 100
    turns = [int(message["node"], 16) for message in messages]
    assert all(set(turns[at : at + 3]) == set(TILES.values()) for at in range(0, min(30, len(turns) - 5), 3)), "each has its turn"
    assert bench.events["mark_held"] > 20 and bench.events["made_message"] == len(messages)


def sum_of(messages: list[dict[str, str]], node: int) -> int:
    bits = 0
    for message in messages:
        if int(message["node"], 16) == node:
            bits |= int(message["pending"], 16)
    return bits


@cocotb.test()
async def counters_are_told_by_how_much_they_grew(dut):
    bench = await Bench.start(dut, stall=0.2)
    first, second, third = COUNTERS
    bench.tiles.counters[first] = 9  # below its threshold
    await bench.silence(3 * PERIOD)
    bench.tiles.counters[first] = 10
    assert told(await bench.said()) == ("counter", *first, "increase", 10)
    await bench.silence(2 * PERIOD)
    bench.tiles.counters |= {first: 25, second: 1, third: 0x1_0000_0002}
    found = sorted([told(await bench.said()) for _ in range(3)])
    assert found == sorted([("counter", *first, "increase", 15), ("counter", *second, "increase", 1), ("counter", *third, "increase", 2)])
    bench.tiles.counters |= {second: 0xFFFFFFFF}
    assert told(await bench.said()) == ("counter", *second, "increase", 0xFFFFFFFE)
    bench.tiles.counters |= {second: 0x1_0000_0001}  # its low half wraps
    assert told(await bench.said()) == ("counter", *second, "increase", 2)
    assert bench.events["mark_counter"] == 6
    # Another counter in the same place is told since reset, an empty place nothing.
    bench.set(watch=second[0] << 16 | second[1] | (first[0] << 16 | first[1]) << 24, threshold=1 | 1 << 32)
    assert {told(await bench.said()) for _ in range(2)} == {("counter", *second, "increase", 1), ("counter", *first, "increase", 25)}
    asked = len(bench.tiles.asked)
    await bench.silence(2 * PERIOD)
    reads = [entry[:2] for entry in bench.tiles.asked[asked:]]
    assert third not in reads and 1 <= reads.count(first) <= 3, "each is read once a period"


@cocotb.test()
async def who_cannot_be_asked_is_told_once_and_tried_again(dut):
    """A tile that refuses, or is not there, holds nobody up; when it can be asked again, what it had is told."""
    bench = await Bench.start(dut, stall=0.1)
    await bench.silence(PERIOD)
    tiles = bench.tiles
    for status in (REFUSED, ERROR, NO_NODE):
        tiles.status[0x1F] = status
        tiles.pending[0x1F] |= 4
        found = {told(await bench.said()) for _ in range(3)}  # its interrupt, and each of its two counters
        assert found == {("unreachable", 0x1F, at, "status", status) for at in (PENDING, 0x8040, 0xBFF8)}
        tiles.pending[0x00] = 8
        assert told(await bench.said()) == ("interrupt", 0x00, PENDING, "pending", 8)
        tried = len(tiles.asked)
        await bench.silence(4 * PERIOD)
        tried = [node for node, _, _, _ in tiles.asked[tried:]]
        assert 9 <= tried.count(0x1F) <= 15, "three accesses a period"
        tiles.status.clear()
        assert told(await bench.said()) == ("interrupt", 0x1F, PENDING, "pending", 4)
        await bench.silence(PERIOD + 200)
    failed = bench.events["mark_failed"]
    # It may read, and not clear: it says so instead of the same again and again.
    tiles.write_status[0xFE] = REFUSED
    tiles.pending[0xFE] = 1
    assert told(await bench.said()) == ("unreachable", 0xFE, PENDING, "status", REFUSED)
    await bench.silence(4 * PERIOD)
    assert bench.events["mark_failed"] - failed in range(4, 7)
    tiles.write_status.clear()
    assert told(await bench.said()) == ("interrupt", 0xFE, PENDING, "pending", 1)
    assert bench.events["mark_unreachable"] == 10


@cocotb.test()
async def interrupts_are_enabled_when_they_can_be(dut):
    """A tile that is in reset, or for which the right is missing, is enabled later."""
    bench = await Bench.start(dut)
    bench.tiles.write_status = dict.fromkeys(TILES.values(), ERROR)
    found = {told(await bench.said()) for _ in TILES}
    assert found == {("unreachable", node, PENDING, "status", ERROR) for node in TILES.values()}
    bench.tiles.write_status.clear()
    await bench.silence(2 * PERIOD)
    assert set(bench.tiles.enabled.values()) == {0xFFFFFFFF}
    enables = len([entry for entry in bench.tiles.asked if entry[1:3] == (ENABLE, 1)])
    bench.tiles.enabled[0x00] = 1  # by the operator, which stays
    bench.tiles.pending[0x00] = 2
    await bench.silence(3 * PERIOD)
    bench.tiles.pending[0x00] |= 1
    assert told(await bench.said()) == ("interrupt", 0x00, PENDING, "pending", 3)
    assert len([entry for entry in bench.tiles.asked if entry[1:3] == (ENABLE, 1)]) == enables


@cocotb.test()
async def interrupts_that_the_host_has_chosen_stay(dut):
    """Of a tile where some are enabled already, only those are reported; at the others all are."""
    bench = await Bench.start(dut, ip=0)
    bench.tiles.enabled[0x1F] = 0b100
    bench.tiles.pending[0x1F] = 0b011
    bench.set()
    await bench.silence(3 * PERIOD)
    assert bench.tiles.enabled == {0x00: 0xFFFFFFFF, 0x1F: 0b100, 0xFE: 0xFFFFFFFF}
    bench.tiles.pending[0x1F] |= 0b100
    assert told(await bench.said()) == ("interrupt", 0x1F, PENDING, "pending", 0b111)


@cocotb.test()
async def a_line_that_changes_is_enabled(dut):
    """The line of right 3 belongs to another tile, then to its own again, where the host has disabled all meanwhile."""
    bench = await Bench.start(dut)
    await bench.silence(PERIOD)
    lines = bench.config["line"]
    bench.tiles.enabled[0x2A], bench.tiles.pending[0x2A] = 0, 0
    bench.set(line=lines & ~(0x1FF << 27) | 0x12A << 27)
    await bench.silence(PERIOD)
    assert bench.tiles.enabled[0x2A] == 0xFFFFFFFF
    bench.tiles.enabled[0x1F] = 0
    bench.set()
    await bench.silence(PERIOD)
    assert bench.tiles.enabled[0x1F] == 0xFFFFFFFF
    bench.tiles.pending[0x1F] = 4
    assert told(await bench.said()) == ("interrupt", 0x1F, PENDING, "pending", 4)


@cocotb.test()
async def nothing_is_read_that_cannot_be_told(dut):
    """Without an address, without a collector, with an output that takes nothing, and while the ring is slow: what happened stays where it is."""
    bench = await Bench.start(dut, ip=0)
    bench.tiles.pending[0x1F] = 1
    await bench.silence(2 * PERIOD)
    assert bench.tiles.asked == []
    bench.set(collector=0)
    await bench.silence(2 * PERIOD)
    assert bench.tiles.asked == [] and bench.tiles.pending[0x1F] == 1
    bench.set()
    await bench.said()
    bench.sink.stall = 1.0
    for _ in range(5):
        bench.tiles.pending[0x1F] = bench.tiles.pending[0xFE] = 3
        await bench.silence(PERIOD)
    held = [node for node in (0x1F, 0xFE) if bench.tiles.pending[node]]
    assert held, "one message waits at the output, the other events in their tiles"
    bench.set(ip="10.77.0.99", collector_port=1)  # the message that waits is not torn
    await ClockCycles(dut.clk_i, 300)
    bench.set()
    bench.sink.stall = 0.0
    told(await bench.said())
    told(await bench.said())
    bench.tiles.silent = True
    bench.tiles.pending[0x00] = 1
    await bench.silence(3 * PERIOD)
    bench.tiles.silent = False
    assert ("interrupt", 0x00, PENDING, "pending", 1) in [told(await bench.said()) for _ in range(1 + bool(bench.tiles.pending[0x1F] or bench.tiles.pending[0xFE]))]


@cocotb.test()
async def addresses_of_all_lengths_are_written_as_people_do(dut):
    bench = await Bench.start(dut, interval=0)
    for address in ("1.2.3.4", "10.20.99.100", "199.200.255.9", "100.101.109.110", "0.0.0.1", *(".".join(str(random.randrange(256)) for _ in range(4)) for _ in range(20))):
        severity, number = random.randrange(8), random.randrange(8)
        bench.set(ip=address, severity=severity, local_number=number, interval=0)
        await ClockCycles(dut.clk_i, 10)
        bench.tiles.pending[0x1F] = 1
        await bench.sink.count(len(bench.sink.messages) + 1)
        data = bench.sink.messages[-1].data
        found = SYSLOG.fullmatch(data[42:].decode())
        assert found and found["host"] == address == Ether(data)[IP].src and int(found["pri"]) == (16 + number) * 8 + severity
