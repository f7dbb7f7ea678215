# SPDX-License-Identifier: Apache-2.0
"""Tiles at different ports with the same address: what the compiler proposes instead is free, and one for each port."""

import re

import pytest

from girih.compiler.check.card import check_file
from girih.errors import GirihErrors

THREE_PORTS = """\
fabric: {mesh: [4, 4]}
ports: 3
mac: 02:67:69:72:69:68
ip: 10.77.0.253/24
gateway: 10.77.0.1
tiles:
""" + "".join(
    f"""\
  eth_rx_{port}: {{kind: eth_rx, port: {port}, mac: 02:67:69:72:69:68, next: {{ipv4: ip_rx_{port}, arp: arp_{port}}}}}
  arp_{port}: {{kind: arp, next: eth_tx_{port}}}
  ip_rx_{port}: {{kind: ipv4_rx, next: eth_tx_{port}}}
  eth_tx_{port}: {{kind: eth_tx, port: {port}, reflect: true}}
"""
    for port in range(3)
)
DHCP = """\
fabric: crossbar
ports: 2
mac: 02:67:69:72:69:68
tiles:
""" + "".join(
    f"""\
  eth_rx_{port}: {{kind: eth_rx, port: {port}, next: dhcp_{port}}}
  dhcp_{port}: {{kind: dhcp, control: {{write: [ip_rx_{port}, ip_tx_{port}, arp_{port}]}}, next: {{ipv4: ip_rx_{port}, arp: arp_{port}, client: ip_tx_{port}, probe: eth_tx_{port}}}}}
  arp_{port}: {{kind: arp, next: eth_tx_{port}}}
  ip_rx_{port}: {{kind: ipv4_rx, next: {{icmp: icmp_{port}}}}}
  icmp_{port}: {{kind: icmp, next: ip_tx_{port}}}
  ip_tx_{port}: {{kind: ipv4_tx, next: arp_{port}}}
  eth_tx_{port}: {{kind: eth_tx, port: {port}}}
"""
    for port in range(2)
)


def errors(path, text):
    path.write_text(text)
    with pytest.raises(GirihErrors) as caught:
        check_file(path)
    return caught.value.errors


def test_each_port_gets_an_address_of_its_own_and_its_tiles_the_same(tmp_path):
    path = tmp_path / "card.yaml"
    proposals = [re.fullmatch(r"Give (\w+) another: (mac|ip): ([0-9a-f.:]+)", error.remedy).groups() for error in errors(path, THREE_PORTS)]
    assert proposals == [
        ("eth_rx_1", "mac", "02:67:69:72:69:69"),
        ("arp_1", "ip", "10.77.0.254"),
        ("ip_rx_1", "ip", "10.77.0.254"),
        ("eth_rx_2", "mac", "02:67:69:72:69:6a"),
        ("arp_2", "ip", "10.77.0.2"),  # the next is the broadcast address, then come the network's and the gateway's
        ("ip_rx_2", "ip", "10.77.0.2"),
    ]
    text = THREE_PORTS.replace(" mac: 02:67:69:72:69:68, next", " next")
    for name, key, address in proposals:
        text = text.replace(f"  {name}: {{", f"  {name}: {{{key}: {address}, ")
    path.write_text(text)
    check_file(path)


def test_behind_the_last_address_before_those_of_groups_comes_the_first(tmp_path):
    text = THREE_PORTS.replace(" mac: 02:67:69:72:69:68, next", " mac: 02:ff:ff:ff:ff:ff, next")
    remedies = [error.remedy for error in errors(tmp_path / "card.yaml", text)]
    assert [remedy for remedy in remedies if "mac" in remedy] == ["Give eth_rx_1 another: mac: 02:00:00:00:00:00", "Give eth_rx_2 another: mac: 02:00:00:00:00:01"]


def test_a_network_without_a_free_address(tmp_path):
    texts = [str(error) for error in errors(tmp_path / "card.yaml", THREE_PORTS.replace("/24", "/31").replace("gateway: 10.77.0.1\n", ""))]
    assert [text.rsplit(". ", 1)[1] for text in texts if "IP address" in text] == [
        "Give arp_1 another: ip: 10.77.0.252",
        "Give ip_rx_1 another: ip: 10.77.0.252",
        "Give arp_2 one of another network; this one has none free.",
        "Give ip_rx_2 one of another network; this one has none free.",
    ]


def test_tiles_without_an_address_yet_do_not_share_one(tmp_path):
    """Each port has a DHCP client, and none has an address before its server gives it one."""
    path = tmp_path / "card.yaml"
    path.write_text(DHCP)
    assert check_file(path).ports == 2
