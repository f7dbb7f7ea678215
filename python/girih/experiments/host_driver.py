# SPDX-License-Identifier: Apache-2.0
"""A driver of virtqueues, after virtio 1.2 (sections 2.7 and 2.8), and the memory of a host in which it keeps them."""

from __future__ import annotations

import mmap
import os
import random
import struct

from girih.card import VirtualCard
from girih.card.host import Place, Region

NEXT, WRITE, INDIRECT = 1, 2, 4
AVAILABLE, USED = 1 << 7, 1 << 15  # flags of a descriptor in a packed ring
EVENT_ALWAYS, EVENT_NEVER, EVENT_AT_INDEX = range(3)  # of an event suppression structure of a packed ring
HEADER = 12  # bytes of struct virtio_net_hdr
BASE = 0x7_0000_0000  # where the memory is for the card


def header(csum: tuple[int, int] | None = None, gso_type: int = 0, gso_size: int = 0) -> bytes:
    """struct virtio_net_hdr; csum: csum_start and csum_offset, if the device is to write a checksum. gso_size: bytes of data of each segment."""
    return struct.pack("<BBHHHHH", csum is not None, gso_type, 0, gso_size, *(csum or (0, 0)), 0)


class HostMemory:
    """Memory of a host that the card may access: all of it, and nothing else."""

    def __init__(self, card: VirtualCard, size: int = 1 << 20, base: int = BASE):
        self.base, self.size = base, size
        descriptor = os.memfd_create("host")
        try:
            os.ftruncate(descriptor, size)
            self.bytes = mmap.mmap(descriptor, size)
            card.host.unmap_all()
            card.host.map(base, size, descriptor)
        finally:
            os.close(descriptor)
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
        memory.write(driver, bytes(6 + 2 * size))
        memory.write(device, bytes(6 + 8 * size))
        memory.write(driver + 2, struct.pack("<H", start))
        memory.write(device + 2, struct.pack("<H", start))
        self.free = list(range(size))
        random.shuffle(self.free)
        self.available = self.told = self.seen = start
        self.chains: dict[int, list[int]] = {}  # by head

    def descriptor(self, index: int, address: int, size: int, flags: int, following: int = 0) -> None:
        self.memory.write(self.place.descriptors + 16 * index, struct.pack("<QIHH", address, size, flags, following))

    def offer(self, head: int) -> None:
        """Puts a head into the available ring, without the index."""
        self.memory.write(self.place.driver + 4 + 2 * (self.available % self.size), struct.pack("<H", head))
        self.available = (self.available + 1) % 65536

    def publish(self) -> None:
        self.memory.write(self.place.driver + 2, struct.pack("<H", self.available))

    def add(self, buffers: list[tuple[int, int]], flags: int = 0, table: int | None = None, direct: int = 0, answers: int = 0) -> int | None:
        """Offers a chain of (address, size); its head, or None if there are not enough descriptors. table: where the descriptors are, except for so
        many `direct` ones before them. answers: so many of the last ones are for the device to write to."""
        ways = [flags | WRITE * (number >= len(buffers) - answers) for number in range(len(buffers))]
        if len(buffers if table is None else buffers[: direct + 1]) > len(self.free):
            return None
        if table is not None:
            inside = buffers[direct:]
            order = [0, *random.sample(range(1, len(inside)), len(inside) - 1)]  # of the entries of the table
            for number, (address, size) in enumerate(inside):
                more = number + 1 < len(inside)
                entry = struct.pack("<QIHH", address, size, ways[direct + number] | NEXT * more, order[number + 1] if more else random.getrandbits(16))
                self.memory.write(table + 16 * order[number], entry)
            buffers = [*buffers[:direct], (table, 16 * len(inside))]
        indices = [self.free.pop() for _ in buffers]
        for number, (index, (address, size)) in enumerate(zip(indices, buffers, strict=True)):
            more = number + 1 < len(buffers)
            kind = ways[number] | NEXT if more else ways[number] if table is None else INDIRECT
            self.descriptor(index, address, size, kind, indices[number + 1] if more else random.getrandbits(16))
        self.chains[indices[0]] = indices
        self.offer(indices[0])
        return indices[0]

    def wants_kick(self) -> bool:
        """With event index: whether the device wants a kick for the chains published since the last call."""
        old, self.told, event = self.told, self.available, self.memory.read16(self.place.device + 4 + 8 * self.size)
        return any((old + step) % 65536 == event for step in range((self.available - old) % 65536))

    def wait_for(self, ahead: int = 0) -> None:
        """With event index: requests an interrupt once `ahead` + 1 further chains have been used."""
        self.memory.write(self.place.driver + 4 + 2 * self.size, struct.pack("<H", (self.seen + ahead) % 65536))

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


class PackedQueue:
    """A packed virtqueue of `size`, from byte `at` of the memory on; its buffers follow. start: the slot that it starts from, with the
    wrap counter in bit 15."""

    def __init__(self, memory: HostMemory, at: int, size: int, start: int = 1 << 15, skew: int = 0):
        self.memory, self.size = memory, size
        ring = memory.base + at
        driver = ring + 16 * size + 4 * skew
        self.place = Place(ring, driver, driver + 4 + 4 * skew, size, start, packed=True)
        slot, wrap = start & 0x7FFF, start >> 15
        for index in range(size):  # as after the last lap of each
            last_lap = wrap ^ (index >= slot)
            self.descriptor(index, random.getrandbits(64), random.getrandbits(32), last_lap * (AVAILABLE | USED), random.getrandbits(16))
        memory.write(driver, bytes(8 + 4 * skew))
        self.names = list(range(size))
        random.shuffle(self.names)
        self.slots = size  # that are free
        self.available = self.told = self.seen = start
        self.chains: dict[int, int] = {}  # descriptors, by name
        self.heads: list[tuple[int, int]] = []  # of chains that are not published: slot, flags

    def descriptor(self, index: int, address: int, size: int, flags: int, name: int = 0) -> None:
        self.memory.write(self.place.descriptors + 16 * index, struct.pack("<QIHH", address, size, name, flags))

    def _after(self, index: int, count: int) -> int:
        """The index this many slots later."""
        slot = (index & 0x7FFF) + count
        return (index & 1 << 15) + slot if slot < self.size else (~index & 1 << 15) + slot - self.size

    def publish(self) -> None:
        for slot, flags in self.heads:
            self.memory.write(self.place.descriptors + 16 * slot + 14, struct.pack("<H", flags))
        self.heads = []

    def add(self, buffers: list[tuple[int, int]], flags: int = 0, table: int | None = None, direct: int = 0, answers: int = 0) -> int | None:
        """Offers a chain of (address, size); its name, or None if there are not enough descriptors. table: where the descriptors are, except for so
        many `direct` ones before them. answers: so many of the last ones are for the device to write to."""
        ways = [flags | WRITE * (number >= len(buffers) - answers) for number in range(len(buffers))]
        if table is not None:
            inside = buffers[direct:]
            for number, (address, size) in enumerate(inside):
                self.memory.write(table + 16 * number, struct.pack("<QIHH", address, size, random.getrandbits(16), ways[direct + number]))
            buffers = [*buffers[:direct], (table, 16 * len(inside))]
        if len(buffers) > self.slots:
            return None
        self.slots -= len(buffers)
        name = self.names.pop()
        self.chains[name] = len(buffers)
        for number, (address, size) in enumerate(buffers):
            more, slot, wrap = number + 1 < len(buffers), self.available & 0x7FFF, self.available >> 15
            kind = ways[number] | NEXT if more else ways[number] if table is None else INDIRECT
            mine, last_lap = kind | (AVAILABLE if wrap else USED), 0 if wrap else AVAILABLE | USED
            if number == 0:
                self.heads.append((slot, mine))
            self.descriptor(slot, address, size, mine if number else last_lap, random.getrandbits(16) if more else name)
            self.available = self._after(self.available, 1)
        return name

    def wants_kick(self) -> bool:
        """With event index: whether the device wants a kick for the chains published since the last call."""
        event, flags = struct.unpack("<HH", self.memory.read(self.place.device, 4))
        passed = []
        while self.told != self.available:
            passed.append(self.told)
            self.told = self._after(self.told, 1)
        return event in passed if flags == EVENT_AT_INDEX else flags == EVENT_ALWAYS

    def wait_for(self, ahead: int = 0) -> None:
        """With event index: requests an interrupt once the slot `ahead` after the next one is used."""
        self.memory.write(self.place.driver, struct.pack("<HH", self._after(self.seen, ahead), EVENT_AT_INDEX))

    def used(self) -> list[tuple[int, int]]:
        """The chains that were used since the last call: name, bytes written."""
        found: list[tuple[int, int]] = []
        while True:
            size, name, flags = struct.unpack("<IHH", self.memory.read(self.place.descriptors + 16 * (self.seen & 0x7FFF) + 8, 8))
            if flags & (AVAILABLE | USED) != (self.seen >> 15) * (AVAILABLE | USED):
                return found
            count = self.chains.pop(name)  # KeyError: used twice, or never offered
            self.names.append(name)
            self.slots += count
            self.seen = self._after(self.seen, count)
            assert size == 0 or flags & WRITE
            found.append((name, size))


def pieces(address: int, size: int, most: int) -> list[tuple[int, int]]:
    """Cuts a buffer at random places, into at most this number of pieces."""
    cuts = sorted(random.sample(range(1, size), min(random.randint(1, most), size) - 1)) if size > 1 else []
    return [(address + a, b - a) for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
