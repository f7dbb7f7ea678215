# SPDX-License-Identifier: Apache-2.0
"""cluster: the cores share the messages of one queue; a runaway program costs only the messages of its core; with flows told apart, each flow keeps
its order."""

import os
import random
import struct
from collections import Counter, defaultdict

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.formats import Format
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import TRAFFIC, EngineBench, frame_of, udp
from girih.testing.messages import FLIT_BYTES, Message, settle, time_at
from rtl.tiles.cluster.cluster_bench import (
    AWAY,
    CHURN,
    CREW,
    DROP,
    FLOOD,
    KEEP,
    LOOP,
    MAIL,
    MAKE,
    STOP,
    TAKE,
    VANISH,
    WILD,
    WORK,
)
from rtl.tiles.core.core_bench import Operator

MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
CORES, AHEAD, FLOWS, SLOTS = (int(os.environ.get(name, value)) for name, value in (("CORES", 3), ("AHEAD", 1), ("FLOWS", 0), ("SLOTS", 8)))
QUEUE = 512  # flits, more than two messages of the largest size
MAIL_WORDS = 8  # words that can wait in a core
SLOT_BYTES = 2048
ANSWER = 20  # bytes of a command and of its answer
ATTACHED, HALT, GO, HALTED = 1, 2, 4, 2  # of the window's part `debug`
DRET = 0x7B200073
LATEST = 20  # cycles from the last flit of a message to the first instruction that handles it


@pytest.mark.parametrize(
    ("cores", "ahead", "flows", "slots", "width"),
    [
        (2, 1, 64, 4, 512),
        pytest.param(3, 1, 0, 8, 512, marks=pytest.mark.thorough),
        pytest.param(2, 0, 64, 4, 512, marks=pytest.mark.thorough),
        pytest.param(4, 0, 64, 4, 512, marks=pytest.mark.thorough),
        pytest.param(1, 1, 16, 2, 128, marks=pytest.mark.thorough),
        pytest.param(2, 3, 1024, 4, 128, marks=pytest.mark.thorough),
        pytest.param(4, 0, 0, 2, 1024, marks=pytest.mark.thorough),
    ],
)
def test_cluster_engine(cores, ahead, flows, slots, width):
    depth = QUEUE * 512 // width
    parameters = {"Cores": cores, "Ahead": ahead, "Flows": flows, "Slots": slots, "QueueFlits": depth, "Debug": 1}
    names = {"CORES": str(cores), "AHEAD": str(ahead), "FLOWS": str(flows), "SLOTS": str(slots)}
    run_cocotb("cluster_engine", __file__, data_width=width, parameters=parameters, environment=names)


class Cluster(EngineBench):
    """A cluster that runs the program of the tests."""

    @classmethod
    async def run_crew(cls, dut, watchdog=0, stall=0.1, **traffic):
        everybody = Operator(dut, MAP["CoreWindowAll"])
        dut.now_i.value = 0
        bench = await cls.start(dut, "cluster", watchdog=watchdog, stall=stall, **traffic)
        bench.operators = [Operator(dut, core * MAP["CoreWindowBytes"]) for core in range(CORES)]
        await everybody.load(CREW, read_by=bench.operators)
        cocotb.start_soon(bench._keep_time())
        await ClockCycles(dut.clk_i, 400)  # until the cores have started
        return bench

    async def _keep_time(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            self.dut.now_i.value = time_at(cycle_now() + 1)

    @property
    def dropped(self):
        return sum(count for name, count in self.events.items() if name.startswith("drop_"))

    async def quiet(self, cycles=300):
        """Waits until nothing has come out for this many cycles."""
        await settle(self.dut, self.source, self.sink, cycles=cycles)

    def cores(self, already=0):
        """How many messages each core has answered."""
        return Counter(answer(message)[0] for message in self.sink.messages[already:])


def command(what=WORK, argument=0, size=ANSWER, flow=None, **desc):
    """A command for the program, in a datagram of a flow, or in a message without a flow."""
    tail = struct.pack(">II", what, argument) + bytes(ANSWER - 8) + random.randbytes(size - ANSWER)
    fields = {"port": random.getrandbits(4), "tenant": random.getrandbits(4)} | desc
    if flow is None:
        return Message(b"\x77" * 42 + tail, fields | {"payload_offset": 42})
    packet = udp(tail, src=f"10.0.0.{flow}", dst="10.9.9.9", sport=5000 + flow, dport=7)
    frame, l3_offset, l4_offset = frame_of(packet)
    return Message(frame, fields | {"l3_offset": l3_offset, "l4_offset": l4_offset, "payload_offset": l4_offset + 8})


def answer(message):
    """The core that answered, its count of messages, and when it began this one."""
    return struct.unpack_from(">III", message.data, message.desc["payload_offset"] + 8)


def apart(message):
    """The part of a message that no core changes: all but the answer."""
    at = message.desc["payload_offset"] + 8
    return message.data[:at], message.data[at + 12 :], {name: message.desc.get(name, 0) for name in ("port", "tenant", "payload_offset")}


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def every_message_is_answered_once(dut, traffic):
    bench = await Cluster.run_crew(dut, idle=traffic[0], stall=traffic[1])
    sent = [command(argument=random.randrange(200), size=random.choice((20, 200, 1400)), flow=random.choice((None, *range(1, 9)))) for _ in range(40)]
    for each in sent:  # as many as fit into the slots of one core: all of them may be of one flow
        bench.source.send(each)
        await bench.source.drained()
        await ClockCycles(dut.clk_i, random.choice((1, 100, 300)))
    await bench.quiet(1000)
    came, asked = Counter(map(str, map(apart, bench.sink.messages))), Counter(map(str, map(apart, sent)))
    assert not came - asked
    assert len(bench.sink.messages) + bench.events.get("drop_overrun", 0) == len(sent)
    assert bench.events == ({} if not FLOWS or not bench.dropped else {"drop_overrun": bench.dropped})
    assert len(bench.cores()) == CORES


@cocotb.test()
async def cores_work_at_the_same_time(dut):
    """Messages are of different flows, and each core gets its share."""
    bench = await Cluster.run_crew(dut, stall=0.0)
    work, rounds = 1000, 4
    bench.source.send(*(command(argument=work, flow=1 + number) for number in range(rounds * CORES)))
    start = cycle_now()
    out = await bench.sink.count(rounds * CORES)
    assert out[-1].last - start < (rounds + (CORES > 1 and bool(FLOWS))) * (work + 200)
    if not FLOWS:
        assert set(bench.cores().values()) == {rounds}


@cocotb.test(skip=not FLOWS)
async def a_flow_keeps_its_order(dut):
    bench = await Cluster.run_crew(dut, idle=0.5)
    sent = defaultdict(list)
    turn = [flow for flow in range(1, 9) for _ in range(12)]
    random.shuffle(turn)
    for number, flow in enumerate(turn):
        bench.source.send(command(argument=random.choice((0, 0, 50, 400)), flow=flow, timestamp=number, timestamp_valid=1))
        sent[flow].append(number)
        await ClockCycles(dut.clk_i, random.choice((1, 60, 200)))
    await bench.quiet(2000)
    came = defaultdict(list)
    for message in bench.sink.messages:
        came[message.data[29]].append(message.desc["timestamp"])  # the last byte of its source
    assert all(numbers == sorted(numbers) for numbers in came.values())
    assert len(bench.sink.messages) + bench.events.get("drop_overrun", 0) == len(turn)
    assert len(bench.sink.messages) > len(turn) * 3 // 4
    assert len(bench.cores()) == CORES
    if CORES > 2:  # a flow is not bound to one core for ever
        served = defaultdict(set)
        for message in bench.sink.messages:
            served[message.data[29]].add(answer(message)[0])
        assert max(map(len, served.values())) > 1


@cocotb.test(skip=not FLOWS)
@cocotb.parametrize(ends=["dropped", "void", "too long"])
async def a_flow_keeps_its_order_whatever_ends_in_it(dut, ends):
    """Messages that are dropped, void or too long for a slot end early, and still let no later message overtake an earlier one."""
    bench = await Cluster.run_crew(dut, stall=0.9 if ends == "dropped" else 0)
    sent = 0
    for _ in range(25):
        for flow in random.sample(range(1, 9), 3):
            one = command(argument=random.choice((0, 300)), flow=flow, size=random.choice((20, 1000)), timestamp=sent, timestamp_valid=1)
            early = command(DROP, flow=flow, size=3000 if ends == "too long" else 20)
            early.bad = ends == "void"
            two = command(flow=flow, timestamp=sent + 1, timestamp_valid=1)
            bench.source.send(one, early, two)
            sent += 2
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 400)
    await bench.quiet(2000)
    came = defaultdict(list)
    for message in bench.sink.messages:
        came[message.data[29]].append(message.desc["timestamp"])
    assert all(numbers == sorted(numbers) for numbers in came.values())
    assert len(bench.sink.messages) + bench.dropped == sent + sent // 2
    assert len(bench.sink.messages) > sent // 4


@cocotb.test(skip=not FLOWS)
async def a_flow_fills_the_slots_of_one_core_alone(dut):
    """A slow flow that sends too much loses its own messages; those of others pass."""
    bench = await Cluster.run_crew(dut)
    bench.source.send(*(command(argument=3000, flow=1) for _ in range(SLOTS + 6)))
    others = [command(argument=10, flow=2 + number) for number in range(3 * (CORES > 1))]
    bench.source.send(*others)
    await ClockCycles(dut.clk_i, 2500)
    assert len(bench.sink.messages) == len(others)
    assert bench.events == {"drop_overrun": 6}
    await bench.quiet(4000)
    assert len(bench.sink.messages) == len(others) + SLOTS


@cocotb.test(skip=not FLOWS or CORES < 2)
async def a_flow_whose_core_has_stopped_is_not_lost(dut):
    """While answers wait in the output of a stopped core, further messages of the flow wait for them, and then go to another core."""
    bench = await Cluster.run_crew(dut)
    for turn in range(CORES - 1):
        already, dropped = len(bench.sink.messages), bench.dropped
        bench.sink.stall = 1.0
        early = [command(flow=1, timestamp=number, timestamp_valid=1) for number in range(SLOTS // 2)]
        late = [command(flow=1, timestamp=SLOTS + number, timestamp_valid=1) for number in range(SLOTS)]
        bench.source.send(*early)
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 1000)  # until their answers wait
        bench.source.send(command(STOP, flow=1))
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 1000)  # until it has stopped
        bench.source.send(*late, command(flow=2), command(flow=3))  # which wait for room, as a second one of a flow does not
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 1000)
        bench.sink.stall = 0.0
        await bench.quiet(1000)
        assert bench.dropped == dropped + 1, bench.events  # the message that stopped the core
        came = [message.desc["timestamp"] for message in bench.sink.messages[already:] if message.data[29] == 1]
        assert came == [message.desc["timestamp"] for message in early + late]
        assert len(bench.sink.messages) - already == len(came) + 2
        assert sum([(await operator.read("state")) & 3 == 2 for operator in bench.operators]) == turn + 1


@cocotb.test(skip=CORES < 2)
async def a_core_that_a_debugger_halts_is_not_missed(dut):
    bench = await Cluster.run_crew(dut, watchdog=2500)
    first, *others = bench.operators
    assert await first.write("debug", ATTACHED | HALT)
    await ClockCycles(dut.clk_i, 1500)
    assert await first.read("debug") == HALTED | ATTACHED and [await other.read("debug") for other in others] == [0] * len(others)
    count = 4 * CORES
    bench.source.send(*(command(argument=200, flow=1 + number) for number in range(count)))
    await bench.quiet(3000)
    assert bench.cores().keys() == set(range(1, CORES)) and len(bench.sink.messages) == count
    assert await first.write_word("steps", 0, DRET) and await first.write("debug", ATTACHED | GO) and await first.write("debug", 0)
    bench.source.send(*(command(argument=200, flow=1 + number) for number in range(count)))
    await bench.quiet(1000)
    assert bench.cores(count).keys() == set(range(CORES)) and bench.events == {}


@cocotb.test()
async def every_byte_that_the_consoles_lose_is_counted(dut):
    """Also when more bytes are lost in a cycle than a counter can count in one."""
    bench = await Cluster.run_crew(dut)
    count = 8192
    bench.source.send(*(command(FLOOD, count, flow=1 + number) for number in range(CORES)))
    await bench.source.drained()
    for _ in range(40):
        await ClockCycles(dut.clk_i, 2000)
        if len(bench.sink.messages) == CORES:
            break
    await ClockCycles(dut.clk_i, CORES * count)
    kept = sum([len(await operator.console()) for operator in bench.operators])
    assert bench.events == {"mark_console_lost": CORES * count - kept}


@cocotb.test(skip=bool(FLOWS) or CORES < 2)
async def a_slow_message_holds_at_most_those_that_wait_in_its_core(dut):
    bench = await Cluster.run_crew(dut)
    bench.source.send(command(argument=20000), *(command(argument=100) for _ in range(40)))
    await ClockCycles(dut.clk_i, 15000)
    assert len(bench.sink.messages) >= 40 - AHEAD
    await bench.quiet(8000)
    assert len(bench.sink.messages) == 41 and bench.events == {}


@cocotb.test(skip=CORES < 2)
@cocotb.parametrize(wild=[LOOP, AWAY, WILD, KEEP])
async def a_core_that_runs_wild_is_reset_alone(dut, wild):
    """The other cores neither restart nor wait, and this one comes back."""
    bench = await Cluster.run_crew(dut, watchdog=2500)
    bench.source.send(*(command(flow=number) for number in range(1, 2 * CORES + 1)))
    await bench.quiet()
    already = len(bench.sink.messages)
    bench.source.send(command(wild, 0x40000000, flow=99))
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 60)
    for number in range(150):
        bench.source.send(command(argument=20, flow=100 + number % 50))
        await ClockCycles(dut.clk_i, 40)
    await bench.quiet(4000)
    states = [await operator.read("state") for operator in bench.operators]
    restarts = [state >> 8 for state in states]
    assert sorted(restarts) == [0] * (CORES - 1) + [1] and all(state & 3 == 1 for state in states)
    # The core has its message and those assigned to it in advance; with flows, later messages of these flows may follow.
    lost = bench.events.get("drop_reset", 0)
    assert (wild != AWAY) <= lost <= 1 + (SLOTS if FLOWS else AHEAD)
    assert bench.dropped == lost
    assert len(bench.sink.messages) - already == 150 + (wild == AWAY) - lost + (wild != AWAY)
    for core, operator in enumerate(bench.operators):
        if not restarts[core]:
            last = max(answer(message)[1] for message in bench.sink.messages if answer(message)[0] == core)
            assert last == bench.cores()[core], "a neighbour has lost its data"
            assert await operator.console() == ""
    # It works again.
    already = len(bench.sink.messages)
    bench.source.send(*(command(argument=300, flow=1 + number) for number in range(3 * CORES)))
    await bench.quiet(1500)
    assert bench.cores(already)[restarts.index(1)] > 0


@cocotb.test()
async def what_the_hardware_refuses_is_counted(dut):
    """A write into the memory of a message that is not the core's: to no slot but that of the message itself."""
    bench = await Cluster.run_crew(dut)
    refused = 0
    for slot in random.choices(range(SLOTS), k=12):
        already = len(bench.sink.messages)
        bench.source.send(command(WILD, MAP["PacketsBase"] + slot * SLOT_BYTES, flow=1))
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 1500)
        refused += len(bench.sink.messages) == already
    assert refused > 0
    assert bench.events == {"drop_reset": refused, "mark_refused": refused, "mark_faults": refused, "mark_restarts": refused}


@cocotb.test()
async def what_nobody_takes_is_dropped_and_counted(dut):
    bench = await Cluster.run_crew(dut)
    largest = 142 * 64 // FLIT_BYTES  # flits of the largest message, for which the queue must have room
    bench.source.send(*(command(LOOP, flow=core) for core in range(1, CORES + 1)))
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 200)
    flits = -(-62 // FLIT_BYTES)
    sent = 2 * QUEUE * 512 // (8 * FLIT_BYTES)
    bench.source.send(*(command() for _ in range(sent)))
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 2 * sent)
    refused = bench.events["drop_no_room"]
    assert 0 < refused < sent - (QUEUE * 512 // (8 * FLIT_BYTES) - largest) // flits + 3
    lossless = [command(lossless=1) for _ in range(sent // 2)]  # more than the queue has room for
    already = bench.dropped
    bench.source.send(*lossless)
    await ClockCycles(dut.clk_i, 300)
    assert bench.dropped == already, "a lossless message was dropped"
    assert bench.source.busy
    # All cores are held: waiting messages are dropped, many in one cycle, and each is counted.
    everybody = Operator(dut, MAP["CoreWindowAll"])
    assert await everybody.write("control", 0)
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 8 * sent)
    assert bench.dropped == sent + CORES + len(lossless)
    assert bench.events.keys() <= {"drop_no_room", "drop_reset", "drop_overrun"}
    assert await everybody.write("control", 1)
    await ClockCycles(dut.clk_i, 400)
    already = len(bench.sink.messages)
    bench.source.send(*(command(argument=100, flow=number) for number in range(1, 1 + CORES)))
    await bench.quiet()
    assert len(bench.sink.messages) == already + CORES


@cocotb.test()
async def messages_that_are_too_long_or_void_end_in_a_core(dut):
    bench = await Cluster.run_crew(dut)
    bad = [Message(bytes(3000), {"payload_offset": 42}), Message(bytes(100), {"payload_offset": 42}, bad=True)]
    turns = 4 * SLOTS
    for _ in range(turns):
        bench.source.send(*bad)
    bench.source.send(*(command(DROP, flow=number) for number in range(1, 6)), command(flow=9))
    await bench.quiet(1500)
    assert bench.events == {"drop_too_long": turns, "drop_aborted": turns, "drop_program": 5}
    assert len(bench.sink.messages) == 1


@cocotb.test(skip=SLOTS < 4)
@cocotb.parametrize(lossless=[0, 1])
async def a_message_that_a_program_makes_has_an_owner(dut, lossless):
    """All cores make messages at once: each has the owner of the message of which it was made, but its loss does not matter."""
    bench = await Cluster.run_crew(dut)
    asked = [command(MAKE, number % SLOTS, size=ANSWER + 7 * number, flow=1 + number, lossless=lossless) for number in range(4 * CORES)]
    for turn in range(4):
        bench.source.send(*asked[turn * CORES : (turn + 1) * CORES])
        await bench.quiet(1500)
    made, told = Counter(), {}
    for message in bench.sink.messages:
        _, value = struct.unpack_from(">II", message.data, message.desc["payload_offset"])
        size = len(message.data)
        of = next(one for one in asked if len(one.data) == size)
        assert apart(message)[1:] == apart(of)[1:]
        if message.key == 1:
            assert message.desc.get("lossless", 0) == 0 and value == made[size]
            made[size] += 1
        else:
            assert message.desc.get("lossless", 0) == lossless and size not in told
            told[size] = value
    assert len(told) == len(asked) and {size: number for size, number in told.items() if number} == made
    assert made.total() >= CORES * (SLOTS - 3) and bench.events == {"made_messages": made.total()}
    assert len(bench.cores()) == CORES


@cocotb.test(skip=SLOTS < AHEAD + 3)  # with fewer, those that wait may leave no slot
async def messages_that_all_cores_make_and_drop_are_counted(dut):
    """As fast as they can, while others are dropped too: the counts lag behind by no more than what the slots hold."""
    bench = await Cluster.run_crew(dut)
    each, more = 500, 3 * CORES
    bench.source.send(*(command(CHURN, each, flow=1 + core) for core in range(CORES)), *(command(DROP, flow=20 + number) for number in range(more)))
    while len(bench.sink.messages) < CORES:
        await ClockCycles(dut.clk_i, 7)
        assert -more <= bench.events.get("made_messages", 0) - bench.dropped <= CORES * SLOTS
    await bench.quiet(1500)
    made = sum(struct.unpack_from(">I", message.data, message.desc["payload_offset"] + 4)[0] for message in bench.sink.messages)
    assert bench.events["made_messages"] == made > each and bench.dropped == made + more


@cocotb.test()
async def cores_stop_one_after_the_other(dut):
    bench = await Cluster.run_crew(dut)
    for left in range(CORES, 0, -1):
        already = len(bench.sink.messages)
        bench.source.send(*(command(argument=200, flow=number) for number in range(1, 2 * left + 1)))
        await bench.quiet(1500)
        assert len(bench.cores(already)) == left and len(bench.sink.messages) == already + 2 * left
        bench.source.send(command(STOP, 70, flow=200))
        await bench.quiet(1500)
        states = [await operator.read("state") for operator in bench.operators]
        assert sum(state & 3 == 2 for state in states) == CORES - left + 1
    bench.source.send(*(command(flow=number) for number in range(1, 6)))
    await bench.quiet()
    assert bench.events == {"drop_reset": CORES + 5}
    for core, operator in enumerate(bench.operators):
        assert await operator.read("code") == 70 + core
        assert await operator.console() == f"core {core} stops\n"


@cocotb.test()
async def cores_held_in_any_cycle_lose_and_double_no_message(dut):
    bench = await Cluster.run_crew(dut)
    sent = 0
    for _ in range(60):
        burst = random.randrange(1, 6)
        bench.source.send(*(command(argument=random.choice((0, 30)), flow=random.randrange(1, 30), size=random.choice((20, 900))) for _ in range(burst)))
        sent += burst
        await ClockCycles(dut.clk_i, random.randrange(20, 150))
        operator = random.choice(bench.operators)
        assert await operator.write("control", 0) and await operator.write("control", 1)
    await bench.quiet(1500)
    assert len(bench.sink.messages) + bench.dropped == sent
    already = len(bench.sink.messages)
    bench.source.send(*(command(argument=300, flow=1 + number) for number in range(2 * CORES)))
    await bench.quiet(1000)
    assert len(bench.sink.messages) == already + 2 * CORES
    assert len(bench.cores(already)) == CORES


@cocotb.test()
async def a_core_has_its_part_of_the_window(dut):
    bench = await Cluster.run_crew(dut)
    everybody, beyond = Operator(dut, MAP["CoreWindowAll"]), Operator(dut, CORES * MAP["CoreWindowBytes"])
    for part in ("control", "address", "data", "protect", "console", "state", "code"):
        assert await everybody.read(part) is None and await beyond.read(part) is None
        assert not await beyond.write(part, 0)
        for tenant in (1, 15):
            assert not await everybody.write(part, 0, tenant)
            for operator in bench.operators:
                assert not await operator.write(part, 0, tenant) and await operator.read(part, tenant) is None
    assert not await everybody.write("data", 0), "running cores were overwritten"
    first = bench.operators[0]
    assert await first.write("control", 0)
    await ClockCycles(dut.clk_i, 5)
    assert not await everybody.write("data", 0) or CORES == 1, "a running core was overwritten"
    states = [await operator.read("state") for operator in bench.operators]
    assert [state & 1 for state in states] == [0] + [1] * (CORES - 1)
    assert await first.write("control", 1)


@cocotb.test()
async def the_first_instruction_comes_soon(dut):
    """When a core waits for a message: from its last flit to the instruction that reads the time."""
    bench = await Cluster.run_crew(dut, stall=0.0)
    latencies = []
    for size in (20, 100, 500, 1400, 20, 1000):
        asked = command(size=size, flow=1)
        bench.source.send(asked)
        await bench.quiet(400)
        latencies.append((answer(bench.sink.messages[-1])[2] - time_at(asked.last)) % (1 << 24))
    dut._log.info(f"cycles to the first instruction: {latencies}")
    assert max(latencies) <= LATEST


async def asked(bench, what, argument, cores):
    """Asks until each of the cores has answered. Returns the first two words of each core's last answer."""
    said = {}
    for number in range(40 * CORES):
        already = len(bench.sink.messages)
        bench.source.send(command(what, argument, flow=1 + number % 40))
        (message,) = (await bench.sink.count(already + 1))[already:]
        said[answer(message)[0]] = struct.unpack_from(">II", message.data, message.desc["payload_offset"])
        if set(said) >= set(cores):
            return said
    raise AssertionError(f"{set(cores) - set(said)} have no message")


@cocotb.test()
async def mail_comes_to_its_core_in_order_or_is_refused(dut):
    """Sent from all cores to all at once, no word is lost or duplicated, and the sender is stamped. A word that finds no room is refused and
    counted."""
    bench = await Cluster.run_crew(dut)
    good, sent = 0, 6 * CORES
    for number in range(sent):  # at the same time
        bench.source.send(command(MAIL, number % CORES << 16 | 3, flow=1 + number))
    for message in await bench.sink.count(sent):
        good += struct.unpack_from(">I", message.data, message.desc["payload_offset"] + 4)[0]
    took = await asked(bench, TAKE, 0, range(CORES))
    took = await asked(bench, TAKE, 0, range(CORES))
    assert sum(taken for _, taken in took.values()) == good and all(wrong == 0 for wrong, _ in took.values())
    refused = 3 * sent - good
    assert 0 < good <= CORES * (MAIL_WORDS + CORES) and bench.events == {"mark_mail_refused": refused}
    # To a core that takes none, and to one that does not exist; neither holds up the sender.
    already = len(bench.sink.messages)
    bench.source.send(*(command(MAIL, to << 16 | words, flow=1, lossless=1) for to, words in ((0, 50), (CORES, 7), (0xFFFF, 2))))  # which wait for slots
    counts = [struct.unpack_from(">I", message.data, message.desc["payload_offset"] + 4)[0] for message in (await bench.sink.count(already + 3))[already:]]
    most, heard = MAIL_WORDS + 1, set()  # the most from one sender
    assert sorted(counts) == [0, 0, most]
    refused += 50 - most + 7 + 2
    assert bench.events == {"mark_mail_refused": refused}
    # Each of the others still has a place of its own there.
    placed, asks = dict.fromkeys(range(CORES), 0), 0
    while asks < 4 * CORES or len(heard) < CORES:
        already = len(bench.sink.messages)
        bench.source.send(command(MAIL, 0 << 16 | 3, flow=1 + asks))
        (message,) = (await bench.sink.count(already + 1))[already:]
        core, asks = answer(message)[0], asks + 1
        heard.add(core)
        placed[core] += struct.unpack_from(">I", message.data, message.desc["payload_offset"] + 4)[0]
    assert sorted(placed.values()) == [0] + [1] * (CORES - 1)
    refused += 3 * asks - (CORES - 1)
    # Words in the queue of a core that is held are lost and counted; a held core gets none.
    assert await bench.operators[0].write("control", 0)
    await ClockCycles(dut.clk_i, 4 * MAIL_WORDS)
    assert bench.events.pop("mark_mail_lost") == most + CORES - 1
    if CORES > 1:
        already = len(bench.sink.messages)
        bench.source.send(command(MAIL, 5, flow=3))
        (message,) = (await bench.sink.count(already + 1))[already:]
        assert struct.unpack_from(">I", message.data, message.desc["payload_offset"] + 4)[0] == 0
        assert bench.events["mark_mail_refused"] == refused + 5


@cocotb.test()
async def a_program_that_restarts_has_no_mail_of_the_one_before(dut):
    """Also when it has no message in hand and so starts again at once."""
    bench = await Cluster.run_crew(dut)
    bench.source.send(*(command(MAIL, core << 16 | MAIL_WORDS, flow=1 + core) for core in range(CORES)))
    await bench.sink.count(CORES)
    bench.source.send(command(VANISH, 0x40000000, flow=1))
    await bench.sink.count(CORES + 1)
    await ClockCycles(dut.clk_i, 1500)
    assert bench.events == {"mark_restarts": 1, "mark_faults": 1, "mark_mail_lost": MAIL_WORDS}
    (wild,) = [core for core, operator in enumerate(bench.operators) if (await operator.read("state")) >> 8]
    took = await asked(bench, TAKE, 0, range(CORES))
    assert took == {core: (0, 0 if core == wild else MAIL_WORDS) for core in range(CORES)}
