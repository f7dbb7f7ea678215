# SPDX-License-Identifier: Apache-2.0
"""Kicks and interrupts that the event index saves, and the time from a doorbell to the wire."""

import os
import random
from dataclasses import replace

import pytest

from girih.card.host import SEND
from girih.experiments.host_driver import HEADER, HostMemory, PackedQueue, SplitQueue, pieces
from tests.host.queues import BUFFERS, WRAPPED, frame, settle


@pytest.mark.parametrize(("ring", "size", "start"), [(SplitQueue, 32, 65500), (SplitQueue, 4, 3), (PackedQueue, 32, WRAPPED + 20), (PackedQueue, 7, 6)])
def test_with_event_index_nothing_waits_for_ever(card, ring, size, start):
    """The driver kicks only when the device asks for it, and looks at its ring only after an interrupt or right after it has asked for one."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, size, start)
    queue.place = replace(queue.place, event_index=True)
    kick, call = os.eventfd(0, os.EFD_NONBLOCK), os.eventfd(0, os.EFD_NONBLOCK)
    card.host.notify(SEND, kick, call)
    queue.wait_for()
    card.host.start(SEND, queue.place)
    left, used, sleeps = 400, 0, 0
    data = frame(60)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + data)
    while used < 400:
        added = 0
        for _ in range(min(left, random.choice([0, 1, 1, 2, size]))):
            added += queue.add(pieces(memory.base + BUFFERS, HEADER + 60, min(3, size))) is not None
        left -= added
        queue.publish()
        if queue.wants_kick():
            os.eventfd_write(kick, 1)
        card.run(random.choice([1, 20, 100, 300, 600]))
        try:
            os.eventfd_read(call)
            sleeps = 0
        except BlockingIOError:
            sleeps += 1
            assert sleeps < 60, f"{queue.chains} chains are not reported"
            continue
        used += len(queue.used())
        ahead = random.choice([0, 0, len(queue.chains) // 2])
        queue.wait_for(ahead)
        while found := queue.used():  # used before the request for an interrupt took effect
            used += len(found)
            queue.wait_for()
    card.run_until_quiet()
    assert len(card.collect()) == 400 and card.host.state(SEND).active
    os.close(kick)
    os.close(call)


@pytest.mark.parametrize(("ring", "start"), [(SplitQueue, 65520), (PackedQueue, WRAPPED + 40)])
def test_event_index_saves_kicks_and_interrupts(card, ring, start):
    """Of 32 frames in quick succession the card is told of the first, and the driver of the last."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 64, start)
    queue.place = replace(queue.place, event_index=True)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + frame(60))
    for waits, calls in ((31, 1), (0, 1), (40, 0)):
        queue.wait_for(waits)
        if queue.seen == start:
            card.host.start(SEND, queue.place)
        settle(card)
        kicks, before = 0, card.host.stats.calls
        for _ in range(32):
            queue.add([(memory.base + BUFFERS, HEADER + 60)])
            queue.publish()
            if queue.wants_kick():
                kicks += 1
                card.host.kick(SEND)
            card.run(6)
        settle(card)
        assert len(queue.used()) == 32 and len(card.collect()) == 32
        assert 1 <= kicks <= 2 and card.host.stats.calls - before == calls


@pytest.mark.parametrize(("ring", "start", "trips", "rest"), [(SplitQueue, 13, 3, 60), (PackedQueue, WRAPPED + 13, 2, 40)])
def test_a_doorbell_takes_few_round_trips_to_the_wire(card, ring, start, trips, rest):
    """Split: the index with the next entries of the ring, a descriptor, the frame. Packed: the descriptors, the frame. The memory is 100 cycles
    away."""
    card.host.set_latency(100)
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 16, start=start)
    card.host.start(SEND, queue.place)
    for _ in range(5):  # so that the ring wraps
        card.run(500)
        memory.write(memory.base + BUFFERS, bytes(HEADER) + frame(64))
        queue.add([(memory.base + BUFFERS, HEADER + 64)])
        queue.publish()
        card.host.kick(SEND)
        start = card.cycle
        settle(card)
        (out,) = card.collect()
        assert 100 * trips < out.first_cycle - start <= 100 * trips + rest
        assert len(queue.used()) == 1
