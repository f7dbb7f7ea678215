# SPDX-License-Identifier: Apache-2.0
"""core: programs answer as written; nothing that a program does changes a message's tenant, or outlives its restart."""

import random
import struct

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.spec.formats import Format
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import TRAFFIC, EngineBench, frame_of, random_options, udp
from girih.testing.messages import FLIT_BYTES, Message, settle, time_at
from rtl.tiles.core.core_bench import HOARD, PROBE, PROGRAMS, Operator, counts_what_a_core_counts

MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
SLOTS, SLOT_BYTES = 16, 2048
ECHO, DROP, READ, WRITE, JUMP, LOOP, SEND, TWICE, LOG, STOP, FLOOD, KEEP, TIME, ILLEGAL, CALL, PRIVILEGED, SLEEP, ALARM, ALARMS, ASTRAY, LOST, RACE, BABBLE, MAKE = range(24)
LATEST = 20  # cycles from the last flit of a message to the first instruction that handles it


@pytest.mark.parametrize("data_width", [pytest.param(128, marks=pytest.mark.thorough), 512, pytest.param(1024, marks=pytest.mark.thorough)])
def test_core_engine(data_width):
    run_cocotb("core_engine", __file__, data_width=data_width)


class Core(EngineBench):
    """A core that runs a program."""

    @classmethod
    async def run_program(cls, dut, source, watchdog=0, defines=(), stall=0.1, **traffic):
        operator = Operator(dut)
        dut.now_i.value = 0
        bench = await cls.start(dut, "core", watchdog=watchdog, stall=stall, **traffic)
        bench.operator = operator
        await operator.load(source, defines=defines)
        cocotb.start_soon(bench._keep_time())
        return bench

    async def _keep_time(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            self.dut.now_i.value = time_at(cycle_now() + 1)

    async def command(self, what, address=0, value=0, size=64, **desc):
        """Sends the probe a command. Returns the answer, or None if there is none."""
        already, dropped = len(self.sink.messages), self.dropped
        fields = descriptor() | desc
        self.asked = Message(struct.pack("<III", what, address, value) + random.randbytes(size - 12), fields)
        self.source.send(self.asked)
        await self.source.drained()
        for _ in range(5000):
            await RisingEdge(self.dut.clk_i)
            if len(self.sink.messages) > already:
                return self.sink.messages[-1]
            if self.dropped > dropped:
                return None
        return None

    @property
    def dropped(self):
        return sum(count for name, count in self.events.items() if name.startswith("drop_"))


def sent_from(start, length, exit=0):
    """The word of a doorbell that sends a range."""
    return start << MAP["SendStartLsb"] | exit << MAP["SendExitLsb"] | length


def descriptor():
    return {
        "port": random.getrandbits(4),
        "tenant": random.getrandbits(4),
        "l3_offset": 14,
        "timestamp": random.getrandbits(24),
        "timestamp_valid": 1,
        "payload_sum": random.getrandbits(16),
        "payload_sum_valid": 1,
    }


def datagram(size, options=None):
    packet = udp(random.randbytes(size), options=random_options() if options is None else options)
    frame, l3_offset, l4_offset = frame_of(packet)
    desc = descriptor() | {"l3_offset": l3_offset, "l4_offset": l4_offset, "payload_offset": l4_offset + 8, "length": len(frame)}
    return Message(frame, desc)


def swapped(frame):
    packet = Ether(frame)
    ip, header = packet[IP], packet[UDP]
    ip.src, ip.dst = ip.dst, ip.src
    header.sport, header.dport = header.dport, header.sport
    return bytes(packet)


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def the_echo_in_c_turns_datagrams_round(dut, traffic):
    bench = await Core.run_program(dut, PROGRAMS / "udp_echo.c", idle=traffic[0], stall=traffic[1])
    sent = [datagram(size) for size in (0, 1, 18, 22, 2006 - 40, *(random.randrange(1400) for _ in range(SLOTS - 5)))]
    already = len(bench.sink.messages)
    bench.source.send(*sent)
    await bench.sink.count(already + len(sent))
    await settle(dut, bench.source, bench.sink)
    for message, answer in zip(sent, bench.sink.messages[already:], strict=True):
        assert answer.data == swapped(message.data)
        assert answer.desc == answer.desc | message.desc
        assert answer.key == 0
    assert bench.events == {}


@cocotb.test()
async def a_message_is_stamped_whatever_the_program_says(dut):
    bench = await Core.run_program(dut, PROBE)
    for _ in range(10):
        answer = await bench.command(ECHO, size=random.randrange(20, 1500), src=random.getrandbits(6))
        wanted = bench.asked.desc | {"length": len(answer.data), "payload_sum_valid": 0}
        assert answer.desc == answer.desc | wanted
        assert answer.data == bench.asked.data
    # The words of a message's block that the hardware knows.
    bench.asked = None
    block = await bench.command(READ, MAP["MessagesBase"] + MAP["MessageLength"], size=100)
    for offset, wanted in ((MAP["MessageOwner"], lambda d: d["src"] << 16 | d["tenant"] << 8 | d["port"]), (MAP["MessageTime"], lambda d: 1 << 31 | d["timestamp"])):
        for slot in range(SLOTS):  # the message is in one of the slots; accesses to the others are faults
            answer = await bench.command(READ, MAP["MessagesBase"] + slot * MAP["MessageBytes"] + offset, src=5)
            if answer:
                assert struct.unpack_from("<III", answer.data)[2] == wanted(bench.asked.desc)
    assert block is None or struct.unpack_from("<III", block.data)[2] == 100


@cocotb.test()
async def a_program_sends_any_range_of_a_slot(dut):
    """That starts where a flit of every card does, up to the last byte of the slot, also behind the message, and whatever the slot before it has sent."""
    bench = await Core.run_program(dut, PROBE)
    unit, bell = MAP["SendStartBytes"], MAP["MessageSend"]
    last = SLOT_BYTES // unit - 1
    ranges = [(0, SLOT_BYTES), (1, SLOT_BYTES - unit), (last, unit), (last, 60), (0, 60), (last - 1, unit + 1), (1, FLIT_BYTES), (3, FLIT_BYTES + 1)]
    ranges += [(start, random.randint(60, SLOT_BYTES - start * unit)) for start in range(1, last)]
    for start, length in ranges:
        answer = await bench.command(SEND, bell, sent_from(start, length, exit=start % 8), size=SLOT_BYTES)
        assert answer.data == bench.asked.data[start * unit : start * unit + length] and answer.key == start % 8, (start, length)
        assert answer.desc == answer.desc | bench.asked.desc | {"length": length, "payload_sum_valid": 0}
    assert bench.events == {}
    # Behind the message are bytes of an earlier one.
    answers = []
    for _ in range(SLOTS + 1):
        short = await bench.command(SEND, bell, sent_from(1, 200), size=64)
        answers.append((bench.asked, short))
    assert all(len(short.data) == 200 and short.data not in asked.data for asked, short in answers)


@cocotb.test()
@cocotb.parametrize(defines=[(), ("MACHINE_MODE",)])
async def a_message_that_a_program_makes_has_an_owner(dut, defines):
    """That of the message of which it was made; but its loss does not matter."""
    bench = await Core.run_program(dut, PROBE, defines=defines)
    for number in (1, 2, SLOTS // 2):
        already = len(bench.sink.messages)
        asked = Message(struct.pack("<III", MAKE, 0, number) + random.randbytes(random.randrange(52, 1500)), descriptor() | {"lossless": 1})
        bench.source.send(asked)
        *made, answer = (await bench.sink.count(already + number + 1))[already:]
        assert answer.desc == answer.desc | asked.desc | {"payload_sum_valid": 0} and answer.data[12:] == asked.data[12:]
        for index, message in enumerate(made):
            assert message.desc == answer.desc | {"lossless": 0}
            assert len(message.data) == len(asked.data) and struct.unpack_from("<III", message.data) == (MAKE, index, number) and message.key == 3
    assert bench.events == {"made_messages": 3 + SLOTS // 2}


@cocotb.test()
async def made_messages_take_free_slots_alone(dut):
    """None is made when all are taken; what arrives then is dropped, and a restart frees all slots."""
    bench = await Core.run_program(dut, PROBE)
    asked = len(bench.sink.messages)
    for turn in (1, 2):
        bench.source.send(Message(struct.pack("<III", MAKE, 2, 100) + bytes(52), descriptor()))
        asked += 1
        answer = (await bench.sink.count(asked))[-1]
        made = struct.unpack_from("<III", answer.data)[2]
        assert made == SLOTS - 2, made  # one for the command, and one for the next message
        already = bench.events.get("drop_overrun", 0)
        bench.source.send(Message(struct.pack("<III", LOOP, 0, 0) + bytes(52), descriptor()), *(Message(bytes(64), descriptor()) for _ in range(6)))
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 20)
        assert bench.events["drop_overrun"] - already == 5  # one has the slot of the command
        assert await bench.operator.write("control", 0)
        await ClockCycles(dut.clk_i, 3 * SLOTS)
        assert await bench.operator.write("control", 1)
        assert await bench.command(ECHO) is not None
        asked = len(bench.sink.messages)
        assert bench.events["made_messages"] == turn * made and bench.events["drop_reset"] == turn * (made + 2)
    # Dropped at once, any number of them.
    bench.source.send(Message(struct.pack("<III", MAKE, 1, 500) + bytes(52), descriptor()))
    answer = (await bench.sink.count(asked + 1))[-1]
    assert struct.unpack_from("<III", answer.data)[2] == 500
    assert bench.events["drop_program"] == 500 and bench.events["made_messages"] == 2 * made + 500


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def messages_arrive_while_others_are_made(dut, traffic):
    """Each arrives whole or is dropped and counted, and none has the bytes or the owner of another."""
    bench = await Core.run_program(dut, PROGRAMS / "tee.c", idle=traffic[0], stall=traffic[1])
    sent = []
    for number in range(120):
        data = number.to_bytes(4, "little") + random.randbytes(random.choice((60, 60, 60, 61, 200, 700)))
        sent.append(Message(data, descriptor()))
    bench.source.send(*sent)
    await bench.source.drained()
    await settle(dut, bench.source, bench.sink, cycles=3000)
    by_number = {int.from_bytes(message.data[:4], "little"): message for message in sent}
    seen = {0: [], 1: []}
    for out in bench.sink.messages:
        number = int.from_bytes(out.data[:4], "little")
        assert out.data == by_number[number].data and out.desc == out.desc | by_number[number].desc
        seen[out.key].append(number)
    assert seen[0] == sorted(set(seen[0])) and seen[1] == sorted(set(seen[1])) and set(seen[1]) <= set(seen[0])
    assert len(seen[0]) == len(sent) - bench.events.get("drop_overrun", 0) and len(seen[1]) == bench.events["made_messages"] > 10


@cocotb.test()
@cocotb.parametrize(defines=[(), ("MACHINE_MODE",)])
async def what_a_program_may_not_do_restarts_it_and_changes_nothing(dut, defines):
    """Also in machine mode: the hardware refuses what the memory protection does not catch there."""
    bench = await Core.run_program(dut, PROBE, defines=defines)
    good = await bench.command(ECHO)
    protected = await bench.command(READ, 0)
    packets, messages, devices = MAP["PacketsBase"], MAP["MessagesBase"], MAP["DevicesBase"]
    bell, drop = MAP["MessageSend"], MAP["MessageDrop"]
    wild = [
        *((WRITE, at, 1) for at in (0, 0x80, 32768, packets + SLOTS * SLOT_BYTES, messages + SLOTS * MAP["MessageBytes"], devices + 0x80, 0x40000000, 0xFFFFFFFC, devices)),
        *((READ, at, 0) for at in (32768, packets + SLOTS * SLOT_BYTES, devices + MAP["DeviceConsole"], 0x80000000)),
        (JUMP, 0x10000000, 0), (JUMP, 40000, 0), (TWICE, 0, 0), (ILLEGAL, 0, 0),
        (SEND, bell, 0), (SEND, bell, 13), (SEND, bell, 2049), (SEND, bell, 0xFFFF), (SEND, MAP["MessageLength"], 64), (SEND, MAP["MessageOwner"], 0), (SEND, bell + 2, 64 << 16),
        (SEND, bell, sent_from(1, SLOT_BYTES - 127)), (SEND, bell, sent_from(15, 129)), (SEND, bell, sent_from(16, 64)), (SEND, bell, sent_from(127, 2048)),
    ]  # fmt: skip
    restarts = 0
    for what, address, value in wild:
        answer = await bench.command(what, address, value)
        restarts += 1
        assert (answer is None) == (what != TWICE), f"{what} {address:#x}"
        await ClockCycles(dut.clk_i, 1000 if what == TWICE else 1)  # until the second doorbell is answered
        assert bench.events["mark_restarts"] == restarts, f"{what} {address:#x} {value}"
        assert await bench.command(ECHO) is not None
    for base, step in ((packets, SLOT_BYTES), (messages, MAP["MessageBytes"])):
        for slot in range(SLOTS):
            answer = await bench.command(READ, base + slot * step)
            if answer:  # only for the slot of this message
                assert struct.unpack_from("<I", answer.data)[0] == messages + slot * MAP["MessageBytes"]
            restarts += answer is None
    assert bench.events["mark_restarts"] == bench.events["mark_faults"] == restarts
    refused = bench.events["mark_refused"]
    assert refused >= len(wild) - 1 if defines else len(wild) / 2 < refused < restarts, refused
    assert bench.events["drop_reset"] == restarts - 1  # one message was left of the pair that was sent twice
    assert (await bench.command(READ, 0)).data[4:12] == protected.data[4:12]
    assert good.key == 0
    text = await bench.operator.console()
    assert "fault 7 at" in text and "fault 5 at" in text and "fault 1 at" in text and "fault 2 at" in text
    assert await bench.operator.read("state") == restarts << 8 | 1
    assert await bench.command(SEND, drop, 0) is None
    assert bench.events["drop_program"] == 1


@cocotb.test()
async def a_program_in_user_mode_stays_within_its_memory_protection(dut):
    """A program in user mode cannot do what one in machine mode may: change the stack of machine mode, execute its data, restart itself, or change
    how the core is set up."""
    stack, restart = 32768 - 16, MAP["DevicesBase"] + MAP["DeviceRestart"]
    forbidden = [  # by the cause of the exception
        (5, READ, stack, 0), (7, WRITE, stack, 0x1234), (7, WRITE, restart, 5), (5, READ, MAP["DevicesBase"] + 0x80, 0), (7, WRITE, 0x100, 0), (1, JUMP, 0x4000, 0), (1, JUMP, MAP["PacketsBase"], 0),
        (8, CALL, 0, 0), (2, PRIVILEGED, 0, 0),
    ]  # fmt: skip
    bench = await Core.run_program(dut, PROBE)
    assert await bench.command(WRITE, 0x4000, 0x8082) is not None  # ret, in the program's own memory
    for number, (cause, *command) in enumerate(forbidden, 1):
        assert await bench.command(*command) is None, command
        assert await bench.command(ECHO) is not None
        assert bench.events["mark_faults"] == bench.events["mark_restarts"] == bench.events["drop_reset"] == number
        assert await bench.operator.read("code") == cause, command
        assert (await bench.operator.console()).startswith(f"fault {cause} at ")
    assert "mark_refused" not in bench.events, "the hardware was asked"
    bench = await Core.run_program(dut, PROBE, defines=("MACHINE_MODE",))
    assert await bench.command(WRITE, 0x4000, 0x8082) is not None
    for command in ((READ, stack), (JUMP, 0x4000), (PRIVILEGED,)):
        assert await bench.command(*command) is not None, command
    assert bench.events == {}


@cocotb.test()
@cocotb.parametrize(defines=[(), ("MACHINE_MODE",)])
async def an_alarm_goes_off_once_whatever_the_program_does(dut, defines):
    bench = await Core.run_program(dut, PROBE, defines=defines, stall=0.0)

    async def alarms():
        return struct.unpack_from("<III", (await bench.command(ALARMS)).data)[1:]

    for turn, cycles in enumerate((0, 1, 40, 3000, 20000), 1):
        answer = await bench.command(ALARM, value=cycles)
        start = struct.unpack_from("<III", answer.data)[2]
        await ClockCycles(dut.clk_i, max(cycles - 500, 1) if cycles >= 3000 else 500)
        if cycles >= 3000:  # not before its time, whether the program works or waits
            assert (await alarms())[0] == turn - 1
            await ClockCycles(dut.clk_i, 1000)
        count, last = await alarms()
        assert count == turn and cycles <= last - start <= cycles + 100, f"{last - start} cycles in place of {cycles}"
    await ClockCycles(dut.clk_i, 3000)
    assert (await alarms())[0] == 5
    # A restart cancels the alarm.
    assert await bench.command(ALARM, value=2000) is not None
    assert await bench.command(ILLEGAL) is None
    await ClockCycles(dut.clk_i, 5000)
    assert (await alarms())[0] == 0
    # A program that loops without a stack pointer.
    assert await bench.operator.console()
    assert await bench.command(ALARM, value=1000) is not None
    assert await bench.command(ASTRAY) is None
    assert await bench.operator.console() == "alarm 1\n"


@cocotb.test()
async def an_alarm_is_moved_at_once(dut):
    """Also while an alarm goes off and girih_on_alarm sets the next one: no half of a time ever acts as an alarm, and the one that was set last goes
    off."""
    bench = await Core.run_program(dut, PROBE, stall=0.0)
    before = set()
    for cycles in range(10, 60):
        # One alarm is 2^32 - 500 cycles away, so that its low half has already passed, and one is soon.
        for after, late in ((-500 & 0xFFFFFFFF, 0), (250, 1)):
            answer = await bench.command(RACE, after, cycles)
            count = struct.unpack_from("<III", answer.data)[2]
            assert count >> 8 <= 1 and count & 0xFF == late, (cycles, late, hex(count))
            before.add(count >> 8)
    assert before == {0, 1}, "some have gone off before they were moved, some have not"


@cocotb.test()
@cocotb.parametrize(defines=[(), ("MACHINE_MODE",)])
async def a_program_that_has_lost_its_registers_is_interrupted_and_ended(dut, defines):
    """Machine mode has its own stack and global pointer; the program is large enough to use them."""
    bench = await Core.run_program(dut, PROBE, defines=("LARGE", *defines), watchdog=6000)
    for turn in (1, 2):
        assert await bench.command(LOST) is None
        assert bench.events == {"mark_restarts": 2 * turn - 1, "mark_faults": turn, "drop_reset": 2 * turn - 1}
        assert (await bench.operator.console()).startswith("fault 8 at " if not defines else "fault 11 at ")
        assert await bench.command(ALARM, value=1000) is not None
        assert await bench.command(ASTRAY) is None
        await ClockCycles(dut.clk_i, 2000)
        assert await bench.operator.console() == "alarm 1\n"
        while bench.events["mark_restarts"] < 2 * turn:
            await ClockCycles(dut.clk_i, 100)
        assert await bench.command(ECHO) is not None


@cocotb.test()
async def a_core_that_sleeps_is_woken_in_time(dut):
    """Also when the time comes while it goes to sleep, or has already passed."""
    bench = await Core.run_program(dut, PROBE, stall=0.0)
    for cycles in (*range(60), 300, 4000, -1, -4000):
        answer = await bench.command(SLEEP, value=cycles % (1 << 32))
        assert answer is not None, f"it did not wake after {cycles} cycles"
        slept = struct.unpack_from("<III", answer.data)[2]
        assert max(cycles, 0) <= slept <= max(cycles, 0) + 150, f"{slept} cycles in place of {cycles}"


@cocotb.test()
async def the_watchdog_ends_a_program_that_loops(dut):
    bench = await Core.run_program(dut, PROBE, watchdog=1500)
    for count in (1, 2, 3):
        assert await bench.command(LOOP) is None
        assert bench.events == {"mark_restarts": count, "drop_reset": count}
        assert await bench.operator.read("code") == 0xFFFFFFFF
        answer = await bench.command(TIME)
        assert struct.unpack_from("<III", answer.data)[1] == 1, "its data are not as at the start"
    await ClockCycles(dut.clk_i, 5000)
    assert bench.events["mark_restarts"] == 3, "a core without messages was restarted"


@cocotb.test()
async def every_message_that_is_not_sent_is_counted(dut):
    bench = await Core.run_program(dut, PROBE)
    assert await bench.command(DROP) is None
    long = Message(random.randbytes(SLOT_BYTES + 1), descriptor())
    longest = Message(bytes(12) + random.randbytes(SLOT_BYTES - 12), descriptor())
    void = Message(bytes(100), descriptor(), bad=True)
    void_long = Message(bytes(5000), descriptor(), bad=True)
    bench.source.send(long, longest, void, void_long)
    await bench.source.drained()
    assert (await bench.sink.count(1))[0].data == longest.data
    assert bench.events == {"drop_program": 1, "drop_too_long": 1, "drop_aborted": 2}
    assert await bench.command(STOP, value=77) is None
    assert (await bench.operator.read("state")) & 3 == 2 and await bench.operator.read("code") == 77
    assert bench.events["drop_reset"] == 1
    assert await bench.command(ECHO) is None
    assert bench.events["drop_reset"] == 2
    # The operator starts it again, holds it while it has messages, and starts it.
    assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1)
    assert await bench.command(ECHO) is not None
    bench.source.send(Message(struct.pack("<III", LOOP, 0, 0) + bytes(52), descriptor()))
    bench.source.send(*(Message(bytes(64), descriptor()) for _ in range(SLOTS + 4)))
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 5)
    assert bench.events["drop_overrun"] == 5
    assert await bench.operator.write("control", 0)
    await ClockCycles(dut.clk_i, 2 * SLOTS)
    assert bench.events["drop_reset"] == 2 + SLOTS
    assert await bench.operator.write("control", 1)
    assert await bench.command(ECHO) is not None


@cocotb.test()
async def what_every_core_counts_is_counted(dut):
    bench = await Core.run_program(dut, PROBE, defines=("MACHINE_MODE",))
    await counts_what_a_core_counts(bench, SLOTS, SLOT_BYTES)


@cocotb.test()
async def lossless_messages_wait_for_a_slot(dut):
    bench = await Core.run_program(dut, PROBE)
    assert await bench.command(ECHO) is not None
    bench.source.send(Message(struct.pack("<III", LOOP, 0, 0) + bytes(52), descriptor()))
    bench.source.send(*(Message(bytes(64), descriptor() | {"lossless": 1}) for _ in range(SLOTS + 4)))
    await ClockCycles(dut.clk_i, 500)
    assert bench.events == {}
    assert await bench.operator.write("control", 0)  # the core is held: waiting messages are dropped, and the others come in
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 2 * SLOTS)
    assert bench.events == {"drop_reset": 1 + SLOTS + 4}


@cocotb.test()
async def a_program_starts_without_the_messages_of_the_last_one(dut):
    """Also if it starts before all of them are dropped: a slot that the new program does not know of would be lost."""
    bench = await Core.run_program(dut, HOARD)
    for turn in (1, 2, 3):
        bench.source.send(*(Message(bytes(64), descriptor()) for _ in range(SLOTS)))
        await bench.source.drained()
        await ClockCycles(dut.clk_i, 1000)  # until the program has all of them
        assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1)
        await ClockCycles(dut.clk_i, 4 * SLOTS)
        assert bench.events == {"drop_reset": turn * SLOTS}


@cocotb.test()
async def a_core_held_in_any_cycle_loses_and_doubles_no_message(dut):
    bench = await Core.run_program(dut, PROBE)
    sent = 0
    for _ in range(120):
        bench.source.send(Message(struct.pack("<III", ECHO, 0, 0) + bytes(52), descriptor()))
        sent += 1
        await ClockCycles(dut.clk_i, random.randrange(60, 200))
        assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1)
    await ClockCycles(dut.clk_i, 500)
    assert await bench.command(ECHO) is not None
    assert len(bench.sink.messages) + bench.dropped == sent + 1
    assert min(len(bench.sink.messages), bench.dropped) > 10


@cocotb.test()
async def a_program_may_keep_messages_and_send_them_later(dut):
    bench = await Core.run_program(dut, PROBE)
    asked = []
    for _ in range(5):
        answer = await bench.command(KEEP, size=random.randrange(64, 900))
        asked.append(bench.asked)
        if len(asked) > 1:
            assert answer.data == asked[-2].data and answer.key == 7
            assert answer.desc == answer.desc | asked[-2].desc | {"length": len(answer.data)}
        assert (await bench.command(ECHO)).data == bench.asked.data


@cocotb.test()
async def the_console_keeps_what_fits(dut):
    bench = await Core.run_program(dut, PROBE)
    await bench.command(LOG, address=0xBEEF, value=30)
    assert await bench.operator.console() == "abcdefghijklmnopqrstuvwxyzabcd -42 42 beef text%\n"
    assert "mark_console_lost" not in bench.events


@cocotb.test()
async def only_the_operator_reaches_the_window(dut):
    bench = await Core.run_program(dut, PROBE)
    for tenant in range(1, 16):
        for part in ("control", "address", "data", "protect", "console", "state", "code"):
            assert not await bench.operator.write(part, 0, tenant)
            assert await bench.operator.read(part, tenant) is None
    assert not await bench.operator.write("data", 0), "a running core was overwritten"
    assert await bench.operator.read("data") is None
    assert not await bench.operator.write("state", 0)
    assert await bench.command(ECHO) is not None


@cocotb.test()
async def the_first_instruction_comes_soon(dut):
    """When the program waits for a message: from its last flit to the instruction that reads the time."""
    bench = await Core.run_program(dut, PROBE, stall=0.0)
    await bench.command(ECHO)  # once the program has started
    latencies = []
    for size in (64, 64, 300, 1500, 64, 1000):
        answer = await bench.command(TIME, size=size)
        latencies.append((struct.unpack_from("<III", answer.data)[2] - time_at(bench.asked.last)) % (1 << 24))
    dut._log.info(f"cycles to the first instruction: {latencies}")
    assert max(latencies) <= LATEST


@cocotb.test()
async def a_busy_core_holds_no_stream(dut):
    """While the program accesses packet memory without pause, messages come in and leave at half the rate or more."""
    bench = await Core.run_program(dut, PROBE, stall=0.0)
    flits = 1500 // FLIT_BYTES + 1
    flood = Message(struct.pack("<III", FLOOD, 0, 400) + bytes(100), descriptor())
    load = [Message(random.randbytes(1500), descriptor()) for _ in range(SLOTS - 2)]
    bench.source.send(flood, *load)
    await bench.source.drained()
    assert load[-1].last - load[0].first <= 2 * flits * len(load)
    await bench.sink.count(1)


@cocotb.test()
async def a_busy_core_changes_nothing_that_leaves(dut):
    """While messages leave, the program accesses packet memory without pause: their bytes are right, and they leave at half the rate."""
    bench = await Core.run_program(dut, PROBE, stall=0.0)
    await bench.command(ECHO)  # once the program has started
    already = len(bench.sink.messages)
    sent = [Message(struct.pack("<III", ECHO, 0, 0) + random.randbytes(1500 - 12), descriptor()) for _ in range(4)]
    floods = [Message(struct.pack("<III", FLOOD, 0, 60) + random.randbytes(100), descriptor()) for _ in range(6)]
    mixed = [sent[0], floods[0], sent[1], *floods[1:3], sent[2], floods[3], sent[3], *floods[4:]]
    bench.source.send(*mixed)
    out = (await bench.sink.count(already + len(mixed)))[already:]
    for message, answer in zip(mixed, out, strict=True):
        kept = 24 if message in floods else 0  # bytes that the program itself writes
        assert answer.data[kept:] == message.data[kept:]
        assert answer.last - answer.first <= 2 * (len(answer.data) // FLIT_BYTES + 1)
