# SPDX-License-Identifier: Apache-2.0
"""The expected behaviour of a card with the echo stack for a frame, derived only from the protocols.

    oracle = Oracle(mac=..., ip=..., resolves=True)
    verdict = oracle.judge(frame)     # an answer, or the one counter that must count the frame

A model of frames, not of hardware: it knows RFC 791, 768, 792 and 826 and the order in which
docs/contracts.md lets a frame be refused, and nothing of flits, widths or timing.
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass

MAX_FRAME = 9018
MIN_FRAME = 60
ETHERNET, TAG = 14, 4
IPV4, ARP, VLAN = 0x0800, 0x0806, 0x8100
ICMP, UDP = 1, 17
ECHO_PORT = 7
ANSWERING_PORTS = {7: "echo", 13: "daytime", 17: "quote of the day", 19: "character generator", 37: "time"}  # RFC 862 to 868
END_OF_OPTIONS, NO_OPERATION, LOOSE_ROUTE, STRICT_ROUTE = 0, 1, 131, 137
TTL = 64
PORTS = 16  # of a card at most; the address of each is one above that of the one before
BROADCAST = b"\xff" * 6
REQUEST, REPLY = b"\0\x01", b"\0\x02"  # operations of ARP


@dataclass(frozen=True)
class Verdict:
    """answer: the frame that must leave, as `comparable` shows it. counter: when there is no answer, the
    counter of the reason, as `tile.counter`. marks: the other counters that count the frame."""

    answer: bytes | None = None
    counter: str | None = None
    marks: tuple[str, ...] = ()


def ones_sum(data: bytes) -> int:
    """The ones' complement sum of RFC 1071: 0 only for bytes that are all 0."""
    if len(data) % 2:
        data += b"\0"
    total = int.from_bytes(data, "big")
    return (total % 0xFFFF or 0xFFFF) if total else 0


def pseudo_header(addresses: bytes, length: int) -> bytes:
    """The pseudo-header in the UDP checksum. addresses: source and destination."""
    return addresses + struct.pack("!BBH", 0, UDP, length)


def comparable(frame: bytes) -> bytes:
    """A frame of the card, with the field that the card may choose freely (IPv4 identification) set to 0.

    Raises AssertionError when the header's checksum, which covers it, is wrong.
    """
    l3, ethertype = network_header(frame)
    if ethertype != IPV4:
        return frame
    header = frame[l3 : l3 + 4 * (frame[l3] & 15)]
    assert ones_sum(header) == 0xFFFF, f"the card sent a wrong IPv4 checksum: {frame.hex()}"
    return frame[: l3 + 4] + b"\0\0" + frame[l3 + 6 : l3 + 10] + b"\0\0" + frame[l3 + 12 :]


def network_header(frame: bytes) -> tuple[int, int]:
    """Where the network header starts, behind at most one tag, and its EtherType."""
    ethertype = int.from_bytes(frame[12:14], "big")
    if ethertype == VLAN:
        return ETHERNET + TAG, int.from_bytes(frame[16:18], "big")
    return ETHERNET, ethertype


def vlan_of(frame: bytes) -> int:
    """The VLAN of its tag; 0: none, or a tag that has nothing but a priority."""
    return int.from_bytes(frame[14:16], "big") & 0xFFF if frame[12:14] == b"\x81\0" else 0


def fault_of_options(options: bytes) -> str | None:
    """Why a packet with these IPv4 options is dropped by its destination."""
    at = 0
    while at < len(options) and options[at] != END_OF_OPTIONS:
        if options[at] == NO_OPERATION:
            at += 1
            continue
        option = options[at : at + max(2, *options[at + 1 : at + 2], 2)]
        if len(option) < 2 or option[1] != len(option):
            return "drop_options"
        if option[0] in (LOOSE_ROUTE, STRICT_ROUTE):
            if len(option) < 3 or option[2] < 4:
                return "drop_options"
            if option[2] <= len(option):  # it points at an address that is still to be visited
                return "drop_source_route"
        at += len(option)
    return None


class Oracle:
    """One card. resolves: it has ARP and ICMP and asks for its neighbours; else it answers to the
    Ethernet address that a request came from. It learns from the ARP packets that it judges.

    Addresses are bytes in network order.
    """

    def __init__(self, mac: bytes, ip: bytes, *, resolves: bool, prefix: int = 24):
        self.mac, self.ip, self.resolves = mac, ip, resolves
        self._subnet = ipaddress.ip_interface((ip, prefix)).network
        # By VLAN (0: none) and address. The card's table is finite; tests stay below its size.
        self.neighbours: dict[tuple[int, bytes], bytes] = {}

    def judge(self, frame: bytes, bad: bool = False) -> Verdict:
        """The expected fate of a received frame; bad: its check sequence was wrong."""
        marks = []
        if len(frame) > MAX_FRAME:
            frame, bad = frame[:MAX_FRAME], True
            marks.append("eth_rx.mark_oversize")
        elif bad:
            marks.append("eth_rx.mark_bad_frame")
        tagged = frame[12:14] == b"\x81\x00"
        if len(frame) < ETHERNET + TAG * tagged:
            return Verdict(None, "eth_rx.drop_runt", tuple(marks))
        if tagged:
            marks.append("eth_rx.mark_vlan")
        if frame[:6] not in (self.mac, BROADCAST):
            return Verdict(None, "eth_rx.drop_not_ours", tuple(marks))
        if frame[6] & 1 or frame[6:12] in (bytes(6), self.mac):
            return Verdict(None, "eth_rx.drop_bad_source", tuple(marks))
        if tagged and vlan_of(frame) == 4095:
            return Verdict(None, "eth_rx.drop_bad_vlan", tuple(marks))
        l3, ethertype = network_header(frame)
        if ethertype == IPV4:
            return self._ipv4(frame, l3, bad, marks)
        if ethertype == ARP and self.resolves:
            return self._arp(frame, l3, bad, marks)
        return Verdict(None, "eth_rx.drop_no_next_hop", tuple(marks))

    # ---- receive ----

    def _ipv4(self, frame: bytes, l3: int, bad: bool, marks: list[str]) -> Verdict:
        def drop(reason: str) -> Verdict:
            return Verdict(None, f"ip_rx.{reason}", tuple(marks))

        if len(frame) < l3 + 20:
            return drop("drop_short")
        header_bytes = 4 * (frame[l3] & 15)
        total_length, fragment = struct.unpack_from("!H2xH", frame, l3 + 2)
        if frame[l3] >> 4 != 4:
            return drop("drop_version")
        if header_bytes < 20:
            return drop("drop_header_length")
        if len(frame) < l3 + header_bytes:
            return drop("drop_short")
        if ones_sum(frame[l3 : l3 + header_bytes]) != 0xFFFF:
            return drop("drop_checksum")
        if total_length < header_bytes:
            return drop("drop_length")
        if fragment & 0x3FFF:
            return drop("drop_fragment")
        if frame[l3 + 16 : l3 + 20] != self.ip:
            return drop("drop_not_ours")
        if not self._is_host(frame[l3 + 12 : l3 + 16]):
            return drop("drop_bad_source")
        if frame[:6] == BROADCAST:
            return drop("drop_group_frame")
        if fault := fault_of_options(frame[l3 + 20 : l3 + header_bytes]):
            return drop(fault)
        if header_bytes > 20:
            marks.append("ip_rx.mark_options")
        if l3 + total_length > len(frame):
            marks.append("ip_rx.mark_truncated")
            bad = True
        protocol = frame[l3 + 9]
        datagram = frame[l3 + header_bytes : l3 + total_length]
        head = frame[:l3] + frame[l3 : l3 + header_bytes]
        if protocol == UDP:
            return self._udp(head, l3, datagram, bad, marks)
        if protocol == ICMP and self.resolves:
            return self._icmp(head, l3, datagram, bad, marks)
        return drop("drop_no_next_hop")

    def _udp(self, head: bytes, l3: int, datagram: bytes, bad: bool, marks: list[str]) -> Verdict:
        def drop(reason: str) -> Verdict:
            return Verdict(None, f"udp_rx.{reason}", tuple(marks))

        if bad:
            return drop("drop_aborted")
        length, checksum = struct.unpack("!HH", datagram[4:8]) if len(datagram) >= 8 else (0, 0)
        if not 8 <= length <= len(datagram):
            return drop("drop_length")
        datagram = datagram[:length]
        if checksum and ones_sum(pseudo_header(head[l3 + 12 : l3 + 20], length) + datagram) != 0xFFFF:
            return drop("drop_checksum")
        if not checksum:
            marks.append("udp_rx.mark_no_checksum")
        source, destination = datagram[:2], datagram[2:4]
        if int.from_bytes(destination, "big") != ECHO_PORT:
            return drop("drop_no_next_hop")
        if source in (bytes(2), destination) or int.from_bytes(source, "big") in ANSWERING_PORTS:
            return Verdict(None, "echo.drop_source_port", tuple(marks))
        marks.append("echo.mark_echoed")
        addresses = head[l3 + 16 : l3 + 20] + head[l3 + 12 : l3 + 16]
        answer = destination + source + datagram[4:6] + b"\0\0" + datagram[8:]
        # A checksum of 0 would mean that there is none: its other representation is sent.
        checksum = 0xFFFF - ones_sum(pseudo_header(addresses, length) + answer) or 0xFFFF
        return self._send(head, l3, addresses, answer[:6] + checksum.to_bytes(2, "big") + answer[8:], marks)

    def _icmp(self, head: bytes, l3: int, message: bytes, bad: bool, marks: list[str]) -> Verdict:
        def drop(reason: str) -> Verdict:
            return Verdict(None, f"icmp.{reason}", tuple(marks))

        if bad:
            return drop("drop_aborted")
        if len(message) < 8:
            return drop("drop_length")
        if ones_sum(message) != 0xFFFF:
            return drop("drop_checksum")
        if message[0] != 8:
            return drop("drop_not_echo")
        if message[1]:
            return drop("drop_code")
        checksum = 0xFFFF - ones_sum(b"\0\0\0\0" + message[4:])
        addresses = head[l3 + 16 : l3 + 20] + head[l3 + 12 : l3 + 16]
        return self._send(head, l3, addresses, b"\0\0" + checksum.to_bytes(2, "big") + message[4:], marks)

    # ---- transmit ----

    def _send(self, head: bytes, l3: int, addresses: bytes, payload: bytes, marks: list[str]) -> Verdict:
        """head: the headers of the request, up to the end of its IPv4 options."""
        options = len(head) - l3 - 20
        if options:
            marks.append("ip_tx.mark_options_cleared")
        destination = head[6:12]
        if self.resolves:
            neighbour = self._next_stop(vlan_of(head), addresses[4:])
            if neighbour is None:
                return Verdict(None, "arp.drop_unresolved", tuple(marks))
            marks.append("arp.mark_hit")
            destination = neighbour
        fields = struct.pack("!BBHHHBBH", head[l3], head[l3 + 1], 20 + options + len(payload), 0, 0x4000, TTL, head[l3 + 9], 0)
        frame = destination + self.mac + head[12:l3] + fields + addresses + bytes(options) + payload
        return self._frame(frame, marks)

    def _next_stop(self, vlan: int, ip: bytes) -> bytes | None:
        """The Ethernet address for an IPv4 address; there is no gateway."""
        return self.neighbours.get((vlan, ip)) if ipaddress.ip_address(ip) in self._subnet else None

    def _is_host(self, ip: bytes) -> bool:
        """Whether another host can have this address (RFC 1122, 3.2.1.3)."""
        address = ipaddress.ip_address(ip)
        if address.is_multicast or address.is_loopback or ip[0] == 0 or ip[0] >= 240 or ip == self.ip:
            return False
        return address not in (self._subnet.network_address, self._subnet.broadcast_address)

    def _frame(self, frame: bytes, marks: list[str]) -> Verdict:
        if len(frame) < MIN_FRAME:
            marks.append("eth_tx.mark_padded")
        return Verdict(frame.ljust(MIN_FRAME, b"\0"), None, tuple(marks))

    # ---- ARP ----

    def _arp(self, frame: bytes, l3: int, bad: bool, marks: list[str]) -> Verdict:
        packet = frame[l3 : l3 + 28]
        operation, sender_mac, sender_ip, target_ip = packet[6:8], packet[8:14], packet[14:18], packet[24:28]
        if bad:
            return Verdict(None, "arp.drop_aborted", tuple(marks))
        known_form = packet[:6] == b"\0\x01\x08\0\x06\x04" and operation in (REQUEST, REPLY)
        above_own = int.from_bytes(sender_mac, "big") - int.from_bytes(self.mac, "big")
        if len(packet) < 28 or not known_form or sender_mac[0] & 1 or not any(sender_mac) or 0 <= above_own < PORTS:
            return Verdict(None, "arp.drop_malformed", tuple(marks))
        to_us = target_ip == self.ip
        neighbour = vlan_of(frame), sender_ip
        usable = self._is_host(sender_ip) and ipaddress.ip_address(sender_ip) in self._subnet
        if usable and (to_us or neighbour in self.neighbours):
            self.neighbours[neighbour] = sender_mac
            marks.append("arp.mark_learned")
        if operation != REQUEST or not to_us:
            return Verdict(None, "arp.used_arp", tuple(marks))
        marks += ["arp.used_arp", "arp.made_reply"]
        reply = packet[:6] + REPLY + self.mac + self.ip + sender_mac + sender_ip
        return self._frame(sender_mac + self.mac + frame[12:l3] + reply, marks)
