# SPDX-License-Identifier: Apache-2.0
"""The card of designs/nic.yaml with a driver of split virtqueues: frames in both directions are whole, each chain comes back once and
in order, and a queue with a mistake stops, alone, with its reason."""

import os
import random
import struct
from dataclasses import replace

import pytest

from experiments.host import rates
from girih.card import VirtualCard
from girih.card.host import RECEIVE, SEND, Place, Region
from girih.experiments.host_driver import HEADER, INDIRECT, NEXT, WRITE, HostMemory, SplitQueue, pieces
from girih.testing import SEED

MAC = bytes.fromhex("026769726968")
BUFFERS = 0x20000  # where they start in the memory
SLOT = 4096
RUN = 1500  # cycles in which the card is done with what a test gives it at a time


@pytest.fixture
def card(built):
    random.seed(SEED)
    with VirtualCard(built("nic"), collect=True) as card:
        yield card


def frame(size: int) -> bytes:
    return MAC + bytes.fromhex("020000000001") + bytes.fromhex("88b5") + random.randbytes(size - 14)


def random_size() -> int:
    return random.choice([60, 64, 65, 116, 117, 128, 1514, random.randint(60, 1514)])


def settle(card: VirtualCard) -> None:
    card.run(RUN)


def counted(card: VirtualCard, reason: str) -> int:
    return card.registers.counters("host")["host"][f"mark_stop_{reason}"]


def send(card, memory, queue, count: int, chain: int = 3) -> None:
    """Sends frames in chains, and expects them on the wire; the chains come back in order."""
    sent, heads = [], []
    for number in range(count):
        data = frame(random_size())
        address = memory.base + BUFFERS + SLOT * number + random.randrange(2000)
        memory.write(address, bytes(HEADER) + data)
        head = queue.add(pieces(address, HEADER + len(data), chain))
        if head is None:
            break
        sent.append(data)
        heads.append(head)
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    assert [f.data[:6] + f.data[12:] for f in card.collect()] == [data[:6] + data[12:] for data in sent]
    assert queue.used() == [(head, 0) for head in heads]


def offer(memory, queue, count: int, chain: int = 3, size: int = 1526) -> dict[int, list[tuple[int, int]]]:
    """Gives the card buffers, as far as there are descriptors; by head."""
    buffers = {}
    for _ in range(count):
        slot = random.randrange(128)
        while any(slot == (parts[0][0] - memory.base - BUFFERS - (1 << 19)) // SLOT for parts in buffers.values()):
            slot = random.randrange(128)
        parts = pieces(memory.base + BUFFERS + (1 << 19) + SLOT * slot + random.randrange(2000), size, chain)
        head = queue.add(parts, WRITE)
        if head is None:
            break
        buffers[head] = parts
    queue.publish()
    return buffers


def receive(card, memory, queue, buffers) -> None:
    """Frames from the wire are in the buffers, behind a header; the rest of the memory is unchanged."""
    data = [frame(random_size()) for _ in buffers]
    before = bytearray(memory.bytes[BUFFERS:])
    card.host.kick(RECEIVE)
    settle(card)
    for one in data:
        card.inject(0, one)
    settle(card)
    card.run_until_quiet()
    used = queue.used()
    assert [size for _, size in used] == [HEADER + len(one) for one in data]
    for (head, _), one in zip(used, data, strict=True):
        left = bytes(10) + b"\1\0" + one
        for address, size in buffers[head]:
            part, left = left[:size], left[size:]
            at = address - memory.base - BUFFERS
            before[at : at + len(part)] = part
    assert before == memory.bytes[BUFFERS:], "bytes were written that are no frame's"


APART = {"at": 0xFFE - 62 - 16 * 8, "skew": 31}  # a page ends between the flags and the index of the driver area of a queue of 8


@pytest.mark.parametrize(("size", "start", "skew", "at"), [(256, 0, 0, 0x0), (8, 65530, 1, 0x0), (32, 5, 7, 0x0), (1, 65530, 0, 0x0), (8, 65530, APART["skew"], APART["at"])])
def test_frames_in_both_directions(card, size, start, skew, at):
    """Also when indices wrap, in chains of several descriptors anywhere in memory, and with rings that lie across flits and pages."""
    memory = HostMemory(card, 2 << 20)
    to_wire, to_host = SplitQueue(memory, at, size, start, skew), SplitQueue(memory, 0x8000 + at, size, start, skew)
    card.host.start(SEND, to_wire.place)
    card.host.start(RECEIVE, to_host.place)
    for _ in range(6):
        send(card, memory, to_wire, random.randint(1, 16), min(3, size))
        receive(card, memory, to_host, offer(memory, to_host, random.randint(1, 16), min(3, size)))
    card.check_conservation()
    counters = card.registers.counters("host")["host"]
    assert not any(value for name, value in counters.items() if name.startswith(("drop_", "mark_stop")))
    assert card.host.stats.outside == 0


@pytest.mark.parametrize(("size", "table"), [(32768, 1 << 21), (16, (1 << 22) - 16 * 16)])
def test_the_largest_ring_and_a_table_in_the_last_bytes(card, size, table):
    memory = HostMemory(card, 1 << 22)
    queue = SplitQueue(memory, 1 << 21, size, start=65530)
    queue.place = replace(queue.place, descriptors=memory.base + table)
    card.host.start(SEND, queue.place)
    for _ in range(3):
        send(card, memory, queue, 12, 1)
    assert card.host.stats.outside == 0


def test_the_last_bytes_of_the_address_space(card):
    """They can be granted; an access that would go on at address 0 is refused."""
    memory = HostMemory(card, base=2**64 - (1 << 20))
    queue = SplitQueue(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    end, data = memory.base + memory.size, bytes(HEADER) + frame(100)
    memory.write(end - len(data), data)
    for address in (end - len(data), end - 50):
        queue.add([(address, len(data))])
        queue.publish()
        card.host.kick(SEND)
        settle(card)
    assert len(card.collect()) == 1
    assert card.host.state(SEND).reason == "refused" and card.host.stats.outside == 0


def test_a_queue_starts_again_where_it_was(card):
    """A driver that goes away and comes again, with chains that were not used."""
    memory = HostMemory(card, 2 << 20)
    queue, to_wire = SplitQueue(memory, 0x8000, 64), SplitQueue(memory, 0x0, 64)
    for _ in range(3):
        card.host.start(RECEIVE, queue.place)
        card.host.start(SEND, to_wire.place)
        send(card, memory, to_wire, 5)
        receive(card, memory, queue, offer(memory, queue, 4))
        offer(memory, queue, 3)  # they stay
        card.run(500)
        assert card.host.stop(RECEIVE) == queue.seen
        assert card.host.stop(SEND) == to_wire.seen
        card.inject(0, frame(100))
        card.run(500)
        queue = SplitQueue(memory, 0x8000, 64, start=queue.seen)
        to_wire = SplitQueue(memory, 0x0, 64, start=to_wire.seen)
    assert card.registers.counters("host")["host"]["drop_stopped"] == 3
    card.check_conservation()


def test_a_frame_that_is_cut_off_does_not_continue_with_another_one(card):
    """The wire stands still when the queue ends in the middle of a frame, and still does when it starts again."""
    memory = HostMemory(card, 2 << 20)
    sent = [frame(1514) for _ in range(48)]
    for start, count in ((0, 32), (32, 16)):
        queue = SplitQueue(memory, 0x0, 64)
        for number in range(start, start + count):
            memory.write(memory.base + BUFFERS + SLOT * number, bytes(HEADER) + sent[number])
            queue.add([(memory.base + BUFFERS + SLOT * number, HEADER + len(sent[number]))])
        queue.publish()
        card.set_ready(0, 0)
        card.host.start(SEND, queue.place)
        card.run(4000)
        if start == 0:
            card.host.stop(SEND)
    card.set_ready(0, 1)
    card.run(8000)
    found = card.collect()
    whole = [data[12:] for data in sent]
    assert all(one.bad or one.data[12:] in whole for one in found), "a frame on the wire is made of two"
    assert [one.data[12:] for one in found[-16:]] == whole[32:] and sum(one.bad for one in found) == 1
    card.check_conservation()


def test_what_finds_no_buffer_is_dropped_and_counted(card):
    memory = HostMemory(card, 2 << 20)
    queue = SplitQueue(memory, 0x8000, 64)
    card.host.start(RECEIVE, queue.place)
    offer(memory, queue, 1, size=100)  # the first frame is too large, the second fits
    data = [frame(1000), frame(80)]
    for one in data:
        card.inject(0, one)
    settle(card)
    assert [size for _, size in queue.used()] == [HEADER + 80]
    for _ in range(400):
        card.inject(0, frame(1500))
    card.run(20_000)
    counters = card.registers.counters("host")["host"]
    assert counters["drop_small_buffer"] == 1 and counters["drop_no_room"] > 300
    assert card.host.stop(RECEIVE) == 1
    card.check_conservation()


MISTAKES = {  # of a chain at descriptor 3 of a queue of 16: what is wrong, and the reason
    "a head beyond the table": ("index", lambda q, a: q.offer(16)),
    "a link beyond the table": ("index", lambda q, a: (q.descriptor(3, a, 40, q.flags | NEXT, 16), q.offer(3))),
    "a loop": ("chain", lambda q, a: (q.descriptor(3, a, 1, q.flags | NEXT, 3), q.offer(3))),
    "no bytes": ("zero", lambda q, a: (q.descriptor(3, a, 0, q.flags), q.offer(3))),
    "no bytes behind others": ("zero", lambda q, a: (q.descriptor(3, a, 100, q.flags | NEXT, 4), q.descriptor(4, a, 0, q.flags), q.offer(3))),
    "the other direction": ("flags", lambda q, a: (q.descriptor(3, a, 100, q.flags ^ WRITE), q.offer(3))),
    "an indirect table, which was not offered": ("flags", lambda q, a: (q.descriptor(3, a, 16, INDIRECT), q.offer(3))),
    "unknown flags": ("flags", lambda q, a: (q.descriptor(3, a, 100, q.flags | 8), q.offer(3))),
    "less than a header": ("size", lambda q, a: (q.descriptor(3, a, 11, q.flags), q.offer(3))),
    "more than can be": ("size", lambda q, a: (q.descriptor(3, a, 0xFFFFFFFF, q.flags), q.offer(3))),
    "an index too far ahead": ("index", lambda q, a: [q.offer(0) for _ in range(17)]),
}


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
def test_a_mistake_stops_its_queue_alone(card, direction):
    """With its reason, which is counted, and until it is set up again; the other queue goes on."""
    memory = HostMemory(card, 2 << 20)
    other = SplitQueue(memory, 0x8000, 64)
    card.host.start(RECEIVE if direction == SEND else SEND, other.place)

    def other_works() -> None:
        if direction == SEND:
            receive(card, memory, other, offer(memory, other, 3))
        else:
            send(card, memory, other, 3)

    for what, (reason, breaks) in MISTAKES.items():
        queue = SplitQueue(memory, 0x0, 16)
        queue.flags = WRITE if direction == RECEIVE else 0
        already = counted(card, reason)
        breaks(queue, memory.base + BUFFERS)
        queue.publish()
        card.host.start(direction, queue.place)
        other_works()
        card.run(4000)  # a loop is followed for 32 descriptors
        state = card.host.state(direction)
        assert (state.active, state.reason) == (False, reason), what
        assert counted(card, reason) == already + 1, what
        card.host.stop(direction)
        queue = SplitQueue(memory, 0x0, 16)
        card.host.start(direction, queue.place)
        if direction == SEND:
            send(card, memory, queue, 2)
        else:
            receive(card, memory, queue, offer(memory, queue, 2))
        card.host.stop(direction)
    card.check_conservation()
    assert card.host.stats.outside == 0


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
@pytest.mark.parametrize("at", [-1, 1 << 20, (1 << 20) - 50, -(1 << 34)])
def test_what_is_not_granted_is_not_accessed(card, direction, at):
    """Buffers that begin before what is granted, behind it, or end behind it: the queue stops."""
    memory = HostMemory(card)
    queue = SplitQueue(memory, 0x0, 16)
    card.host.start(direction, queue.place)
    good, bad = memory.base + BUFFERS, memory.base + at
    queue.add([(good, 1000), (bad, 400)], WRITE if direction == RECEIVE else 0)
    queue.publish()
    card.host.kick(direction)
    card.run(500)
    card.inject(0, frame(1200))
    settle(card)
    assert card.host.state(direction).reason == "refused"
    assert counted(card, "refused") == 1 and card.host.stats.outside == 0
    card.check_conservation()


@pytest.mark.parametrize("part", ["descriptors", "driver", "device"])
def test_rings_that_are_not_granted_are_not_accessed(card, part):
    memory = HostMemory(card)
    place = vars(SplitQueue(memory, 0x0, 16).place)
    queue = SplitQueue(memory, 0x0, 16)
    memory.write(memory.base + BUFFERS, bytes(100))
    queue.add([(memory.base + BUFFERS, 100)])
    queue.publish()
    card.host.start(SEND, Place(**{**place, part: memory.base + memory.size}))
    settle(card)
    assert card.host.state(SEND).reason == "refused" and card.host.stats.outside == 0


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": 12}, {"descriptors": 8}, {"driver": 1}, {"device": 2}])
def test_a_place_that_a_queue_cannot_have_is_refused(card, wrong):
    card.host.start(SEND, Place(**{"descriptors": 0, "driver": 0, "device": 0, "size": 16, **wrong}))
    assert card.host.state(SEND).reason == "setup" and counted(card, "setup") == 1


def test_a_bus_that_fails_stops_the_queue(card):
    """Memory that is granted, and not there."""
    memory = HostMemory(card)
    card.host.grant([Region(memory.base, memory.size), Region(0, 4096)])
    queue = SplitQueue(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    queue.add([(0, 100)])
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    assert card.host.state(SEND).reason == "bus" and not card.collect()


@pytest.mark.parametrize("count", [60, pytest.param(2500, marks=pytest.mark.thorough)])
def test_random_rings(card, count):
    """Rings, tables and indices of random bytes, sometimes changed while the card reads them: never an access outside of what is granted, never
    a card that stands still, and the queues work again afterwards."""
    memory = HostMemory(card, 2 << 20)
    for _ in range(count):
        directions = random.sample([SEND, RECEIVE], random.randint(1, 2))
        for direction in directions:
            queue = SplitQueue(memory, 0x8000 * direction, 16)
            good = random.random()
            for index in range(16):
                address = memory.base + random.choice([0, memory.size - 2000, BUFFERS]) + random.randrange(4000) if random.random() < good else random.getrandbits(64)
                size = random.choice([0, 1, 11, 12, 60, 1500, random.getrandbits(32)]) if random.random() > good else random.randrange(60, 1000)
                flags = random.getrandbits(16) if random.random() > good else NEXT * random.randint(0, 1) | WRITE * (direction == RECEIVE)
                queue.descriptor(index, address, size, flags, random.randrange(17))
            for _ in range(random.choice([1, 16, 16, 20])):
                queue.offer(random.randrange(17) if random.random() > good else random.randrange(16))
            queue.publish()
            card.host.start(direction, queue.place)
        for _ in range(random.randrange(4)):
            card.inject(0, frame(random_size()))
        card.run(random.randrange(800))
        queue.descriptor(random.randrange(16), random.getrandbits(64), random.getrandbits(32), random.getrandbits(16), random.getrandbits(16))
        card.host.kick(random.choice(directions))
        card.run(800)
        for direction in directions:
            card.host.stop(direction)
    card.collect()
    assert card.host.stats.outside == 0
    to_wire, to_host = SplitQueue(memory, 0x0, 16), SplitQueue(memory, 0x8000, 16)
    card.host.start(SEND, to_wire.place)
    card.host.start(RECEIVE, to_host.place)
    send(card, memory, to_wire, 5)
    receive(card, memory, to_host, offer(memory, to_host, 5))
    card.check_conservation()


@pytest.mark.parametrize("place", [{"at": 0x0}, APART])
def test_kicks_and_interrupts_are_eventfds(card, place):
    """A kick by eventfd reaches the queue; a chain that is used interrupts, unless the driver wants none."""
    memory = HostMemory(card)
    queue = SplitQueue(memory, size=8, **place)
    kick, call = os.eventfd(0, os.EFD_NONBLOCK), os.eventfd(0, os.EFD_NONBLOCK)
    card.host.notify(SEND, kick, call)
    card.host.start(SEND, queue.place)
    card.run(600)
    for quiet in (0, 1, 0):
        memory.write(queue.place.driver, struct.pack("<H", quiet))
        memory.write(memory.base + BUFFERS, bytes(HEADER) + frame(60))
        queue.add([(memory.base + BUFFERS, HEADER + 60)])
        queue.publish()
        os.eventfd_write(kick, 1)
        settle(card)
        assert len(queue.used()) == 1
        if quiet:
            with pytest.raises(BlockingIOError):
                os.eventfd_read(call)
        else:
            assert os.eventfd_read(call) == 1
    assert card.host.stats.kicks == 3 and card.host.stats.calls == 2
    os.close(kick)
    os.close(call)


def test_a_doorbell_takes_three_round_trips_to_the_wire(card):
    """The index with the ring's next entries, a descriptor, the frame; with memory 100 cycles away, and 60 cycles for all else."""
    card.host.set_latency(100)
    memory = HostMemory(card)
    queue = SplitQueue(memory, 0x0, 16, start=13)
    card.host.start(SEND, queue.place)
    for _ in range(5):  # the ring wraps
        card.run(500)
        memory.write(memory.base + BUFFERS, bytes(HEADER) + frame(64))
        queue.add([(memory.base + BUFFERS, HEADER + 64)])
        queue.publish()
        card.host.kick(SEND)
        start = card.cycle
        settle(card)
        (out,) = card.collect()
        assert 300 < out.first_cycle - start <= 3 * 100 + 60
        assert len(queue.used()) == 1


@pytest.mark.parametrize(("size", "wanted"), [(64, 30e6 / 250e6), (1500, 100e9 / (1500 * 8 * 250e6))])
def test_both_directions_at_once_have_their_rates(card, size, wanted):
    """30 M frames of 64 bytes a second, and 100 Gbps of 1,500, each way, with memory 400 ns away."""
    found = rates(card, size, (SEND, RECEIVE))
    assert min(found.values()) >= wanted, found
    card.check_conservation()
