# SPDX-License-Identifier: Apache-2.0
"""The card of designs/nic.yaml with a driver of split or packed virtqueues: frames in both directions are whole, and each chain comes back once and
in order."""

import os
import random
import struct
from dataclasses import replace

import pytest

from experiments.host import FORMS, rates
from girih.card.host import RECEIVE, SEND
from girih.experiments.host_driver import AVAILABLE, HEADER, USED, WRITE, HostMemory, PackedQueue, SplitQueue
from tests.host.queues import APART, BUFFERS, SLOT, WRAPPED, frame, offer, receive, send, settle


@pytest.mark.parametrize(
    ("ring", "size", "start", "skew", "at"),
    [
        (SplitQueue, 256, 0, 0, 0x0), (SplitQueue, 8, 65530, 1, 0x0), (SplitQueue, 32, 5, 7, 0x0), (SplitQueue, 1, 65530, 0, 0x0), (SplitQueue, 8, 65530, APART["skew"], APART["at"]),
        (PackedQueue, 256, WRAPPED, 0, 0x0), (PackedQueue, 8, 5, 1, 0x10), (PackedQueue, 37, WRAPPED + 36, 7, 0x30), (PackedQueue, 1, 0, 0, 0x0),
        (PackedQueue, 3, WRAPPED + 2, 5, 0x20),
    ],
)  # fmt: skip
def test_frames_in_both_directions(card, ring, size, start, skew, at):
    """Also when indices wrap, with chains of several descriptors anywhere in memory, and with rings that cross flits and pages."""
    memory = HostMemory(card, 2 << 20)
    to_wire, to_host = ring(memory, at, size, start, skew), ring(memory, 0x8000 + at, size, start, skew)
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
    """They can be granted; an access that would continue at address 0 is refused."""
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


def test_a_queue_starts_again_where_it_was(card, ring):
    """The driver goes away and comes back, with chains that were not used."""
    memory = HostMemory(card, 2 << 20)
    queue, to_wire = ring(memory, 0x8000, 64), ring(memory, 0x0, 64)
    for _ in range(3):
        card.host.start(RECEIVE, queue.place)
        card.host.start(SEND, to_wire.place)
        send(card, memory, to_wire, 5)
        receive(card, memory, queue, offer(memory, queue, 4))
        offer(memory, queue, 3)  # these stay unused
        card.run(500)
        assert card.host.stop(RECEIVE) == queue.seen
        assert card.host.stop(SEND) == to_wire.seen
        card.inject(0, frame(100))
        card.run(500)
        queue = ring(memory, 0x8000, 64, start=queue.seen)
        to_wire = ring(memory, 0x0, 64, start=to_wire.seen)
    assert card.registers.counters("host")["host"]["drop_stopped"] == 3
    card.check_conservation()


def test_a_frame_that_is_cut_off_does_not_continue_with_another_one(card, ring):
    """The wire stalls when the queue ends in the middle of a frame, and still does when the queue starts again. There are frames of two sizes, so
    that the card's buffer ends in the middle of at least one frame."""
    memory = HostMemory(card, 2 << 20)
    cut = 0
    for size in (1514, 1386):
        sent = [frame(size) for _ in range(48)]
        for start, count in ((0, 32), (32, 16)):
            queue = ring(memory, 0x0, 64)
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
        card.host.stop(SEND)
        found = card.collect()
        whole = [data[12:] for data in sent]
        assert all(one.bad or one.data[12:] in whole for one in found), "a frame on the wire is made of two"
        assert [one.data[12:] for one in found[-16:]] == whole[32:] and sum(one.bad for one in found) <= 1
        cut += sum(one.bad for one in found)
    assert cut
    card.check_conservation()


def test_what_finds_no_buffer_is_dropped_and_counted(card, ring):
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x8000, 64)
    card.host.start(RECEIVE, queue.place)
    offer(memory, queue, 1, size=100)  # too small for the first frame, large enough for the second
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
    assert card.host.stop(RECEIVE) == queue.seen
    card.check_conservation()


def test_buffers_that_are_offered_while_many_wait_are_taken_in_order(card, ring):
    """The card has read ahead more chains than it works on. Ring entries that it read before the driver wrote them must not be taken for what the
    driver offers."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x8000, 256)
    card.host.start(RECEIVE, queue.place)
    heads, frames = [], [frame(random.randint(60, 100)) for _ in range(155)]
    for more in (115, *[5] * 8):
        for _ in range(more):
            heads.append(queue.add([(memory.base + BUFFERS + 128 * len(heads), 128)], WRITE))
        queue.publish()
        card.host.kick(RECEIVE)
        card.run(600)
    for data in frames:
        card.inject(0, data)
        card.run(20)
    settle(card)
    card.run_until_quiet()
    assert queue.used() == [(head, HEADER + len(data)) for head, data in zip(heads, frames, strict=True)]
    for number, data in enumerate(frames):
        assert memory.read(memory.base + BUFFERS + 128 * number + HEADER, len(data)) == data
    card.check_conservation()


def test_a_chain_of_which_the_rest_comes_later_waits_for_it(card):
    """The card has seen the first descriptor of the chain but not the others: it takes the chain once, when all of it is there."""
    memory = HostMemory(card, 2 << 20)
    queue = PackedQueue(memory, 0x0, 8, start=WRAPPED + 6)
    data = frame(200)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + data)
    at = memory.base + BUFFERS
    name = queue.add([(at, 100), (at + 100, 60), (at + 160, 52)])
    queue.publish()
    rest = [(slot, queue.memory.read(queue.place.descriptors + 16 * slot, 16)) for slot in (7, 0)]
    for slot, _ in rest:
        queue.descriptor(slot, at, 1, 0 if slot == 7 else AVAILABLE | USED)
    card.host.start(SEND, queue.place)
    for slot, descriptor in [(None, b""), *reversed(rest)]:
        assert not card.collect() and card.host.state(SEND).active
        if slot is not None:
            memory.write(queue.place.descriptors + 16 * slot, descriptor)
        card.host.kick(SEND)
        settle(card)
    assert [f.data[12:] for f in card.collect()] == [data[12:]] and queue.used() == [(name, 0)]


@pytest.mark.parametrize(("ring", "place"), [(SplitQueue, {"at": 0x0}), (SplitQueue, APART), (PackedQueue, {"at": 0x0})])
def test_kicks_and_interrupts_are_eventfds(card, ring, place):
    """A kick by eventfd reaches the queue, and a used chain interrupts unless the driver has disabled interrupts."""
    memory = HostMemory(card)
    queue = ring(memory, size=8, **place)
    kick, call = os.eventfd(0, os.EFD_NONBLOCK), os.eventfd(0, os.EFD_NONBLOCK)
    card.host.notify(SEND, kick, call)
    card.host.start(SEND, queue.place)
    card.run(600)
    for quiet in (0, 1, 0):
        memory.write(queue.place.driver + (2 if queue.place.packed else 0), struct.pack("<H", quiet))
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("size", "wanted"), [(64, 30e6 / 250e6), (1500, 100e9 / (1500 * 8 * 250e6))])
def test_both_directions_at_once_have_their_rates(card, form, size, wanted):
    """30 M frames/s of 64 bytes, and 100 Gbit/s in frames of 1,500, each way, with memory 400 ns away."""
    found = rates(card, size, (SEND, RECEIVE), form)
    assert min(found.values()) >= wanted, found
    card.check_conservation()
