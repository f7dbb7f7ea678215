# SPDX-License-Identifier: Apache-2.0
"""Mergeable receive buffers on the card of designs/nic.yaml: a frame takes as many buffers as it needs, the driver sees all of them or none, and a
frame that no number of buffers can hold is dropped."""

import random
import struct
from dataclasses import replace

import pytest

from girih.card.host import RECEIVE
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, PackedQueue, SplitQueue, pieces
from tests.host.queues import BUFFERS, SLOT, WRAPPED, frame, settle

MOST = 32  # most buffers of a frame
LOOK = 3  # cycles between two looks of the driver at the ring


def started(card, ring, size: int, start: int, mergeable: bool = True, latency: int = 100):
    card.host.set_latency(latency)
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x8000, size, start)
    queue.place = replace(queue.place, mergeable=mergeable)
    card.host.start(RECEIVE, queue.place)
    return memory, queue


class Buffers:
    """The buffers that a queue offers: the parts of each, by its head."""

    def __init__(self, memory, queue):
        self.memory, self.queue = memory, queue
        self.offered: dict[int, list[tuple[int, int]]] = {}
        self.free = list(range(128))
        self.slot: dict[int, int] = {}

    def offer(self, size: int, links: int = 1) -> bool:
        slot = self.free[0]
        parts = pieces(self.memory.base + BUFFERS + SLOT * slot + random.randrange(1000), size, links)
        head = self.queue.add(parts, WRITE)
        if head is None:
            return False
        self.offered[head], self.slot[head] = parts, self.free.pop(0)
        return True

    def take(self, head: int, size: int) -> bytes:
        """The bytes that were written to a buffer. The buffer is free again."""
        self.free.append(self.slot.pop(head))
        data = b"".join(self.memory.read(*part) for part in self.offered.pop(head))
        assert size <= len(data)
        return data[:size]


def frames(buffers: Buffers, used: list[tuple[int, int]]) -> list[tuple[bytes, int]]:
    """The frames in the buffers of one look at the ring, each with its number of buffers. A frame of which only a part is there fails the test."""
    found = []
    while used:
        sizes = [sum(size for _, size in buffers.offered[head]) for head, _ in used]
        data = buffers.take(*used[0])
        (count,) = struct.unpack("<H", data[10:HEADER])
        assert data[:10] == bytes(10) and 1 <= count <= len(used), "the driver sees a part of a frame"
        assert [written for _, written in used[: count - 1]] == sizes[: count - 1], "a buffer before the last is not full"
        data += b"".join(buffers.take(*one) for one in used[1:count])
        found.append((data[HEADER:], count))
        used = used[count:]
    return found


@pytest.mark.parametrize(
    ("ring", "size", "start"),
    [(SplitQueue, 64, 65530), (SplitQueue, 128, 0), (PackedQueue, 128, WRAPPED), (PackedQueue, 37, WRAPPED + 30), (PackedQueue, 64, 61)],
)
def test_a_frame_takes_as_many_buffers_as_it_needs(card, ring, size, start):
    """Buffers have any size, in one or several descriptors. Frames are whole and in order, take no more buffers than they need, one after another,
    and are never seen in part, however often the driver looks."""
    memory, queue = started(card, ring, size, start)
    buffers = Buffers(memory, queue)
    several = 0
    for _ in range(5):
        while len(buffers.offered) < 30 and buffers.offer(random.choice([12, 13, 64, 100, 128, 700, 1600]), random.choice([1, 1, 3])):
            pass
        queue.publish()
        card.host.kick(RECEIVE)
        card.run(600)
        room = sum(part for parts in buffers.offered.values() for _, part in parts)
        sent = []
        while (data := frame(random.choice([60, 61, 200, 700, 1514]))) and room >= len(data) + HEADER + 1600:
            room -= len(data) + HEADER + 1600
            sent.append(data)
            card.inject(0, data)
        found = []
        for _ in range(2500 // LOOK):
            card.run(LOOK)
            order = [sum(part for _, part in parts) for parts in buffers.offered.values()]
            for data, count in frames(buffers, queue.used()):
                needed = next(number for number in range(len(order)) if sum(order[: number + 1]) >= len(data) + HEADER) + 1
                assert count == needed
                order = order[count:]
                several += count > 1
                found.append(data)
        assert found == sent
    assert several > 3
    counters = card.registers.counters("host")["host"]
    assert not any(value for name, value in counters.items() if name.startswith(("drop_", "mark_stop")))
    assert card.host.stats.outside == 0
    card.check_conservation()


def test_without_the_feature_a_frame_has_one_buffer(card, ring):
    memory, queue = started(card, ring, 64, queue_start(ring), mergeable=False)
    buffers = Buffers(memory, queue)
    for size in (100, 100, 2000):
        buffers.offer(size)
    queue.publish()
    card.host.kick(RECEIVE)
    settle(card)
    data = [frame(200), frame(60)]
    for one in data:
        card.inject(0, one)
    settle(card)
    assert frames(buffers, queue.used()) == [(data[1], 1)]
    assert card.registers.counters("host")["host"]["drop_small_buffer"] == 1


def test_a_frame_that_too_few_buffers_can_hold_is_dropped_and_they_stay(card, ring):
    """A frame that is larger than the most buffers of a frame, or than all buffers of the ring, is dropped, and its buffers go to the next one. A
    frame waits if the driver has merely not offered enough yet."""
    for size, each, fits, too_large in ((128, 20, 20 * MOST, 20 * MOST + 1), (16, 50, 800, 801)):
        memory, queue = started(card, ring, size, queue_start(ring))
        before = card.registers.counters("host")["host"]["drop_small_buffer"]
        buffers = Buffers(memory, queue)
        while len(buffers.offered) < min(size, MOST) and buffers.offer(each):
            pass
        queue.publish()
        card.host.kick(RECEIVE)
        settle(card)
        data = [frame(too_large - HEADER), frame(fits - HEADER), frame(70)]
        for one in data:
            card.inject(0, one)
        settle(card)
        assert frames(buffers, queue.used()) == [(data[1], min(size, MOST))]
        assert card.registers.counters("host")["host"]["drop_small_buffer"] == before + 1
        for first in (True, False):
            buffers.offer(60)
            queue.publish()
            card.host.kick(RECEIVE)
            settle(card)
            assert frames(buffers, queue.used()) == ([] if first else [(data[2], 2)])
        assert card.host.stop(RECEIVE) == queue.seen
    card.check_conservation()


def queue_start(ring) -> int:
    return WRAPPED if ring is PackedQueue else 0


def test_a_queue_that_ends_at_any_time_shows_no_part_of_a_frame(card, ring):
    """The queue starts again in the same ring behind the last whole frame, with the buffers of the frame that was not shown."""
    ends = []
    for cycles in range(0, 200, 5):
        memory, queue = started(card, ring, 64, queue_start(ring), latency=20)
        buffers = Buffers(memory, queue)
        for _ in range(44):
            buffers.offer(random.choice([30, 40, 50]))
        queue.publish()
        card.host.kick(RECEIVE)
        card.run(200)
        data = [frame(random.choice([100, 300, 500])) for _ in range(2)]
        for one in data:
            card.inject(0, one)
        card.run(cycles)
        index = card.host.stop(RECEIVE)
        found = [one for one, _ in frames(buffers, queue.used())]
        assert found == data[: len(found)] and index == queue.seen
        ends.append(len(found))
        card.run(300)
        card.host.start(RECEIVE, replace(queue.place, start=queue.seen))
        card.run(200)
        last = frame(200)
        card.inject(0, last)
        card.run(500)
        assert [one for one, _ in frames(buffers, queue.used())] == [last]
        card.host.stop(RECEIVE)
    assert {0, 1, 2} <= set(ends)
    card.check_conservation()
