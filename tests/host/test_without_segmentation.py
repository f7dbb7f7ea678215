# SPDX-License-Identifier: Apache-2.0
"""A card whose tile cannot cut frames into segments (`segmentation: 0`)."""

import random
import struct
from contextlib import closing
from dataclasses import replace

import pytest

from girih.card import VirtualCard
from girih.card.host import SEND
from girih.card.vhost_user import FEATURES, SEGMENTS
from girih.experiments.host_driver import HEADER, HostMemory, header
from girih.testing import SEED
from tests.host.programs import GET_FEATURES, SET_FEATURES, VERSION_1, Guest, Server, good_guest_works
from tests.host.queues import BUFFERS, RUN, SLOT, counted, frame, send
from tests.host.test_offloads import MAX_FRAME, WHOLE, large
from tests.host.test_offloads import SEGMENTS as SORTS

OPTIONS = [1 << bit for bit in range(64) if SEGMENTS >> bit & 1]

pytestmark = pytest.mark.thorough  # a card of its own


@pytest.fixture
def card(unsegmented):
    random.seed(SEED)
    with VirtualCard(unsegmented, collect=True) as card:
        yield card


def test_segmentation_is_not_offered(card, tmp_path):
    """All else is, and a driver that takes it all the same is refused. The driver after it works."""
    assert not card.host.segments
    with closing(Server(card, tmp_path / "nic.sock")) as server:
        with closing(Guest(server)) as guest:
            guest.send(GET_FEATURES)
            assert struct.unpack("<Q", guest.answer()) == (FEATURES & ~SEGMENTS,)
        for option in OPTIONS:
            with closing(Guest(server)) as guest:
                guest.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | option))
                assert guest.is_dropped() and "the driver takes the features" in server.said.pop()
        good_guest_works(card, server)


def test_what_requests_it_is_dropped(card, ring):
    """And counted, also if the queue is told that it may; the frames around it leave."""
    for features in ({}, SORTS):
        memory = HostMemory(card, 2 << 20)
        queue = ring(memory, 0x0, 64)
        card.host.start(SEND, replace(queue.place, **features))
        sent = []
        before = card.registers.counters("host")["host"]["drop_bad_offload"]
        for number, whole in enumerate(WHOLE):
            small = frame(100)
            data, start = large(whole, 3000, 1448)
            for at, part in enumerate((start + data, header() + small)):
                address = memory.base + BUFFERS + SLOT * (2 * number + at)
                memory.write(address, part)
                queue.add([(address, len(part))])
            sent.append(small[12:])
        queue.publish()
        card.host.kick(SEND)
        card.run(RUN)
        assert [got.data[12:] for got in card.collect()] == sent and len(queue.used()) == 2 * len(WHOLE)
        counters = card.registers.counters("host")["host"]
        assert counters["drop_bad_offload"] - before == len(WHOLE) and counters["mark_cut"] == 0
        card.host.stop(SEND)
    card.check_conservation()


@pytest.mark.parametrize("requests", [False, True])
def test_no_frame_is_larger_than_the_largest(card, ring, requests):
    """Also if the queue is told that it may have segments."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, replace(queue.place, **SORTS))
    data, start = large(WHOLE[0], MAX_FRAME + 1 - len(WHOLE[0]), 1448)
    for part, reason, left in ((header() + frame(MAX_FRAME), None, [MAX_FRAME]), ((start if requests else header()) + data, "size", [])):
        memory.write(memory.base + BUFFERS, part)
        queue.add([(memory.base + BUFFERS, len(part))])
        queue.publish()
        card.host.kick(SEND)
        card.run(2 * RUN)
        assert card.host.state(SEND).reason == reason and [len(got.data) for got in card.collect() if not got.bad] == left
    assert counted(card, "size") == 1
    card.host.stop(SEND)
    card.check_conservation()


def test_frames_and_checksums_leave_as_ever(card, ring):
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 64)
    card.host.start(SEND, queue.place)
    send(card, memory, queue, 10)
    data = frame(14) + bytes(48) + b"\xff\xff"
    memory.write(memory.base + BUFFERS, header((14, 2)) + data)
    queue.add([(memory.base + BUFFERS, HEADER + len(data))])
    queue.publish()
    card.host.kick(SEND)
    card.run(RUN)
    (got,) = card.collect()
    assert got.data[14:] == bytes(2) + b"\xff\xff" + bytes(44) + b"\xff\xff"
