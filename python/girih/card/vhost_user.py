# SPDX-License-Identifier: Apache-2.0
"""A vhost-user back end: the card's virtio-net tile as the network device of a program that runs a guest, such as QEMU or
User-Mode Linux. It sets up what PCIe would: memory, addresses of the virtqueues, doorbells, interrupts; the
queues themselves are walked by the card.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

from girih.card.host import ACCESS, Commands, Place, Region
from girih.card.vhost_guest import Guest, Memory, Vring
from girih.card.vhost_socket import Connection, ProtocolError, closed, listener, notify, ring
from girih.card.virtual import VirtualCard
from girih.errors import GirihError

U64, VRING, ADDRESSES, REGION = struct.Struct("<Q"), struct.Struct("<II"), struct.Struct("<IIQQQQ"), struct.Struct("<QQQQ")
NET_CONFIG = struct.Struct("<6sHHHIBBHI")  # struct virtio_net_config: mac, status, pairs, MTU, speed, duplex, bytes of a key, entries of a table, hash types
HASH_TYPES = 0x3F  # IPv4, TCP and UDP over it, IPv6, TCP and UDP over it
INDEX, NO_FD = 0xFF, 0x100  # of the number by which a message names a virtqueue's eventfd

# Feature bits: of virtio, of vhost-user, of its protocol.
NET_HOST_TSO4, NET_HOST_TSO6, NET_HOST_ECN, NET_HOST_USO = 11, 12, 13, 56
NET_CTRL_VQ, NET_CTRL_RX, NET_CTRL_VLAN, NET_CTRL_MAC_ADDR, NET_NOTF_COAL, NET_RSS = 17, 18, 19, 23, 53, 60
NET_CSUM, NET_GUEST_CSUM, NET_MAC, NET_MRG_RXBUF, NET_MQ, INDIRECT, EVENT_INDEX, PROTOCOL_FEATURES, VERSION_1, RING_PACKED, IN_ORDER = 0, 1, 5, 15, 22, 28, 29, 30, 32, 34, 35
PROTOCOL_MQ, REPLY_ACK, BACKEND_REQ, CONFIG, STATUS = 0, 3, 5, 9, 16  # User-Mode Linux 6.1 has no interrupts without BACKEND_REQ
SEGMENTS = sum(1 << bit for bit in (NET_HOST_TSO4, NET_HOST_TSO6, NET_HOST_ECN, NET_HOST_USO))  # offered if the card can cut frames
CONTROL = sum(1 << bit for bit in (NET_CTRL_VQ, NET_CTRL_RX, NET_CTRL_VLAN, NET_CTRL_MAC_ADDR, NET_NOTF_COAL))
FEATURES = CONTROL | SEGMENTS | sum(1 << bit for bit in (NET_CSUM, NET_GUEST_CSUM, NET_MAC, NET_MRG_RXBUF, INDIRECT, EVENT_INDEX, PROTOCOL_FEATURES, VERSION_1, RING_PACKED, IN_ORDER))
OF_QUEUES = {  # the features that the card knows by virtqueue, as `Place` calls them
    "packed": RING_PACKED,
    "event_index": EVENT_INDEX,
    "mergeable": NET_MRG_RXBUF,
    "indirect": INDIRECT,
    "verified": NET_GUEST_CSUM,
    "tcp4": NET_HOST_TSO4,
    "tcp6": NET_HOST_TSO6,
    "ecn": NET_HOST_ECN,
    "udp": NET_HOST_USO,
}
PROTOCOL = 1 << REPLY_ACK | 1 << BACKEND_REQ | 1 << CONFIG | 1 << STATUS

GET_FEATURES, SET_FEATURES, SET_OWNER, RESET_OWNER, SET_MEM_TABLE = 1, 2, 3, 4, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE, SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR = 8, 9, 10, 11, 12, 13, 14
GET_PROTOCOL_FEATURES, SET_PROTOCOL_FEATURES, GET_QUEUE_NUM, SET_VRING_ENABLE, SET_BACKEND_REQ_FD = 15, 16, 17, 18, 21
GET_CONFIG, SET_CONFIG, SET_STATUS, GET_STATUS = 24, 25, 39, 40
CONFIG_CHANGE = 2  # to the guest's program
NEEDS_RESET = 0x40  # a bit of the device's status
LOOK_SECONDS = 1.0  # between two looks at whether a virtqueue has been stopped
MOST_ENTRIES = 32768  # of a virtqueue
CONFIG_BYTES = 256  # readable bytes of the configuration space
EVENTFD = "anon_inode:[eventfd]"


class VhostUser:
    """Listens at a path, and serves one guest at a time, again and again. say: called with messages for the user. features: what
    drivers are offered."""

    def __init__(self, card: VirtualCard, path: Path, say: Callable[[str], None], features: int = FEATURES):
        if card.host is None or card.host.device is None:
            raise GirihError("the card has no network device for a host", card.manifest.name, "Add a tile: host: {kind: virtio_net, next: {any: eth_tx}}")
        self._card, self._host, self._path, self._say = card, card.host, path, say
        self.features = features
        self._queues = 2 * self._host.pairs + 1  # with the control queue
        self._guest: Guest | None = None
        try:
            self._listener = listener(path)
        except OSError as error:
            raise GirihError(f"the socket cannot be made ({error.strerror or error})", str(path), "Name a short path that is free, in a folder that can be written.") from error

    def close(self) -> None:
        """Disconnects the guest, and removes the socket."""
        self._drop()
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def descriptors(self) -> list[int]:
        """The file descriptors to wait on, with the kicks of the guest's queues, which the card reads itself."""
        if self._guest is None:
            return [self._listener.fileno()]
        return [self._guest.connection.fileno(), *(v.kick for v in self._guest.vrings if v.live and v.kick is not None)]

    def serve(self, ready: set[int]) -> None:
        """Handles the descriptors that are ready."""
        try:
            if self._guest is None:
                if self._listener.fileno() in ready:
                    self._guest = Guest(Connection(self._listener.accept()[0]), [Vring() for _ in range(self._queues)])
            elif self._guest.connection.fileno() in ready:
                self._serve(self._guest)
            if self._guest is not None:
                self._look_for_stops(self._guest)
        except EOFError:
            self._drop()
        except (ProtocolError, OSError, GirihError) as error:
            self._say(f"vhost-user: {str(error).rstrip('.')}; the guest is disconnected.")
            self._drop()

    def _drop(self) -> None:
        """Releases the guest's resources: its queues first, then its memory."""
        guest, self._guest = self._guest, None
        if guest is None:
            return
        for number in range(self._queues):
            self._stop(guest, number)
            guest.vrings[number].close()
        self._forget_memory(guest)
        closed(guest.back_channel)
        guest.connection.close()

    def _look_for_stops(self, guest: Guest) -> None:
        """Tells the guest and the user of virtqueues that the card has stopped because of an error."""
        if time.monotonic() < guest.look_at:
            return
        guest.look_at = time.monotonic() + LOOK_SECONDS
        for number, vring in enumerate(guest.vrings):
            reason = self._host.state(vring.on_card).reason if vring.live and not vring.stopped else None
            if reason is None:
                continue
            self._say(f"vhost-user: virtqueue {number} is stopped ({reason}) until its driver resets the device.")
            vring.stopped = True
            guest.status |= NEEDS_RESET
            if vring.error is not None:
                ring(vring.error)
            if guest.back_channel is not None:
                notify(guest.back_channel, CONFIG_CHANGE)

    def _serve(self, guest: Guest) -> None:
        message = guest.connection.receive()
        if message is None:
            return
        try:
            answer = self._answer(guest, message.request, message.body)
        except struct.error as error:
            raise ProtocolError(f"request {message.request} has {len(message.body)} bytes") from error
        guest.connection.forget_descriptors()
        if answer is None and message.needs_reply:
            answer = U64.pack(0)
        if answer is not None:
            guest.connection.reply(message, answer)

    def _answer(self, guest: Guest, request: int, body: bytes) -> bytes | None:
        descriptors = guest.connection.descriptors
        if request == GET_FEATURES:
            return U64.pack(self._offered(guest))
        if request == GET_PROTOCOL_FEATURES:
            return U64.pack(PROTOCOL | (self._host.pairs > 1) << PROTOCOL_MQ)
        if request == GET_QUEUE_NUM:
            return U64.pack(self._host.pairs)
        if request == GET_CONFIG:
            return self._config(guest, body)
        if request == GET_STATUS:
            return U64.pack(guest.status)
        if request == GET_VRING_BASE:
            number = self._number(guest, VRING.unpack(body)[0])
            self._stop(guest, number)
            guest.vrings[number].close()
            return VRING.pack(number, guest.vrings[number].base * (0x10001 if guest.has(RING_PACKED) else 1))
        if request == SET_FEATURES:
            guest.features = U64.unpack(body)[0]
            offered = self._offered(guest)
            if guest.features & ~offered or not guest.has(VERSION_1):
                raise ProtocolError(f"the driver takes the features {guest.features:#x}; VERSION_1 is needed, of those of {offered:#x}")
        elif request == SET_PROTOCOL_FEATURES:
            guest.protocol = U64.unpack(body)[0]
        elif request == SET_MEM_TABLE:
            self._set_memory(guest, body)
        elif request == SET_VRING_NUM:
            number, value = VRING.unpack(body)
            if not 0 < value <= MOST_ENTRIES or (value & (value - 1) and not guest.has(RING_PACKED)):
                raise ProtocolError(f"virtqueue {number} has {value} entries; a split one must have a power of two, at most {MOST_ENTRIES}")
            guest.vrings[self._number(guest, number)].size = value
        elif request == SET_VRING_BASE:
            number, value = VRING.unpack(body)
            guest.vrings[self._number(guest, number)].base = value & 0xFFFF
        elif request == SET_VRING_ADDR:
            number, _flags, table, device, driver, _log = ADDRESSES.unpack(body)
            guest.vrings[self._number(guest, number)].addresses = (table, driver, device)
        elif request == SET_VRING_ENABLE:
            number, value = VRING.unpack(body)
            guest.vrings[self._number(guest, number)].enabled = bool(value)
            self._settle(guest, number)
        elif request == SET_STATUS:
            self._set_status(guest, U64.unpack(body)[0])
        elif request in (SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR):
            self._set_descriptor(guest, request, U64.unpack(body)[0])
        elif request == SET_BACKEND_REQ_FD:
            closed(guest.back_channel)
            guest.back_channel = descriptors.pop(0) if descriptors else None
        elif request not in (SET_OWNER, RESET_OWNER, SET_CONFIG):
            raise ProtocolError(f"request {request} is not served")
        return None

    def _offered(self, guest: Guest) -> int:
        """The features that the guest's driver is offered. It sets the number of its pairs through a control queue: the card's, or one of the guest's program,
        if that supports several pairs."""
        several = self._host.pairs > 1 and (self.features >> NET_CTRL_VQ | guest.protocol >> PROTOCOL_MQ) & 1
        scales = self._host.can_scale and self.features >> NET_CTRL_VQ & 1
        return self.features & ~(0 if self._host.segments else SEGMENTS) | several << NET_MQ | scales << NET_RSS

    def _number(self, guest: Guest, number: int) -> int:
        """The number of a virtqueue that the guest's driver has. Raises ProtocolError."""
        if number >= 2 * self._pairs_of(guest) + guest.has(NET_CTRL_VQ):
            raise ProtocolError(f"virtqueue {number} does not exist")
        return number

    def _pairs_of(self, guest: Guest) -> int:
        """The pairs that the guest's driver knows of."""
        return self._host.pairs if guest.has(NET_MQ) or not guest.has(NET_CTRL_VQ) else 1

    def _on_card(self, guest: Guest, number: int) -> int:
        """The card's number of a guest's virtqueue: the control queue follows the pairs that the driver knows of."""
        return self._host.control if number == 2 * self._pairs_of(guest) else number

    def _offer(self, guest: Guest) -> None:
        """Sets which commands the control queue accepts; flows go to the first pair until the driver wants more."""
        self._host.offer(self._mac, Commands(*map(guest.has, (NET_CTRL_RX, NET_CTRL_VLAN, NET_CTRL_MAC_ADDR, NET_MQ, NET_NOTF_COAL, NET_RSS))))
        self._spread([0])

    @property
    def _mac(self) -> str:
        return self._card.manifest.addresses.get("mac") or "00:00:00:00:00:00"

    def _set_status(self, guest: Guest, status: int) -> None:
        """A status of 0 resets the device; only this clears its need for a reset."""
        if status == 0:
            for number in range(self._queues):
                self._stop(guest, number)
                guest.vrings[number].close()
        guest.status = status | guest.status & NEEDS_RESET if status else 0

    def _config(self, guest: Guest, body: bytes) -> bytes:
        """The requested part of the configuration space: the MAC address, the number of pairs, and the limits of receive-side scaling. The rest is not offered, and 0."""
        at, size, _flags = struct.unpack_from("<III", body)
        changed = guest.has(NET_CTRL_MAC_ADDR) and any(vring.live and vring.on_card == self._host.control for vring in guest.vrings)
        mac = bytes.fromhex((self._host.filter.mac if changed else self._mac).replace(":", ""))
        if at + size > CONFIG_BYTES:
            raise ProtocolError(f"{size} bytes of the configuration are asked for, from {at} on; there are {CONFIG_BYTES}")
        rss = (ACCESS.size("RssKeyBytes"), ACCESS.size("SteerEntries"), HASH_TYPES) if self._host.can_scale else (0, 0, 0)
        config = NET_CONFIG.pack(mac, 0, self._host.pairs, 0, 0, 0, *rss)
        return body[:12] + config.ljust(CONFIG_BYTES, b"\0")[at : at + size]

    def _set_memory(self, guest: Guest, body: bytes) -> None:
        descriptors = guest.connection.descriptors
        count, _padding = struct.unpack_from("<II", body)
        if count > min(self._host.regions, len(descriptors)):
            raise ProtocolError(f"{count} regions of memory with {len(descriptors)} descriptors; there are {self._host.regions} on the card")
        regions = [REGION.unpack_from(body, 8 + index * REGION.size) for index in range(count)]
        for number in range(self._queues):
            self._stop(guest, number)
        self._forget_memory(guest)
        tiles = self._host.granted_to_tiles()
        for (address, size, user, at), descriptor in zip(regions, descriptors, strict=False):
            region = Region(address, size)
            for pages in filter(region.overlaps, tiles):
                raise ProtocolError(f"its memory, {region.text}, overlaps {pages.text}, which the card's tiles may reach")
            guest.memory.append(Memory(self._host.map(address, size, descriptor, at), user))
        self._host.grant([memory.region for memory in guest.memory])
        for number in range(self._queues):
            self._settle(guest, number)

    def _forget_memory(self, guest: Guest) -> None:
        """Unmaps the guest's memory, and no other; no virtqueue may be active."""
        self._host.grant([])
        self._host.unmap(memory.mapped for memory in guest.memory)
        guest.memory = []

    def _set_descriptor(self, guest: Guest, request: int, value: int) -> None:
        number = self._number(guest, value & INDEX)
        vring = guest.vrings[number]
        name = {SET_VRING_KICK: "kick", SET_VRING_CALL: "call", SET_VRING_ERR: "error"}[request]
        descriptors = guest.connection.descriptors
        given = None if value & NO_FD or not descriptors else descriptors[0]
        if name == "kick" and given is not None and os.readlink(f"/proc/self/fd/{given}") != EVENTFD:
            raise ProtocolError(f"the kicks of virtqueue {number} do not come by an eventfd")
        closed(getattr(vring, name))
        setattr(vring, name, given)
        if given is not None:
            descriptors.pop(0)
        if vring.live:
            self._host.notify(vring.on_card, vring.kick, vring.call)
        self._settle(guest, number)

    def _settle(self, guest: Guest, number: int) -> None:
        """Starts or stops a virtqueue on the card, according to its settings."""
        vring = guest.vrings[number]
        enabled = vring.enabled or not guest.has(PROTOCOL_FEATURES)
        if not enabled or vring.kick is None:
            self._stop(guest, number)
        elif not vring.live and vring.addresses is not None and vring.size > 0 and guest.memory:
            table, driver, device = (guest.address(address) for address in vring.addresses)
            base = guest.packed_base(vring) if guest.has(RING_PACKED) else vring.base
            vring.on_card = self._on_card(guest, number)
            if vring.on_card == self._host.control:
                self._offer(guest)
            self._host.notify(vring.on_card, vring.kick, vring.call)
            features = {field: guest.has(bit) for field, bit in OF_QUEUES.items()}
            self._host.start(vring.on_card, Place(table, driver, device, vring.size, base, **features))
            vring.live = True
            self._steer(guest)

    def _stop(self, guest: Guest, number: int) -> None:
        vring = guest.vrings[number]
        if vring.live:
            vring.live = False
            self._steer(guest)
            vring.base = self._host.stop(vring.on_card)
            self._host.notify(vring.on_card, None, None)
            vring.stopped = False

    def _steer(self, guest: Guest) -> None:
        """Spreads flows over the pairs whose receive queues run, unless the driver does so through the card's control queue."""
        if not guest.has(NET_CTRL_VQ):
            self._spread([pair for pair in range(self._host.pairs) if guest.vrings[2 * pair].live] or [0])

    def _spread(self, pairs: list[int]) -> None:
        if self._host.pairs > 1:
            self._host.steer(pairs)
