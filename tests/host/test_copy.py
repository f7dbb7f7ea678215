# SPDX-License-Identifier: Apache-2.0
"""A copy of the card, as `./girih stats` takes it, has no effect on the guest: it takes no kick, writes no memory and interrupts nobody."""

import os
import select

from girih.card.copy import snapshot
from girih.card.host import SEND
from girih.experiments.host_driver import HEADER, HostMemory
from tests.host.queues import BUFFERS, RUN, frame

STEP = 50  # cycles between two copies


def test_a_guest_notices_no_copy_of_the_card(card, ring):
    """At any moment, from the kick on that the card has not seen yet."""
    kick, call = os.eventfd(0, os.EFD_NONBLOCK), os.eventfd(0, os.EFD_NONBLOCK)
    memory = HostMemory(card)
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, queue.place)
    card.host.notify(SEND, kick, call)
    data = frame(1000)
    memory.write(memory.base + BUFFERS, bytes(HEADER) + data)
    head = queue.add([(memory.base + BUFFERS, HEADER + len(data))])
    queue.publish()
    os.eventfd_write(kick, 1)
    for _ in range(RUN // STEP):
        before = memory.read(memory.base, memory.size), select.select([kick, call], [], [], 0)[0]
        assert snapshot(card)["rested"]
        assert (memory.read(memory.base, memory.size), select.select([kick, call], [], [], 0)[0]) == before
        card.run(STEP)
    assert len(card.collect()) == 1 and queue.used() == [(head, 0)]
    assert os.eventfd_read(call) == 1
    os.close(kick)
    os.close(call)
