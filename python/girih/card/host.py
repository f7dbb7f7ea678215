# SPDX-License-Identifier: Apache-2.0
"""The host of a card with a tile `virtio_net` or `dma`: its memory, and the registers of its virtqueues.

    host = card.host
    mine = host.map(0x0, size, descriptor)             # memory behind the card's port to the host
    host.grant([Region(0x0, size)])                    # what the card may access of it
    host.start(SEND, Place(descriptors=0x1000, driver=0x2000, device=0x3000, size=256))
    host.kick(SEND)
    host.unmap([mine])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from girih.card.host_maps import HostMaps, Mapped, Region
from girih.card.library import Library
from girih.card.registers import Registers
from girih.errors import GirihError
from girih.spec.formats import Format
from girih.spec.windows import offset

KIND = "virtio_net"
DMA = "dma"
AT_HOST = (KIND, DMA)  # the kinds that use the port to the host
WINDOW = "host_window"
RECEIVE, SEND = 0, 1  # the virtqueues of the first pair; add 2 for each further pair
ACCESS, MEMORY = Format("host_access"), Format("memory_access")
READ_OR_WRITE = MEMORY.encode("grant_rights", {"read": 1, "write": 1})
# Words of a queue in the window, behind the three addresses.
SIZE, START, ENABLE, STATE, DOORBELL = 6, 7, 8, 9, 10
MOST_COALESCED = 0xFFFF  # frames, and microseconds
STOP_READS = 10_000
"""More reads of a queue's state than a queue needs to end."""


@dataclass(frozen=True)
class Place:
    """Where a virtqueue is in host memory: the addresses of its parts, as virtio 1.2 calls them, its size, the index to start from
    (of a packed ring: the slot, and its wrap counter in bit 15). event_index: each side says at which index it wants to be told.
    mergeable: a frame to the host may be in several buffers. indirect: a descriptor can name a table of descriptors.
    verified: the headers of received frames say whether their checksums are right.
    tcp4, tcp6, ecn, udp: frames that may be cut into segments: TCP over IPv4, over IPv6, either with the flag CWR, UDP."""

    descriptors: int
    driver: int
    device: int
    size: int
    start: int = 0
    packed: bool = False
    event_index: bool = False
    mergeable: bool = False
    indirect: bool = False
    verified: bool = False
    tcp4: bool = False
    tcp6: bool = False
    ecn: bool = False
    udp: bool = False


@dataclass(frozen=True)
class Commands:
    """The commands of a control queue: receive modes and addresses, VLANs, the device's address, the number of pairs, when interrupts come, how flows are
    spread (receive-side scaling)."""

    receive: bool = False
    vlan: bool = False
    address: bool = False
    pairs: bool = False
    coalesce: bool = False
    rss: bool = False


@dataclass(frozen=True)
class Coalescing:
    """How long an interrupt of a virtqueue waits: until `frames` have been used since the last one (0: any number), at most `microseconds`
    (0: it does not wait)."""

    microseconds: int = 0
    frames: int = 0


@dataclass(frozen=True)
class Filter:
    """The receive filter that the host's driver has set. active: the filter is on. many_unicast, many_multicast: it wants more addresses than the
    table holds, so it gets all frames of that sort. vlans: it gets tagged frames only of VLANs that it has added. addresses: in the table.
    mac: the device's address."""

    active: bool
    promiscuous: bool
    all_multicast: bool
    many_unicast: bool
    many_multicast: bool
    vlans: bool
    addresses: int
    mac: str


@dataclass(frozen=True)
class QueueState:
    """active: whether it runs. reason: why it was stopped, None if it was not. index: where to start it again."""

    active: bool
    reason: str | None
    index: int


@dataclass(frozen=True)
class QueueStats:
    """frames: those that have passed a virtqueue since reset. drops: those that have not, for any reason. For a control queue: commands
    carried out, and commands refused."""

    frames: int
    drops: int


@dataclass(frozen=True)
class HostStats:
    """The traffic at the card's port to the host."""

    reads: int
    writes: int
    read_beats: int
    write_beats: int
    kicks: int
    calls: int
    lost_calls: int
    outside: int

    @property
    def text(self) -> str:
        return f"Host: {self.reads} reads, {self.writes} writes, {self.kicks} kicks, {self.calls} interrupts."


class HostPort:
    """The host behind the card's port: its memory, virtqueues, control queue and statistics."""

    def __init__(self, library: Library, card: Any, registers: Registers):
        self._library, self._card, self._registers = library, card, registers
        self._maps = HostMaps(library, card)
        self.device = next((tile.name for tile in registers.manifest.tiles if tile.kind == KIND), None)
        """The tile that is the host's network device, None if there is none."""

    @property
    def tile(self) -> str:
        """The tile that is the host's network device. Raises GirihError."""
        if self.device is None:
            raise GirihError("the card has no network device for a host", self._registers.manifest.name, "Add a tile: host: {kind: virtio_net, next: {any: eth_tx}}")
        return self.device

    @property
    def regions(self) -> int:
        """The number of ranges that can be granted."""
        return ACCESS.size("HostRegions")

    @cached_property
    def pairs(self) -> int:
        """The number of virtqueue pairs: `RECEIVE` and `SEND` are the first; each further pair is two numbers higher."""
        return self._registers.read_window(self.tile, offset(WINDOW, "pairs"))

    @cached_property
    def segments(self) -> bool:
        """Whether frames of the host can be cut into segments."""
        return self._offload(0)

    @cached_property
    def can_scale(self) -> bool:
        """Whether a driver can spread flows over the pairs by a key of its own (receive-side scaling)."""
        return self._offload(1)

    @property
    def scales(self) -> bool:
        """Whether the driver does."""
        return self._offload(2)

    def set_latency(self, cycles: int) -> None:
        """Cycles from an access of the card to its answer."""
        self._library.call("host_latency", self._card, cycles)

    def map(self, address: int, size: int, descriptor: int, at: int = 0) -> Mapped:
        """Maps `size` bytes of a file, from `at` on, as host memory from `address` on, until `unmap` takes them away. The descriptor can be closed
        afterwards. Raises GirihError if a byte is mapped already, or is not in the file."""
        return self._maps.map(Region(address, size), descriptor, at)

    def unmap(self, mine: Iterable[Mapped]) -> None:
        """Takes away regions that `map` has given."""
        self._maps.unmap(mine)

    def unmap_all(self) -> None:
        """Removes all memory, whoever has mapped it, for a host that restarts."""
        self._maps.unmap(self._maps.all())

    def close(self) -> None:
        """Closes the files of the memory, when the card has ended."""
        self._maps.close()

    def granted_to_tiles(self) -> list[Region]:
        """The pages that the tile `dma` lets other tiles of the card reach; none if there is no such tile."""
        dma = next((tile for tile in self._registers.manifest.tiles if tile.kind == DMA), None)
        if dma is None:
            return []
        page, upper = MEMORY.size("PageBytes"), self._registers.read(f"{dma.name}.upper") << MEMORY.size("AddrBits")
        found = []
        for entry in (name.removeprefix("grant_rights") for name in dma.registers if name.startswith("grant_rights")):
            rights, first, last = (self._registers.read(f"{dma.name}.grant_{part}{entry}") for part in ("rights", "first", "last"))
            if rights & READ_OR_WRITE and first <= last:
                found.append(Region(upper + page * first, page * (last - first + 1)))
        return found

    def notify(self, queue: int, kick: int | None, call: int | None) -> None:
        """The eventfds of a virtqueue, None for none."""
        doorbell = self._registers.window_address(self.tile, self._at(queue, DOORBELL))
        self._library.call("host_queue", self._card, queue, -1 if kick is None else kick, -1 if call is None else call, doorbell)

    @property
    def stats(self) -> HostStats:
        stats = self._library.ffi.new("girih_host_stats *")
        self._library.call("host_stats_get", self._card, stats)
        return HostStats(**{name: getattr(stats, name) for name in HostStats.__dataclass_fields__})

    # ---- registers ----

    def grant(self, regions: Sequence[Region]) -> None:
        """Lets the card access these ranges of host memory, and nothing else. Raises GirihError."""
        if len(regions) > self.regions:
            raise GirihError(f"{len(regions)} ranges of host memory are granted", self.tile, f"Grant at most {self.regions}.")
        for number in range(self.regions):
            at = offset(WINDOW, "regions", region=number)
            self._write(at + 16, 0)
            if number < len(regions):
                region = regions[number]
                self._write_address(at, region.address)
                self._write_address(at + 8, region.address + region.size - 1)
                self._write(at + 16, 1)

    def start(self, queue: int, place: Place) -> None:
        """Sets a virtqueue up, and enables it."""
        for word, address in enumerate((place.descriptors, place.driver, place.device)):
            self._write_address(self._at(queue, 2 * word), address)
        features = place.packed | place.event_index << 1 | place.mergeable << 2 | place.indirect << 3 | place.verified << 4
        features |= place.tcp4 << 5 | place.tcp6 << 6 | place.ecn << 7 | place.udp << 8
        self._write(self._at(queue, SIZE), place.size | features << 16)
        self._write(self._at(queue, START), place.start)
        self._write(self._at(queue, ENABLE), 1)

    def stop(self, queue: int) -> int:
        """Disables a virtqueue, and waits until all its accesses are done; the index to start again from. Raises GirihError."""
        self._write(self._at(queue, ENABLE), 0)
        for _ in range(STOP_READS):
            state = self.state(queue)
            if not state.active:
                return state.index
        raise GirihError(f"virtqueue {queue} does not end", self.tile, "This is a fault of the card: run it with waves.")

    def kick(self, queue: int) -> None:
        """Rings the doorbell of a virtqueue."""
        self._write(self._at(queue, DOORBELL), 1)

    def state(self, queue: int) -> QueueState:
        """The state of a virtqueue."""
        word = self._registers.read_window(self.tile, self._at(queue, STATE))
        reason = word >> 8 & 15
        return QueueState(bool(word & 1), ACCESS.names("stop")[reason] if reason else None, word >> 16)

    def steer(self, pairs: Sequence[int]) -> None:
        """Spreads received flows over pairs of virtqueues. The given pairs fill the table, repeated if it has more entries. Raises GirihError
        for a pair that does not exist."""
        if not pairs or not all(0 <= pair < self.pairs for pair in pairs):
            raise GirihError(f"flows are to go to the pairs {', '.join(map(str, pairs)) or 'of an empty list'}", self.tile, f"There are {self.pairs}, from 0 on.")
        for entry in range(ACCESS.size("SteerEntries")):
            self._write(offset(WINDOW, "steer", entry=entry), pairs[entry % len(pairs)])

    def coalesce(self, direction: int, how: Coalescing) -> None:
        """Sets how long the interrupts of all virtqueues in a direction (RECEIVE, SEND) wait, unless the driver sets it itself. Raises GirihError for a value
        that the card cannot hold."""
        for name, value in vars(how).items():
            if not 0 <= value <= MOST_COALESCED:
                raise GirihError(f"interrupts are to wait for {value} {name}", self.tile, f"Give 0 to {MOST_COALESCED}.")
        self._write(offset(WINDOW, "coalesce", direction=direction), how.microseconds << 16 | how.frames)

    def coalescing(self, direction: int) -> Coalescing:
        """How long the interrupts of a direction wait at present."""
        word = self._registers.read_window(self.tile, offset(WINDOW, "coalesce", direction=direction))
        return Coalescing(word >> 16, word & MOST_COALESCED)

    @property
    def control(self) -> int:
        """The number of the control queue, which follows those of all pairs."""
        return 2 * self.pairs

    def offer(self, mac: str, commands: Commands) -> None:
        """Sets the device's address, until a driver sets another, and the commands that the control queue accepts. The control queue must not be active."""
        octets = bytes.fromhex(mac.replace(":", ""))
        self._write(self._filter(0), int.from_bytes(octets[:4], "little"))
        self._write(self._filter(1), int.from_bytes(octets[4:], "little"))
        self._write(self._filter(2), commands.receive | commands.vlan << 1 | commands.address << 2 | commands.pairs << 3 | commands.coalesce << 4 | commands.rss << 5)

    @property
    def filter(self) -> Filter:
        """The current receive filter."""
        words = [self._registers.read_window(self.tile, self._filter(word)) for word in (3, 4, 5)]
        active, promiscuous, all_multicast, many_unicast, many_multicast, vlans = (bool(words[0] >> bit & 1) for bit in range(6))
        mac = words[1].to_bytes(4, "little") + words[2].to_bytes(2, "little")
        return Filter(active, promiscuous, all_multicast, many_unicast, many_multicast, vlans, words[0] >> 8 & 0x7F, mac.hex(":"))

    def queue_stats(self, queue: int) -> QueueStats:
        """The counters of a virtqueue."""
        halves = [self._registers.read_window(self.tile, offset(WINDOW, "passed", queue=queue, what=what, half=half)) for what in range(2) for half in range(2)]
        return QueueStats(halves[0] | halves[1] << 32, halves[2] | halves[3] << 32)

    def _offload(self, bit: int) -> bool:
        return bool(self._registers.read_window(self.tile, offset(WINDOW, "offloads")) >> bit & 1)

    def _filter(self, word: int) -> int:
        return offset(WINDOW, "filter", word=word)

    def _at(self, queue: int, word: int) -> int:
        return offset(WINDOW, "queues", queue=queue, word=word)

    def _write(self, at: int, value: int) -> None:
        self._registers.write_window(self.tile, at, value)

    def _write_address(self, at: int, value: int) -> None:
        self._write(at, value & 0xFFFFFFFF)
        self._write(at + 4, value >> 32)
