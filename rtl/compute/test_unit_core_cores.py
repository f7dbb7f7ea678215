# SPDX-License-Identifier: Apache-2.0
"""unit_core with several cores: they share the messages, and work at the same time; answers leave in order; a core that runs wild loses its own
messages only."""

import os
import random
import struct
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.spec.formats import Format
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import Message
from rtl.compute.compute_bench import UnitBench, done_desc, random_desc
from rtl.tiles.cluster.cluster_bench import CREW, DROP, KEEP, LOOP, MAIL, TAKE, WILD, WORK
from rtl.tiles.core.core_bench import Operator

MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
CORES, SLOTS = (int(os.environ.get(name, value)) for name, value in (("CORES", 2), ("SLOTS", 4)))
SLOT_BYTES = 2048
HEADER = 16  # bytes before the command; the first ones identify the message
ANSWER = 20  # bytes of a command and of its answer
STARTED = 400  # cycles until the program waits


@pytest.mark.parametrize(
    ("cores", "slots", "width"),
    [(3, 4, 512), pytest.param(2, 2, 128, marks=pytest.mark.thorough), pytest.param(4, 8, 1024, marks=pytest.mark.thorough)],
)
def test_unit_core_cores(cores, slots, width):
    parameters = {"Cores": cores, "CoreSlots": slots, "SlotBytes": SLOT_BYTES, "OutputFlits": 512 * 512 // width, "DetourFlits": 512 * 512 // width}
    names = {"CORES": str(cores), "SLOTS": str(slots)}
    run_cocotb("unit_core_engine", __file__, data_width=width, chained=True, parameters=parameters, environment=names)


async def crew(dut, watchdog=0, **traffic):
    everybody = Operator(dut, MAP["CoreWindowAll"])
    dut.now_i.value = 0
    bench = await UnitBench.start(dut, "unit_core", {"slots": 255, "watchdog": watchdog}, **traffic)
    bench.operators = [Operator(dut, core * MAP["CoreWindowBytes"]) for core in range(CORES)]
    await everybody.load(CREW, read_by=bench.operators)
    await ClockCycles(dut.clk_i, STARTED)
    return bench


def command(tag, what=WORK, argument=0, size=ANSWER):
    data = tag.to_bytes(4, "little") + bytes(HEADER - 4) + struct.pack(">II", what, argument) + random.randbytes(size - 8)
    return Message(data, random_desc(len(data), payload_offset=HEADER, l3_offset=0, l4_offset=0, detoured=0))


def core_of(message):
    return struct.unpack_from(">I", message.data, HEADER + 8)[0]


def untouched(message):
    """The part of a message that no core changes."""
    return message.data[: HEADER + 8], message.data[HEADER + ANSWER :]


@cocotb.test()
@cocotb.parametrize(traffic=[(0.0, 0.0), (0.3, 0.5)])
async def answers_leave_in_order_whatever_each_takes(dut, traffic):
    """Some are dropped or too long for a slot, so their answers are void; the others leave in the order of the messages."""
    bench = await crew(dut, idle=traffic[0], stall=traffic[1])
    sent, void = [], set()
    for tag in range(60):
        kind = random.choice((WORK, WORK, WORK, DROP))
        size = random.choice((ANSWER, 200, 1400, 2100)) if kind == WORK else ANSWER
        sent.append(command(tag, kind, random.choice((0, 50, 400)), size=size))
        if kind == DROP or HEADER + size > SLOT_BYTES:
            void.add(tag)
        bench.source.send(sent[-1])
        await ClockCycles(dut.clk_i, random.choice((1, 100, 200)))
    await bench.settled()
    ledger = bench.check(sent)
    assert [ledger.tag(message.data) for message in ledger.missing] == [struct.pack("<I", tag) for tag in sorted(void) if not _detoured(ledger, tag)]
    for message in ledger.done:
        asked = ledger.origin(message)
        assert untouched(message) == untouched(asked) and message.desc == done_desc(asked.desc) | {"payload_sum_valid": 0}
    assert bench.events.count["drop_engine"] == len(ledger.missing)
    assert {core_of(message) for message in ledger.done} == set(range(CORES))


def _detoured(ledger, tag):
    return any(ledger.tag(message.data) == struct.pack("<I", tag) for message in ledger.detoured)


@cocotb.test()
async def cores_work_at_the_same_time(dut):
    bench = await crew(dut)
    work, rounds = 1500, 3
    bench.source.send(*(command(tag, argument=work) for tag in range(rounds * CORES)))
    start = cycle_now()
    out = await bench.sink.count(rounds * CORES)
    assert out[-1].last - start < rounds * (work + 200)
    assert Counter(map(core_of, out)) == dict.fromkeys(range(CORES), rounds)


@cocotb.test()
@cocotb.parametrize(wild=[LOOP, WILD, KEEP])
async def a_core_that_runs_wild_is_reset_alone(dut, wild):
    """It loses its message and the one that waits in it; answers behind these wait until then, and none of the others is lost."""
    bench = await crew(dut, watchdog=2500)
    sent = [command(0, wild, 0x40000000)] + [command(tag, argument=20) for tag in range(1, 30)]
    for message in sent:
        bench.source.send(message)
        await ClockCycles(dut.clk_i, 60)
    await ClockCycles(dut.clk_i, 4000)
    await bench.settled()
    ledger = bench.check(sent)
    states = [await operator.read("state") for operator in bench.operators]
    assert sorted(state >> 8 for state in states) == [0] * (CORES - 1) + [1] and all(state & 3 == 1 for state in states)
    assert 1 <= len(ledger.missing) <= 2 and ledger.missing[0] is sent[0] and not ledger.detoured
    more = [command(100 + tag, argument=300) for tag in range(2 * CORES)]
    bench.source.send(*more)
    await bench.settled()
    ledger = bench.check(sent + more)
    assert {core_of(message) for message in ledger.done[-2 * CORES :]} == set(range(CORES))


@cocotb.test()
async def cores_held_in_any_cycle_answer_each_message_once(dut):
    bench = await crew(dut)
    sent = []
    for _ in range(40):
        burst = [command(len(sent) + number, argument=random.choice((0, 30)), size=random.choice((ANSWER, 900))) for number in range(random.randrange(1, 5))]
        sent += burst
        bench.source.send(*burst)
        await ClockCycles(dut.clk_i, random.randrange(20, 150))
        operator = random.choice(bench.operators)
        assert await operator.write("control", 0) and await operator.write("control", 1)
    await bench.settled()
    bench.check(sent)
    # With all cores held, every message is answered, by a void message.
    everybody = Operator(dut, MAP["CoreWindowAll"])
    assert await everybody.write("control", 0)
    already, void = len(bench.sink.messages), bench.events.count["drop_engine"]
    more = [command(len(sent) + number) for number in range(3 * CORES)]
    bench.source.send(*more)
    await bench.settled()
    assert len(bench.sink.messages) == already and bench.events.count["drop_engine"] == void + len(more)
    assert await everybody.write("control", 1)
    await ClockCycles(dut.clk_i, STARTED)
    last = [command(1000 + number, argument=300) for number in range(2 * CORES)]
    bench.source.send(*last)
    await bench.settled()
    assert len(bench.check(sent + more + last).done) >= len(last)


@cocotb.test()
async def cores_send_each_other_mail(dut):
    bench = await crew(dut)
    words, to, tag = 3, 1, 0
    bench.source.send(command(tag, MAIL, to << 16 | words))
    await bench.settled()
    assert struct.unpack_from(">I", bench.sink.messages[0].data, HEADER + 4)[0] == words
    taken = Counter()
    for _ in range(8 * CORES):
        tag += 1
        bench.source.send(command(tag, TAKE))
        answer = (await bench.sink.count(tag + 1))[-1]
        wrong, count = struct.unpack_from(">II", answer.data, HEADER)
        assert wrong == 0
        taken[core_of(answer)] = count
    assert taken[to] == words and taken.total() == words
