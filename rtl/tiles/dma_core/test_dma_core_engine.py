# SPDX-License-Identifier: Apache-2.0
"""dma_core: what a program reads and writes is what it asked for, and no program reaches more: neither other bytes, nor another tenant's memory, nor the
slots of the program after it."""

import random
import struct
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.formats import Format
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import TRAFFIC, EngineBench
from girih.testing.messages import FLIT_BYTES, Message, Source, settle
from rtl.tiles.core.core_bench import PROBE as CORE_PROBE
from rtl.tiles.core.core_bench import PROGRAMS, Operator, counts_what_a_core_counts
from rtl.tiles.memory.memory_bench import OPS, PAGE, Model, op, status

MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
PROBE = PROGRAMS.parents[1] / "rtl/tiles/dma_core/programs/probe.c"
SLOTS, SLOT_BYTES = 16, 2048
(
    ECHO, READ, WRITE, READ_WHOLE, WRITE_WHOLE, START, RAW, KEEP, SEND, DROP, AGAIN, OTHER, LOOP, FAULT, STOP, COUNT, SHUT, GIVE, BESIDE,
) = range(19)  # fmt: skip
HOST, MEMORY_KEY, HOST_KEY = 1 << 63, MAP["DmaMemoryKey"], MAP["DmaHostKey"]
COMMAND = 32  # bytes of a command
MAX_FRAME = 9018


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_dma_core_engine(data_width):
    run_cocotb("dma_core_engine", __file__, groups=["memory"], data_width=data_width, parameters={"Slots": SLOTS, "SlotBytes": SLOT_BYTES})


class Core(EngineBench):
    """A core that runs the probe, and two memories that answer it. late: cycles until a reply, at least and at most. refuses: gives the status of a request."""

    @classmethod
    async def run_probe(cls, dut, watchdog=0, spaces=3, late=(5, 40), idle=0.0, stall=0.1):
        operator = Operator(dut)
        dut.now_i.value = 0
        dut.reply_in_valid_i.value = 0
        bench = await cls.start(dut, "dma_core", watchdog=watchdog, spaces=spaces, idle=idle, stall=stall)
        bench.operator, bench.late, bench.idle = operator, late, idle
        bench.memory = {MEMORY_KEY: Model(), HOST_KEY: Model()}
        bench.judge = lambda _key, _message: "ok"
        bench.answers: list[Message] = []
        bench.requests: list[Message] = []
        bench.silent, bench.most = False, 0  # most: requests in flight at a time
        bench.replies = Source(dut, "reply_in", idle=idle)
        cocotb.start_soon(bench._serve())
        cocotb.start_soon(bench._always_taken())
        await operator.load(PROBE)
        return bench

    async def _always_taken(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            assert self.dut.reply_in_ready_o.value == 1

    async def _serve(self):
        seen, waiting = 0, deque()
        while True:
            await RisingEdge(self.dut.clk_i)
            for message in self.sink.messages[seen:]:
                seen += 1
                if message.key < MEMORY_KEY:
                    self.answers.append(message)
                    continue
                self.requests.append(message)
                waiting.append((cycle_now() + random.randint(*self.late), message))
                random.shuffle(waiting)
                self.most = max(self.most, len(waiting))
            if not self.silent:
                for due, message in list(waiting):
                    if due <= cycle_now() and not self.replies.busy:
                        waiting.remove((due, message))
                        self.replies.send(self.reply_to(message))

    def reply_to(self, message):
        """The reply of the memory tile; the bytes of its flits that were not asked for are random."""
        desc = message.desc
        kind, addr, size = OPS[desc.get("memory_op", 0)], desc.get("memory_addr", 0), desc["memory_bytes"]
        assert desc == desc | {"memory_status": 0, "memory_ordered": 0}, desc
        lane = addr % FLIT_BYTES
        assert 0 < size <= PAGE and addr % PAGE + size <= PAGE and lane + size <= MAX_FRAME
        assert len(message.data) == (FLIT_BYTES if kind == "read" else lane + size)
        what = self.judge(message.key, message)
        head = {"memory_op": op(kind), "memory_tag": desc.get("memory_tag", 0), "memory_status": status(what), "tenant": desc.get("tenant", 0)}
        model = self.memory[message.key]
        if what != "ok" or kind == "write":
            if what == "ok":
                model.write(addr, message.data[lane:])
            return Message(bytes(FLIT_BYTES), head)
        body = random.randbytes(lane) + model.read(addr, size)
        return Message(body + random.randbytes(-len(body) % FLIT_BYTES), head)

    async def send(self, what, address=0, place=0, size=0, length=SLOT_BYTES, status=0, **desc):
        """Sends a command, in a message whose other bytes are random. Returns it."""
        head = struct.pack("<8I", what, address & 0xFFFFFFFF, address >> 32, place, size, status, 0, 0)
        message = Message(head + random.randbytes(length - COMMAND), {"tenant": random.getrandbits(4), "port": 3} | desc)
        self.source.send(message)
        await self.source.drained()
        return message

    async def command(self, what, address=0, place=0, size=0, length=SLOT_BYTES, status=0, **desc):
        """Sends a command. Returns the answer, or None if there is none."""
        already, dropped = len(self.answers), self.dropped
        self.asked = await self.send(what, address, place, size, length, status, **desc)
        for _ in range(20_000):
            await RisingEdge(self.dut.clk_i)
            if len(self.answers) > already:
                return self.answers[-1]
            if self.dropped > dropped:
                return None
        return None

    @property
    def dropped(self):
        return sum(count for name, count in self.events.items() if name.startswith("drop_"))


def key_of(address):
    return HOST_KEY if address & HOST else MEMORY_KEY


def status_of(answer):
    return struct.unpack_from("<8I", answer.data)[5]


def other_bytes(message, place, size):
    """The bytes of a message that an access does not change, but not those of the command."""
    return message.data[COMMAND:place] + message.data[place + size :]


def random_access():
    """An address, a place and a size that are allowed, often at an edge."""
    address = random.choice((0, HOST)) | random.randrange(1 << 28) * PAGE
    size = random.choice((1, 2, 8, FLIT_BYTES - 1, FLIT_BYTES, FLIT_BYTES + 1, 64, random.randint(1, 1500)))
    place = random.choice((COMMAND, SLOT_BYTES - size, random.randrange(COMMAND, SLOT_BYTES - size)))
    at = random.choice((place % FLIT_BYTES, PAGE - size - (PAGE - size - place) % FLIT_BYTES))
    return address | at, place, size


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def a_program_reads_and_writes_what_it_asks_for(dut, traffic):
    """Any bytes at any place of a flit; no other byte of the message or of the memory changes, and the request has the tenant of the message."""
    bench = await Core.run_probe(dut, idle=traffic[0], stall=traffic[1])
    for turn in range(60):
        address, place, size = random_access()
        model, addr = bench.memory[key_of(address)], address & ~HOST
        around = random.randbytes(size + 64)
        model.write(addr - 32, around)
        before = dict(model.bytes)
        write = turn % 2
        answer = await bench.command(WRITE if write else READ, address, place, size)
        assert status_of(answer) == status("ok"), (hex(address), place, size)
        request = bench.requests[-1]
        assert request.key == key_of(address) and request.desc.get("tenant", 0) == bench.asked.desc["tenant"]
        assert request.desc.get("route_count", 0) == 0 and request.desc.get("lossless", 0) == 0 and request.desc.get("port", 0) == 0
        assert answer.desc == answer.desc | bench.asked.desc and answer.key == 0
        assert other_bytes(answer, place, size) == other_bytes(bench.asked, place, size)
        if write:
            assert answer.data[place : place + size] == bench.asked.data[place : place + size] == model.read(addr, size)
            assert model.read(addr - 32, 32) == around[:32] and model.read(addr + size, 32) == around[-32:]
        else:
            assert answer.data[place : place + size] == around[32:-32] and dict(model.bytes) == before
    await settle(dut, bench.source, bench.sink)
    assert bench.events == {"made_requests": 60, "used_replies": 60}


@cocotb.test()
async def helpers_cross_pages(dut):
    bench = await Core.run_probe(dut)
    model = bench.memory[HOST_KEY]
    for write in (0, 1):
        at, size = 7 * PAGE - 5 * 128, 1500
        model.write(at, data := random.randbytes(size))
        already = len(bench.requests)
        answer = await bench.command(WRITE_WHOLE if write else READ_WHOLE, HOST | at, 128, size)
        assert status_of(answer) == 0 and len(bench.requests) - already == 2
        assert answer.data[128 : 128 + size] == (bench.asked.data[128 : 128 + size] if write else data) == model.read(at, size)


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def accesses_of_many_messages_are_in_flight_at_once(dut, traffic):
    """Replies come in any order, and the program learns of each while it waits for messages."""
    bench = await Core.run_probe(dut, late=(1, 3000), idle=traffic[0], stall=traffic[1])
    asked = {}
    for number in range(5 * SLOTS):
        address, place, size = random_access()
        bench.memory[key_of(address)].write(address & ~HOST, data := random.randbytes(size))
        while len(asked) - len(bench.answers) > SLOTS - 4:
            await RisingEdge(dut.clk_i)
        asked[address, place, size] = await bench.send(START, address, place, size, tenant=number % 16), data
    for _ in range(60_000):
        await RisingEdge(dut.clk_i)
        if len(bench.answers) == 5 * SLOTS:
            break
    assert len(bench.answers) == len(asked) == 5 * SLOTS and bench.most >= SLOTS // 2
    for answer in bench.answers:
        _, low, high, place, size, state, _, _ = struct.unpack_from("<8I", answer.data)
        message, data = asked[high << 32 | low, place, size]
        assert state == 0 and answer.desc == answer.desc | message.desc
        assert answer.data[place : place + size] == data and other_bytes(answer, place, size) == other_bytes(message, place, size)
    await settle(dut, bench.source, bench.sink)
    assert bench.events == {"made_requests": 5 * SLOTS, "used_replies": 5 * SLOTS}


@cocotb.test()
async def an_access_ends_in_any_cycle_in_which_another_one_starts(dut):
    """The memory's time is varied around the cycles from the first of two requests to the second."""
    bench = await Core.run_probe(dut, stall=0.0)

    async def both(late):
        bench.late = (late, late)
        already, wanted = len(bench.answers), {}
        for address in random.sample(range(0, 1 << 20, PAGE), 2):
            bench.memory[MEMORY_KEY].write(address, data := random.randbytes(64))
            wanted[address] = data
            await bench.send(START, address, 128, 64, length=256)
        for _ in range(5000):
            await RisingEdge(dut.clk_i)
            if len(bench.answers) == already + 2:
                break
        for answer in bench.answers[already:]:
            assert status_of(answer) == 0 and answer.data[128:192] == wanted.pop(struct.unpack_from("<8I", answer.data)[1])
        assert not wanted
        first, second = bench.requests[-2:]
        return second.first - first.first

    between = await both(1000)
    assert between < 500
    for late in range(max(between - 60, 1), between + 20):
        await both(late)


@cocotb.test()
async def a_program_that_waits_is_woken_by_the_end_of_an_access(dut):
    """Not only after the cycles that a wait takes at most."""
    bench = await Core.run_probe(dut, late=(300, 300))
    for _ in range(5):
        answer = await bench.command(START, HOST, 128, 64)
        assert 300 < struct.unpack_from("<8I", answer.data)[6] < 500


@cocotb.test()
async def errors_come_as_a_status_and_change_nothing(dut):
    bench = await Core.run_probe(dut)
    failed = 0
    for what in ("refused", "malformed", "slave", "decode"):
        bench.judge = lambda _key, _message, what=what: what
        for command in (READ, WRITE, READ_WHOLE):
            answer = await bench.command(command, HOST | 4096, 256, 500)
            assert status_of(answer) == status(what) and answer.data[COMMAND:] == bench.asked.data[COMMAND:]
            failed += 1
        bench.judge = lambda _key, _message: "ok"
        assert status_of(await bench.command(READ, 4096, 256, 500)) == 0
    assert bench.events["mark_dma_failed"] == failed
    # A message in the slot of one whose access failed has no status yet.
    bench.judge = lambda _key, _message: "decode"
    for size in (8, 0):
        for _ in range(SLOTS):
            assert status_of(await bench.command(READ, 4096, 256, size)) != 0
        for _ in range(SLOTS):
            assert status_of(await bench.command(COUNT)) == 0


@cocotb.test()
async def what_breaks_a_rule_is_not_requested(dut):
    """Such an access ends as malformed at once; one of a memory that the design does not have, too."""
    bench = await Core.run_probe(dut)
    place = 512
    wrong = [
        (0, place, 0), (0, place, PAGE), (0, place, SLOT_BYTES - place + 1), (PAGE - 64, place - 64, 65), (0, place + 1, 8), (1, place, 8),
        (FLIT_BYTES // 2, place, 8), (1 << 40, place, 8), (1 << 62, place, 8), (0, SLOT_BYTES, 8), (0, 1 << 15, 8), (0, -128 & 0xFFFFFFFF, 8), (0, place, 1 << 13), (0, place, 1 << 31),
    ]  # fmt: skip
    for number, (address, at, size) in enumerate(wrong, 1):
        for command in (READ, WRITE):
            answer = await bench.command(command, address, at, size)
            assert status_of(answer) == status("malformed"), (hex(address), at, size)
        assert bench.events == {"mark_dma_failed": 2 * number}
    good = await bench.command(READ, PAGE - 64, place - 64, 64)
    assert status_of(good) == 0


@cocotb.test()
@cocotb.parametrize(spaces=[0, 1, 2])
async def a_memory_that_the_design_does_not_name_is_not_asked(dut, spaces):
    """The shell would drop the request, and no reply would come."""
    bench = await Core.run_probe(dut, spaces=spaces)
    for bit, address in ((1, 0), (2, HOST)):
        there = bool(spaces & bit)
        assert status_of(await bench.command(READ, address, 512, 8)) == status("ok" if there else "malformed")
        assert len(bench.requests) == there
        bench.requests.clear()


@cocotb.test()
async def no_word_that_a_program_writes_reaches_beyond_its_message(dut):
    """Whatever the word and the address: a request is for at most a page, comes from the slot of its message alone, with its tenant and its tag; nothing
    comes into other slots."""
    bench = await Core.run_probe(dut, late=(1, 60))
    kept = [await bench.send(KEEP, length=SLOT_BYTES) for _ in range(5)]
    tags = set()
    for turn in range(200):
        address = random.getrandbits(64) if turn % 2 else random.choice((0, HOST)) | random.randrange(1 << 40)
        place, size = random.getrandbits(15), random.getrandbits(13)
        if turn % 4:  # often allowed
            size = random.randrange(1, 500)
            place = random.randrange(SLOT_BYTES - size) // FLIT_BYTES * FLIT_BYTES + address % FLIT_BYTES
        word = random.getrandbits(1) << 31 | random.getrandbits(3) << 28 | (place & 0x7FFF) << 13 | size
        already = len(bench.requests)
        answer = await bench.command(RAW, address, 0, word)
        asked = bench.asked
        for request in bench.requests[already:]:
            assert request.desc.get("tenant", 0) == asked.desc["tenant"] and request.key in (MEMORY_KEY, HOST_KEY)
            tags.add(request.desc.get("memory_tag", 0))
            if request.desc.get("memory_op", 0) == op("write"):
                flit = place // FLIT_BYTES * FLIT_BYTES
                sent = asked.data[flit : flit + len(request.data)]
                lane, late = address % FLIT_BYTES, max(COMMAND - flit, 0)  # the program has written into the command
                assert place + size <= SLOT_BYTES and request.data[max(lane, late) :] == sent[max(lane, late) :]
        assert len(bench.requests) - already == (status_of(answer) == 0)
    assert len(bench.requests) > 20 and tags <= set(range(SLOTS))
    assert "mark_restarts" not in bench.events
    already = len(bench.answers)
    await bench.operator.write("control", 0)
    await ClockCycles(dut.clk_i, 100)
    assert bench.events["drop_reset"] == len(kept) and len(bench.answers) == already


@cocotb.test()
async def a_message_with_an_access_in_flight_stays(dut):
    """To send it, to drop it, or to start another access is a fault, and so is an access for a slot that is not the program's."""
    bench = await Core.run_probe(dut, late=(600, 600))
    for number, command in enumerate((SEND, DROP, AGAIN), 1):
        answer = await bench.command(command, 4096, 128, 200)
        assert answer is None and bench.events["mark_refused"] == bench.events["mark_faults"] == number
        assert bench.events["drop_reset"] == number and bench.events["made_requests"] == bench.events["used_replies"] == number
    refused = 0
    for slot in range(SLOTS + 2):
        answer = await bench.command(OTHER, 4096, slot, 128 << 13 | 64, length=64)
        refused += answer is None
    assert refused == SLOTS + 2, "its own, too, which it then cannot send"
    assert bench.events["mark_refused"] == 3 + SLOTS + 2
    assert "drop_program" not in bench.events


@cocotb.test()
@cocotb.parametrize(command=[LOOP, FAULT, STOP], write=[0, 1])
async def a_program_that_ends_leaves_nothing_to_the_next_one(dut, command, write):
    """However its access is in flight then: its data come into no message of the next program, what it writes is what it had, its slot is free once the reply
    has come, and the next program sees no status of it."""
    bench = await Core.run_probe(dut, watchdog=3000 if command == LOOP else 0, late=(1, 1))
    bench.memory[MEMORY_KEY].write(0, b"\xee" * PAGE)
    for turn in range(3):
        bench.judge = lambda _key, _message, fails=turn == 1: "slave" if fails else "ok"
        bench.silent, bench.sink.stall = True, random.choice((0.0, 1.0)) if command != LOOP else 0.0
        already, dropped, restarts = len(bench.requests), bench.dropped, bench.events.get("mark_restarts", 0)
        old = await bench.send(command, 0, 256, 1024, status=write)
        for _ in range(20_000):
            await RisingEdge(dut.clk_i)
            if await bench.operator.read("state") & 3 != 1 or bench.events.get("mark_restarts", 0) > restarts:
                break
        if command == STOP:
            assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1)
        assert bench.dropped == dropped, "its slot waits for the reply"
        # The next program has messages in all other slots, which nothing touches.
        fresh = [await bench.send(KEEP) for _ in range(SLOTS - 2)]
        bench.sink.stall = 0.0
        while len(bench.requests) == already:
            await RisingEdge(dut.clk_i)
        answer = await bench.command(COUNT)
        assert struct.unpack_from("<8I", answer.data)[5:7] == (0, 1)
        bench.silent = False
        while bench.events.get("used_replies", 0) < len(bench.requests):
            await RisingEdge(dut.clk_i)
        await ClockCycles(dut.clk_i, 5)
        assert bench.dropped == dropped + 1 and bench.events["drop_reset"] == bench.dropped
        answer = await bench.command(COUNT)
        assert struct.unpack_from("<8I", answer.data)[5:7] == (0, 2) and answer.data[COMMAND:] == bench.asked.data[COMMAND:]
        request = bench.requests[-1]
        assert request.desc.get("tenant", 0) == old.desc["tenant"]
        if write and turn != 1:
            assert bench.memory[MEMORY_KEY].read(0, 1024) == old.data[256 : 256 + 1024]
        # All slots are there again.
        assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1)
        await ClockCycles(dut.clk_i, 200)
        assert bench.dropped == dropped + 1 + len(fresh)
        for _ in range(SLOTS):
            assert status_of(await bench.command(COUNT)) == 0
    full = [await bench.send(KEEP) for _ in range(SLOTS)]
    await ClockCycles(dut.clk_i, 2000)
    assert "drop_overrun" not in bench.events and full


@cocotb.test()
async def a_core_held_in_any_cycle_of_an_access_keeps_its_slots(dut):
    bench = await Core.run_probe(dut, late=(1, 60))
    bench.memory[MEMORY_KEY].write(0, b"\xee" * PAGE)
    sent = 0
    for turn in range(150):
        size = random.choice((1, 300, 1500))
        await bench.send(random.choice((READ, WRITE, START)), 0, 128, size, length=random.choice((64, SLOT_BYTES)))
        sent += 1
        await ClockCycles(dut.clk_i, random.randrange(20, 600))
        assert await bench.operator.write("control", 0) and await bench.operator.write("control", 1), turn
    await ClockCycles(dut.clk_i, 1000)
    assert len(bench.answers) + bench.dropped == sent and min(len(bench.answers), bench.dropped) > 10
    assert bench.events["made_requests"] == bench.events["used_replies"] == len(bench.requests)
    assert set(bench.events) == {"drop_reset", "made_requests", "used_replies"}
    for _ in range(SLOTS):
        await bench.send(KEEP)
    await ClockCycles(dut.clk_i, 3000)
    assert "drop_overrun" not in bench.events


@cocotb.test()
async def replies_that_nobody_asked_for_change_nothing(dut):
    """Of any tag, status and length, whether a slot has an access in flight or not; and one that is longer than the access writes no further byte."""
    bench = await Core.run_probe(dut, late=(400, 400))
    kept = [await bench.send(KEEP) for _ in range(4)]
    for turn in range(60):
        tag = random.choice((random.randrange(SLOTS), random.getrandbits(10)))
        head = {"memory_op": random.getrandbits(1), "memory_tag": tag, "memory_status": random.choice((0, 0, 1, 4))}
        bench.replies.send(Message(random.randbytes(FLIT_BYTES * random.randint(1, 5)), head))
        answer = await bench.command(COUNT)
        assert answer.data[COMMAND:] == bench.asked.data[COMMAND:] and struct.unpack_from("<8I", answer.data)[5:7] == (0, turn + 1)
    bench.silent = True
    long = await bench.send(START, 0, 3 * FLIT_BYTES, FLIT_BYTES + 1)
    while not bench.requests:
        await RisingEdge(dut.clk_i)
    tag = bench.requests[0].desc.get("memory_tag", 0)
    data = random.randbytes(SLOT_BYTES * 2)
    bench.replies.send(Message(data, {"memory_op": op("read"), "memory_tag": tag}))
    answers = await bench.sink.count(60 + 2)
    got = answers[-1]
    at = 3 * FLIT_BYTES
    assert got.data[at : at + FLIT_BYTES + 1] == data[: FLIT_BYTES + 1] and other_bytes(got, at, FLIT_BYTES + 1) == other_bytes(long, at, FLIT_BYTES + 1)
    assert kept


@cocotb.test()
async def a_reply_is_for_an_access_in_flight_alone(dut):
    """Messages in slots whose last access has ended keep their bytes and have no status, whatever replies come for these slots; and a tag that differs from
    that of an access in the bits above the number of a slot does not end it."""
    bench = await Core.run_probe(dut, late=(1, 1))
    bench.silent = True
    for _ in range(SLOTS - 1):
        await bench.send(START, 0, 128, 900)
    while len(bench.requests) < SLOTS - 1:
        await RisingEdge(dut.clk_i)
    bench.silent = False
    await bench.sink.count(2 * (SLOTS - 1))
    kept = [await bench.send(KEEP) for _ in range(SLOTS - 2)]
    await ClockCycles(dut.clk_i, 3000)
    for said in (0, 1, 0, 4):
        for tag in range(SLOTS):
            bench.replies.send(Message(random.randbytes(1024), {"memory_op": op("read"), "memory_tag": tag, "memory_status": said}))
    await bench.replies.drained()
    already = len(bench.answers)
    give = await bench.send(GIVE)
    while len(bench.answers) < already + len(kept) + 1:
        await RisingEdge(dut.clk_i)
    for answer, message in zip(bench.answers[already:], [*kept, give], strict=True):
        assert status_of(answer) == 0 and answer.data[COMMAND:] == message.data[COMMAND:]
    assert "mark_dma_failed" not in bench.events
    bench.silent, already = True, len(bench.answers)
    bench.memory[MEMORY_KEY].write(0, data := random.randbytes(900))
    await bench.send(START, 0, 128, 900)
    while len(bench.requests) < SLOTS:
        await RisingEdge(dut.clk_i)
    tag = bench.requests[-1].desc.get("memory_tag", 0)
    for bit in range(4, 10):
        bench.replies.send(Message(random.randbytes(1024), {"memory_op": op("read"), "memory_tag": tag ^ 1 << bit}))
    await bench.replies.drained()
    await ClockCycles(dut.clk_i, 2000)
    assert len(bench.answers) == already
    bench.silent = False
    while len(bench.answers) == already:
        await RisingEdge(dut.clk_i)
    assert status_of(bench.answers[-1]) == 0 and bench.answers[-1].data[128 : 128 + 900] == data


@cocotb.test()
async def a_reply_that_is_broken_off_is_an_error(dut):
    """The last flit says so, when others may have been placed in the range of the access; no other byte of the message changes."""
    bench = await Core.run_probe(dut)
    bench.silent = True
    for number in range(3):
        message, requests, answers = await bench.send(START, 0, 128, 500), len(bench.requests), len(bench.answers)
        while len(bench.requests) == requests:
            await RisingEdge(dut.clk_i)
        tag = bench.requests[-1].desc.get("memory_tag", 0)
        bench.replies.send(Message(random.randbytes((500, 500, FLIT_BYTES)[number]), {"memory_op": op("read"), "memory_tag": tag}, bad=True))
        while len(bench.answers) == answers:
            await RisingEdge(dut.clk_i)
        assert status_of(bench.answers[-1]) == status("slave") and bench.events["mark_dma_failed"] == number + 1
        assert other_bytes(bench.answers[-1], 128, 500) == other_bytes(message, 128, 500)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5])
async def what_a_program_writes_while_a_reply_comes_is_there(dut, idle):
    """Into the same message, also into the same flit; and so are all bytes of the reply."""
    bench = await Core.run_probe(dut, late=(50, 90), idle=idle)
    for _ in range(12):
        place, size = 136, 1700
        bench.memory[HOST_KEY].write(place, data := random.randbytes(size))
        answer = await bench.command(BESIDE, HOST | place, place, size)
        assert status_of(answer) == 0 and struct.unpack_from("<8I", answer.data)[7] == 0, "a word of the program is lost"
        assert answer.data[place : place + size] == data and answer.data[COMMAND:place] == b"\x33" * (place - COMMAND)
        assert answer.data[place + size :] == bench.asked.data[place + size :]


@cocotb.test()
async def messages_come_in_and_leave_while_replies_come(dut):
    """Replies and messages share the link, so together they are at most a flit in each cycle: neither stops the other for long. A program that writes the same
    bytes meanwhile changes only its own message."""
    bench = await Core.run_probe(dut, late=(30, 30), idle=0.5)
    bench.source.idle = 0.5
    bench.memory[HOST_KEY].write(0, b"\x11" * PAGE)
    waiting = []
    for _ in range(30):
        waiting.append(await bench.send(random.choice((START, SHUT, ECHO)), HOST, 512, 1024))
        while len(waiting) - len(bench.answers) > SLOTS - 4:
            await RisingEdge(dut.clk_i)
    for _ in range(50_000):
        await RisingEdge(dut.clk_i)
        if len(bench.answers) == len(waiting):
            break
    assert len(bench.answers) == len(waiting) and bench.dropped == 0
    for answer in bench.answers:
        if struct.unpack_from("<I", answer.data)[0] == START:
            assert answer.data[512 : 512 + 1024] == b"\x11" * 1024


@cocotb.test()
@cocotb.parametrize(size=[64, 1920])
async def the_end_of_an_access_is_known_soon(dut, size):
    """From the program's start of the access, with a memory that answers after 100 cycles."""
    bench = await Core.run_probe(dut, late=(100, 100), stall=0.0)
    cycles = []
    for command in (READ, WRITE, READ, WRITE):
        answer = await bench.command(command, HOST, 128, size)
        cycles.append(struct.unpack_from("<8I", answer.data)[6])
    dut._log.info(f"cycles of accesses of {size} bytes: {cycles}")
    assert max(cycles) <= 170 + size // FLIT_BYTES


@cocotb.test()
async def what_every_core_counts_is_counted(dut):
    bench = await Core.run_probe(dut)
    await bench.operator.load(CORE_PROBE, defines=("MACHINE_MODE",))
    await counts_what_a_core_counts(bench, SLOTS, SLOT_BYTES)
