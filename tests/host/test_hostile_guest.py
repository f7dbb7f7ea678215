# SPDX-License-Identifier: Apache-2.0
"""Programs that speak vhost-user wrongly, or with bad intent, to the card of designs/nic.yaml. Each gets a message or is disconnected; the card
neither waits nor ends, no file descriptor leaks, and the next guest is served."""

import os
import random
import select
import socket
import struct
import threading
import time
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial

import pytest

from girih.card import VirtualCard
from girih.card.host import SEND
from girih.errors import GirihError
from girih.experiments.host_driver import HEADER, PackedQueue, SplitQueue
from girih.testing import SEED
from tests.host.programs import (
    BASE,
    FRAME,
    GET_BASE,
    GET_CONFIG,
    GET_FEATURES,
    GET_STATUS,
    LONG,
    SET_ADDR,
    SET_BACKEND_REQ_FD,
    SET_ERR,
    SET_FEATURES,
    SET_KICK,
    SET_MEM_TABLE,
    SET_NUM,
    SET_STATUS,
    SIZE,
    USER,
    VERSION_1,
    Guest,
    GuestMemory,
    Server,
    good_guest_works,
    sends,
    started,
)

GUEST_TSO4 = 1 << 7  # virtio 1.2, 5.1.3: the device may deliver joined segments, which this card never does

@pytest.fixture(scope="module")
def card(built):
    random.seed(SEED)
    with VirtualCard(built("nic"), collect=True) as card:
        yield card


@pytest.fixture
def server(card, tmp_path):
    """Checks that the test leaves as many open descriptors as before."""
    before = set(os.listdir("/proc/self/fd"))
    with closing(Server(card, tmp_path / "nic.sock")) as server:
        yield server
    assert len(set(os.listdir("/proc/self/fd")) - before) <= 1  # the listing itself opens one


@pytest.mark.parametrize("full", [False, True])
def test_a_guest_is_told_that_a_virtqueue_is_stopped(card, server, monkeypatch, full):
    """Once, by its eventfd, the back-end channel and the status, even if nobody reads these. After a reset the status is 0."""
    monkeypatch.setattr("girih.card.vhost_user.LOOK_SECONDS", 0)
    kick, call, error = os.eventfd(0), os.eventfd(0), os.eventfd(0)
    back = socket.socketpair()
    if full:
        back[1].setblocking(False)
        with suppress(BlockingIOError):
            while True:
                back[1].send(bytes(4096))
        back[1].setblocking(True)
        os.eventfd_write(error, 2**64 - 2)
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kick, call)
        guest.send(SET_ERR, struct.pack("<Q", SEND), [error])
        guest.send(SET_BACKEND_REQ_FD, b"", [back[1].fileno()])
        guest.send(SET_STATUS, struct.pack("<Q", 0xF))
        queue.add([(BASE, 0)])
        queue.publish()
        os.eventfd_write(kick, 1)
        card.run(1500)
        timer = unblocks(LONG, lambda: (os.eventfd_read(error), back[0].recv(1 << 20)))
        before = time.monotonic()
        for _ in range(3):
            server.serve_all()
        timer.cancel()
        assert time.monotonic() - before < LONG - 1
        assert server.said == ["vhost-user: virtqueue 1 is stopped (zero) until its driver resets the device."]
        guest.send(GET_STATUS)
        assert struct.unpack("<Q", guest.answer()) == (0x4F,)
        if not full:
            assert os.eventfd_read(error) == 1 and back[0].recv(100) == struct.pack("<III", 2, 1, 0)
        guest.send(SET_STATUS, bytes(8))
        guest.send(GET_STATUS)
        assert struct.unpack("<Q", guest.answer()) == (0,)
        queue = SplitQueue(memory, 0x0, 16)
        guest.set_queue(queue.place, kick, call)
        sends(card, memory, queue, kick)
        guest.close()
        server.serve_all()
    for descriptor in (kick, call, error):
        os.close(descriptor)
    for end in back:
        end.close()
    assert len(server.said) == 1


@pytest.mark.parametrize("told", [0, 0x8000])
def test_a_packed_ring_goes_on_in_the_lap_in_which_it_was(card, server, told):
    """User-Mode Linux gives index 0 for a new ring, whose wrap counter is 1; after the first lap, 0 is also the index that the card itself
    reports."""
    kick, call = os.eventfd(0), os.eventfd(0)
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kick, call, PackedQueue)
        for lap in (1, 0, 1):
            guest.set_queue(replace(queue.place, start=told if lap else 0), kick, call)
            for _ in range(16):
                sends(card, memory, queue, kick)
            guest.send(GET_BASE, struct.pack("<II", SEND, 0))
            assert struct.unpack("<II", guest.answer()) == (SEND, 0x80008000 * (1 - lap))
        guest.close()
        server.serve_all()
    os.close(kick)
    os.close(call)
    assert not server.said


def test_a_packed_ring_goes_on_behind_a_chain_that_lies_across_its_end(card, server):
    """The card has then written no flags to the first slot, in either lap, so that slot alone does not tell the lap."""
    kick, call = os.eventfd(0), os.eventfd(0)
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kick, call, PackedQueue)
        laps = [1] * 15 + [3] + [1] * 14  # two laps; a chain lies across the end of the first
        for chains, base in ((laps, 0x8000), (laps, 0x8000), ([1] * 16, 0), (laps, 0), ([1], 1)):
            guest.set_queue(replace(queue.place, start=queue.seen), kick, call)
            for links in chains:
                sends(card, memory, queue, kick, links)
            guest.send(GET_BASE, struct.pack("<II", SEND, 0))
            assert struct.unpack("<II", guest.answer()) == (SEND, base * 0x10001)
        guest.close()
        server.serve_all()
    os.close(kick)
    os.close(call)
    assert not server.said


def with_memory(size: int = SIZE, at: int = 0, address: int = BASE, made=None):
    """A memory table with one region."""

    def send(guest) -> None:
        descriptor = os.memfd_create("guest") if made is None else made()
        if made is None:
            os.ftruncate(descriptor, SIZE)
        guest.set_memory((address, size, USER, at), descriptors=[descriptor])
        os.close(descriptor)

    return send


def with_descriptors(count: int, request: int = SET_FEATURES, **options):
    def send(guest) -> None:
        guest.send(request, struct.pack("<Q", VERSION_1), [0] * count, **options)

    return send


def cut_off(guest) -> None:
    socket.send_fds(guest.socket, [b"\1\0\0\0\1\0"], [0, 1, 2])
    guest.server.serve_all()
    guest.socket.shutdown(socket.SHUT_WR)
    guest.server.serve_all()


def kick_by_a_pipe(guest) -> None:
    ends = os.pipe()
    guest.send(SET_KICK, struct.pack("<Q", SEND), [ends[0]])
    for end in ends:
        os.close(end)


def rings_outside(guest) -> None:
    with_memory()(guest)
    guest.send(SET_NUM, struct.pack("<II", SEND, 16))
    guest.send(SET_ADDR, struct.pack("<IIQQQQ", SEND, 0, USER, USER + SIZE, USER, 0))
    kick = os.eventfd(0)
    guest.send(SET_KICK, struct.pack("<Q", SEND), [kick])
    os.close(kick)


BAD = {  # what a guest does, and a part of the message
    "another version": (lambda g: g.send(GET_FEATURES, version=2), "version 2"),
    "more bytes than a message has": (lambda g: g.send(SET_FEATURES, size=5000), "5000 bytes"),
    "an unknown request": (lambda g: g.send(99), "request 99 is not served"),
    "too few bytes": (lambda g: g.send(SET_FEATURES, bytes(4)), "request 2 has 4 bytes"),
    "too many bytes": (lambda g: g.send(SET_NUM, bytes(12)), "request 8 has 12 bytes"),
    "no bytes": (lambda g: g.send(SET_KICK), "request 12 has 0 bytes"),
    "a table that is cut off": (lambda g: g.send(SET_MEM_TABLE, struct.pack("<II", 2, 0) + bytes(32), [0, 0]), "request 5 has 40 bytes"),
    "regions without descriptors": (lambda g: g.set_memory((BASE, SIZE, USER, 0)), "1 regions of memory with 0 descriptors"),
    "more regions than there are": (lambda g: g.set_memory(*[(BASE, SIZE, USER, 0)] * 9, descriptors=[0] * 8), "9 regions"),
    "nine descriptors": (with_descriptors(9), "more than 8 descriptors"),
    "descriptors without a use": (with_descriptors(8, 99), "request 99"),
    "a message without its end": (cut_off, "cut off"),
    "a region without bytes": (with_memory(size=0), "at least one byte"),
    "a region that wraps": (with_memory(address=2**64 - 4096), "ends before 2^64"),
    "a region behind its file": (with_memory(size=SIZE + 1), "not within a file"),
    "an offset behind its file": (with_memory(at=1), "not within a file"),
    "an offset that wraps": (with_memory(size=8192, at=2**64 - 4096), "not within a file"),
    "memory that is an eventfd": (with_memory(made=lambda: os.eventfd(0)), "not within a file"),
    "memory that is a folder": (with_memory(made=lambda: os.open("/", os.O_RDONLY)), "not within a file"),
    "memory that cannot be written": (with_memory(size=100, made=lambda: os.open("/etc/passwd", os.O_RDONLY)), "cannot map"),
    "a third virtqueue": (lambda g: g.send(SET_NUM, struct.pack("<II", 2, 16)), "virtqueue 2 does not exist"),
    "kicks of a third virtqueue": (lambda g: g.send(SET_KICK, struct.pack("<Q", 2), [0]), "virtqueue 2 does not exist"),
    "a virtqueue without entries": (lambda g: g.send(SET_NUM, struct.pack("<II", SEND, 0)), "0 entries"),
    "a size that is no power of two": (lambda g: g.send(SET_NUM, struct.pack("<II", SEND, 12)), "12 entries"),
    "a size whose low half is good": (lambda g: g.send(SET_NUM, struct.pack("<II", SEND, 0x10010)), "65552 entries"),
    "rings outside of the memory": (rings_outside, "is in no region of memory"),
    "kicks by a pipe": (kick_by_a_pipe, "do not come by an eventfd"),
    "features that were not offered": (lambda g: g.send(SET_FEATURES, struct.pack("<Q", VERSION_1 | GUEST_TSO4)), "features"),
    "a driver before virtio 1": (lambda g: g.send(SET_FEATURES, struct.pack("<Q", 0)), "VERSION_1 is needed"),
    "configuration that there is not": (lambda g: g.send(GET_CONFIG, struct.pack("<III", 0xFFFFFFFF, 4, 0)), "configuration"),
}


def test_a_bad_message_ends_the_connection_with_its_reason(card, server):
    """The bad guests come one after another, and a good guest after them."""
    for what, (does, said) in BAD.items():
        server.said.clear()
        with closing(Guest(server)) as guest:
            server.serve_all()
            does(guest)
            assert guest.is_dropped(), what
        assert len(server.said) == 1 and said in server.said[0], (what, server.said)
    server.said.clear()
    good_guest_works(card, server)
    assert not server.said


def test_a_message_that_comes_in_parts_does_not_hold_up_the_card(server):
    """Descriptors that come with a message's body do not stay open."""
    with closing(Guest(server)) as guest:
        for byte in struct.pack("<IIIQ", SET_FEATURES, 1 | 8, 8, VERSION_1):
            socket.send_fds(guest.socket, [bytes([byte])], [0] if byte else [])
            timer, before = unblocks(LONG, partial(guest.socket.shutdown, socket.SHUT_WR)), time.monotonic()
            server.serve_all()
            timer.cancel()
            assert time.monotonic() - before < LONG - 1
        assert guest.answer() == bytes(8)
    server.serve_all()
    assert not server.said


def test_a_guest_that_does_not_read_is_dropped(server):
    with closing(Guest(server)) as guest:
        before = time.monotonic()
        for _ in range(3000):
            try:
                guest.send(GET_FEATURES)
            except BrokenPipeError:
                break
        assert time.monotonic() - before < LONG and server.said == ["vhost-user: it does not read its answers; the guest is disconnected."]


def test_a_second_guest_waits_for_the_end_of_the_first(server):
    with closing(Guest(server)) as first:
        server.serve_all()
        second = Guest(server)
        socket.send_fds(second.socket, [struct.pack("<III", GET_FEATURES, 1, 0)], [0])
        server.serve_all()
        first.send(GET_FEATURES)
        assert len(first.answer()) == 8 and not select.select([second.socket], [], [], 0)[0]
    server.serve_all()
    assert len(second.answer()) == 8
    second.close()
    server.serve_all()


def unblocks(seconds: float, how) -> threading.Timer:
    """Ends a wait of the card after `seconds`, so that the test fails instead of hanging."""
    timer = threading.Timer(seconds, how)
    timer.start()
    return timer


def test_eventfds_that_block_do_not_stop_the_card(card, server):
    """Also those given to a queue that is already running, and those that the guest makes blocking again."""
    kicks, call = [os.eventfd(0), os.eventfd(0)], os.eventfd(0)
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kicks[0], call)
        guest.send(SET_KICK, struct.pack("<Q", SEND), [kicks[1]])
        os.set_blocking(kicks[1], True)
        timer = unblocks(LONG, lambda: os.eventfd_write(kicks[1], 1))
        before = time.monotonic()
        card.run(600)
        timer.cancel()
        assert time.monotonic() - before < LONG - 1
        sends(card, memory, queue, kicks[1])
        guest.close()
        server.serve_all()
    for descriptor in (*kicks, call):
        os.close(descriptor)


def test_interrupts_that_nobody_takes_do_not_stop_the_card(card, server):
    """They go to a full pipe; User-Mode Linux takes its interrupts from a pipe."""
    kick, ends = os.eventfd(0), os.pipe()
    with closing(GuestMemory()) as memory:
        os.set_blocking(ends[1], False)
        while True:
            try:
                os.write(ends[1], bytes(4096))
            except BlockingIOError:
                break
        guest, queue = started(server, memory, kick, ends[1])
        os.set_blocking(ends[1], True)
        timer = unblocks(LONG, lambda: os.read(ends[0], 65536))
        before, lost = time.monotonic(), card.host.stats.lost_calls
        sends(card, memory, queue, kick)
        timer.cancel()
        assert time.monotonic() - before < LONG - 1 and card.host.stats.lost_calls == lost + 1
        guest.close()
        server.serve_all()
    for descriptor in (kick, *ends):
        os.close(descriptor)


@pytest.mark.parametrize("left", [0, 4096])
def test_a_memory_file_that_is_truncated_does_not_end_the_card(card, server, left):
    """Accesses then end with a bus error and the queue stops: once with the rings gone, once with only the frame gone."""
    kick, call = os.eventfd(0), os.eventfd(0)
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kick, call)
        sends(card, memory, queue, kick)
        for _ in range(2):
            queue.add([(BASE + 0x8000, HEADER + len(FRAME))])
        queue.publish()
        os.ftruncate(memory.descriptor, left)
        for _ in range(3):
            os.eventfd_write(kick, 1)
            card.run(1500)
        assert card.host.state(SEND).reason in ("bus", "index")
        card.collect()
        guest.close()
        server.serve_all()
    os.close(kick)
    os.close(call)
    good_guest_works(card, server)


def test_a_socket_in_use_is_not_taken_over(card, server, tmp_path):
    with pytest.raises(GirihError, match="in use"):
        Server(card, server.path)
    good_guest_works(card, server)
    with pytest.raises(GirihError, match="too long"):
        Server(card, tmp_path / ("x" * 120))
    left = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gone:
        gone.bind(str(left))
    Server(card, left).close()
