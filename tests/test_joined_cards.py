# SPDX-License-Identifier: Apache-2.0
"""A server behind a programmable NIC: two cards of different designs, joined by a link, and a host played by scapy."""

import pytest
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from girih.card import Rack, VirtualCard
from girih.paths import ROOT

HOST, HOST_IP = "02:aa:00:00:00:01", "10.77.0.9"
SIZES = [0, 1, 63, 1400, 8000]


@pytest.mark.parametrize("delay", [40, 1000])
def test_a_host_pings_a_server_behind_a_nic(delay):
    with VirtualCard.open(ROOT / "designs/panic.yaml") as nic, VirtualCard.open(ROOT / "designs/demo.yaml") as server:
        rack = Rack({"nic": nic, "server": server})
        rack.join(("nic", 1), ("server", 0), delay=delay)
        nic.keep_output(True, 0)

        def answer(request: Ether) -> Ether:
            nic.inject(0, bytes(request))
            rack.run_until_quiet()
            (reply,) = nic.collect(0)
            return Ether(reply.data)

        mac, ip = server.manifest.port_address(0)
        found = answer(Ether(dst="ff:ff:ff:ff:ff:ff", src=HOST) / ARP(op=1, hwsrc=HOST, psrc=HOST_IP, pdst=ip))
        assert (found[ARP].op, found[ARP].hwsrc, found[ARP].psrc, found.dst) == (2, mac, ip, HOST)
        for sequence, size in enumerate(SIZES):
            load = bytes(number % 256 for number in range(size))
            reply = answer(Ether(dst=mac, src=HOST) / IP(src=HOST_IP, dst=ip) / ICMP(id=3, seq=sequence) / Raw(load))
            assert (reply[ICMP].type, reply[ICMP].seq, reply[IP].src) == (0, sequence, ip)
            assert bytes(reply[ICMP].payload)[:size] == load
        assert [link.frames for link in rack.links] == [1 + len(SIZES)] * 2
        nic.check_conservation()
        server.check_conservation()
