# SPDX-License-Identifier: Apache-2.0
"""Indirect descriptors on the card of designs/nic.yaml: tables of descriptors in the host's memory, with both forms of rings, and malformed tables,
which stop their queue alone."""

import random
from dataclasses import replace

import pytest

from girih.card.host import RECEIVE, SEND
from girih.experiments.host_driver import (
    AVAILABLE,
    HEADER,
    INDIRECT,
    NEXT,
    WRITE,
    HostMemory,
    PackedQueue,
    SplitQueue,
    pieces,
)
from tests.host.queues import BUFFERS, SLOT, WRAPPED, counted, frame, random_size, settle

TABLES = 0x100000  # offset of the tables in the memory
TABLE_BYTES = 1024
DESCRIPTOR = 16


def started(card, ring, direction: int, size: int = 64, start: int | None = None, **place):
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x8000, size, (WRAPPED if ring is PackedQueue else 0) if start is None else start)
    queue.way = WRITE * (direction == RECEIVE)
    queue.place = replace(queue.place, **{"indirect": True, **place})
    card.host.start(direction, queue.place)
    return memory, queue


def table_at(memory, number: int) -> int:
    """A place for a table: aligned as a descriptor is, and possibly across pages."""
    return memory.base + TABLES + TABLE_BYTES * number + DESCRIPTOR * random.randrange(32)


@pytest.mark.parametrize(("ring", "size", "start"), [(SplitQueue, 64, 65530), (SplitQueue, 4, 0), (PackedQueue, 64, WRAPPED), (PackedQueue, 5, 3)])
def test_frames_of_the_host_in_tables(card, ring, size, start):
    """Chains of 1 to 32 parts, entirely in a table, without one, or with only the last descriptors in one. Frames are whole and in order, and each
    chain counts as one chain of the ring."""
    memory, queue = started(card, ring, SEND, size, start)
    sent = []
    for _ in range(10):
        heads = []
        for number in range(24):
            data = frame(random_size())
            address = memory.base + BUFFERS + SLOT * number + random.randrange(2000)
            memory.write(address, bytes(HEADER) + data)
            parts = pieces(address, HEADER + len(data), random.choice([1, 2, 5, 32]))
            direct = random.choice([0, 0, 1, 2]) if ring is SplitQueue else 0
            table = None if len(parts) < 3 and random.random() < 0.3 else table_at(memory, number)
            head = queue.add(parts, table=table, direct=min(direct, len(parts) - 1))
            if head is None:
                break
            heads.append(head)
            sent.append(data)
        queue.publish()
        card.host.kick(SEND)
        card.run(7000)
        assert queue.used() == [(head, 0) for head in heads]
    assert [got.data[12:] for got in card.collect()] == [data[12:] for data in sent]
    assert card.host.stats.outside == 0 and card.host.state(SEND).active
    card.check_conservation()


@pytest.mark.parametrize("mergeable", [False, True])
def test_frames_to_the_host_in_tables(card, ring, mergeable):
    """Each frame fills the buffers that its table names, or those of several tables."""
    memory, queue = started(card, ring, RECEIVE, 8, mergeable=mergeable)
    for _ in range(6):
        offered = {}
        for number in range(8):
            parts = pieces(memory.base + BUFFERS + SLOT * number, 400 if mergeable else 1600, 20)
            offered[queue.add(parts, WRITE, table=table_at(memory, number))] = parts
        queue.publish()
        card.host.kick(RECEIVE)
        settle(card)
        sent = [frame(random.choice([60, 200, 700])) for _ in range(2 if mergeable else 8)]
        for data in sent:
            card.inject(0, data)
        settle(card)
        used = queue.used()
        for data in sent:
            count = -(-(HEADER + len(data)) // 400) if mergeable else 1
            got = b"".join(b"".join(memory.read(*part) for part in offered[head])[:size] for head, size in used[:count])
            assert got == bytes(10) + count.to_bytes(2, "little") + data
            used = used[count:]
        assert not used
        card.host.stop(RECEIVE)
        queue = type(queue)(memory, 0x8000, 8)
        queue.place = replace(queue.place, indirect=True, mergeable=mergeable)
        card.host.start(RECEIVE, queue.place)
    counters = card.registers.counters("host")["host"]
    assert not any(value for name, value in counters.items() if name.startswith(("drop_", "mark_stop")))


@pytest.mark.parametrize("behind", [0, INDIRECT, INDIRECT | NEXT])
def test_a_chain_that_is_read_again_keeps_no_table(card, behind):
    """A driver makes the head of a chain available before the descriptor behind it, whose slot still holds flags of the lap before. The card reads
    the chain again when it is whole, and takes what is in that slot for no table."""
    memory, queue = started(card, PackedQueue, SEND, start=1 << 15)
    sent = []
    for number in range(3):
        first, second = queue.available, queue.available + 1
        data = frame(200)
        at = memory.base + BUFFERS + SLOT * number
        memory.write(at, bytes(HEADER) + data)
        name = queue.add([(at, 50), (at + 50, HEADER + len(data) - 50)])
        assert queue.heads[0][0] == first & 0x7FFF
        whole = memory.read(queue.place.descriptors + DESCRIPTOR * (second & 0x7FFF), DESCRIPTOR)
        queue.descriptor(second & 0x7FFF, table_at(memory, number), 2 * DESCRIPTOR, behind)
        queue.publish()
        card.host.kick(SEND)
        settle(card)
        assert not queue.used() and card.host.state(SEND).active
        memory.write(queue.place.descriptors + DESCRIPTOR * (second & 0x7FFF), whole)
        tabled = frame(300)
        memory.write(at + 2000, bytes(HEADER) + tabled)
        other = queue.add([(at + 2000, 60), (at + 2060, HEADER + len(tabled) - 60)], table=table_at(memory, number))
        queue.publish()
        card.host.kick(SEND)
        settle(card)
        assert queue.used() == [(name, 0), (other, 0)] and card.host.state(SEND).active
        sent += [data, tabled]
    assert [got.data[12:] for got in card.collect()] == [data[12:] for data in sent]


def table(queue, at: int, *descriptors: tuple[int, int, int, int]) -> None:
    """Writes a table: the address, size, flags and next index of each descriptor."""
    for number, (address, size, flags, following) in enumerate(descriptors):
        last = following.to_bytes(2, "little")
        tail = flags.to_bytes(2, "little") + last if isinstance(queue, SplitQueue) else last + flags.to_bytes(2, "little")
        queue.memory.write(at + DESCRIPTOR * number, address.to_bytes(8, "little") + size.to_bytes(4, "little") + tail)


def names_table(queue, at: int, size: int, *entries: tuple[int, int, int, int], more: int = 0) -> None:
    """Makes the first descriptor of the ring name a table with these entries, for the direction of the queue unless they have WRITE."""
    table(queue, at, *((address, size, flags ^ queue.way, following) for address, size, flags, following in entries))
    if isinstance(queue, SplitQueue):
        queue.descriptor(3, at, size, INDIRECT | more, 4)
        queue.offer(3)
        queue.publish()
    else:
        queue.descriptor(0, at, size, INDIRECT | AVAILABLE | more)


def one_frame_passes(card, memory, queue, direction, head, data, what) -> None:
    """The chain that has just been added, whose buffer is at BUFFERS, gets or sends this frame. what: the case, for a failure."""
    queue.publish()
    card.host.kick(direction)
    settle(card)
    if direction == RECEIVE:
        card.inject(0, data)
        settle(card)
        assert memory.read(memory.base + BUFFERS + HEADER, len(data)) == data, what
    else:
        assert [got.data[12:] for got in card.collect()] == [data[12:]], what
    assert queue.used() == [(head, (HEADER + len(data)) * (direction == RECEIVE))], what


MISTAKES = {  # what is wrong: the reason, and a function of the queue, a table and a buffer that makes it so
    "no entries": ("zero", lambda q, t, a: names_table(q, t, 0)),
    "a part of an entry": ("size", lambda q, t, a: names_table(q, t, 24)),
    "not aligned": ("setup", lambda q, t, a: names_table(q, t + 8, 16)),
    "another behind it": ("flags", lambda q, t, a: names_table(q, t, 16, more=NEXT)),
    "unknown flags": ("flags", lambda q, t, a: names_table(q, t, 16, more=8)),
    "a table in a table": ("flags", lambda q, t, a: names_table(q, t, 16, (t, 16, INDIRECT, 0))),
    "no bytes": ("zero", lambda q, t, a: names_table(q, t, 32, (a, 100, NEXT, 1), (a, 0, 0, 0))),
    "less than a header": ("size", lambda q, t, a: names_table(q, t, 16, (a, 11, 0, 0))),
    "more than a frame": ("size", lambda q, t, a: names_table(q, t, 16, (a, 1 << 31, 0, 0))),
    "too many with those before it": ("chain", lambda q, t, a: (q.add([(a, 20)] * 33, q.way, table=t, direct=14), q.publish())),
    "outside of what is granted": ("refused", lambda q, t, a: names_table(q, q.memory.base - 16, 16)),
    "ends outside of what is granted": ("refused", lambda q, t, a: names_table(q, q.memory.base + q.memory.size - 16, 48)),
    "a buffer outside of what is granted": ("refused", lambda q, t, a: names_table(q, t, 16, (q.memory.base - 4096, 100, 0, 0))),
}
ONLY = {
    SplitQueue: {
        "a loop": ("chain", lambda q, t, a: names_table(q, t, 32, (a, 1, NEXT, 1), (a, 1, NEXT, 0))),
        "a link beyond the table": ("index", lambda q, t, a: names_table(q, t, 32, (a, 100, NEXT, 2), (a, 1, 0, 0))),
        "the other direction": ("flags", lambda q, t, a: names_table(q, t, 16, (a, 100, WRITE, 0))),
        "too many entries": ("chain", lambda q, t, a: names_table(q, t, 33 * DESCRIPTOR, *((a, 1, NEXT, number) for number in range(1, 33)), (a, 1, 0, 0))),
    },
    PackedQueue: {"too many entries": ("chain", lambda q, t, a: names_table(q, t, 33 * DESCRIPTOR))},
}


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
def test_a_malformed_table_stops_its_queue_alone(card, ring, direction):
    """The stop is counted with its reason, and the queue works again once it is set up again. Indirect descriptors that were not negotiated stop it,
    too."""
    for what, (reason, breaks) in {**MISTAKES, **ONLY[ring], "not offered": ("flags", MISTAKES["no entries"][1])}.items():
        already = counted(card, reason)
        memory, queue = started(card, ring, direction, 16, indirect=what != "not offered")
        at = memory.base + TABLES
        if what == "ends outside of what is granted":
            table(queue, memory.base + memory.size - 16, (memory.base + BUFFERS, 50, NEXT | queue.way, 1))
        breaks(queue, at, memory.base + BUFFERS)
        card.host.kick(direction)
        settle(card)
        if direction == RECEIVE:
            card.inject(0, frame(60))
        card.run(4500)  # a loop is followed for 32 descriptors
        state = card.host.state(direction)
        assert (state.active, state.reason) == (False, reason), what
        assert counted(card, reason) == already + 1, what
        assert not card.collect(), what
        card.host.stop(direction)
        memory, queue = started(card, ring, direction, 16)
        data = frame(100)
        memory.write(memory.base + BUFFERS, bytes(HEADER + len(data)) if direction == RECEIVE else bytes(HEADER) + data)
        head = queue.add(pieces(memory.base + BUFFERS, HEADER + len(data), 3), queue.way, table=at)
        one_frame_passes(card, memory, queue, direction, head, data, what)
        card.host.stop(direction)
    assert card.host.stats.outside == 0
    card.check_conservation()


def test_what_is_to_be_read_does_not_take_a_frame(card, ring):
    """A table of a receive queue whose entries are not marked as to be written: the queue stops, and nothing is written to them."""
    memory, queue = started(card, ring, RECEIVE, 16)
    names_table(queue, memory.base + TABLES, 32, (memory.base + BUFFERS, 800, WRITE | NEXT, 1), (memory.base + BUFFERS + 800, 800, 0, 0))
    card.host.kick(RECEIVE)
    settle(card)
    card.inject(0, frame(1200))
    settle(card)
    assert card.host.state(RECEIVE).reason == "flags" and counted(card, "flags") == 1
    assert memory.read(memory.base + BUFFERS, 1600) == bytes(1600)


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
def test_reserved_flags_in_a_table_of_a_packed_ring_are_ignored(card, direction):
    """Virtio 1.2, 2.8.7: only WRITE has a meaning there. In a queue that is only read, it has none either: DPDK's driver sets it for the header."""
    memory, queue = started(card, PackedQueue, direction, 16)
    at, buffer = memory.base + TABLES, memory.base + BUFFERS
    for bit in range(16):
        if 1 << bit == INDIRECT:
            continue
        data, marks = frame(200), 1 << bit | WRITE * (direction == RECEIVE)
        memory.write(buffer, bytes(HEADER + len(data)) if direction == RECEIVE else bytes(HEADER) + data)
        parts = [(buffer, HEADER), (buffer + HEADER, 150), (buffer + HEADER + 150, 50)]
        head = queue.add(parts, table=at)
        table(queue, at, *((*part, marks if number < 2 else WRITE * (direction == RECEIVE), random.getrandbits(16)) for number, part in enumerate(parts)))
        one_frame_passes(card, memory, queue, direction, head, data, bit)
    card.check_conservation()


@pytest.mark.parametrize("count", [40, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_random_tables(card, ring, count):
    """Tables of random bytes, changed while the card reads them: the card never accesses what is not granted, and never hangs."""
    for _ in range(count):
        card.host.set_latency(random.choice([5, 100]))  # 32 links of a split ring are read in time with the shorter one alone
        direction = random.choice([SEND, RECEIVE])
        memory, queue = started(card, ring, direction, 16, mergeable=random.random() < 0.5)
        for number in range(6):
            good = random.choice([1, random.random()])
            at = table_at(memory, number)
            flags = WRITE * (direction == RECEIVE)
            entries = random.choice([*range(1, 8), 33])
            for entry in range(entries):
                address = memory.base + BUFFERS + random.randrange(4000) if random.random() < good else random.getrandbits(64)
                size = random.randrange(20, 300 if entries < 33 else 30) if random.random() < good else random.choice([0, 1, random.getrandbits(32)])
                marks = flags | NEXT * (entry + 1 < entries) if random.random() < good else random.getrandbits(16)
                table(queue, at + DESCRIPTOR * entry, (address, size, marks, entry + 1 if random.random() < good else random.randrange(9)))
            # The size is seldom wrong: it is read first, and would stop the queue before the entries are.
            queue.add([(at, DESCRIPTOR * entries if random.random() < 0.99 else random.getrandbits(10))], flags | INDIRECT)
        queue.publish()
        card.host.kick(direction)
        for _ in range(random.randrange(3)):
            card.inject(0, frame(random_size()))
        card.run(random.randrange(500))
        memory.write(table_at(memory, 0), random.randbytes(64))
        card.run(1500)
        card.host.stop(direction)
    seen = {reason for reason in ("index", "zero", "chain", "flags", "size", "refused") if counted(card, reason)}
    assert count < 1000 or seen >= {"zero", "chain", "flags", "size", "refused"} | ({"index"} if ring is SplitQueue else set()), seen
    card.collect()
    assert card.host.stats.outside == 0
    card.check_conservation()
