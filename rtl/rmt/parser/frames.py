# SPDX-License-Identifier: Apache-2.0
"""Frames of every stack of headers that the shipped parse graph knows, and of some that it does not know."""

import random

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import ESP
from scapy.layers.l2 import ARP, GRE, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

from girih.testing.engines import random_options

NETWORKS = ("ipv4", "ipv4 options", "ipv4 fragment", "ipv6", "arp", "none")
TRANSPORTS = ("tcp", "udp", "esp", "icmp", "gre", "vxlan")


def mac() -> str:
    return ":".join(f"{b:02x}" for b in bytes([2]) + random.randbytes(5))


def ipv6() -> IPv6:
    src, dst = (":".join(f"{random.getrandbits(16):x}" for _ in range(8)) for _ in range(2))
    return IPv6(src=src, dst=dst, tc=random.getrandbits(8), fl=random.getrandbits(20), hlim=random.randint(1, 255))


def _address() -> str:
    return ".".join(str(random.randint(1, 254)) for _ in range(4))


def network(kind: str):
    if kind == "ipv6":
        return ipv6()
    more = {"src": _address(), "dst": _address(), "id": random.getrandbits(16), "ttl": random.randint(1, 255)}
    if kind == "ipv4 options":
        more["options"] = random_options(random.randint(1, 10))
    if kind == "ipv4 fragment":
        more["frag"] = random.randint(1, 8191)
    if kind == "ipv4 first fragment":
        more["flags"] = "MF"
    return IP(**more)


def transport(kind: str, payload: bytes, inner=None):
    ports = {"sport": random.randint(1024, 65535), "dport": random.choice([53, 80, 4788, 4790, 9000])}
    if kind == "tcp":
        return TCP(**ports, seq=random.getrandbits(32), flags="PA") / Raw(payload)
    if kind == "udp":
        return UDP(**ports) / Raw(payload)
    if kind == "udp unsummed":
        return UDP(**ports, chksum=0) / Raw(payload)
    if kind == "esp":
        return ESP(spi=random.getrandbits(32), seq=random.getrandbits(32)) / Raw(payload)
    if kind == "icmp":
        return ICMP() / Raw(payload)
    if kind == "gre":
        return GRE() / Raw(payload)
    return UDP(sport=ports["sport"], dport=4789) / VXLAN(vni=random.getrandbits(24), flags=8) / inner


def frame_of(net: str, kind: str = "udp", *, tagged: bool = False, payload: bytes = b"", inner=None) -> bytes:
    """The bytes of an Ethernet frame, without padding; `inner` (scapy) is what a VXLAN carries."""
    ether = Ether(src=mac(), dst=mac())
    if tagged:
        ether /= Dot1Q(vlan=random.randint(1, 4094), prio=random.randint(0, 7))
    if net == "arp":
        return bytes(ether / ARP()) + payload
    if net == "none":
        last = ether.lastlayer()
        last.type = random.choice([0x88B5, 0x0802, 0x8847])
        return bytes(ether) + payload
    return bytes(ether / network(net) / transport(kind, payload, inner))


def inner_frame(payload: bytes, net: str | None = None, kind: str | None = None):
    net = net or random.choice(["ipv4", "ipv4", "ipv6", "ipv4 options", "ipv4 fragment", "arp"])
    ether = Ether(src=mac(), dst=mac())
    if net == "arp":
        return ether / ARP() / Raw(payload)
    return ether / network(net) / transport(kind or random.choice(["tcp", "udp", "icmp", "udp unsummed"]), payload)


def every_stack(payload_bytes=None):
    """(name, frame) of every stack, each with and without a tag."""
    for tagged in (False, True):
        mark = " tagged" if tagged else ""
        for net in (*NETWORKS, "ipv4 first fragment"):
            kinds = ("udp",) if net in ("arp", "none") else (*TRANSPORTS, "udp unsummed")
            for kind in kinds:
                size = random.randint(0, 90) if payload_bytes is None else payload_bytes
                inners = [None]
                if kind == "vxlan":
                    within = [(n, k) for n in ("ipv4", "ipv6") for k in ("tcp", "udp", "icmp")]
                    within += [(n, None) for n in ("arp", "ipv4 options", "ipv4 fragment")]
                    inners = [inner_frame(random.randbytes(size), n, k) for n, k in within]
                for i, inner in enumerate(inners):
                    frame = frame_of(net, kind, tagged=tagged, payload=random.randbytes(size), inner=inner)
                    yield f"{net} {kind} {i}{mark}", frame


def damaged(frame: bytes) -> bytes:
    """The frame with some bytes changed, often where the parser decides."""
    data = bytearray(frame)
    for _ in range(random.randint(1, 4)):
        at = random.choice([12, 13, 14, 16, 17, 18, 20, 23, 24, 27, 36, 37, 62, 63, 64, random.randrange(len(data))])
        if at < len(data):
            data[at] = random.choice([0, 4, 6, 8, 17, 0x45, 0x46, 0x44, 0x60, 0x81, 0xDD, random.getrandbits(8)])
    return bytes(data)
