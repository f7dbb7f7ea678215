# SPDX-License-Identifier: Apache-2.0
"""The oracle against scapy, an independent implementation, and one frame for each of its reasons."""

import random

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from tests.frames import VLANS, Host, Traffic, arp, ethernet, icmp, ipv4, source_route, udp
from tests.oracle import ICMP as PROTOCOL_ICMP
from tests.oracle import IPV4, Oracle, comparable, ones_sum
from tests.oracle import UDP as PROTOCOL_UDP

CARD = Host(bytes.fromhex("026769726968"), bytes([10, 77, 0, 2]))
PEER = Host(bytes.fromhex("020000000001"), bytes([10, 77, 0, 1]))
STRANGER = Host(bytes.fromhex("0200000000ff"), bytes([192, 0, 2, 1]))


@pytest.fixture
def oracle():
    oracle = Oracle(CARD.mac, CARD.ip, resolves=True)
    oracle.neighbours |= {(vlan, PEER.ip): PEER.mac for vlan in (0, 5)}
    return oracle


def mac(host: Host) -> str:
    return host.mac.hex(":")


def address(host: Host) -> str:
    return ".".join(map(str, host.ip))


def from_peer(tag=None):
    frame = Ether(src=mac(PEER), dst=mac(CARD))
    return frame / Dot1Q(vlan=tag) if tag else frame


def from_card(tag=None):
    frame = Ether(src=mac(CARD), dst=mac(PEER))
    return frame / Dot1Q(vlan=tag) if tag else frame


def padded(packet) -> bytes:
    return bytes(packet).ljust(60, b"\0")


@pytest.mark.parametrize("tag", [None, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 63, 1472, 8972])
def test_answers_are_those_that_scapy_builds(oracle, tag, size):
    data = Raw(random.Random(size).randbytes(size))
    there = IP(src=address(PEER), dst=address(CARD), tos=0xB9)
    back = IP(src=address(CARD), dst=address(PEER), flags="DF", id=0, tos=0xB9)
    for request, reply in (
        (UDP(sport=9, dport=7), UDP(sport=7, dport=9)),
        (ICMP(id=3, seq=4), ICMP(type=0, id=3, seq=4)),
    ):
        verdict = oracle.judge(bytes(from_peer(tag) / there / request / data))
        assert verdict.answer == comparable(padded(from_card(tag) / back / reply / data))
        assert verdict.counter is None


def test_arp_is_answered_and_learned():
    oracle = Oracle(CARD.mac, CARD.ip, resolves=True)
    ask = ARP(op=1, hwsrc=mac(PEER), psrc=address(PEER), pdst=address(CARD))
    say = ARP(op=2, hwsrc=mac(CARD), psrc=address(CARD), hwdst=mac(PEER), pdst=address(PEER))
    assert oracle.judge(bytes(from_peer() / ask)).answer == padded(from_card() / say)
    assert oracle.neighbours == {(0, PEER.ip): PEER.mac}


def test_a_sum_of_nothing_is_0_and_of_ffff_is_ffff():
    assert [ones_sum(data) for data in (b"", b"\0" * 9, b"\xff\xff", b"\xff" * 8, b"\x01")] == [0, 0, 0xFFFF, 0xFFFF, 0x100]


def packet(protocol: int, payload: bytes, src: Host = PEER, **fields) -> bytes:
    return ethernet(CARD.mac, src.mac, IPV4, ipv4(src.ip, fields.pop("dst", CARD.ip), protocol, payload, **fields))


def datagram(data: bytes = b"hello", **fields) -> bytes:
    return udp(PEER.ip, CARD.ip, data, **fields)


ECHO = packet(PROTOCOL_UDP, datagram())
REASONS = {
    "runt": (ECHO[:13], "eth_rx.drop_runt"),
    "runt behind its tag": (CARD.mac + PEER.mac + b"\x81\0\0\5\x08", "eth_rx.drop_runt"),
    "another Ethernet address": (b"\x06" + ECHO[1:], "eth_rx.drop_not_ours"),
    "EtherType": (ECHO[:12] + b"\x86\xdd" + ECHO[14:], "eth_rx.drop_no_next_hop"),
    "short": (ECHO[:33], "ip_rx.drop_short"),
    "short options": (packet(PROTOCOL_UDP, b"", ihl=7), "ip_rx.drop_short"),
    "version": (packet(PROTOCOL_UDP, datagram(), version=6), "ip_rx.drop_version"),
    "header length": (packet(PROTOCOL_UDP, datagram(), ihl=4), "ip_rx.drop_header_length"),
    "IPv4 checksum": (packet(PROTOCOL_UDP, datagram(), checksum_error=1), "ip_rx.drop_checksum"),
    "total length": (packet(PROTOCOL_UDP, datagram(), total_length=19), "ip_rx.drop_length"),
    "first fragment": (packet(PROTOCOL_UDP, datagram(), fragment=0x2000), "ip_rx.drop_fragment"),
    "later fragment": (packet(PROTOCOL_UDP, datagram(), fragment=1), "ip_rx.drop_fragment"),
    "another IPv4 address": (packet(PROTOCOL_UDP, datagram(), dst=STRANGER.ip), "ip_rx.drop_not_ours"),
    "source that cannot be answered": (packet(PROTOCOL_UDP, datagram(), src=Host(PEER.mac, bytes([224, 0, 0, 1]))), "ip_rx.drop_bad_source"),
    **{
        f"from {ip}": (packet(PROTOCOL_UDP, datagram(), src=Host(PEER.mac, bytes(map(int, ip.split("."))))), "ip_rx.drop_bad_source")
        for ip in ("0.0.0.0", "0.1.2.3", "127.0.0.1", "240.0.0.1", "255.255.255.255", "10.77.0.0", "10.77.0.255", address(CARD))
    },
    **{
        f"from Ethernet address {mac.hex()}": (ECHO[:6] + mac + ECHO[12:], "eth_rx.drop_bad_source")
        for mac in (bytes(6), b"\xff" * 6, b"\1" + bytes(5), CARD.mac)
    },
    "VLAN 4095": (ethernet(CARD.mac, PEER.mac, IPV4, ECHO[14:], tags=(0x3FFF,)), "eth_rx.drop_bad_vlan"),
    "in a broadcast frame": (b"\xff" * 6 + ECHO[6:], "ip_rx.drop_group_frame"),
    "a route that goes on": (packet(PROTOCOL_UDP, datagram(), options=b"\1" + source_route(131, 2, 8)), "ip_rx.drop_source_route"),
    "an option of no length": (packet(PROTOCOL_UDP, datagram(), options=b"\x44\0\0\0"), "ip_rx.drop_options"),
    "an option that goes beyond the header": (packet(PROTOCOL_UDP, datagram(), options=b"\x44\5\0\0"), "ip_rx.drop_options"),
    "another service": (packet(PROTOCOL_UDP, datagram(source=19)), "echo.drop_source_port"),
    "its own service": (packet(PROTOCOL_UDP, datagram(source=7)), "echo.drop_source_port"),
    "no port": (packet(PROTOCOL_UDP, datagram(source=0)), "echo.drop_source_port"),
    "echo request with a code": (packet(PROTOCOL_ICMP, icmp(b"", code=1)), "icmp.drop_code"),
    "protocol": (packet(6, datagram()), "ip_rx.drop_no_next_hop"),
    "longer than its frame": (ECHO[:-1], "udp_rx.drop_aborted"),
    "UDP length": (packet(PROTOCOL_UDP, datagram(length=14)), "udp_rx.drop_length"),
    "UDP checksum": (packet(PROTOCOL_UDP, datagram(checksum_error=1)), "udp_rx.drop_checksum"),
    "port": (packet(PROTOCOL_UDP, datagram(destination=8)), "udp_rx.drop_no_next_hop"),
    "ICMP length": (packet(PROTOCOL_ICMP, icmp(b"")[:7]), "icmp.drop_length"),
    "ICMP checksum": (packet(PROTOCOL_ICMP, icmp(b"", checksum_error=1)), "icmp.drop_checksum"),
    "ICMP type": (packet(PROTOCOL_ICMP, icmp(b"", kind=13)), "icmp.drop_not_echo"),
    "no way back": (
        packet(PROTOCOL_UDP, udp(STRANGER.ip, CARD.ip, b""), STRANGER),
        "arp.drop_unresolved",
    ),
    "ARP of another kind": (CARD.mac + PEER.mac + b"\x08\x06\0\2" + bytes(26), "arp.drop_malformed"),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_has_its_counter(oracle, reason):
    frame, counter = REASONS[reason]
    verdict = oracle.judge(frame)
    assert (verdict.answer, verdict.counter) == (None, counter)


def test_a_route_that_has_ended_is_no_fault(oracle):
    assert oracle.judge(packet(PROTOCOL_UDP, datagram(), options=b"\1" + source_route(137, 2, 12))).answer


def test_who_teaches(oracle):
    def hears(ip: bytes, mac_address: bytes = b"\2\0\0\0\0\7", to: bytes = CARD.ip, tags: tuple[int, ...] = ()) -> bool:
        before = dict(oracle.neighbours)
        oracle.judge(ethernet(CARD.mac, PEER.mac, 0x0806, arp(2, Host(mac_address, ip), CARD.mac, to), tags=tags))
        return oracle.neighbours != before

    assert hears(bytes([10, 77, 0, 9])) and hears(bytes([10, 77, 0, 9]), tags=(0x2005,))
    assert oracle.neighbours[5, bytes([10, 77, 0, 9])]
    assert not hears(bytes([10, 77, 0, 10]), to=PEER.ip)
    for ip in ("0.0.0.0", "10.77.0.0", "10.77.0.255", "255.255.255.255", "127.0.0.1", "224.0.0.1", "10.77.1.1", address(CARD)):
        assert not hears(bytes(map(int, ip.split("."))))
    for wrong in (bytes(6), b"\xff" * 6, CARD.mac, CARD.mac[:5] + bytes([CARD.mac[5] + 3])):
        assert not hears(bytes([10, 77, 0, 11]), wrong)


def test_bad_and_oversized_frames_are_void(oracle):
    assert oracle.judge(ECHO, bad=True).counter == "udp_rx.drop_aborted"
    oversized = oracle.judge(ECHO.ljust(9019, b"\0"))
    assert (oversized.counter, oversized.marks[0]) == ("udp_rx.drop_aborted", "eth_rx.mark_oversize")
    assert oracle.judge(ECHO.ljust(9018, b"\0")).answer


def test_the_random_traffic_meets_every_reason(oracle):
    """So the test on the card covers all of them."""
    oracle.neighbours |= {(vlan, PEER.ip): PEER.mac for vlan in VLANS}
    traffic = Traffic(CARD, [PEER], STRANGER, seed=1)
    met = {oracle.judge(frame, bad).counter for _kind, frame, bad in (traffic.next() for _ in range(5000))}
    expected = {counter for _frame, counter in REASONS.values()}
    assert met == expected | {None, "icmp.drop_aborted", "arp.drop_aborted", "arp.used_arp"}
