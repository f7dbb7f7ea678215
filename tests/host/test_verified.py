# SPDX-License-Identifier: Apache-2.0
"""What the header of a received frame says about its checksum, to a driver that has accepted GUEST_CSUM and to one that has not; also with several
pairs, over which the frames are spread."""

import random
from dataclasses import replace

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from girih.card import VirtualCard
from girih.experiments.host_driver import HEADER, WRITE, HostMemory
from girih.testing import SEED
from tests.host.queues import MAC, RUN
from tests.host.test_linux_guest import PAIRS_CARD

SIZE, SLOT, BUFFERS = 64, 2048, 0x40000
DATA_VALID = 2  # VIRTIO_NET_HDR_F_DATA_VALID


def frame(good: bool) -> bytes:
    network = random.choice((IP(dst=f"10.0.{random.randrange(256)}.1"), IPv6(dst=f"2001:db8::{random.randrange(1, 65536):x}")))
    transport = random.choice((TCP, UDP))(sport=random.randrange(1, 65536), dport=random.randrange(1, 65536))
    data = bytearray(bytes(Ether(dst=MAC.hex(":"), src="02:00:00:00:00:01") / network / transport / Raw(random.randbytes(random.randint(30, 900)))))
    if not good:
        data[-random.randint(1, 25)] ^= 1 << random.randrange(8)
    return bytes(data)


class Receiver:
    """A driver that receives through some pairs."""

    def __init__(self, card, ring, pairs: int, verified: bool, mergeable: bool):
        self.card, self.memory = card, HostMemory(card, 8 << 20)
        self.queues = [ring(self.memory, 0x4000 * pair, SIZE) for pair in range(pairs)]
        self.slots = [{} for _ in self.queues]
        for pair, queue in enumerate(self.queues):
            card.host.start(2 * pair, replace(queue.place, verified=verified, mergeable=mergeable))
            for slot in range(SIZE):
                address = self.memory.base + BUFFERS + (pair * SIZE + slot) * SLOT
                self.slots[pair][queue.add([(address, SLOT)], WRITE)] = address
            queue.publish()
            card.host.kick(2 * pair)
        card.run(RUN)

    def said(self, frames: list[bytes]) -> list[int]:
        """The flags in the header of each frame."""
        for number, data in enumerate(frames):
            self.card.inject(0, data, cycle=self.card.cycle + 20 + 16 * number)
        self.card.run(20 * len(frames) + 2 * RUN)
        found = {}
        for queue, slots in zip(self.queues, self.slots, strict=True):
            for head, size in queue.used():
                whole = self.memory.read(slots[head], size)
                assert whole[1:HEADER] == bytes(9) + b"\1\0"
                found[whole[HEADER:]] = whole[0]
        return [found[data] for data in frames]


@pytest.mark.parametrize("verified", [True, False])
def test_the_header_says_whether_the_checksum_is_right(card, ring, verified):
    goods = random.choices((True, False), k=SIZE)
    receiver = Receiver(card, ring, 1, verified, mergeable=random.random() < 0.5)
    assert receiver.said([frame(good) for good in goods]) == [DATA_VALID * (good and verified) for good in goods]


def test_with_several_pairs_each_frame_has_its_own(ring):
    random.seed(SEED)
    with VirtualCard.open(PAIRS_CARD) as card:
        receiver = Receiver(card, ring, card.host.pairs, True, mergeable=True)
        card.host.steer(range(card.host.pairs))
        goods = random.choices((True, False), k=SIZE)
        assert receiver.said([frame(good) for good in goods]) == [DATA_VALID * good for good in goods]
        assert all(card.host.queue_stats(2 * pair).frames for pair in range(card.host.pairs))
