# SPDX-License-Identifier: Apache-2.0
"""Programs of guests that speak vhost-user to a card, and the back end on the card's side."""

import mmap
import os
import select
import socket
import struct
from contextlib import closing
from itertools import pairwise

from girih.card.host import SEND
from girih.card.vhost_user import VhostUser
from girih.experiments.host_driver import HEADER, HostMemory, PackedQueue, SplitQueue

GET_FEATURES, SET_FEATURES, SET_MEM_TABLE, SET_NUM, SET_ADDR, SET_BASE, GET_BASE, SET_KICK, SET_CALL, GET_CONFIG = 1, 2, 5, 8, 9, 10, 11, 12, 13, 24
SET_ERR, SET_BACKEND_REQ_FD, SET_STATUS, GET_STATUS = 14, 21, 39, 40
VERSION_1, RING_PACKED = 1 << 32, 1 << 34
BASE, USER, SIZE = 0x7_0000_0000, 0x55_0000_0000, 1 << 20  # the guest's memory: its address on the card, its address in the guest's program, its bytes
FRAME = bytes.fromhex("02676972696802000000000188b5") + bytes(range(100))
LONG = 5  # seconds: far longer than any step here takes


class GuestMemory(HostMemory):
    """Memory that a guest's program shares with the card through a file descriptor."""

    def __init__(self):
        self.base, self.size = BASE, SIZE
        self.descriptor = os.memfd_create("guest")
        os.ftruncate(self.descriptor, SIZE)
        self.bytes = mmap.mmap(self.descriptor, SIZE)

    def close(self) -> None:
        self.bytes.close()
        os.close(self.descriptor)


class Guest:
    """A guest's program, connected to the card's back end."""

    def __init__(self, server):
        self.server = server
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(LONG)
        self.socket.connect(str(server.path))

    def close(self) -> None:
        self.socket.close()

    def send(self, request: int, body: bytes = b"", descriptors=(), version: int = 1, size: int | None = None) -> None:
        data = struct.pack("<III", request, version, len(body) if size is None else size) + body
        socket.send_fds(self.socket, [data], list(descriptors))
        self.server.serve_all()

    def answer(self) -> bytes:
        _request, flags, size = struct.unpack("<III", self.socket.recv(12))
        assert flags == 1 | 4
        return self.socket.recv(size)

    def set_memory(self, *regions: tuple[int, int, int, int], descriptors=()) -> None:
        self.send(SET_MEM_TABLE, struct.pack("<II", len(regions), 0) + b"".join(struct.pack("<QQQQ", *region) for region in regions), descriptors)

    def set_queue(self, place, kick: int, call: int, number: int = SEND, base: int = BASE) -> None:
        self.send(SET_NUM, struct.pack("<II", number, place.size))
        self.send(SET_BASE, struct.pack("<II", number, place.start))
        addresses = (address - base + USER for address in (place.descriptors, place.device, place.driver))
        self.send(SET_ADDR, struct.pack("<IIQQQQ", number, 0, *addresses, 0))
        self.send(SET_CALL, struct.pack("<Q", number), [call])
        self.send(SET_KICK, struct.pack("<Q", number), [kick])

    def is_dropped(self) -> bool:
        self.socket.setblocking(False)
        try:
            return self.socket.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True


class Server(VhostUser):
    """The back end, which keeps its messages in `said`."""

    def __init__(self, card, path):
        self.said: list[str] = []
        self.path = path
        super().__init__(card, path, self.said.append)

    def serve_all(self) -> None:
        """Serves whatever is ready, until nothing is left."""
        for _ in range(20):
            ready = set(select.select(super().descriptors(), [], [], 0)[0])
            super().serve(ready)


def started(server, memory, kick: int, call: int, ring=SplitQueue) -> tuple[Guest, SplitQueue | PackedQueue]:
    """A well-behaved guest with a send queue."""
    guest = Guest(server)
    guest.send(GET_FEATURES)
    guest.send(SET_FEATURES, struct.pack("<Q", struct.unpack("<Q", guest.answer())[0] & (VERSION_1 | RING_PACKED * (ring is PackedQueue))))
    guest.set_memory((BASE, SIZE, USER, 0), descriptors=[memory.descriptor])
    queue = ring(memory, 0x0, 16)
    guest.set_queue(queue.place, kick, call)
    return guest, queue


def sends(card, memory, queue, kick: int, links: int = 1) -> None:
    """Sends one frame of the guest and expects it on the wire and its chain back."""
    memory.write(memory.base + 0x8000, bytes(HEADER) + FRAME)
    cuts = [40 * link for link in range(links)] + [HEADER + len(FRAME)]
    head = queue.add([(memory.base + 0x8000 + start, end - start) for start, end in pairwise(cuts)])
    queue.publish()
    os.eventfd_write(kick, 1)
    card.run(1500)
    assert [frame.data[12:] for frame in card.collect()] == [FRAME[12:]]
    assert queue.used() == [(head, 0)]


def good_guest_works(card, server) -> None:
    kick, call, outside = os.eventfd(0), os.eventfd(0), card.host.stats.outside
    with closing(GuestMemory()) as memory:
        guest, queue = started(server, memory, kick, call)
        with closing(guest):
            sends(card, memory, queue, kick)
            assert os.eventfd_read(call) == 1 and card.host.stats.outside == outside
            guest.send(GET_BASE, struct.pack("<II", SEND, 0))
            assert struct.unpack("<II", guest.answer()) == (SEND, 1)
        server.serve_all()
    os.close(kick)
    os.close(call)
