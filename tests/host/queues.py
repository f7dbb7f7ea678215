# SPDX-License-Identifier: Apache-2.0
"""Helpers for the tests of virtqueues: frames that a driver sends and receives."""

import random

from girih.card import VirtualCard
from girih.card.host import RECEIVE, SEND
from girih.experiments.host_driver import HEADER, WRITE, pieces
from girih.testing import SEED

MAC = bytes.fromhex("026769726968")
BUFFERS = 0x20000  # offset of the buffers in the memory
SLOT = 4096
RUN = 1500  # cycles in which the card finishes what a test gives it at once


def fresh(card: VirtualCard) -> VirtualCard:
    """A card that several tests use, as it is after a reset and without memory of the host; and the random numbers begin anew."""
    random.seed(SEED)
    card.reset()
    card.collect()
    card.host.unmap_all()
    return card


def frame(size: int) -> bytes:
    return MAC + bytes.fromhex("020000000001") + bytes.fromhex("88b5") + random.randbytes(size - 14)


def random_size() -> int:
    return random.choice([60, 64, 65, 116, 117, 128, 1514, random.randint(60, 1514)])


def settle(card: VirtualCard) -> None:
    card.run(RUN)


def counted(card: VirtualCard, reason: str) -> int:
    return card.registers.counters("host")["host"][f"mark_stop_{reason}"]


def send(card, memory, queue, count: int, chain: int = 3) -> None:
    """Sends frames in chains and expects them on the wire and the chains back, both in order."""
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
    """Offers the card receive buffers until the descriptors run out. Returns the parts of each buffer, by the head of its chain."""
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
    """Injects one frame for each buffer and expects it there behind a header, with the rest of the memory unchanged."""
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


APART = {"at": 0xFFE - 62 - 16 * 8, "skew": 31}  # for a queue of 8: a page boundary lies between the flags and the index of the driver area


WRAPPED = 1 << 15  # the wrap counter in the index of a packed ring
