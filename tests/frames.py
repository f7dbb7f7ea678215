# SPDX-License-Identifier: Apache-2.0
"""Frames for the tests of whole cards: correct ones, and malformed ones of every kind that a card must survive.

Addresses are bytes in network order. Every builder takes overrides for the fields that a test wants
to be wrong; checksums and lengths are right unless they are given.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

from tests.oracle import ARP, BROADCAST, ECHO_PORT, ICMP, IPV4, UDP, VLAN, ones_sum, pseudo_header


@dataclass(frozen=True)
class Host:
    """A host on the wire."""

    mac: bytes
    ip: bytes


def ethernet(dst: bytes, src: bytes, ethertype: int, payload: bytes, tags: tuple[int, ...] = ()) -> bytes:
    """A frame without FCS, not padded."""
    stack = b"".join(struct.pack("!HH", VLAN, tag) for tag in tags)
    return dst + src + stack + struct.pack("!H", ethertype) + payload


def ipv4(
    src: bytes,
    dst: bytes,
    protocol: int,
    payload: bytes,
    *,
    options: bytes = b"",
    version: int = 4,
    ihl: int | None = None,
    total_length: int | None = None,
    tos: int = 0,
    fragment: int = 0x4000,
    ttl: int = 64,
    checksum_error: int = 0,
) -> bytes:
    """An IPv4 packet; checksum_error is added to its header's checksum."""
    ihl = 5 + len(options) // 4 if ihl is None else ihl
    total_length = 20 + len(options) + len(payload) if total_length is None else total_length
    fields = struct.pack("!BBHHHBBH", version << 4 | ihl, tos, total_length, 0x1234, fragment, ttl, protocol, 0)
    header = fields + src + dst + options
    # The checksum covers as many bytes as ihl claims, also where the claim is wrong.
    checksum = (0xFFFF - ones_sum((header + payload)[: max(20, 4 * ihl)]) + checksum_error) & 0xFFFF
    return header[:10] + checksum.to_bytes(2, "big") + header[12:] + payload


def udp(
    src: bytes,
    dst: bytes,
    payload: bytes,
    *,
    source: int = 40000,
    destination: int = ECHO_PORT,
    length: int | None = None,
    checksum: int | None = None,
    checksum_error: int = 0,
) -> bytes:
    """A UDP datagram; checksum 0: none."""
    length = 8 + len(payload) if length is None else length
    header = struct.pack("!HHHH", source, destination, length, 0)
    if checksum is None:
        checksum = 0xFFFF - ones_sum(pseudo_header(src + dst, length) + header + payload) or 0xFFFF
        checksum = (checksum + checksum_error) & 0xFFFF or 1
    return header[:6] + checksum.to_bytes(2, "big") + payload


def icmp(payload: bytes, *, kind: int = 8, code: int = 0, identifier: int = 7, sequence: int = 1, checksum_error: int = 0) -> bytes:
    """An ICMP message, an echo request unless told otherwise."""
    message = struct.pack("!BBHHH", kind, code, 0, identifier, sequence) + payload
    checksum = (0xFFFF - ones_sum(message) + checksum_error) & 0xFFFF
    return message[:2] + checksum.to_bytes(2, "big") + message[4:]


def arp(
    operation: int, sender: Host, target_mac: bytes, target_ip: bytes, form: bytes = b"\0\x01\x08\0\x06\x04"
) -> bytes:
    """An ARP packet; form: its hardware and protocol types and lengths."""
    return form + operation.to_bytes(2, "big") + sender.mac + sender.ip + target_mac + target_ip


VLANS = (0, 5, 4094)  # that hosts are in; 0: none, with or without a tag


def source_route(kind: int, hops: int, pointer: int) -> bytes:
    """An IPv4 option: a loose (131) or strict (137) source route."""
    return bytes([kind, 3 + 4 * hops, pointer]) + bytes(range(4 * hops))


def filled(options: bytes) -> bytes:
    """Options as a header holds them: whole words, at most ten."""
    return options.ljust(-(-len(options) // 4) * 4, b"\0")


class Traffic:
    """Random frames to `card`, from hosts of its network that it knows, and from one beyond.

    with_arp: the card speaks ARP. `next` gives the name of the frame's kind, the frame, and whether
    its check sequence is bad. The same seed gives the same frames.
    """

    def __init__(self, card: Host, hosts: list[Host], stranger: Host, seed: int):
        self.card, self.hosts, self.stranger = card, hosts, stranger
        self._random = random.Random(seed)
        good = [self._echo, self._ping, self._arp_request]
        self._kinds: list[Callable[[], bytes]] = 4 * good + [
            getattr(self, name) for name in sorted(dir(self)) if name.startswith(("_bad_", "_odd_"))
        ]

    def next(self) -> tuple[str, bytes, bool]:
        kind = self._random.choice(self._kinds)
        frame = kind()
        return kind.__name__.strip("_"), frame, self._random.random() < 0.02

    # ---- parts ----

    def _one_in(self, n: int) -> bool:
        return self._random.randrange(n) == 0

    def _payload(self, most: int = 8900) -> bytes:
        """Mostly short, so that a run has many. All lengths modulo the flit size occur."""
        draw = self._random.random()
        length = self._random.randrange(0, 130 if draw < 0.8 else 1473 if draw < 0.99 else most)
        return self._random.randbytes(min(length, most))

    def _host(self) -> Host:
        return self._random.choice(self.hosts)

    def _tags(self) -> tuple[int, ...]:
        return (self._random.randrange(16) << 12 | self._random.choice(VLANS),) if self._one_in(8) else ()

    def _frame(self, ethertype: int, payload: bytes, src: Host, pad: bool = True, **fields) -> bytes:
        frame = ethernet(fields.pop("dst", self.card.mac), src.mac, ethertype, payload, **({"tags": self._tags()} | fields))
        return frame.ljust(60, bytes([self._random.getrandbits(8)])) if pad and self._one_in(2) else frame

    def _ipv4(self, protocol: int, payload: bytes, src: Host, pad: bool = True, frame: dict | None = None, **fields) -> bytes:
        packet = ipv4(src.ip, fields.pop("dst", self.card.ip), protocol, payload, **fields)
        return self._frame(IPV4, packet, src, pad, **(frame or {}))

    def _udp(self, src: Host | None = None, payload: bytes | None = None, ip: dict | None = None, **fields) -> bytes:
        src = src or self._host()
        fields.setdefault("source", self._random.getrandbits(16))
        data = self._payload() if payload is None else payload
        return self._ipv4(UDP, udp(src.ip, self.card.ip, data, **fields), src, **(ip or {}))

    # ---- correct ----

    def _echo(self) -> bytes:
        return self._udp()

    def _ping(self) -> bytes:
        message = icmp(self._payload(), identifier=self._random.getrandbits(16), sequence=self._random.getrandbits(16))
        return self._ipv4(ICMP, message, self._host())

    def _arp_request(self) -> bytes:
        dst = self._random.choice((BROADCAST, self.card.mac))
        host = self._host()
        return self._frame(ARP, arp(1, host, bytes(6), self.card.ip), host, dst=dst)

    # ---- correct, but rare ----

    def _option(self) -> bytes:
        """A valid option that asks nothing of the card, such as a completed route."""
        draw, hops = self._random.randrange(5), self._random.randint(1, 4)
        if draw == 0:
            return source_route(self._random.choice((131, 137)), hops, 4 + 4 * hops)
        if draw == 1:
            return bytes([7, 3 + 4 * hops, 4]) + self._random.randbytes(4 * hops)  # record route
        if draw == 2:
            length = self._random.randint(2, 12)
            return bytes([self._random.choice((68, 130, 136, 148, 222)), length]) + self._random.randbytes(length - 2)
        return b"\1" * self._random.randint(1, 5)

    def _options(self) -> bytes:
        options = b""
        for _ in range(self._random.randint(1, 5)):
            option = self._option()
            options += option if len(options) + len(option) <= 40 else b""
        if len(options) % 4 and self._one_in(2):  # what is behind the end means nothing
            return (options + b"\0" + self._random.randbytes(3))[: len(filled(options))]
        return filled(options)

    def _odd_options(self) -> bytes:
        return self._udp(ip={"options": self._options()})

    def _odd_ping_options(self) -> bytes:
        return self._ipv4(ICMP, icmp(self._payload()), self._host(), options=self._options())

    def _odd_type_of_service(self) -> bytes:
        tos = self._random.getrandbits(8)
        return self._udp(ip={"tos": tos}) if self._one_in(2) else self._ipv4(ICMP, icmp(self._payload()), self._host(), tos=tos)

    def _odd_no_checksum(self) -> bytes:
        return self._udp(checksum=0)

    def _odd_bytes_behind_the_datagram(self) -> bytes:
        src, data = self._host(), self._payload(2000)
        datagram = udp(src.ip, self.card.ip, data) + self._random.randbytes(self._random.randint(1, 200))
        return self._ipv4(UDP, datagram, src)

    def _odd_bytes_behind_the_packet(self) -> bytes:
        return self._udp(payload=self._payload(2000)) + self._random.randbytes(self._random.randint(1, 1500))

    def _odd_largest(self) -> bytes:
        tags = self._tags()
        return self._udp(payload=self._random.randbytes(9000 - 28 - self._random.randrange(4)), ip={"frame": {"tags": tags}})

    def _odd_empty(self) -> bytes:
        return self._udp(payload=b"")

    def _odd_zero_ping(self) -> bytes:
        return self._ipv4(ICMP, icmp(bytes(self._random.randrange(100)), identifier=0, sequence=0), self._host())

    def _odd_time_to_live(self) -> bytes:
        return self._udp(ip={"ttl": self._random.randrange(2)})

    def _odd_checksum_of_ffff(self) -> bytes:
        """The payload's last word is such that the checksum of the answer is sent as 0xffff."""
        src, data = self._host(), self._random.randbytes(2 * self._random.randint(1, 60))
        datagram = udp(src.ip, self.card.ip, data + b"\0\0", source=40000)
        return self._ipv4(UDP, udp(src.ip, self.card.ip, data + datagram[6:8], source=40000), src)

    def _odd_arp(self) -> bytes:
        """To others, or an unsolicited answer; or from an address that no neighbour has."""
        to_us = self._one_in(2)
        sender = self._random.choice((self._host(), self._host(), self.stranger, Host(self._host().mac, self._nobody())))
        target = self.card.ip if to_us else self._random.choice(self.hosts).ip
        return self._frame(ARP, arp(2 if to_us else self._random.randint(1, 2), sender, self.card.mac, target), sender, dst=BROADCAST)

    def _odd_arp_probe(self) -> bytes:
        host = Host(self._host().mac, bytes(4))
        return self._frame(ARP, arp(1, host, bytes(6), self.card.ip), host, dst=BROADCAST)

    # ---- wrong ----

    def _nobody(self) -> bytes:
        """An address that no other host can have."""
        first = bytes([self._random.choice((0, 127, 224, 239, 240, 255))])
        subnet = self.card.ip[:3]
        return self._random.choice((first + self._random.randbytes(3), subnet + b"\0", subnet + b"\xff", self.card.ip, b"\xff" * 4))

    def _bad_ethernet_broadcast(self) -> bytes:
        return self._udp(ip={"frame": {"dst": BROADCAST}})

    def _bad_source_mac(self) -> bytes:
        group = bytes([self._random.getrandbits(8) | 1]) + self._random.randbytes(5)
        mac = self._random.choice((group, BROADCAST, bytes(6), self.card.mac))
        return self._random.choice((self._udp, self._arp_request))()[:6] + mac + self._udp()[12:]

    def _bad_vlan(self) -> bytes:
        return self._udp(ip={"frame": {"tags": (self._random.randrange(16) << 12 | 4095,)}})

    def _bad_source_route(self) -> bytes:
        hops = self._random.randint(1, 4)
        pointer = self._random.choice((4, 4 * hops, 3 + 4 * hops, self._random.getrandbits(8)))
        before = b"".join(self._option() for _ in range(self._random.randrange(3)))
        route = source_route(self._random.choice((131, 137)), hops, pointer)
        return self._udp(ip={"options": filled(before[: 40 - len(route)] + route)})

    def _bad_options(self) -> bytes:
        return self._udp(ip={"options": self._random.randbytes(4 * self._random.randint(1, 10))})

    def _bad_source_port(self) -> bytes:
        return self._udp(source=self._random.choice((0, 7, 13, 17, 19, 37)))

    def _bad_echo_code(self) -> bytes:
        return self._ipv4(ICMP, icmp(self._payload(), code=self._random.randint(1, 255)), self._host())

    def _bad_runt(self) -> bytes:
        frame = self._udp(ip={"pad": False})
        return frame[: self._random.randint(1, 17)]

    def _bad_truncated(self) -> bytes:
        frame = self._random.choice((self._echo, self._ping, self._arp_request, self._odd_options))()
        return frame[: self._random.randint(14, len(frame))]

    def _bad_oversize(self) -> bytes:
        size = 9019 + (self._random.randrange(140) if self._one_in(2) else self._random.randrange(7000))
        if self._one_in(2):
            return self._udp(payload=self._random.randbytes(100)).ljust(size, b"\x55")
        return self._udp(payload=self._random.randbytes(size - 42), ip={"frame": {"tags": ()}})

    def _bad_ip_checksum(self) -> bytes:
        return self._udp(ip={"checksum_error": self._random.randint(1, 0xFFFE)})

    def _bad_udp_checksum(self) -> bytes:
        return self._udp(checksum_error=self._random.randint(1, 0xFFFD))

    def _bad_icmp_checksum(self) -> bytes:
        return self._ipv4(ICMP, icmp(self._payload(), checksum_error=self._random.randint(1, 0xFFFE)), self._host())

    def _bad_flipped_bit(self) -> bytes:
        """Somewhere behind the Ethernet header and its tag: in another VLAN its sender would be another, unknown neighbour."""
        frame = bytearray(self._random.choice((self._echo, self._ping))())
        header = 18 if frame[12:14] == b"\x81\x00" else 14
        bit = self._random.randrange(8 * header, 8 * len(frame))
        frame[bit // 8] ^= 1 << bit % 8
        return bytes(frame)

    def _bad_total_length(self) -> bytes:
        payload = self._payload()
        real = 28 + len(payload)
        wrong = self._random.choice((0, 19, 20, 27, real - 1, real + 1, real + 64, real + 1000, 0xFFFF, self._random.getrandbits(16)))
        return self._udp(payload=payload, ip={"total_length": max(wrong, 0)})

    def _bad_ihl(self) -> bytes:
        return self._udp(ip={"ihl": self._random.randrange(16)})

    def _bad_udp_length(self) -> bytes:
        payload = self._payload()
        wrong = (0, 7, 8, len(payload) + 7, len(payload) + 9, 0xFFFF, self._random.getrandbits(16))
        return self._udp(payload=payload, length=self._random.choice(wrong))

    def _bad_version(self) -> bytes:
        return self._udp(ip={"version": self._random.randrange(16)})

    def _bad_fragment(self) -> bytes:
        return self._udp(ip={"fragment": self._random.choice((0x2000, 0x0001, 0x1FFF, 0x8000, self._random.getrandbits(16)))})

    def _bad_protocol(self) -> bytes:
        return self._ipv4(self._random.randrange(256), self._payload(), self._host())

    def _bad_port(self) -> bytes:
        return self._udp(destination=self._random.choice((0, 6, 8, 7 << 8, self._random.getrandbits(16))))

    def _bad_icmp_kind(self) -> bytes:
        kind, code = self._random.choice(((0, 0), (8, 1), (3, 3), (13, 0), (self._random.randrange(256), 0)))
        return self._ipv4(ICMP, icmp(self._payload(), kind=kind, code=code), self._host())

    def _bad_icmp_short(self) -> bytes:
        return self._ipv4(ICMP, icmp(b"")[: self._random.randrange(8)], self._host())

    def _bad_ethertype(self) -> bytes:
        ethertype = self._random.choice((0x86DD, 0x88CC, 0x05DC, 0x88A8, 0, self._random.getrandbits(16)))
        return self._frame(ethertype, self._payload(), self._host())

    def _bad_two_tags(self) -> bytes:
        return self._udp(ip={"frame": {"tags": (self._random.getrandbits(16), self._random.getrandbits(16))}})

    def _bad_destination_mac(self) -> bytes:
        dst = self._random.choice((bytes.fromhex("01005e000001"), self._random.randbytes(6), bytes(6)))
        return self._udp(ip={"frame": {"dst": dst}})

    def _bad_destination_ip(self) -> bytes:
        dst = self._random.choice((b"\xff" * 4, self.card.ip[:3] + b"\xff", b"\xe0\0\0\x01", bytes(4), self._random.randbytes(4)))
        return self._udp(ip={"dst": dst})

    def _bad_source_ip(self) -> bytes:
        return self._udp(Host(self._host().mac, self._nobody()))

    def _bad_nobody_on_the_way_back(self) -> bytes:
        return self._udp(src=self.stranger)

    def _bad_arp(self) -> bytes:
        host, form, operation = self._host(), b"\0\x01\x08\0\x06\x04", 1
        draw = self._random.randrange(3)
        if draw == 0:
            flipped = self._random.randrange(48)
            form = (int.from_bytes(form, "big") ^ 1 << flipped).to_bytes(6, "big")
        elif draw == 1:
            operation = self._random.choice((0, 3, 8, 0x100, 0xFFFF))
        else:
            mac = self._random.choice((bytes([host.mac[0] | 1]) + host.mac[1:], bytes(6), self.card.mac))
            return self._frame(ARP, arp(operation, Host(mac, host.ip), bytes(6), self.card.ip, form), host, dst=BROADCAST)
        return self._frame(ARP, arp(operation, host, bytes(6), self.card.ip, form), host, dst=BROADCAST)

    def _bad_random(self) -> bytes:
        return self._random.randbytes(self._random.randint(1, 1600))

    def _bad_random_to_us(self) -> bytes:
        ethertype = self._random.choice((IPV4, ARP, VLAN))
        return self.card.mac + self._random.randbytes(6) + ethertype.to_bytes(2, "big") + self._random.randbytes(self._random.randint(0, 300))

    def _bad_random_ipv4_body(self) -> bytes:
        return self._ipv4(self._random.choice((UDP, ICMP)), self._payload(), self._host())
