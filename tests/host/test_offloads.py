# SPDX-License-Identifier: Apache-2.0
"""Checksums that the headers of the host's frames request, on the card of designs/nic.yaml."""

import random

import pytest

from girih.card.host import SEND
from girih.experiments.host_driver import HEADER, HostMemory, PackedQueue, header, pieces
from tests.host.queues import BUFFERS, SLOT, frame, random_size, settle


def ones_complement(data: bytes) -> int:
    """The ones' complement sum of halfwords, from 0 to 0xfffe: 0x10000 is 1 in that arithmetic."""
    return int.from_bytes(data + bytes(len(data) % 2), "big") % 0xFFFF


def test_checksums_of_frames_of_the_host(card):
    """The bytes from csum_start on, without what the driver had put into the checksum, add up to all ones. Frames that request none are unchanged,
    and all are in order."""
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
    """The checksum field begins or ends beyond the frame, or segmentation is requested. The frames before and after it are sent."""
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
