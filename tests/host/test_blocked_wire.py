# SPDX-License-Identifier: Apache-2.0
"""The network device while the wire takes nothing: the host's own frames wait, and all else goes on and is counted once."""

from dataclasses import replace

from girih.card.host import RECEIVE, SEND, Region
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, PackedQueue, header
from tests.host.queues import BUFFERS, MAC, RUN, SLOT, counted, frame
from tests.host.test_control import ADDRESS, ERROR, OK, PROMISCUOUS, Driver, address, counters, to
from tests.host.test_offloads import BAD_OFFLOADS, SEGMENTS, WHOLE, large
from tests.host.test_queue_mistakes import MISTAKES

QUEUE, DATA = 0x10000, 0x100000  # the transmit queue, and its frames
WAITING = 40  # frames, more than fit between the host and the wire


def block(card, memory, ring):
    """Closes the wire and sends frames until they wait in the host. Returns their queue."""
    queue = ring(memory, QUEUE, 64)
    card.host.start(SEND, queue.place)
    memory.write(memory.base + DATA, bytes(HEADER) + frame(9000))
    for _ in range(WAITING):
        queue.add([(memory.base + DATA, HEADER + 9000)])
    queue.publish()
    card.set_ready(0, 0.0)
    card.host.kick(SEND)
    card.run(4 * RUN)
    assert len(queue.used()) < WAITING - 2
    return queue


def opened(card) -> None:
    """Opens the wire: what has waited is sent."""
    card.set_ready(0, 1.0)
    card.run(WAITING * 200 + RUN)
    assert len(card.collect()) == WAITING
    card.check_conservation()


def test_commands_and_frames_to_the_host(card, ring):
    driver = Driver(card, ring)
    block(card, driver.memory, ring)
    assert driver.ask(PROMISCUOUS, b"\0") == OK and driver.ask(ADDRESS, b"") == ERROR
    assert driver.gets(to(address()), to(MAC), to(MAC), to(MAC, 5)) == [False, True, True, False]
    for data, bad in ((to(MAC), True), (to(MAC) + bytes(3000), False)):
        card.inject(0, data, bad=bad)
    card.run(RUN)
    now = counters(card)
    wanted = {"mark_commands": 1, "mark_commands_refused": 1, "used_frames": 2, "drop_other_address": 1, "drop_other_vlan": 1, "drop_aborted": 1, "drop_small_buffer": 1}
    assert {name: now[name] for name in wanted} == wanted
    card.host.stop(RECEIVE)
    for _ in range(3):
        card.inject(0, to(MAC))
    card.run(RUN)
    empty = ring(driver.memory, 0x0, 16)
    card.host.start(RECEIVE, empty.place)
    for _ in range(400):
        card.inject(0, to(MAC) + bytes(500))
    card.run(8 * RUN)
    now = counters(card)
    assert now["drop_stopped"] == 3 and now["drop_no_room"] > 0
    card.host.stop(RECEIVE)
    opened(card)


def test_queues_that_stop(card, ring):
    """Each of the reasons for which a receive queue stops."""
    memory = HostMemory(card, 2 << 20)
    card.host.grant([Region(memory.base, memory.size), Region(0, 4096)])
    block(card, memory, ring)
    mistakes = dict(MISTAKES[ring].values())
    mistakes |= {"refused": lambda queue, at: queue.add([(at - (1 << 34), 400)], WRITE), "bus": lambda queue, at: queue.add([(0, 400)], WRITE), "setup": lambda queue, at: None}
    for reason, breaks in mistakes.items():
        queue = ring(memory, 0x0, 16)
        queue.flags = WRITE
        breaks(queue, memory.base + BUFFERS)
        queue.publish()
        card.host.start(RECEIVE, replace(queue.place, size=0) if reason == "setup" else queue.place)
        card.host.kick(RECEIVE)
        card.run(1000)
        card.inject(0, frame(200))
        card.run(4000)
        assert card.host.state(RECEIVE).reason == reason and counted(card, reason) == 1, reason
        card.host.stop(RECEIVE)
    opened(card)


def test_frames_that_are_cut_or_dropped_for_a_slow_wire(card):
    """Headers that request what cannot be, and large frames, each behind frames that wait."""
    memory = HostMemory(card, 2 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    card.host.start(SEND, replace(queue.place, **SEGMENTS))
    card.set_ready(0, 0.1)
    good = 0
    for number, bad in enumerate(BAD_OFFLOADS):
        whole, cutting = large(WHOLE[0], 4000, 1448)
        for part, (head, data) in enumerate(((header(), frame(1500)), (bad, frame(100)), (cutting, whole))):
            at = memory.base + BUFFERS + 4 * SLOT * number + SLOT * part
            memory.write(at, head + data)
            queue.add([(at, HEADER + len(data))])
        good += 1 + 3
    queue.publish()
    card.host.kick(SEND)
    card.run(20 * RUN)
    assert len(card.collect()) == good
    now = card.registers.counters("host")["host"]
    assert now["drop_bad_offload"] == len(BAD_OFFLOADS) == now["mark_cut"]
    card.check_conservation()
