# SPDX-License-Identifier: Apache-2.0
"""A virtqueue with a mistake stops alone and with a reason, and the card never accesses what the host has not granted."""

import random
from dataclasses import replace

import pytest

from girih.card.host import RECEIVE, SEND, WINDOW, Place, Region
from girih.card.registers import AccessRefused
from girih.experiments.host_driver import (
    AVAILABLE,
    HEADER,
    INDIRECT,
    NEXT,
    WRITE,
    HostMemory,
    PackedQueue,
    SplitQueue,
)
from girih.spec.windows import offset
from tests.host.queues import BUFFERS, counted, frame, offer, random_size, receive, send, settle

SPLIT_MISTAKES = {  # of a chain from descriptor 3 of a queue of 16: what is wrong, and the reason
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


def _chain(queue, flags: int, size: int, count: int) -> None:
    """Makes descriptors available from the first slot on, each with a next one."""
    for index in range(count):
        queue.descriptor(index, queue.memory.base + BUFFERS, size, flags | NEXT | AVAILABLE)


PACKED_MISTAKES = {  # of a chain from the first slot of a queue of 16
    "a chain longer than the ring": ("chain", lambda q, a: _chain(q, q.flags, 1, 16)),
    "no bytes": ("zero", lambda q, a: q.descriptor(0, a, 0, q.flags | AVAILABLE)),
    "no bytes behind others": ("zero", lambda q, a: (q.descriptor(0, a, 100, q.flags | NEXT | AVAILABLE), q.descriptor(1, a, 0, q.flags | AVAILABLE))),
    "the other direction": ("flags", lambda q, a: q.descriptor(0, a, 100, q.flags ^ WRITE | AVAILABLE)),
    "an indirect table, which was not offered": ("flags", lambda q, a: q.descriptor(0, a, 16, INDIRECT | AVAILABLE)),
    "unknown flags": ("flags", lambda q, a: q.descriptor(0, a, 100, q.flags | 8 | AVAILABLE)),
    "less than a header": ("size", lambda q, a: q.descriptor(0, a, 11, q.flags | AVAILABLE)),
    "more than can be": ("size", lambda q, a: q.descriptor(0, a, 0xFFFFFFFF, q.flags | AVAILABLE)),
}
MISTAKES = {SplitQueue: SPLIT_MISTAKES, PackedQueue: PACKED_MISTAKES}


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
def test_a_mistake_stops_its_queue_alone(card, ring, direction):
    """Its reason is reported and counted, and it stays stopped until it is set up again. The other queue goes on."""
    memory = HostMemory(card, 2 << 20)
    other = ring(memory, 0x8000, 64)
    card.host.start(RECEIVE if direction == SEND else SEND, other.place)

    def other_works() -> None:
        if direction == SEND:
            receive(card, memory, other, offer(memory, other, 3))
        else:
            send(card, memory, other, 3)

    for what, (reason, breaks) in MISTAKES[ring].items():
        queue = ring(memory, 0x0, 16)
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
        queue = ring(memory, 0x0, 16)
        card.host.start(direction, queue.place)
        if direction == SEND:
            send(card, memory, queue, 2)
        else:
            receive(card, memory, queue, offer(memory, queue, 2))
        card.host.stop(direction)
    card.check_conservation()
    assert card.host.stats.outside == 0


def test_a_chain_may_be_long_but_not_too_long(card, ring):
    """A chain of 32 descriptors is sent as a frame; 33 are too many, even if they are no loop."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 64)
    data = frame(32 * 20 - HEADER)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + data)
    card.host.start(SEND, queue.place)
    for count, size in ((32, 20), (33, 19)):
        queue.add([(memory.base + BUFFERS + size * number, size) for number in range(count)])
        queue.publish()
        card.host.kick(SEND)
        card.run(5000)  # a split ring is read link by link
        assert len(queue.used()) == (count == 32)
    assert [f.data[12:] for f in card.collect()] == [data[12:]]
    assert card.host.state(SEND).reason == "chain" and counted(card, "chain") == 1


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
@pytest.mark.parametrize("at", [-1, 1 << 20, (1 << 20) - 50, -(1 << 34)])
def test_what_is_not_granted_is_not_accessed(card, ring, direction, at):
    """Buffers that begin before the granted memory, begin behind it, or end behind it: the queue stops."""
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 16)
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


@pytest.mark.parametrize(("ring", "part"), [*((SplitQueue, part) for part in ("descriptors", "driver", "device")), (PackedQueue, "descriptors"), (PackedQueue, "driver")])
def test_rings_that_are_not_granted_are_not_accessed(card, ring, part):
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 16)
    memory.write(memory.base + BUFFERS, bytes(100))
    queue.add([(memory.base + BUFFERS, 100)])
    queue.publish()
    card.host.start(SEND, replace(queue.place, **{part: memory.base + memory.size}))
    settle(card)
    assert card.host.state(SEND).reason == "refused" and card.host.stats.outside == 0


@pytest.mark.parametrize("wrong", [
    {"size": 0}, {"size": 12}, {"descriptors": 8}, {"driver": 1}, {"device": 2},
    {"packed": True, "driver": 2}, {"packed": True, "size": 32769}, {"packed": True, "size": 12, "start": 12},
])  # fmt: skip
def test_a_place_that_a_queue_cannot_have_is_refused(card, wrong):
    card.host.start(SEND, Place(**{"descriptors": 0, "driver": 0, "device": 0, "size": 16, **wrong}))
    assert card.host.state(SEND).reason == "setup" and counted(card, "setup") == 1


def test_a_place_cannot_change_while_its_queue_is_enabled(card, ring):
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    for word in range(8):
        at = offset(WINDOW, "queues", queue=SEND, word=word)
        before = card.registers.read_window("host", at)
        with pytest.raises(AccessRefused):
            card.registers.write_window("host", at, before ^ 0x40)
        assert card.registers.read_window("host", at) == before
    send(card, memory, queue, 3)


def test_a_bus_that_fails_stops_the_queue(card, ring):
    """The memory is granted, but not mapped."""
    memory = HostMemory(card)
    card.host.grant([Region(memory.base, memory.size), Region(0, 4096)])
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    queue.add([(0, 100)])
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    assert card.host.state(SEND).reason == "bus" and not card.collect()


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
def test_a_bus_that_fails_where_the_card_writes_the_ring_stops_the_queue(card, ring, direction):
    """Where the card reports used buffers in a split ring, and where it says when it is to be notified beside a packed one, the memory is granted, but not
    there."""
    memory = HostMemory(card)
    card.host.grant([Region(memory.base, memory.size), Region(0, 4096)])
    queue = ring(memory, 0x0, 16)
    card.host.start(direction, replace(queue.place, device=0, event_index=ring is PackedQueue))
    buffers = memory.base + BUFFERS
    memory.write(buffers, bytes(HEADER) + frame(100))
    queue.add([(buffers, HEADER + 100 if direction == SEND else 2048)], 0 if direction == SEND else WRITE)
    queue.publish()
    card.host.kick(direction)
    if direction == RECEIVE:
        card.inject(0, frame(100))
    settle(card)
    assert card.host.state(direction).reason == "bus" and counted(card, "bus") == 1


def ordinary() -> tuple[range, float]:
    """For good descriptors: their sizes, and how often one has another behind it. Small ones with always another make chains without an end."""
    return random.choice([(range(60, 1000), 0.5), (range(60, 1000), 0.5), (range(1, 40), 1)])


def scramble_split(memory, queue, direction: int) -> None:
    good, (sizes, joined) = random.random(), ordinary()
    for index in range(16):
        address = memory.base + random.choice([0, memory.size - 2000, BUFFERS]) + random.randrange(4000) if random.random() < good else random.getrandbits(64)
        size = random.choice([0, 1, 11, 12, 60, 1500, random.getrandbits(32)]) if random.random() > good else random.choice(sizes)
        flags = random.getrandbits(16) if random.random() > good else NEXT * (random.random() < joined) | WRITE * (direction == RECEIVE)
        queue.descriptor(index, address, size, flags, random.randrange(17))
    for _ in range(random.choice([1, 16, 16, 20])):
        queue.offer(random.randrange(17) if random.random() > good else random.randrange(16))
    queue.publish()


def scramble_packed(memory, queue, direction: int) -> None:
    good, (sizes, joined) = random.random(), ordinary()
    for index in range(16):
        address = memory.base + random.choice([0, memory.size - 2000, BUFFERS]) + random.randrange(4000) if random.random() < good else random.getrandbits(64)
        size = random.choice([0, 1, 11, 12, 60, 1500, random.getrandbits(32)]) if random.random() > good else random.choice(sizes)
        flags = random.getrandbits(16) if random.random() > good else NEXT * (random.random() < joined) | WRITE * (direction == RECEIVE) | AVAILABLE
        queue.descriptor(index, address, size, flags, random.getrandbits(16))


SCRAMBLE = {SplitQueue: scramble_split, PackedQueue: scramble_packed}


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_random_rings(card, ring, count):
    """Rings, tables and indices of random bytes, sometimes changed while the card reads them: the card never accesses what is not granted and never
    hangs, and the queues work again afterwards."""
    memory = HostMemory(card, 2 << 20)
    for _ in range(count):
        card.host.set_latency(random.choice([5, 100]))  # 32 links of a split ring are read in time with the shorter one alone
        directions = random.sample([SEND, RECEIVE], random.randint(1, 2))
        for direction in directions:
            queue = ring(memory, 0x8000 * direction, 16)
            SCRAMBLE[ring](memory, queue, direction)
            card.host.start(direction, queue.place)
        for _ in range(random.randrange(4)):
            card.inject(0, frame(random_size()))
        card.run(random.randrange(800))
        queue.descriptor(random.randrange(16), random.getrandbits(64), random.getrandbits(32), random.getrandbits(16), random.getrandbits(16))
        card.host.kick(random.choice(directions))
        card.run(800)
        for direction in directions:
            card.host.stop(direction)
    card.host.set_latency(100)
    seen = {reason for reason in ("index", "zero", "chain", "flags", "size", "refused") if counted(card, reason)}
    assert count < 1000 or seen >= {"zero", "chain", "flags", "size", "refused"} | ({"index"} if ring is SplitQueue else set()), seen
    card.collect()
    assert card.host.stats.outside == 0
    to_wire, to_host = ring(memory, 0x0, 16), ring(memory, 0x8000, 16)
    card.host.start(SEND, to_wire.place)
    card.host.start(RECEIVE, to_host.place)
    send(card, memory, to_wire, 5)
    receive(card, memory, to_host, offer(memory, to_host, 5))
    card.check_conservation()
