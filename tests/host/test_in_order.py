# SPDX-License-Identifier: Apache-2.0
"""A driver that takes VIRTIO_F_IN_ORDER relies on chains that are used in the order in which it has offered them, whatever becomes of their frames."""

import os
import random
import struct
from contextlib import closing

from girih.card.host import SEND
from girih.card.vhost_user import IN_ORDER, NET_CSUM
from girih.experiments.host_driver import HEADER, PackedQueue, header, pieces
from tests.host.programs import BASE, GET_FEATURES, RING_PACKED, SET_FEATURES, VERSION_1, Guest, GuestMemory, Server
from tests.host.queues import frame

SLOT = 16384
WAYS = {  # what becomes of a frame: its header, its size, whether it leaves
    "small": (bytes(HEADER), 60, True),
    "large": (bytes(HEADER), 9000, True),
    "kept until its checksum is known": (header(csum=(34, 6)), 1400, True),
    "dropped": (header(csum=(34, 2000)), 1400, False),
}


def test_chains_are_used_in_order_whatever_becomes_of_their_frames(card, ring, tmp_path):
    """In chains of 1 to 5 descriptors, over several laps of the ring."""
    kick, call = os.eventfd(0), os.eventfd(0)
    with closing(Server(card, tmp_path / "nic.sock")) as server, closing(GuestMemory()) as memory, closing(Guest(server)) as guest:
        server.serve_all()
        guest.send(GET_FEATURES)
        wanted = VERSION_1 | 1 << IN_ORDER | 1 << NET_CSUM | RING_PACKED * (ring is PackedQueue)
        assert struct.unpack("<Q", guest.answer())[0] & wanted == wanted
        guest.send(SET_FEATURES, struct.pack("<Q", wanted))
        guest.set_memory((BASE, memory.size, 0x55_0000_0000, 0), descriptors=[memory.descriptor])
        queue = ring(memory, 0x0, 32)
        guest.set_queue(queue.place, kick, call)
        for _ in range(12):
            heads, left = [], 0
            for number in range(8):
                head, size, leaves = random.choice(list(WAYS.values()))
                address = BASE + 0x8000 + SLOT * number
                memory.write(address, head + frame(size))
                heads.append(queue.add(pieces(address, HEADER + size, random.choice([1, 2, 4]))))
                left += leaves
            queue.publish()
            os.eventfd_write(kick, 1)
            card.run(8000)
            assert queue.used() == [(head, 0) for head in heads]
            assert len(card.collect()) == left
        assert not server.said
    os.close(kick)
    os.close(call)
    assert card.host.state(SEND).reason is None
    card.check_conservation()
