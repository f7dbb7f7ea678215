# SPDX-License-Identifier: Apache-2.0
"""The state that a guest's program has set in a vhost-user back end: features, memory, virtqueues."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from girih.card.host_maps import Mapped, Region
from girih.card.vhost_socket import Connection, ProtocolError, closed

SLOT, SLOT_BYTES = 0x7FFF, 16  # of a packed ring: in its index; of a descriptor
FLAGS_AT, USED = 15, 1 << 7  # the byte of a descriptor with the flag for used descriptors


@dataclass(frozen=True)
class Memory:
    """A region of guest memory, as it is mapped, and its address in the other program."""

    mapped: Mapped
    user: int

    @property
    def region(self) -> Region:
        return self.mapped.region

    def has(self, user: int) -> bool:
        return self.user <= user < self.user + self.region.size


@dataclass
class Vring:
    """The settings of a virtqueue."""

    size: int = 0
    base: int = 0
    addresses: tuple[int, int, int] | None = None  # descriptors, driver area, device area, as the other program knows them
    kick: int | None = None
    call: int | None = None
    enabled: bool = False
    error: int | None = None
    live: bool = False  # started on the card
    on_card: int = 0  # its number there
    stopped: bool = False  # stopped by the card, and its guest has been told

    def close(self) -> None:
        closed(self.kick, self.call, self.error)
        self.kick = self.call = self.error = None


@dataclass
class Guest:
    """The connection with a guest's program, and its settings."""

    connection: Connection
    vrings: list[Vring]
    features: int = 0
    protocol: int = 0  # features of vhost-user
    memory: list[Memory] = field(default_factory=list)
    back_channel: int | None = None  # if it were closed, the guest would remove the device
    status: int = 0
    look_at: float = 0  # the time

    def has(self, feature: int) -> bool:
        return bool(self.features >> feature & 1)

    def _memory(self, user: int) -> Memory:
        """The region of guest memory that contains an address of the other program. Raises ProtocolError."""
        for memory in self.memory:
            if memory.has(user):
                return memory
        raise ProtocolError(f"address {user:#x} is in no region of memory")

    def address(self, user: int) -> int:
        """An address of the other program in guest memory. Raises ProtocolError."""
        memory = self._memory(user)
        return user - memory.user + memory.region.address

    def packed_base(self, vring: Vring) -> int:
        """Where a packed ring starts. User-Mode Linux passes 0 for a ring that it has just made, whose wrap counter is 1; a ring in a lap with
        wrap counter 0 has slots that were used in the previous lap."""
        assert vring.addresses is not None
        if vring.base:
            return vring.base
        table = vring.addresses[0]
        memory = self._memory(table)
        ring = os.pread(memory.mapped.file, SLOT_BYTES * vring.size, memory.mapped.at + table - memory.user)
        used = any(flags & USED for flags in ring[FLAGS_AT::SLOT_BYTES])
        return 0 if used else ~SLOT & 0xFFFF
