# SPDX-License-Identifier: Apache-2.0
"""Checksums and segments that the headers of the host's frames request, on the card of designs/nic.yaml."""

import random
from dataclasses import replace

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet

from girih.card.host import SEND
from girih.experiments.host_driver import HEADER, HostMemory, PackedQueue, header, pieces
from tests.host.queues import BUFFERS, RUN, SLOT, counted, frame, random_size, settle

MAX_FRAME, LARGEST = 9018, 65535 + 40 + 18  # bytes of the card's largest frame, and of the largest that can be cut


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


def large(whole: Packet, size: int, gso_size: int) -> tuple[bytes, bytes]:
    """A frame that is to be cut into segments, and its header."""
    upper = whole[TCP] if TCP in whole else whole[UDP]
    start = len(whole) - len(upper)
    gso_type = 5 if UDP in whole else 1 if IP in whole else 4
    return bytes(whole) + random.randbytes(size), header((start, 16 if TCP in whole else 6), gso_type, gso_size)


def is_right(data: bytes) -> bool:
    """Whether all lengths and checksums are those that scapy computes."""
    frame = Ether(data)
    for layer in (IP, IPv6, TCP, UDP):
        if layer in frame:
            for name in ("len", "plen", "chksum"):
                if name in frame[layer].fields:
                    delattr(frame[layer], name)
    return bytes(Ether(bytes(frame))) == data


FAR = "02:00:00:00:00:01"
SEGMENTS = {"tcp4": True, "tcp6": True, "ecn": True, "udp": True}
WHOLE = [
    Ether(dst=FAR, src=FAR) / IP(src="10.0.0.1", dst="10.0.0.2", id=7) / TCP(flags="FPA", seq=2**32 - 2000),
    Ether(dst=FAR, src=FAR) / Dot1Q(vlan=3) / IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP(flags="PA"),
    Ether(dst=FAR, src=FAR) / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=5, dport=6),
]


def test_frames_of_the_host_are_cut_into_segments(card, ring):
    """Of 64 KB and less, in chains of many descriptors, between others. Data, lengths and checksums are right, and each large frame is counted once."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 128)
    card.host.start(SEND, replace(queue.place, **SEGMENTS))
    sizes = [65_535 - 40, 1, 1448, 1449, 20_000, 9000]
    sent = []
    for number, size in enumerate(sizes):
        whole, address = WHOLE[number % len(WHOLE)], memory.base + BUFFERS + 18 * SLOT * number
        data, start = large(whole, size, 1448)
        memory.write(address, start + data)
        assert queue.add(pieces(address, HEADER + len(data), 8)) is not None
        sent.append((whole, data))
        small = frame(100)
        memory.write(address + 17 * SLOT, header() + small)
        assert queue.add([(address + 17 * SLOT, HEADER + len(small))]) is not None
        sent.append((None, small))
    queue.publish()
    card.host.kick(SEND)
    card.run(4 * RUN)
    out = [got.data for got in card.collect()]
    assert len(queue.used()) == len(sent)
    for whole, data in sent:
        if whole is None:
            assert out.pop(0)[12:] == data[12:]
            continue
        left, number = data[len(whole) :], 0
        while left:
            got = out.pop(0)
            part, left = left[:1448], left[1448:]
            assert is_right(got) and got[len(whole) :][: len(part)] == part, (number, len(left))
            segment = Ether(got)
            if TCP in whole:
                assert segment[TCP].seq == (whole[TCP].seq + 1448 * number) % 2**32
                assert segment[TCP].flags == (whole[TCP].flags if not left else "A")
            if IP in whole:
                assert segment[IP].id == whole[IP].id + number
            number += 1
    counters = card.registers.counters("host")["host"]
    assert not out and counters["mark_cut"] == len(sizes) and counters["drop_bad_offload"] == 0
    card.check_conservation()


@pytest.mark.parametrize("size", [MAX_FRAME + 1, LARGEST])
def test_a_large_frame_that_is_not_to_be_cut_stops_its_queue(card, ring, size):
    """Although a queue with segmentation takes chains of this size. What has left of the frame is bad; no frame behind it leaves."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, replace(queue.place, **SEGMENTS))
    for number, data in enumerate((frame(MAX_FRAME), frame(size), frame(100))):
        address = memory.base + BUFFERS + 20 * SLOT * number
        memory.write(address, header() + data)
        queue.add([(address, HEADER + len(data))])
    queue.publish()
    card.host.kick(SEND)
    card.run(2 * RUN)
    assert card.host.state(SEND).reason == "size" and counted(card, "size") == 1
    assert [got.bad for got in card.collect()] == [False, True]
    card.host.stop(SEND)
    card.check_conservation()


def test_a_frame_too_large_to_be_cut_stops_its_queue(card, ring):
    """A byte more than the largest packet of IPv6 with its headers and a tag."""
    memory = HostMemory(card, 2 << 20)
    queue = ring(memory, 0x0, 16)
    card.host.start(SEND, replace(queue.place, **SEGMENTS))
    data, start = large(WHOLE[1], LARGEST + 1 - len(WHOLE[1]), 1448)
    memory.write(memory.base + BUFFERS, start + data)
    queue.add([(memory.base + BUFFERS, HEADER + len(data))])
    queue.publish()
    card.host.kick(SEND)
    card.run(RUN)
    assert card.host.state(SEND).reason == "size" and not card.collect()
    card.host.stop(SEND)
    card.check_conservation()


def test_a_queue_ends_in_the_middle_of_a_frame_that_is_cut(card, ring):
    """In any cycle: the segments before are right, no part of one leaves, and the queue works when it starts again."""
    memory = HostMemory(card, 2 << 20)
    data, start = large(WHOLE[0], 60_000, 1448)
    memory.write(memory.base + BUFFERS, start + data)
    few, more = large(WHOLE[2], 3000, 1448)
    memory.write(memory.base + BUFFERS + 20 * SLOT, more + few)
    for cycles in range(240, 1500, 61):
        queue = ring(memory, 0x0, 16)
        card.host.start(SEND, replace(queue.place, **SEGMENTS))
        queue.add(pieces(memory.base + BUFFERS, HEADER + len(data), 8))
        queue.publish()
        card.host.kick(SEND)
        card.run(cycles)
        card.host.stop(SEND)
        queue = ring(memory, 0x0, 16)
        card.host.start(SEND, replace(queue.place, **SEGMENTS))
        queue.add([(memory.base + BUFFERS + 20 * SLOT, HEADER + len(few))])
        queue.publish()
        card.host.kick(SEND)
        card.run(2 * RUN)
        out = [got.data for got in card.collect()]
        assert all(is_right(got) for got in out)
        whole = len(WHOLE[0])
        assert b"".join(got[whole:] for got in out[:-3]) == data[whole:][: 1448 * len(out[:-3])]
        assert b"".join(got[len(WHOLE[2]) :] for got in out[-3:]) == few[len(WHOLE[2]) :]
        card.host.stop(SEND)
    card.check_conservation()
