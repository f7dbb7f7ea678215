# SPDX-License-Identifier: Apache-2.0
"""A TCP peer of a card for experiments: it does nothing by itself, and knows the cycle of each frame.

    peer = Peer(card, port=7)
    cycles = peer.connect()
    peer.send(b"text"); segment = peer.take()
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass

from girih.card.virtual import CardFrame, VirtualCard
from girih.errors import GirihError

OWN_MAC, OWN_IP = bytes.fromhex("020000000001"), "10.77.0.1"
FIN, SYN, RST, PUSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
ETHERNET_IP, ETHERNET_ARP, IP_TCP = b"\x08\x00", b"\x08\x06", 6
HEADERS = 54  # Ethernet, IPv4 and TCP without options
OPTIONS = bytes.fromhex("020405b40101040201030307")  # of a SYN of Linux without time stamps: MSS 1,460, SACK, window scale
STAMPED_OPTIONS = bytes.fromhex("020405b40402"), bytes.fromhex("01030307")  # and with them: before the time stamp, and behind it
NO_OPERATION, TIME_STAMP, TIME_STAMP_BYTES = 1, 8, 10
TICK = 1024  # cycles of the peer's clock of time stamps
STEP = 20  # cycles between two looks at the output
MOST_STEPS = 1000
FAULT = "This is a fault of the card: its figures mean nothing."


@dataclass(frozen=True)
class Segment:
    """A segment that the card has sent. window: as it stands in the segment. first_cycle: of its first beat at the pins."""

    seq: int
    ack: int
    flags: int
    window: int
    options: bytes
    data: bytes
    first_cycle: int


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def with_checksum(source: bytes, target: bytes, head: bytes, data: bytes = b"") -> bytes:
    """A segment between two IPv4 addresses, of a header whose checksum is 0, and data."""
    pseudo = source + target + struct.pack("!HH", IP_TCP, len(head) + len(data))
    return head[:16] + struct.pack("!H", checksum(pseudo + head + data)) + head[18:] + data


def ip_frame(mac: bytes, source: bytes, target: bytes, content: bytes, protocol: int = IP_TCP) -> bytes:
    """A frame of the peer for the card with this address, around a packet."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(content), 0, 0, 64, protocol, 0) + source + target
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    return (mac + OWN_MAC + ETHERNET_IP + ip + content).ljust(60, b"\0")


def peer_port(frame: CardFrame) -> int:
    """To which port a segment of the card goes; 0 for another frame."""
    is_segment = frame.data[12:14] == ETHERNET_IP and frame.data[23] == IP_TCP
    return struct.unpack("!H", frame.data[36:38])[0] if is_segment else 0


class Peer:
    """One end of a connection with the card. stamps: it sends time stamps (RFC 7323), as Linux does."""

    def __init__(self, card: VirtualCard, port: int, own_port: int = 40000, *, stamps: bool = False):
        addresses = card.manifest.addresses
        card.keep_output(True, 0)
        self.card, self.port, self.own_port = card, port, own_port
        self._mac = bytes.fromhex(addresses["mac"].replace(":", ""))
        self._ip, self._own_ip = (ipaddress.ip_address(address).packed for address in (addresses["ip"], OWN_IP))
        self.seq, self.ack = 1000, 0
        self.stamps, self._stamp_of_card = stamps, bytes(4)
        self._come: list[Segment] = []

    def send(self, data: bytes = b"", flags: int = ACK | PUSH, options: bytes = b"") -> int:
        """Sends a segment; returns the cycle of its first beat."""
        if self.stamps and not options:
            options = bytes([NO_OPERATION] * 2) + self._stamp()
        frame = self.frame(data, flags, options)
        self.seq = (self.seq + len(data) + bool(flags & SYN)) & 0xFFFFFFFF
        cycle = self.card.cycle + STEP
        self.card.inject(0, frame, cycle=cycle)
        return cycle

    def frame(self, data: bytes = b"", flags: int = ACK | PUSH, options: bytes = b"", window: int = 65535) -> bytes:
        """The frame of the segment that is next."""
        head = struct.pack("!HHIIBBHHH", self.own_port, self.port, self.seq, self.ack, (20 + len(options)) << 2, flags, window, 0, 0) + options
        return ip_frame(self._mac, self._own_ip, self._ip, with_checksum(self._own_ip, self._ip, head, data))

    def take(self) -> Segment:
        """The next segment of the card; segments sent from now on acknowledge it."""
        for _ in range(MOST_STEPS):
            if self._come:
                segment = self._come.pop(0)
                if self.stamps:
                    self._stamp_of_card = self._stamp_in(segment)
                self.ack = (segment.seq + len(segment.data) + bool(segment.flags & SYN)) & 0xFFFFFFFF
                return segment
            self._look(STEP)
        raise GirihError("the card sends no segment", self.card.manifest.name, FAULT)

    def _after(self, cycles: int) -> list[Segment]:
        """Lets the card run for this many cycles, and returns the segments that have come."""
        self._look(cycles)
        return self.come()

    def come(self) -> list[Segment]:
        """The segments that have come, each once."""
        come, self._come = self._come, []
        return come

    def _look(self, cycles: int) -> None:
        self.card.run(cycles)
        for frame in self.card.collect():
            self.receive(frame)

    def receive(self, frame: CardFrame) -> None:
        """Takes a frame of the card: a segment of this connection, or a question for the peer's address."""
        kind, rest = frame.data[12:14], frame.data[14:]
        if kind == ETHERNET_ARP and rest[6:8] == b"\0\1":
            answer = rest[:6] + b"\0\2" + OWN_MAC + self._own_ip + rest[8:18]
            self.card.inject(0, (self._mac + OWN_MAC + ETHERNET_ARP + answer).ljust(60, b"\0"))
        elif peer_port(frame) == self.own_port:
            seq, ack, words, flags, window = struct.unpack("!IIBBH", frame.data[38:50])
            header_end = 34 + (words >> 4) * 4
            data = frame.data[header_end : 14 + struct.unpack("!H", rest[2:4])[0]]
            self._come.append(Segment(seq, ack, flags, window, frame.data[HEADERS:header_end], data, frame.first_cycle))

    def connect(self) -> int:
        """Opens the connection; returns the cycles from the SYN's first beat to that of its answer."""
        start, answer = self._ask(self._stamp().join(STAMPED_OPTIONS) if self.stamps else OPTIONS)
        self.send(flags=ACK)
        self.card.run(10 * STEP)
        return answer.first_cycle - start

    def _stamp(self) -> bytes:
        """The option of the segment that is next."""
        return bytes([TIME_STAMP, TIME_STAMP_BYTES]) + struct.pack("!I", self.card.cycle // TICK) + self._stamp_of_card

    def _stamp_in(self, segment: Segment) -> bytes:
        """The time stamp of a segment of the card, which each must have."""
        options = segment.options
        while options and options[0] != TIME_STAMP:
            options = options[1 if options[0] == NO_OPERATION else max(options[1], 1) :]
        if len(options) < TIME_STAMP_BYTES:
            raise GirihError("a segment of the card has no time stamp", self.card.manifest.name, FAULT)
        return options[2:6]

    def _ask(self, options: bytes) -> tuple[int, Segment]:
        """Sends a SYN with these options; returns the cycle of its first beat, and the SYN-ACK of the card."""
        start = self.send(flags=SYN, options=options)
        answer = self.take()
        if answer.flags != SYN | ACK or answer.ack != self.seq:
            raise GirihError("the card does not accept the connection", self.card.manifest.name, FAULT)
        return start, answer
