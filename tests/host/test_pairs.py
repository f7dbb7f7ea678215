# SPDX-License-Identifier: Apache-2.0
"""Several pairs of virtqueues (experiments/cards/nic_pairs.yaml): flows are spread over them and stay in their pair, frames of several pairs leave
whole, and a pair that makes a mistake does not disturb the others."""

import os
import random
import struct
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.host import RECEIVE, SEND
from girih.card.vhost_user import CONTROL
from girih.errors import GirihError
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, SplitQueue, pieces
from girih.paths import ROOT
from tests.host.programs import (
    BASE,
    GET_BASE,
    GET_CONFIG,
    GET_FEATURES,
    SET_FEATURES,
    SET_NUM,
    USER,
    VERSION_1,
    Guest,
    GuestMemory,
    Server,
)
from tests.host.programs import SIZE as SIZE_OF_GUEST
from tests.host.queues import MAC, RUN, counted, frame, fresh
from tests.host.test_offloads import SEGMENTS, WHOLE, large

PAIRS, SIZE, SLOT = 4, 128, 2048
ENTRIES = 32  # entries of the steering table
NET_MQ = 22
GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES, GET_QUEUE_NUM = 15, 16, 17
OTHER = bytes.fromhex("020000000001")


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(ROOT / "experiments" / "cards" / "nic_pairs.yaml", collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    return fresh(opened)


class Host:
    """A driver of several pairs, with buffers for received frames and frames to send."""

    def __init__(self, card, ring, pairs=range(PAIRS), **features: bool):
        self.card, self.memory = card, HostMemory(card, 8 << 20)
        self.queues = {}
        for pair in pairs:
            for way in (RECEIVE, SEND):
                number = 2 * pair + way
                queue = self.queues[number] = ring(self.memory, 0x4000 * number, SIZE)
                card.host.start(number, replace(queue.place, **features))
        self.buffers: dict[int, dict[int, int]] = {2 * pair: {} for pair in pairs}
        for number in self.buffers:
            for at in range(SIZE):
                address = self.memory.base + (1 << 20) + (number * SIZE + at) * SLOT
                self.buffers[number][self.queues[number].add([(address, SLOT)], WRITE)] = address
            self.kick(number)
        card.run(RUN)

    def kick(self, number: int) -> None:
        self.queues[number].publish()
        self.card.host.kick(number)

    def came(self) -> dict[int, list[bytes]]:
        """The frames received since the last call, by pair."""
        return {
            number // 2: [self.memory.read(self.buffers[number][head] + HEADER, size - HEADER) for head, size in self.queues[number].used()]
            for number in self.buffers
        }

    def offer(self, pair: int, data: bytes, at: int) -> None:
        """Adds a frame to send, without a kick."""
        address = self.memory.base + (4 << 20) + ((2 * pair + SEND) * SIZE // 2 + at) * SLOT
        self.memory.write(address, bytes(HEADER) + data)
        assert self.queues[2 * pair + SEND].add(pieces(address, HEADER + len(data), 3)) is not None


def flow(number: int, protocol: int = 17, size: int = 60, tag: bytes = b"", version: int = 4) -> bytes:
    """An IPv4 or IPv6 frame with random payload, whose addresses and ports follow from the number. Over IPv6, only TCP and UDP have ports."""
    rng = random.Random(number)
    if version == 6:
        addresses, ports = rng.randbytes(32), rng.randbytes(4) if protocol in (6, 17) else random.randbytes(4)
        payload = random.randbytes(size - 58)
        header = struct.pack(">IHBB", 6 << 28 | random.getrandbits(28), 4 + len(payload), protocol, random.getrandbits(8)) + addresses
        return MAC + OTHER + tag + b"\x86\xdd" + header + ports + payload
    addresses, ports = rng.randbytes(8), rng.randbytes(4)
    payload = random.randbytes(size - 38)
    header = struct.pack(">BBHHHBBH", 0x45, 0, 24 + len(payload), random.getrandbits(16), 0, 64, protocol, 0) + addresses
    return MAC + OTHER + tag + b"\x08\x00" + header + ports + payload


def inject(card, frames: list[bytes]) -> None:
    for number, data in enumerate(frames):
        card.inject(0, data, cycle=card.cycle + 20 + 30 * number)
    card.run(30 * len(frames) + 2 * RUN)
    card.run_until_quiet()


@pytest.mark.parametrize(("version", "kind"), [(4, 17), (4, 6), (4, 47), (6, 17), (6, 6), (6, 44)])
def test_flows_stay_in_their_pair(card, ring, version, kind):
    """Frames of a flow stay in order, whatever their sizes and tags, and every pair gets some flows. A frame without a flow goes to the first pair,
    however flows are steered."""
    host = Host(card, ring)
    card.host.steer(range(PAIRS))
    tags = [b"", bytes.fromhex("81000007")]
    names = [random.randrange(40) for _ in range(180)]
    sent = [(name, flow(name, kind, random.choice((62, 65, 200)), tags[name % 2], version)) for name in names]
    inject(card, [data for _, data in sent])
    came = host.came()
    homes = {name: {pair for pair, frames in came.items() for other, data in sent if other == name and data in frames} for name in names}
    assert all(len(home) == 1 for home in homes.values())
    assert all(came[pair] == [data for name, data in sent if homes[name] == {pair}] for pair in came)
    assert min(Counter(min(home) for home in homes.values())[pair] for pair in range(PAIRS)) > 2
    assert [card.host.queue_stats(2 * pair).frames for pair in range(PAIRS)] == [len(came[pair]) for pair in range(PAIRS)]
    card.host.steer([2])
    others = [frame(60 + number) for number in range(5)]
    inject(card, [data for pair in zip(others, (flow(number, kind, 62, version=version) for number in range(5)), strict=True) for data in pair])
    came = host.came()
    assert came[0] == others and len(came[2]) == 5 and not came[1] and not came[3]
    assert card.registers.counters("host")["host"]["used_frames"] == len(sent) + 10
    account(card.manifest, card.registers.counters()).judge()


def test_each_flow_has_one_entry_of_the_table(card, ring):
    """That entry alone says where the flow goes."""
    host = Host(card, ring, (0, 3))
    found = []
    for name in range(4):
        homes = []
        for entry in range(ENTRIES):
            card.host.steer([3 * (entry == other) for other in range(ENTRIES)])
            card.inject(0, flow(name))
            card.run(RUN)
            came = host.came()
            assert len(came[0]) + len(came[3]) == 1
            homes += [entry] * len(came[3])
        assert len(homes) == 1
        found += homes
        if name == 1:  # before the receive buffers run out
            host = Host(*again(card, ring))
    assert len(set(found)) > 1


def again(card, ring):
    for number in (0, 1, 6, 7):
        card.host.stop(number)
    return card, ring, (0, 3)


def test_all_pairs_send_at_a_time(card, ring):
    """Frames leave whole although pieces of several are fetched in turn. Frames of a pair stay in order, and no pair waits for another's last
    frame."""
    host = Host(card, ring)
    sent = {pair: [frame(random.choice((60, 64, 150, 700))) for _ in range(40)] for pair in range(PAIRS)}
    for pair, frames in sent.items():
        for at, data in enumerate(frames):
            host.offer(pair, data, at)
    for pair in range(PAIRS):
        host.kick(2 * pair + SEND)
    card.run(10 * RUN)
    left = [one.data[12:] for one in card.collect()]
    assert len(left) == 40 * PAIRS
    places = {pair: [left.index(data[12:]) for data in frames] for pair, frames in sent.items()}
    assert all(order == sorted(order) for order in places.values())
    assert max(order[0] for order in places.values()) < 40, "a pair has waited for the end of another"
    for pair in range(PAIRS):
        assert card.host.queue_stats(2 * pair + SEND).frames == 40 and len(host.queues[2 * pair + SEND].used()) == 40
    assert card.registers.counters("host")["host"]["made_frames"] == 40 * PAIRS


@pytest.mark.parametrize("size", [64, 1500])
def test_a_frame_of_64_kb_takes_a_turn_for_each_segment(card, ring, size):
    """A pair whose frames are cut gets as much of the wire as it would with frames of the segments' size: between two frames of another pair leaves a
    segment, not all segments of a frame."""
    host = Host(card, ring, (0, 1), **SEGMENTS)
    data, start = large(WHOLE[0], 65_535 - 40, 1448)
    segments, count = -(-(65_535 - 40) // 1448), 60
    address = host.memory.base + (6 << 20)
    host.memory.write(address, start + data)
    for _ in range(8):
        assert host.queues[SEND].add(pieces(address, len(start) + len(data), 8)) is not None
    sent = [frame(size) for _ in range(count)]
    for at, one in enumerate(sent):
        host.offer(1, one, at)
    host.kick(SEND)
    card.run(RUN)
    host.kick(2 + SEND)
    card.run(20 * RUN)
    out = card.collect()
    places = [number for number, one in enumerate(out) if one.data[12:14] == sent[0][12:14]]
    assert [out[at].data[12:] for at in places] == [one[12:] for one in sent] and len(out) == count + 8 * segments
    between = [after - before - 1 for before, after in pairwise(places)]
    # A frame is not always there when it is its pair's turn, because the pairs' reads take turns, too.
    assert sum(between) <= 1.25 * count and max(between) <= segments // 4, between
    account(card.manifest, card.registers.counters()).judge()


def test_a_pair_that_is_stopped_takes_nothing_from_the_others(card, ring):
    """Its queues are stopped by a mistake: frames for it are dropped and counted there, and those of the other pairs all come and go."""
    host = Host(card, ring)
    card.host.steer(range(PAIRS))
    names = list(range(64))
    inject(card, [flow(name) for name in names])
    homes = {name: pair for pair, frames in host.came().items() for name in names for data in frames if data[26:38] == flow(name)[26:38]}
    before = [card.host.queue_stats(number).frames for number in range(2 * PAIRS)]
    for number in (2, 3):
        card.host.stop(number)
        queue = ring(host.memory, 0x4000 * number, SIZE)
        card.host.start(number, queue.place)
        queue.add([(host.memory.base, 0)], WRITE * (number == 2))
        queue.publish()
        card.host.kick(number)
    card.run(RUN)
    assert [card.host.state(number).reason for number in range(2 * PAIRS)] == [None, None, "zero", "zero", None, None, None, None]
    assert counted(card, "zero") == 2
    for pair in (0, 2, 3):
        host.offer(pair, frame(100), 0)
        host.kick(2 * pair + SEND)
    sent = [flow(name) for name in names]
    del host.buffers[2]
    inject(card, sent)
    came = host.came()
    assert all(came[pair] == [data for name, data in zip(names, sent, strict=True) if homes[name] == pair] for pair in came)
    lost = sum(home == 1 for home in homes.values())
    assert lost > 4 and card.host.queue_stats(2).drops == lost == card.registers.counters("host")["host"]["drop_stopped"]
    after = [card.host.queue_stats(number) for number in range(2 * PAIRS)]
    assert [stats.frames - old for stats, old in zip(after, before, strict=True)] == [len(came[0]), 1, 0, 0, len(came[2]), 1, len(came[3]), 1]
    assert len(card.collect()) == 3
    account(card.manifest, card.registers.counters()).judge()


def test_a_pair_that_is_not_there_is_refused(card):
    assert card.host.pairs == PAIRS
    for wrong in ([], [0, PAIRS], [-1]):
        with pytest.raises(GirihError, match=r"flows are to go to the pairs .* There are 4, from 0 on"):
            card.host.steer(wrong)


def answered(guest, request: int, body: bytes = b"") -> bytes:
    guest.send(request, body)
    return guest.answer()


def test_a_guest_that_serves_a_control_queue_has_pairs(card, tmp_path):
    """It is offered several pairs, and flows go to those whose receive queues are running, also when these change. A guest without any control queue
    has the first pair only."""
    with closing(Server(card, tmp_path / "nic.sock")) as server:
        server.features &= ~CONTROL
        with closing(Guest(server)) as guest:
            assert not struct.unpack("<Q", answered(guest, GET_FEATURES))[0] >> NET_MQ & 1
            guest.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | 1 << NET_MQ))
            assert guest.is_dropped() and "the driver takes the features" in server.said.pop()
        with closing(Guest(server)) as guest, closing(GuestMemory()) as memory:
            assert struct.unpack("<Q", answered(guest, GET_PROTOCOL_FEATURES))[0] & 1
            guest.send(SET_PROTOCOL_FEATURES, struct.pack("<Q", 1))
            assert struct.unpack("<Q", answered(guest, GET_FEATURES))[0] >> NET_MQ & 1
            assert struct.unpack("<Q", answered(guest, GET_QUEUE_NUM)) == (PAIRS,)
            assert answered(guest, GET_CONFIG, struct.pack("<III", 6, 4, 0) + bytes(4))[12:] == bytes([0, 0, PAIRS, 0])
            guest.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | 1 << NET_MQ))
            guest.set_memory((BASE, SIZE_OF_GUEST, USER, 0), descriptors=[memory.descriptor])
            queues, total = {}, 0
            for count, change in ((1, 0), (3, 1), (3, 2), (2, None)):  # the number of running pairs after a step, and the pair that the step starts (None: it stops pair 1)
                if change is None:
                    answered(guest, GET_BASE, struct.pack("<II", 2, 0))
                    del queues[1]
                else:
                    works(guest, memory, queues, change)
                if count > 1 and change == 1:
                    continue
                inject(card, [flow(number) for number in range(20)])
                used = {pair: len(queue.used()) for pair, queue in queues.items()}
                total += sum(used.values())
                assert sum(used.values()) == 20 and min(used.values()) > 2 and len(used) == count
            assert card.registers.counters("host")["host"]["drop_stopped"] == 0 and not server.said
            guest.send(SET_NUM, struct.pack("<II", 2 * PAIRS, 16))
            assert guest.is_dropped() and "virtqueue 8 does not exist" in server.said.pop()


def works(guest, memory, queues: dict, pair: int) -> None:
    """Starts the receive queue of a pair, with buffers."""
    queue = queues[pair] = SplitQueue(memory, 0x4000 * pair, 64)
    for at in range(64):
        queue.add([(BASE + 0x10000 + (64 * pair + at) * 1024, 1024)], WRITE)
    queue.publish()
    kick, call = os.eventfd(0), os.eventfd(0)
    guest.set_queue(queue.place, kick, call, 2 * pair)
    os.eventfd_write(kick, 1)
    os.close(kick)
    os.close(call)
    guest.server.serve_all()
