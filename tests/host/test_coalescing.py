# SPDX-License-Identifier: Apache-2.0
"""Interrupts that wait for more frames, or for some microseconds: as the host has set it, or its driver by the control queue."""

import os
import struct
from dataclasses import replace

import pytest

from girih.card.host import RECEIVE, SEND, Coalescing
from girih.errors import GirihError
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, pieces
from tests.host.queues import BUFFERS, SLOT, frame, settle
from tests.host.test_control import ERROR, Driver

MICROSECOND = 250  # cycles of the card
SLACK = MICROSECOND + 600  # of a time in which an interrupt comes: a microsecond less, the accesses to memory
COALESCE_SEND, COALESCE_RECEIVE = (6, 0), (6, 1)


class Traffic:
    """A virtqueue in one direction, and frames through it. `calls` are its interrupts so far."""

    def __init__(self, card, ring, direction: int, event_index: bool = False):
        self.card, self.direction = card, direction
        self.memory = HostMemory(card, 2 << 20)
        self.queue = ring(self.memory, 0x0, 128)
        self.queue.place = replace(self.queue.place, event_index=event_index)
        self.event_index = event_index
        if event_index:
            self.queue.wait_for()
        card.host.start(direction, self.queue.place)
        for slot in range(64 if direction == RECEIVE else 0):
            self.queue.add([(self.memory.base + BUFFERS + SLOT * slot, SLOT)], WRITE)
        self.queue.publish()
        card.host.kick(direction)
        self.memory.write(self.memory.base + BUFFERS, bytes(HEADER) + frame(100))
        settle(card)

    @property
    def calls(self) -> int:
        return self.card.host.stats.calls

    def frames(self, count: int, apart: int = 400) -> None:
        """So many frames, some cycles apart."""
        for _ in range(count):
            if self.direction == RECEIVE:
                self.card.inject(0, frame(100))
            else:
                self.queue.add(pieces(self.memory.base + BUFFERS, HEADER + 100, 1))
                self.queue.publish()
                self.card.host.kick(SEND)
            self.card.run(apart)

    def waits(self, cycles: int) -> int:
        """Cycles until the next interrupt, of so many at most."""
        before, start = self.calls, self.card.cycle
        while self.calls == before:
            assert self.card.cycle - start < cycles, "there is no interrupt"
            self.card.run(10)
        return self.card.cycle - start


@pytest.fixture(params=[RECEIVE, SEND], ids=["receive", "send"])
def direction(request):
    return request.param


@pytest.mark.parametrize("event_index", [False, True])
def test_an_interrupt_waits_for_frames_or_for_its_time(card, ring, direction, event_index):
    traffic = Traffic(card, ring, direction, event_index)
    notice = os.eventfd(0, os.EFD_NONBLOCK)
    card.host.notify(direction, None, notice)
    card.host.coalesce(direction, Coalescing(microseconds=40, frames=8))
    assert card.host.coalescing(direction) == Coalescing(40, 8) and card.host.coalescing(1 - direction) == Coalescing()
    for _ in range(3):
        before = traffic.calls
        traffic.frames(7)
        assert traffic.calls == before
        traffic.frames(1)
        settle(card)
        assert traffic.calls == before + 1 and len(traffic.queue.used()) == 8
        if event_index:
            traffic.queue.wait_for()
        traffic.frames(2)
        assert traffic.calls == before + 1
        waited = traffic.waits(50 * MICROSECOND) + 2 * 400
        assert 40 * MICROSECOND - MICROSECOND < waited < 40 * MICROSECOND + SLACK
        assert len(traffic.queue.used()) == 2
        if event_index:
            traffic.queue.wait_for()
        card.run(60 * MICROSECOND)
        assert traffic.calls == before + 2, "an interrupt without frames"
    os.close(notice)


def test_without_coalescing_each_frame_interrupts(card, ring, direction):
    """So it is after a reset, and when it is switched off again; a wait that is under way then ends."""
    traffic = Traffic(card, ring, direction)
    traffic.frames(5, 1000)
    assert traffic.calls == 5
    card.host.coalesce(direction, Coalescing(microseconds=1000))
    traffic.frames(5, 1000)
    assert traffic.calls == 5
    card.host.coalesce(direction, Coalescing())
    settle(card)
    assert traffic.calls == 6
    traffic.frames(2, 1000)
    assert traffic.calls == 8


def test_the_end_of_a_queue_brings_the_interrupt(card, ring, direction):
    traffic = Traffic(card, ring, direction)
    card.host.coalesce(direction, Coalescing(microseconds=60_000))
    traffic.frames(3, 1000)
    assert traffic.calls == 0
    card.host.stop(direction)
    settle(card)
    assert traffic.calls == 1


def test_a_setting_that_does_not_fit_is_refused(card):
    for how in (Coalescing(microseconds=65536), Coalescing(frames=65536), Coalescing(microseconds=-1)):
        with pytest.raises(GirihError, match="interrupts are to wait"):
            card.host.coalesce(SEND, how)


def command(frames: int, microseconds: int) -> bytes:
    return struct.pack("<II", frames, microseconds)


def test_a_driver_decides_by_its_control_queue(card, ring):
    """Its settings replace the host's from the first on, one direction at a time, and are gone with its queue. What the card cannot hold, and a command of a wrong length
    or that was not offered, is refused and changes nothing."""
    mine, hers = Coalescing(9, 9), Coalescing(1000, 16)
    for direction in (RECEIVE, SEND):
        card.host.coalesce(direction, mine)
    driver = Driver(card, ring)
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == 2 * [Coalescing()]
    driver.does(COALESCE_RECEIVE, command(16, 1000))
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == [hers, Coalescing()]
    driver.does(COALESCE_SEND, command(65535, 65535))
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == [hers, Coalescing(65535, 65535)]
    for data in (command(65536, 1), command(1, 65536), command(1 << 31, 0), command(0, 1 << 31), command(1, 1)[:-1], command(1, 1) + b"\0", b""):
        assert driver.ask(COALESCE_RECEIVE, data) == ERROR
    assert driver.ask((6, 2), command(1, 1)) == ERROR
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == [hers, Coalescing(65535, 65535)]
    settle(card)
    before = card.host.stats.calls
    card.inject(0, frame(100))
    card.run(900 * MICROSECOND)
    assert card.host.stats.calls == before
    card.run(200 * MICROSECOND)
    assert card.host.stats.calls == before + 1
    card.host.stop(driver.number)
    card.run(10)
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == 2 * [Coalescing()]
    driver.offers = replace(driver.offers, coalesce=False)
    driver.start()
    assert [card.host.coalescing(direction) for direction in (RECEIVE, SEND)] == 2 * [mine]
    assert driver.ask(COALESCE_RECEIVE, command(16, 1000)) == ERROR
