# SPDX-License-Identifier: Apache-2.0
"""The card of designs/nic.yaml with a driver of split or packed virtqueues: frames in both directions are whole, each chain comes back once and
in order, and a queue with a mistake stops, alone, with its reason."""

import os
import random
import struct
from dataclasses import replace

import pytest

from experiments.host import FORMS, rates
from girih.card import VirtualCard
from girih.card.host import RECEIVE, SEND, Place, Region
from girih.experiments.host_driver import (
    AVAILABLE,
    HEADER,
    INDIRECT,
    NEXT,
    USED,
    WRITE,
    HostMemory,
    PackedQueue,
    SplitQueue,
    header,
    pieces,
)
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


@pytest.fixture(params=FORMS)
def ring(request):
    """The class of the driver's queues."""
    return FORMS[request.param]


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


WRAPPED = 1 << 15  # the wrap counter in the index of a packed ring


@pytest.mark.parametrize(
    ("ring", "size", "start", "skew", "at"),
    [
        (SplitQueue, 256, 0, 0, 0x0), (SplitQueue, 8, 65530, 1, 0x0), (SplitQueue, 32, 5, 7, 0x0), (SplitQueue, 1, 65530, 0, 0x0), (SplitQueue, 8, 65530, APART["skew"], APART["at"]),
        (PackedQueue, 256, WRAPPED, 0, 0x0), (PackedQueue, 8, 5, 1, 0x10), (PackedQueue, 37, WRAPPED + 36, 7, 0x30), (PackedQueue, 1, 0, 0, 0x0),
        (PackedQueue, 3, WRAPPED + 2, 5, 0x20),
    ],
)  # fmt: skip
def test_frames_in_both_directions(card, ring, size, start, skew, at):
    """Also when indices wrap, in chains of several descriptors anywhere in memory, and with rings that lie across flits and pages."""
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


def ones_complement(data: bytes) -> int:
    """The ones' complement sum of halfwords, as a number from 0 to 0xfffe: 0x10000 is 1 in that arithmetic."""
    return int.from_bytes(data + bytes(len(data) % 2), "big") % 0xFFFF


def test_checksums_of_frames_of_the_host(card):
    """A receiver that adds the bytes from csum_start on, and what the driver had put into the checksum, finds all ones. Frames that ask for
    none are unchanged, and all are in order."""
    memory = HostMemory(card, 2 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    card.host.start(SEND, queue.place)
    for _ in range(8):
        sent = []
        for number in range(20):
            data = frame(random_size())
            start = random.choice([None, 14, 34, 54, random.randrange(14, len(data) - 2)])
            csum = None if start is None or len(data) < start + 2 else (start, random.choice([0, 6, 16, len(data) - start - 2 & ~1]))
            if csum and sum(csum) + 2 > len(data):
                csum = (csum[0], 0)
            address = memory.base + BUFFERS + SLOT * number
            memory.write(address, header(csum) + data)
            assert queue.add(pieces(address, HEADER + len(data), 3)) is not None
            sent.append((data, csum))
        queue.publish()
        card.host.kick(SEND)
        settle(card)
        for (data, csum), got in zip(sent, card.collect(), strict=True):
            found = got.data[:6] + data[6:12] + got.data[12:]
            if csum is not None:
                start, at = csum[0], sum(csum)
                assert (ones_complement(found[start:]) + int.from_bytes(data[at : at + 2], "big")) % 0xFFFF == 0
                assert found[at : at + 2] != bytes(2), "a checksum of 0 means none"
                found = found[:at] + data[at : at + 2] + found[at + 2 :]
            assert found == data
        assert len(queue.used()) == 20
    card.check_conservation()


def test_a_checksum_of_zero_is_sent_as_all_ones(card):
    memory = HostMemory(card)
    queue = PackedQueue(memory, 0x0, 8)
    card.host.start(SEND, queue.place)
    data = frame(14) + bytes(48) + b"\xff\xff"
    memory.write(memory.base + BUFFERS, header((14, 2)) + data)
    queue.add([(memory.base + BUFFERS, HEADER + len(data))])
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    (got,) = card.collect()
    assert got.data[14:] == bytes(2) + b"\xff\xff" + bytes(44) + b"\xff\xff"


BAD_OFFLOADS = [header((60, 39)), header((0xFFFF, 0xFFFF)), header((99, 0)), header((0xFFFF, 1)), header(gso_type=1), header((14, 0), gso_type=4)]


@pytest.mark.parametrize("size", [100, 1400])
def test_an_offload_that_cannot_be_is_dropped_and_counted(card, size):
    """The checksum's place begins or ends behind the frame, or it is to be cut: the frames before and after it are sent."""
    memory = HostMemory(card, 2 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    card.host.start(SEND, queue.place)
    sent = []
    for number, bad in enumerate(BAD_OFFLOADS):
        for part, start in enumerate((header(), bad, header((14, 0)))):
            data = frame(size if part != 1 else 100)
            address = memory.base + BUFFERS + SLOT * (3 * number + part)
            memory.write(address, start + data)
            queue.add([(address, HEADER + len(data))])
            if part != 1:
                sent.append(data[16:])
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    assert [got.data[16:] for got in card.collect()] == sent and len(queue.used()) == 3 * len(BAD_OFFLOADS)
    assert card.registers.counters("host")["host"]["drop_bad_offload"] == len(BAD_OFFLOADS)
    card.check_conservation()


def test_a_queue_starts_again_where_it_was(card, ring):
    """A driver that goes away and comes again, with chains that were not used."""
    memory = HostMemory(card, 2 << 20)
    queue, to_wire = ring(memory, 0x8000, 64), ring(memory, 0x0, 64)
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
        queue = ring(memory, 0x8000, 64, start=queue.seen)
        to_wire = ring(memory, 0x0, 64, start=to_wire.seen)
    assert card.registers.counters("host")["host"]["drop_stopped"] == 3
    card.check_conservation()


def test_a_frame_that_is_cut_off_does_not_continue_with_another_one(card, ring):
    """The wire stands still when the queue ends in the middle of a frame, and still does when it starts again."""
    memory = HostMemory(card, 2 << 20)
    sent = [frame(1514) for _ in range(48)]
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
    found = card.collect()
    whole = [data[12:] for data in sent]
    assert all(one.bad or one.data[12:] in whole for one in found), "a frame on the wire is made of two"
    assert [one.data[12:] for one in found[-16:]] == whole[32:] and sum(one.bad for one in found) == 1
    card.check_conservation()


def test_what_finds_no_buffer_is_dropped_and_counted(card, ring):
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x8000, 64)
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
    assert card.host.stop(RECEIVE) == queue.seen
    card.check_conservation()


SPLIT_MISTAKES = {  # of a chain at descriptor 3 of a queue of 16: what is wrong, and the reason
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
    """Descriptors that are available from the first slot on, all with a next one."""
    for index in range(count):
        queue.descriptor(index, queue.memory.base + BUFFERS, size, flags | NEXT | AVAILABLE)


PACKED_MISTAKES = {  # of a chain from the first slot of a queue of 16 on
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
    """With its reason, which is counted, and until it is set up again; the other queue goes on."""
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


def test_a_chain_of_a_packed_ring_may_be_long_but_not_too_long(card):
    """32 descriptors are a frame, 33 are too many."""
    memory = HostMemory(card, 2 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    data = frame(32 * 20 - HEADER)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + data)
    card.host.start(SEND, queue.place)
    for count, size in ((32, 20), (33, 19)):
        queue.add([(memory.base + BUFFERS + size * number, size) for number in range(count)])
        queue.publish()
        card.host.kick(SEND)
        settle(card)
        assert len(queue.used()) == (count == 32)
    assert [f.data[12:] for f in card.collect()] == [data[12:]]
    assert card.host.state(SEND).reason == "chain" and counted(card, "chain") == 1


def test_a_chain_of_which_the_rest_comes_later_waits_for_it(card):
    """The card has seen its head, and not yet what follows: it takes the chain when it is whole, once."""
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


@pytest.mark.parametrize("direction", [SEND, RECEIVE])
@pytest.mark.parametrize("at", [-1, 1 << 20, (1 << 20) - 50, -(1 << 34)])
def test_what_is_not_granted_is_not_accessed(card, ring, direction, at):
    """Buffers that begin before what is granted, behind it, or end behind it: the queue stops."""
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


def test_a_bus_that_fails_stops_the_queue(card, ring):
    """Memory that is granted, and not there."""
    memory = HostMemory(card)
    card.host.grant([Region(memory.base, memory.size), Region(0, 4096)])
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    queue.add([(0, 100)])
    queue.publish()
    card.host.kick(SEND)
    settle(card)
    assert card.host.state(SEND).reason == "bus" and not card.collect()


def scramble_split(memory, queue, direction: int) -> None:
    good = random.random()
    for index in range(16):
        address = memory.base + random.choice([0, memory.size - 2000, BUFFERS]) + random.randrange(4000) if random.random() < good else random.getrandbits(64)
        size = random.choice([0, 1, 11, 12, 60, 1500, random.getrandbits(32)]) if random.random() > good else random.randrange(60, 1000)
        flags = random.getrandbits(16) if random.random() > good else NEXT * random.randint(0, 1) | WRITE * (direction == RECEIVE)
        queue.descriptor(index, address, size, flags, random.randrange(17))
    for _ in range(random.choice([1, 16, 16, 20])):
        queue.offer(random.randrange(17) if random.random() > good else random.randrange(16))
    queue.publish()


def scramble_packed(memory, queue, direction: int) -> None:
    good = random.random()
    for index in range(16):
        address = memory.base + random.choice([0, memory.size - 2000, BUFFERS]) + random.randrange(4000) if random.random() < good else random.getrandbits(64)
        size = random.choice([0, 1, 11, 12, 60, 1500, random.getrandbits(32)]) if random.random() > good else random.randrange(60, 1000)
        flags = random.getrandbits(16) if random.random() > good else NEXT * random.randint(0, 1) | WRITE * (direction == RECEIVE) | AVAILABLE
        queue.descriptor(index, address, size, flags, random.getrandbits(16))


SCRAMBLE = {SplitQueue: scramble_split, PackedQueue: scramble_packed}


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_random_rings(card, ring, count):
    """Rings, tables and indices of random bytes, sometimes changed while the card reads them: never an access outside of what is granted, never
    a card that stands still, and the queues work again afterwards."""
    memory = HostMemory(card, 2 << 20)
    for _ in range(count):
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
    card.collect()
    assert card.host.stats.outside == 0
    to_wire, to_host = ring(memory, 0x0, 16), ring(memory, 0x8000, 16)
    card.host.start(SEND, to_wire.place)
    card.host.start(RECEIVE, to_host.place)
    send(card, memory, to_wire, 5)
    receive(card, memory, to_host, offer(memory, to_host, 5))
    card.check_conservation()


@pytest.mark.parametrize(("ring", "place"), [(SplitQueue, {"at": 0x0}), (SplitQueue, APART), (PackedQueue, {"at": 0x0})])
def test_kicks_and_interrupts_are_eventfds(card, ring, place):
    """A kick by eventfd reaches the queue; a chain that is used interrupts, unless the driver wants none."""
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


@pytest.mark.parametrize(("ring", "size", "start"), [(SplitQueue, 32, 65500), (SplitQueue, 4, 3), (PackedQueue, 32, WRAPPED + 20), (PackedQueue, 7, 6)])
def test_with_event_index_nothing_waits_for_ever(card, ring, size, start):
    """A driver that kicks only when the device wants that, and looks at its ring only when it is interrupted, or has said when it wants to be."""
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
            assert sleeps < 60, f"{queue.chains} chains are not told"
            continue
        used += len(queue.used())
        ahead = random.choice([0, 0, len(queue.chains) // 2])
        queue.wait_for(ahead)
        while found := queue.used():  # what was used before that was said
            used += len(found)
            queue.wait_for()
    card.run_until_quiet()
    assert len(card.collect()) == 400 and card.host.state(SEND).active
    os.close(kick)
    os.close(call)


@pytest.mark.parametrize(("ring", "start"), [(SplitQueue, 65520), (PackedQueue, WRAPPED + 40)])
def test_event_index_saves_kicks_and_interrupts(card, ring, start):
    """32 frames, one shortly after another: the card is told of the first, and the driver of the last one."""
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
    """Split: the index with the ring's next entries, a descriptor, the frame. Packed: the descriptors, the frame. With memory 100 cycles away."""
    card.host.set_latency(100)
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 16, start=start)
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
        assert 100 * trips < out.first_cycle - start <= 100 * trips + rest
        assert len(queue.used()) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("size", "wanted"), [(64, 30e6 / 250e6), (1500, 100e9 / (1500 * 8 * 250e6))])
def test_both_directions_at_once_have_their_rates(card, form, size, wanted):
    """30 M frames of 64 bytes a second, and 100 Gbps of 1,500, each way, with memory 400 ns away."""
    found = rates(card, size, (SEND, RECEIVE), form)
    assert min(found.values()) >= wanted, found
    card.check_conservation()
