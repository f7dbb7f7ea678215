# SPDX-License-Identifier: Apache-2.0
"""Two ports share one stack, with one ARP tile: each has its own address, and frames at one port are not visible at the other."""

from __future__ import annotations

from girih.card import VirtualCard
from girih.compiler.compile import compile_design
from tests.frames import Host, arp, ethernet, icmp, ipv4, udp
from tests.oracle import ARP, BROADCAST, ICMP, IPV4, UDP, Oracle, comparable

DESIGN = """
width: 128
ports: 2
fabric: crossbar
mac: 02:67:69:72:69:ff
ip: 10.77.0.2/24
tiles:
  eth_rx_0: {kind: eth_rx, port: 0, next: {ipv4: ip_rx, arp: arp}}
  eth_rx_1: {kind: eth_rx, port: 1, next: {ipv4: ip_rx, arp: arp}}
  ip_rx: {kind: ipv4_rx, next: {udp: udp_rx, icmp: icmp}}
  udp_rx: {kind: udp_rx, next: {7: echo}}
  icmp: {kind: icmp, next: ip_tx}
  echo: {kind: echo, next: udp_tx}
  udp_tx: {kind: udp_tx, next: ip_tx}
  ip_tx: {kind: ipv4_tx, next: arp}
  arp: {kind: arp, next: {0: eth_tx_0, 1: eth_tx_1}}
  eth_tx_0: {kind: eth_tx, port: 0}
  eth_tx_1: {kind: eth_tx, port: 1}
"""
IP = bytes([10, 77, 0, 2])
MACS = [0x026769726900 + last for last in (0xFF, 0x100)]  # so that adding the port carries
# The same address at both ports, and one that only one port has.
PEERS = [[Host(bytes([2, 0, 0, 0, port, last]), bytes([10, 77, 0, last])) for last in (9, 20 + port)] for port in (0, 1)]


def requests(card: Host, peers: list[Host]) -> list[bytes]:
    frames = [ethernet(BROADCAST, peer.mac, ARP, arp(1, peer, bytes(6), card.ip)) for peer in peers]
    for peer in peers:
        ping = ipv4(peer.ip, card.ip, ICMP, icmp(b"ping"), tos=0x20)
        echo = ipv4(peer.ip, card.ip, UDP, udp(peer.ip, card.ip, b"echo"))
        frames += [ethernet(card.mac, peer.mac, IPV4, packet) for packet in (ping, echo)]
    return frames


def test_ports_that_share_an_arp_tile(tmp_path):
    path = tmp_path / "two_ports.yaml"
    path.write_text(DESIGN)
    cards = [Host(mac.to_bytes(6, "big"), IP) for mac in MACS]
    with VirtualCard(compile_design(path), collect=True) as card:
        for port in (0, 1):
            oracle = Oracle(cards[port].mac, IP, resolves=True)
            for frame in requests(cards[port], PEERS[port]):
                card.inject(port, frame)
                card.run_until_quiet()
                (answer,) = card.collect(port)
                assert comparable(answer.data) == oracle.judge(frame).answer and not card.collect(1 - port)
        for port in (0, 1):  # again after both have been learned, and not for the address of the other port
            oracle = Oracle(cards[port].mac, IP, resolves=True)
            oracle.neighbours = {(0, peer.ip): peer.mac for peer in PEERS[port]}
            for frame in requests(cards[port], PEERS[port])[2:]:
                card.inject(port, cards[1 - port].mac + frame[6:])
                card.inject(port, frame)
                card.run_until_quiet()
                (answer,) = card.collect(port)
                assert comparable(answer.data) == oracle.judge(frame).answer and not card.collect(1 - port)
        assert card.registers.counters("arp")["arp"]["made_request"] == 0
        card.check_conservation()
