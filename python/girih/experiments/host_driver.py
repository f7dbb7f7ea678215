# SPDX-License-Identifier: Apache-2.0
"""A driver of virtqueues, after virtio 1.2 (section 2.7), and the memory of a host in which it keeps them."""

from __future__ import annotations

import mmap
import os
import random
import struct

from girih.card import VirtualCard
from girih.card.host import Place, Region

NEXT, WRITE, INDIRECT = 1, 2, 4
HEADER = 12  # bytes of struct virtio_net_hdr
BASE = 0x7_0000_0000  # where the memory is for the card


class HostMemory:
    """Memory of a host that the card may access: all of it, and nothing else."""

    def __init__(self, card: VirtualCard, size: int = 1 << 20, base: int = BASE):
        self.base, self.size = base, size
        self._descriptor = os.memfd_create("host")
        os.ftruncate(self._descriptor, size)
        self.bytes = mmap.mmap(self._descriptor, size)
        card.host.unmap()
        card.host.map(base, size, self._descriptor)
        card.host.grant([Region(base, size)])

    def write(self, address: int, data: bytes) -> None:
        self.bytes[address - self.base : address - self.base + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        return self.bytes[address - self.base : address - self.base + size]

    def read16(self, address: int) -> int:
        return int.from_bytes(self.read(address, 2), "little")


class SplitQueue:
    """A split virtqueue of `size`, from byte `at` of the memory on; its buffers follow. start: the index that it starts from."""

    def __init__(self, memory: HostMemory, at: int, size: int, start: int = 0, skew: int = 0):
        self.memory, self.size = memory, size
        table = memory.base + at
        driver = table + 16 * size + 2 * skew
        device = -(-(driver + 6 + 2 * size) // 4) * 4 + 4 * skew
        self.place = Place(table, driver, device, size, start)
        memory.write(driver, bytes(4 + 2 * size))
        memory.write(device, bytes(4 + 8 * size))
        memory.write(driver + 2, struct.pack("<H", start))
        memory.write(device + 2, struct.pack("<H", start))
        self.free = list(range(size))
        random.shuffle(self.free)
        self.available = self.seen = start
        self.chains: dict[int, list[int]] = {}  # by head

    def descriptor(self, index: int, address: int, size: int, flags: int, following: int = 0) -> None:
        self.memory.write(self.place.descriptors + 16 * index, struct.pack("<QIHH", address, size, flags, following))

    def offer(self, head: int) -> None:
        """Puts a head into the available ring, without the index."""
        self.memory.write(self.place.driver + 4 + 2 * (self.available % self.size), struct.pack("<H", head))
        self.available = (self.available + 1) % 65536

    def publish(self) -> None:
        self.memory.write(self.place.driver + 2, struct.pack("<H", self.available))

    def add(self, buffers: list[tuple[int, int]], flags: int = 0) -> int | None:
        """Offers a chain of (address, size); its head, or None if there are not enough descriptors."""
        if len(buffers) > len(self.free):
            return None
        indices = [self.free.pop() for _ in buffers]
        for number, (index, (address, size)) in enumerate(zip(indices, buffers, strict=True)):
            more = number + 1 < len(buffers)
            self.descriptor(index, address, size, flags | NEXT * more, indices[number + 1] if more else random.getrandbits(16))
        self.chains[indices[0]] = indices
        self.offer(indices[0])
        return indices[0]

    def used(self) -> list[tuple[int, int]]:
        """The chains that were used since the last call: head, bytes written."""
        found = []
        index = self.memory.read16(self.place.device + 2)
        while self.seen != index:
            head, size = struct.unpack("<II", self.memory.read(self.place.device + 4 + 8 * (self.seen % self.size), 8))
            self.free += self.chains.pop(head)  # KeyError: used twice, or never offered
            self.seen = (self.seen + 1) % 65536
            found.append((head, size))
        return found


def pieces(address: int, size: int, most: int) -> list[tuple[int, int]]:
    """Cuts a buffer into at most so many pieces, at random places."""
    cuts = sorted(random.sample(range(1, size), min(random.randint(1, most), size) - 1)) if size > 1 else []
    return [(address + a, b - a) for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
