# SPDX-License-Identifier: Apache-2.0
"""udp_stream with an engine in Python: payloads reach it whole with their sender, and its answers go back, whatever they are."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, UDP, IPOption
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from girih.testing import WIDTHS, run_cocotb, some_of
from girih.testing.messages import FLIT_BYTES, PARAMS, Message, settle, start

IN_FLIGHT = int(os.environ.get("IN_FLIGHT", "4"))
LARGEST = PARAMS.max_frame
TRAFFIC = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
# What an engine can do wrong with the beats of an answer.
HOLE, SHORT, EMPTY_END = "a hole in tkeep", "a beat that lacks bytes before the last", "a last beat without bytes behind others"
EMPTY_START, EMPTY_TWICE = "a beat without bytes before others", "two beats without bytes"


@pytest.mark.parametrize("data_width", WIDTHS)
def test_udp_stream(data_width):
    run_cocotb("udp_stream", __file__, data_width=data_width, parameters={"InFlight": IN_FLIGHT})


@pytest.mark.parametrize("data_width, in_flight, max_frame", some_of(0, [(512, 2, 16383), (128, 64, 1518)]))
def test_sizes(data_width, in_flight, max_frame):
    """The fewest and the most datagrams inside; the longest frame whose length has 14 bits, in whole beats longer than 14 bits can count."""
    run_cocotb(
        "udp_stream",
        __file__,
        data_width=data_width,
        max_frame=max_frame,
        parameters={"InFlight": in_flight},
        environment={"IN_FLIGHT": str(in_flight)},
    )


class Answer:
    """An answer of the engine: its bytes, whether it declares it void, and what it does wrong.

    early: it ends before the engine has taken the last beat of the datagram.
    """

    def __init__(self, data: bytes, *, void: bool = False, fault: str | None = None, early: bool = False):
        self.data, self.void, self.fault, self.early = data, void, fault, early

    def beats(self) -> list[tuple[bytes, int, bool]]:
        """Data, tkeep and tlast of each beat."""
        chunks = [self.data[at : at + FLIT_BYTES] for at in range(0, len(self.data), FLIT_BYTES)] or [b""]
        beats = [(chunk, (1 << len(chunk)) - 1, chunk is chunks[-1]) for chunk in chunks]
        if self.fault == HOLE:
            beats[-1] = (beats[-1][0], 0b101, True)
        if self.fault == SHORT:
            beats.insert(0, (b"x", 1, False))
        if self.fault == EMPTY_START:
            beats.insert(0, (b"", 0, False))
        if self.fault == EMPTY_TWICE:
            beats = [(b"", 0, False), (b"", 0, True)]
        if self.fault == EMPTY_END:
            beats = [*((data, keep, False) for data, keep, _last in beats if keep.bit_count() == FLIT_BYTES), (b"", 0, True)]
        return beats


class Engine:
    """Answers each payload with `work(payload, sender)`. stall, idle: probabilities of not taking, and of not giving, a beat."""

    def __init__(self, dut, work, *, stall: float = 0.0, idle: float = 0.0):
        self.dut, self.work, self.stall, self.idle = dut, work, stall, idle
        self.seen: list[tuple[bytes, int]] = []
        self._beats: deque[tuple[bytes, int, bool, bool]] = deque()
        self._given = 0  # answers to datagrams that have not come yet
        dut.m_axis_tready.value = 0
        dut.s_axis_tvalid.value = 0
        cocotb.start_soon(self._take())
        cocotb.start_soon(self._give())

    @property
    def busy(self) -> bool:
        return bool(self._beats) or self.dut.m_axis_tvalid.value == 1

    def give(self, answer: Answer) -> None:
        """Answers the next datagram before it comes."""
        self._given += 1
        self._beats += [(*beat, answer.void) for beat in answer.beats()]

    def _answer(self, payload: bytes, sender: int) -> None:
        if self._given:
            self._given -= 1
            return
        answer = self.work(payload, sender)
        self._beats += [(*beat, answer.void) for beat in answer.beats()]

    async def _take(self) -> None:
        dut, data, first, answered = self.dut, b"", None, False
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_axis_tvalid.value == 1 and dut.m_axis_tready.value == 1:
                sender, keep, last = int(dut.m_axis_tid.value), int(dut.m_axis_tkeep.value), dut.m_axis_tlast.value == 1
                assert first in (None, sender), "the sender changed within a datagram"
                count = keep.bit_count()
                assert keep == (1 << count) - 1 and (last or count == FLIT_BYTES)
                beat = int(dut.m_axis_tdata.value).to_bytes(FLIT_BYTES, "little")[:count]
                if first is None and self.work(beat, sender).early:
                    self._answer(beat, sender)
                    answered = True
                first, data = sender, data + beat
                if last:
                    self.seen.append((data, sender))
                    if not answered:
                        self._answer(data, sender)
                    data, first, answered = b"", None, False
            dut.m_axis_tready.value = int(random.random() >= self.stall)

    async def _give(self) -> None:
        dut, offered = self.dut, None
        while True:
            await RisingEdge(dut.clk_i)
            if offered is not None and dut.s_axis_tready.value == 1:
                self._beats.popleft()
                offered = None
            if offered is None and self._beats and random.random() >= self.idle:
                data, keep, last, void = offered = self._beats[0]
                dut.s_axis_tdata.value = int.from_bytes(data + random.randbytes(FLIT_BYTES - len(data)), "little")
                dut.s_axis_tkeep.value = keep
                dut.s_axis_tlast.value = int(last)
                dut.s_axis_tuser.value = int(void and last)
            dut.s_axis_tvalid.value = int(offered is not None)


class Bench:
    def __init__(self, dut, source, sink, engine):
        self.dut, self.source, self.sink, self.engine = dut, source, sink, engine
        self.events = {"refused_o": 0, "answered_o": 0, "void_o": 0}
        cocotb.start_soon(self._count())

    @classmethod
    async def start(cls, dut, work, *, idle=0.0, stall=0.0, engine_idle=0.0, engine_stall=0.0):
        source, sink = await start(dut, idle=idle, stall=stall)
        return cls(dut, source, sink, Engine(dut, work, stall=engine_stall, idle=engine_idle))

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            for name in self.events:
                self.events[name] += int(getattr(self.dut, name).value)

    async def run(self, messages: list[Message]) -> list[Message]:
        already = len(self.sink.messages)
        self.source.send(*messages)
        await settle(self.dut, self.source, self.sink)
        while self.engine.busy:
            await settle(self.dut, self.source, self.sink)
        await settle(self.dut, self.source, self.sink)  # what the engine has just answered
        return self.sink.messages[already:]


def datagram(payload: bytes, *, number: int = 0, port: int = 40000, tagged: bool = False, options: int = 0, bad: bool = False) -> Message:
    """options: bytes of IPv4 options."""
    packet = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")
    if tagged:
        packet /= Dot1Q(vlan=5)
    nothing = [IPOption(b"\1")] * options
    packet /= IP(src=f"10.1.{number >> 8}.{number & 255}", dst="10.0.0.2", options=nothing) / UDP(sport=port, dport=3478) / Raw(payload)
    l3 = 18 if tagged else 14
    l4 = l3 + 20 + options
    return Message(
        bytes(packet),
        {"length": len(packet), "l3_offset": l3, "l4_offset": l4, "payload_offset": l4 + 8, "payload_sum_valid": 1, "payload_sum": 1},
        bad=bad,
    )


def judge(asked: Message, answer: Message, payload: bytes) -> None:
    """The answer is this payload, in a datagram from whom the other one went to; its sums are unknown, its length is right."""
    at = asked.desc["payload_offset"]
    assert answer.data[at:] == payload and not answer.bad
    assert answer.desc["length"] == at + len(payload) and not answer.desc["payload_sum_valid"]
    before, after = Ether(asked.data), Ether(answer.data)
    assert (after[IP].src, after[IP].dst) == (before[IP].dst, before[IP].src)
    assert (after[UDP].sport, after[UDP].dport) == (before[UDP].dport, before[UDP].sport)
    l3 = asked.desc["l3_offset"]
    assert after.src == before.src and answer.data[:l3] == asked.data[:l3]


def sizes(count: int) -> list[int]:
    edges = [0, 1, FLIT_BYTES - 1, FLIT_BYTES, FLIT_BYTES + 1, 1472]
    return [random.choice([*edges, random.randrange(4 * FLIT_BYTES)]) for _ in range(count)]


@cocotb.test()
async def answers_of_any_size_go_back(dut):
    for idle, stall in TRAFFIC:
        answers = {}

        def work(payload, sender, answers=answers):
            answers[sender] = Answer(random.Random(sender).randbytes(random.Random(len(payload) * 7 + sender).choice([0, 1, 4, FLIT_BYTES, 700])))
            return answers[sender]

        bench = await Bench.start(dut, work, idle=idle, stall=stall, engine_idle=stall, engine_stall=idle)
        asked = [datagram(random.randbytes(size), number=n, port=1024 + n, tagged=random.random() < 0.3) for n, size in enumerate(sizes(60))]
        out = await bench.run(asked)
        assert len(out) == len(asked)
        for message, answer, (payload, sender) in zip(asked, out, bench.engine.seen, strict=True):
            packet = Ether(message.data)
            assert payload == message.data[message.desc["payload_offset"] :]
            assert sender == int.from_bytes(bytes(map(int, packet[IP].src.split("."))) + packet[UDP].sport.to_bytes(2, "big"), "big")
            judge(message, answer, answers[sender].data)
        assert bench.events == {"refused_o": 0, "answered_o": len(asked), "void_o": 0}


@cocotb.test()
async def what_no_datagram_can_hold_is_void_and_the_next_answers_are_right(dut):
    """The payload's first byte says what the engine does."""
    room = LARGEST - 42  # behind headers without a tag
    kinds = [
        (Answer(b"fine"), True),
        (Answer(b"fine", void=True), False),
        (Answer(b"", void=True), False),
        (Answer(bytes(300), fault=HOLE), False),
        (Answer(bytes(300), fault=SHORT), False),
        (Answer(bytes(4 * FLIT_BYTES), fault=EMPTY_END), False),
        (Answer(bytes(300), fault=EMPTY_START), False),
        (Answer(b"", fault=EMPTY_TWICE), False),
        (Answer(bytes(room)), True),
        (Answer(bytes(room + 1)), False),
        (Answer(bytes(LARGEST + FLIT_BYTES + 1)), False),
        (Answer(bytes(3 * LARGEST)), False),
        (Answer(bytes(1 << PARAMS.length_bits)), False),  # more than desc.length can count
        (Answer(bytes((1 << PARAMS.length_bits) + 100)), False),
        (Answer(b"fine" * 100, void=True), False),
    ]
    for stall in (0.0, 0.4):
        bench = await Bench.start(dut, lambda payload, _: kinds[payload[0]][0], stall=stall, engine_idle=stall)
        order = [*range(len(kinds)), *random.choices(range(len(kinds)), k=20)]
        asked = [datagram(bytes([kind]) * 30) for kind in order]
        out = await bench.run(asked)
        assert len(out) == len(asked)
        for kind, message, answer in zip(order, asked, out, strict=True):
            wanted, good = kinds[kind]
            if good:
                judge(message, answer, wanted.data)
            else:
                assert answer.bad and len(answer.data) <= 42
        voids = sum(not kinds[kind][1] for kind in order)
        assert bench.events == {"refused_o": 0, "answered_o": len(order) - voids, "void_o": voids}


@cocotb.test()
async def the_largest_answers_fit_behind_headers_of_any_length(dut):
    """Up to those of 86 bytes, with a VLAN tag and 40 bytes of IPv4 options; an answer of one byte more is void."""
    for stall in (0.0, 0.4):
        bench = await Bench.start(dut, lambda payload, _: Answer(bytes(int.from_bytes(payload[:4], "big"))), stall=stall, engine_idle=stall)
        asked, rooms = [], []
        for tagged in (False, True):
            for options in (0, 4, 20, 40):
                rooms += [LARGEST - (42 + 4 * tagged + options) + more for more in (0, 1)]
                asked += [datagram(room.to_bytes(4, "big") + bytes(20), tagged=tagged, options=options) for room in rooms[-2:]]
        for message, answer, room in zip(asked, await bench.run(asked), rooms, strict=True):
            if message.desc["payload_offset"] + room <= LARGEST:
                judge(message, answer, bytes(room))
            else:
                assert answer.bad and len(answer.data) <= message.desc["payload_offset"]
        assert bench.events == {"refused_o": 0, "answered_o": len(asked) // 2, "void_o": len(asked) // 2}


@cocotb.test()
async def an_engine_may_answer_at_once_and_take_the_rest_late(dut):
    """The largest answers to the largest datagrams, each complete before the engine takes more than the datagram's first beat."""
    room = LARGEST - 42
    bench = await Bench.start(dut, lambda payload, _: Answer(payload[:4].ljust(room), early=True), engine_stall=0.9)
    asked = [datagram(random.randbytes(room)) for _ in range(6)]
    for message, answer in zip(asked, await bench.run(asked), strict=True):
        judge(message, answer, message.data[42:46].ljust(room))


@cocotb.test()
async def answers_may_come_before_their_datagrams_end(dut):
    """Also to datagrams that turn out void at their end: the answer is void, too."""
    for idle in (0.0, 0.6):
        bench = await Bench.start(dut, lambda payload, _: Answer(b"early " + payload[:2], early=True), idle=idle)
        asked = [datagram(random.randbytes(size), bad=random.random() < 0.3) for size in sizes(40)]
        out = await bench.run(asked)
        assert len(out) == len(asked)
        for message, answer in zip(asked, out, strict=True):
            at = message.desc["payload_offset"]
            if message.bad:
                assert answer.bad
            else:
                judge(message, answer, b"early " + message.data[at : at + 2])


@cocotb.test()
async def an_answer_may_be_there_before_its_datagram(dut):
    bench = await Bench.start(dut, lambda payload, _: Answer(payload))
    early = [Answer(b"ready " * 30), Answer(b"steady")]
    for answer in early:
        bench.engine.give(answer)
    await ClockCycles(dut.clk_i, 50)
    assert bench.sink.messages == []
    asked = [datagram(random.randbytes(40)) for _ in range(5)]
    wanted = [answer.data for answer in early] + [message.data[42:] for message in asked[2:]]
    for message, answer, payload in zip(asked, await bench.run(asked), wanted, strict=True):
        judge(message, answer, payload)


@cocotb.test()
async def datagrams_wait_for_a_slow_engine(dut):
    """No more than IN_FLIGHT are inside, and none is lost."""
    bench = await Bench.start(dut, lambda payload, _: Answer(payload), engine_stall=0.95)
    asked = [datagram(random.randbytes(40)) for _ in range(5 * IN_FLIGHT)]
    out = await bench.run(asked)
    for message, answer in zip(asked, out, strict=True):
        judge(message, answer, message.data[42:])


@cocotb.test(skip=IN_FLIGHT < 4)
async def answers_wait_for_a_fabric_that_hardly_takes_any(dut):
    """More of them than the tile can store: its engine waits, and loses nothing."""
    room = LARGEST - 42
    bench = await Bench.start(dut, lambda payload, _: Answer(payload[:4].ljust(room)), stall=0.97)
    asked = [datagram(random.randbytes(4)) for _ in range(2 * IN_FLIGHT if IN_FLIGHT < 16 else 6)]
    for message, answer in zip(asked, await bench.run(asked), strict=True):
        judge(message, answer, message.data[42:46].ljust(room))


@cocotb.test()
async def services_are_not_answered(dut):
    bench = await Bench.start(dut, lambda payload, _: Answer(payload), stall=0.4)
    out = await bench.run([datagram(bytes(size), port=port) for size in (0, 200) for port in (7, 3478, 4000, 19, 0)])
    assert [Ether(answer.data)[UDP].dport for answer in out] == [4000, 4000]
    assert bench.events == {"refused_o": 8, "answered_o": 2, "void_o": 0}
    assert len(bench.engine.seen) == 2


@cocotb.test(skip=IN_FLIGHT < 4)
async def takes_a_flit_in_every_cycle(dut):
    """While the engine answers at once with as much."""
    bench = await Bench.start(dut, lambda payload, _: Answer(payload))
    size = 20 * FLIT_BYTES - 42
    out = await bench.run([datagram(bytes(size)) for _ in range(20)])
    assert out[-1].last - out[10].first == 10 * 20 - 1
