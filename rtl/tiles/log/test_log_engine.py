# SPDX-License-Identifier: Apache-2.0
"""log: messages pass unchanged; each flit is recorded with its cycle; questions get records, whoever may not ask gets none."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.spec.message import flit_fields, unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench, check_no_bubbles, config_word, frame_of, random_options, udp
from girih.testing.messages import FLIT_BYTES, PARAMS, Message, flits_of

ENTRIES, QUESTIONS = 64, 9
HEAD = max(64, FLIT_BYTES)
READER, OTHER = "10.1.2.3", "10.2.2.3"
OPEN = {"questions": QUESTIONS, "reader": "10.1.0.0", "reader_mask": "255.255.0.0", "flits": 0xFFFF, "overwrite": 1}


@pytest.mark.parametrize("data_width", WIDTHS)
def test_log_engine(data_width):
    run_cocotb("log_engine", __file__, data_width=data_width, parameters={"Entries": ENTRIES})


@dataclass(frozen=True)
class Record:
    """As the wire has it; the offsets are those of the table in README.md."""

    there: bool
    first: bool
    last: bool
    void: bool
    lossless: bool
    data: bytes
    port: int
    tenant: int
    source: int
    cycle: int
    number: int

    @classmethod
    def read(cls, text: bytes) -> Record:
        beside, data = text[:FLIT_BYTES], text[FLIT_BYTES:]
        assert not any(beside[16:]), "bytes without a meaning are 0"
        about = int.from_bytes(beside[:4], "little")
        number = int.from_bytes(beside[10:16], "little")
        cycle = int.from_bytes(beside[4:10], "little")
        there, first, last, void, lossless = (bool(about >> n & 1) for n in range(5))
        assert not about >> 5 & 1
        size, port, tenant, source = about >> 6 & 255, about >> 14 & 15, about >> 18 & 63, about >> 24
        return cls(there, first, last, void, lossless, data[:size], port, tenant, source, cycle, number)


class Monitor:
    """What goes into the engine but from the tile of questions, flit by flit; it counts cycles from reset by itself."""

    def __init__(self, dut):
        self.flits: list[Record] = []
        self.limit = 1 << 16
        self._dut = dut
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, cycle, first, head, index = self._dut, 0, True, {}, 0
        while True:
            await RisingEdge(dut.clk_i)
            if dut.rst_i.value == 1:
                cycle = 0
                continue
            if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 1:
                flit = unpack(flit_fields(PARAMS), int(dut.in_flit_i.value))
                if first:
                    head, index = flit["desc"] if isinstance(flit["desc"], dict) else unpack_desc(flit["desc"]), 0
                last = bool(flit["last"])
                if head["src"] != QUESTIONS and index < self.limit:
                    data = flit["data"].to_bytes(FLIT_BYTES, "little")[: FLIT_BYTES - flit["empty"]]
                    self.flits.append(
                        Record(True, first, last, last and bool(flit["bad"]), bool(head["lossless"]), data, head["port"], head["tenant"], head["src"], cycle, len(self.flits))
                    )
                first, index = last, index + 1
            cycle += 1


def unpack_desc(word: int) -> dict:
    from girih.testing.messages import DESC_FIELDS

    return unpack(DESC_FIELDS, word)


def passing(size: int | None = None, tagged: bool | None = None, bad: bool = False) -> Message:
    size = random.choice([0, 1, 18, 64, 100, 300, 1472]) if size is None else size
    frame, l3_offset, _ = frame_of(udp(random.randbytes(size)), random.random() < 0.3 if tagged is None else tagged)
    where = {"l3_offset": l3_offset, "port": random.randrange(16), "tenant": random.randrange(16), "src": random.randrange(QUESTIONS), "lossless": random.getrandbits(1)}
    return Message(frame, where, bad=bad)


def question(first: int, records: int = 3, *, tagged: bool = False, src: str = READER, talk: int = 0, end: int = 0, mark: int = 7, options=None, short: int = 0) -> Message:
    at = 46 if tagged else 42
    text = mark.to_bytes(2, "little") + bytes([talk, 0]) + first.to_bytes(6, "little") + end.to_bytes(6, "little")
    text = text.ljust(HEAD - at, b"\xaa") + random.randbytes(2 * FLIT_BYTES * records)
    text = text[: len(text) - short]
    frame, l3_offset, l4_offset = frame_of(udp(text, src=src, dst="10.1.0.9", sport=4321, dport=5140, options=options), tagged)
    desc = {"src": QUESTIONS, "length": len(frame), "l3_offset": l3_offset, "l4_offset": l4_offset, "payload_offset": l4_offset + 8, "payload_sum_valid": 1}
    return Message(frame, desc)


def answers(asked: Message, answer: Message) -> tuple[int, list[Record]]:
    """Checks an answer's head; the number of the next record, and the records."""
    assert answer.key == 0 and answer.desc["payload_sum_valid"] == 0 and not answer.bad
    before, after = Ether(asked.data), Ether(answer.data)
    assert len(before) == len(after)
    assert (after[IP].src, after[IP].dst) == (before[IP].dst, before[IP].src)
    assert (after[UDP].sport, after[UDP].dport) == (before[UDP].dport, before[UDP].sport)
    at = asked.desc["payload_offset"]
    assert answer.data[at : at + 10] == asked.data[at : at + 2] + b"\1" + asked.data[at + 3 : at + 10]
    assert answer.data[at + 16 : HEAD] == asked.data[at + 16 : HEAD]
    records = answer.data[HEAD:]
    step = 2 * FLIT_BYTES
    return int.from_bytes(answer.data[at + 10 : at + 16], "little"), [Record.read(records[n : n + step]) for n in range(0, len(records), step)]


async def begin(dut, idle: float = 0.0, stall: float = 0.0, **changed) -> tuple[EngineBench, Monitor]:
    monitor = Monitor(dut)
    bench = await EngineBench.start(dut, "log", idle=idle, stall=stall, **(OPEN | changed))
    return bench, monitor


async def ask(bench: EngineBench, *questions: Message) -> list[tuple[int, list[Record]]]:
    found = await bench.run(list(questions))
    assert len(found) == len(questions)
    return [answers(asked, answer) for asked, answer in zip(questions, found)]


async def whole(bench: EngineBench, start: int, end: int) -> list[Record]:
    """All records of these numbers, three at a time."""
    found = [records for _, records in await ask(bench, *(question(n, tagged=bool(n % 2)) for n in range(start, end, 3)))]
    return [record for records in found for record in records if record.number < end]


def ethertype(message: Message) -> int:
    at = 16 if message.desc["l3_offset"] == 18 and FLIT_BYTES > 16 else 12
    return int.from_bytes(message.data[at : at + 2], "big")


def check_passed(sent: list[Message], out: list[Message]) -> None:
    assert [(m.data, m.bad) for m in out] == [(m.data, m.bad) for m in sent]
    for before, after in zip(sent, out):
        assert after.key == ethertype(before)
        assert all(after.desc[name] == value for name, value in before.desc.items())


@cocotb.test()
async def records_what_passes(dut):
    for idle, stall in TRAFFIC:
        bench, monitor = await begin(dut, idle, stall)
        for _ in range(12):
            start = len(monitor.flits)
            sent = []
            while sum(flits_of(m.data) for m in sent) < ENTRIES // 2:
                sent.append(passing(random.choice([0, 18, 64, 200]), bad=random.random() < 0.2))
            check_passed(sent, await bench.run(sent))
            end = len(monitor.flits)
            if end - start < ENTRIES - 1:
                assert await whole(bench, start, end) == monitor.flits[start:end]
        assert bench.events["mark_recorded"] == len(monitor.flits) and "mark_lost" not in bench.events
        assert bench.events["mark_void"] == sum(record.void for record in monitor.flits)


@cocotb.test()
async def a_record_in_every_cycle(dut):
    bench, monitor = await begin(dut)
    sent = [passing(size) for size in (18, 18, 200, 18, 1, 64) * 2]
    out = await bench.run(sent)
    check_no_bubbles(out)
    assert out[0].first - sent[0].first == 1, "a message takes one cycle"
    cycles = [record.cycle for record in monitor.flits]
    assert cycles == list(range(cycles[0], cycles[0] + len(cycles)))
    start = max(0, len(cycles) - ENTRIES + 2)
    assert await whole(bench, start, len(cycles)) == monitor.flits[start:]


@cocotb.test()
async def what_is_not_there_is_said(dut):
    """Overwritten, and not yet written; whatever is there, is right, also while others are written."""
    bench, monitor = await begin(dut)
    for _ in range(40):
        sent = [passing() for _ in range(4)]
        last = len(monitor.flits)
        firsts = [max(0, last - ENTRIES + random.randint(-4, 8)), last - 2 if last > 2 else 0, last + random.randrange(20), (1 << 48) - 2]
        asked = [question(first, random.choice([1, 2, 8])) for first in firsts]
        mixed = [message for pair in zip(sent, asked) for message in pair]
        out = await bench.run(mixed)
        check_passed(sent, [message for message in out if message.key])
        for what, answer in zip(asked, [message for message in out if not message.key]):
            end, records = answers(what, answer)
            assert last <= end <= len(monitor.flits)
            at = what.desc["payload_offset"]
            for offset, record in enumerate(records):
                number = (int.from_bytes(what.data[at + 4 : at + 10], "little") + offset) % (1 << 48)
                assert record.number == number
                if record.there:
                    assert record == monitor.flits[number]
                else:
                    assert number <= end - (ENTRIES - 1) + 2 or number >= end or end + flits_of(sent[0].data) > number + ENTRIES - 2 or len(monitor.flits) - number > ENTRIES - 2
                    assert not any((record.first, record.last, record.data, record.cycle, record.source))
    final, records = (await ask(bench, question(len(monitor.flits) - (ENTRIES - 2), 1)))[0]
    assert final == len(monitor.flits) and records[0] == monitor.flits[-(ENTRIES - 2)]
    assert not (await ask(bench, question(final - ENTRIES, 1)))[0][1][0].there


@cocotb.test()
async def a_full_log_can_keep_the_first(dut):
    bench, monitor = await begin(dut, overwrite=0, stall=0.2)
    sent = [passing(300) for _ in range(20)]
    while sum(flits_of(m.data) for m in sent) <= ENTRIES:
        sent.append(passing(300))
    check_passed(sent, await bench.run(sent))
    assert await whole(bench, 0, ENTRIES) == monitor.flits[:ENTRIES]
    assert bench.events["mark_recorded"] == ENTRIES and bench.events["mark_lost"] == len(monitor.flits) - ENTRIES
    assert (await ask(bench, question(0, 1), question(ENTRIES, 1)))[1][1][0].there is False
    # Stopped and started again, it takes as many more.
    start = len(monitor.flits)
    monitor.limit = 0
    for flits in (0, OPEN["flits"]):
        dut.cfg_i.value = config_word("log", **(OPEN | {"overwrite": 0, "flits": flits}))
        check_passed([sent[0]], await bench.run([sent[0]]))
        monitor.limit = 1 << 16
    check_passed(sent, await bench.run(sent))
    last = bench.events["mark_recorded"]
    assert last == 2 * ENTRIES
    found = await whole(bench, ENTRIES, last)
    assert [replace(record, number=0) for record in found] == [replace(record, number=0) for record in monitor.flits[start : start + ENTRIES]]
    dut.cfg_i.value = config_word("log", **OPEN)
    more = passing(0)
    check_passed([more], await bench.run([more]))
    end, records = (await ask(bench, question(last, flits_of(more.data))))[0]
    assert end == last + flits_of(more.data)
    assert b"".join(record.data for record in records) == more.data


@cocotb.test()
async def heads_of_messages(dut):
    bench, monitor = await begin(dut, flits=2)
    monitor.limit = 2
    sent = [passing(300) for _ in range(10)]
    check_passed(sent, await bench.run(sent))
    assert len(monitor.flits) == 20
    assert await whole(bench, 0, 20) == monitor.flits
    dut.cfg_i.value = config_word("log", **(OPEN | {"flits": 0}))
    check_passed(sent, await bench.run(sent))
    assert bench.events["mark_recorded"] == 20


@cocotb.test()
async def who_may_not_ask(dut):
    for stall in (0.0, 0.4):
        bench, _ = await begin(dut, stall=stall)
        strangers = [question(0, 1, src=src, tagged=tagged) for src in (OTHER, "11.1.0.1", "0.0.0.0") for tagged in (False, True)]
        assert await bench.run(strangers) == []
        step = 2 * FLIT_BYTES
        wrong = [question(0, 1, talk=1), question(0, 1, talk=2), question(0, 1, end=5), question(0, 0), question(0, 2, short=1), question(0, 1, short=step - 1)]
        wrong += [question(0, 1, options=random_options(words)) for words in (1, 5, 10)]
        wrong += [question(0, 1, short=HEAD + step - 42 - n) for n in (0, 1, 15, 16)]
        unknown = question(0, 1)
        unknown.desc["length"] = 0
        wrong.append(unknown)
        assert await bench.run(wrong) == []
        assert bench.events["drop_reader"] == len(strangers) and bench.events["drop_malformed"] == len(wrong)
        assert len(await ask(bench, question(0, 1))) == 1
        dut.cfg_i.value = config_word("log", **(OPEN | {"reader": 0, "reader_mask": "255.255.255.255"}))
        assert await bench.run([question(0, 1), question(0, 1, src="0.0.0.0")]) == []


@cocotb.test()
async def no_frame_leaves_as_an_answer(dut):
    """A frame of EtherType 0 has not the key of answers."""
    bench, _ = await begin(dut)
    message = passing(100, tagged=False)
    message.data = message.data[:12] + bytes(2) + message.data[14:]
    (out,) = await bench.run([message])
    assert out.key == 1 and out.data == message.data


@cocotb.test()
async def both_move_on_while_both_wait(dut):
    """Questions without end hold no traffic for long, nor does traffic hold questions."""
    bench, _ = await begin(dut)
    mixed = [message for n in range(60) for message in (passing(18), question(n, 1))]
    out = await bench.run(mixed)
    keys = [message.key == 0 for message in out]
    assert len(out) == 120 and sum(keys) == 60
    await ClockCycles(dut.clk_i, 2)


@cocotb.test()
async def an_answer_has_no_bubbles(dut):
    bench, _ = await begin(dut)
    await bench.run([passing(1400) for _ in range(4)])
    for records in (1, 2, 3, 30):
        asked = question(0, records)
        (answer,) = await bench.run([asked])
        assert answer.last - answer.first == flits_of(asked.data) - 1
        assert answer.first - asked.last <= 10


@cocotb.test()
async def the_longest_questions_take_no_more_than_they_have(dut):
    """A reader's questions cost others the cycles in which his questions come and those in which his answers leave, and no more."""
    bench, _ = await begin(dut)
    records = (9000 - HEAD) // (2 * FLIT_BYTES)
    mixed = []
    for n in range(8):
        mixed += [question(n, records), *(passing(18) for _ in range(flits_of(question(0, records).data) // flits_of(passing(18).data)))]
    out = await bench.run(mixed)
    answered = [message for message in out if message.key == 0]
    assert len(answered) >= 4 and len(out) - len(answered) == sum(message.desc["src"] != QUESTIONS for message in mixed)
    assert len(answered) + bench.events.get("drop_crowded", 0) == 8
    flits = sum(flits_of(message.data) for message in [*mixed, *answered])
    assert out[-1].last - mixed[0].first < flits + 100


@cocotb.test()
async def questions_without_room_are_dropped_and_void_ones_too(dut):
    bench, _ = await begin(dut, stall=0.9)
    records = (9000 - HEAD) // (2 * FLIT_BYTES)
    out = await bench.run([question(0, records) for _ in range(12)])
    assert len(out) == bench.events["mark_answered"] == 12 - bench.events["drop_crowded"] > 0
    void = question(0)
    void.bad = True
    assert await bench.run([void]) == [] and bench.events["drop_aborted"] == 1
    assert await bench.run([question(0)])
