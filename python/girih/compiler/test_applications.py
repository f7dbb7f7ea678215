# SPDX-License-Identifier: Apache-2.0
"""A stack with a fabric port for applications: by which port messages come to it and leave, also through tiles that only pass them on."""

import pytest

from girih.compiler.dependencies import Buffer
from girih.compiler.messages import walk
from girih.compiler.test_deadlock import card_of, edges
from girih.errors import GirihError, GirihErrors
from girih.spec.kinds import load_kinds
from girih.topology import IN, OUT, Channel

STACK = """\
fabric: {mesh: [4, 4]}
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: {ipv4: ip_rx, arp: arp}}
  ip_rx: {kind: ipv4_rx, at: [1, 0], next: {tcp: before, icmp: icmp}}
  before: {kind: buffer, at: [2, 0], next: tcp}
  icmp: {kind: icmp, at: [1, 1], path_mtu: true, next: {echo: ip_tx, tcp: tcp}}
  tcp: {kind: tcp_duplex, at: [[2, 1], [3, 1]], connections: 16, window: 2048, listen: [7, 9], next: {network: ip_tx, 7: spread, 9: discard}}
  spread: {kind: balancer, at: [3, 0], next: [echo, echo_1]}
  echo: {kind: tcp_echo, at: [3, 2], next: behind}
  echo_1: {kind: tcp_echo, at: [3, 3], next: tcp}
  behind: {kind: buffer, at: [2, 2], next: further}
  further: {kind: relay, at: [2, 3], next: tcp}
  discard: {kind: tcp_discard, at: [1, 3], next: tcp}
  arp: {kind: arp, at: [0, 1], next: eth_tx}
  eth_tx: {kind: eth_tx, at: [0, 2]}
  ip_tx: {kind: ipv4_tx, at: [1, 2], next: arp}
"""


def test_messages_of_applications_come_by_the_second_port_and_leave_by_it():
    card = card_of(STACK)
    steps = walk(card).steps
    assert {(step.path.src, step.after.at.port) for step in steps if step.path.dst == "tcp"} == {
        ("before", 0), ("icmp", 0), ("further", 1), ("echo_1", 1), ("discard", 1),
    }  # fmt: skip
    assert {(step.start.port, step.path.dst) for step in steps if step.path.src == "tcp"} == {(0, "ip_tx"), (1, "spread"), (1, "discard")}
    network, applications = (2, 1), (3, 1)
    found = edges(card)
    assert {wanted for holder, wanted in found if holder == Buffer("tcp")} == {Channel(IN, network, network), Channel(IN, applications, applications)}
    assert not {holder for holder, wanted in found if wanted == Buffer("tcp")} & {Channel(OUT, network, network), Channel(OUT, applications, applications)}


def test_any_stands_for_the_network_too():
    card = card_of(STACK.replace("{network: ip_tx, 7: spread, 9: discard}", "{7: spread, 9: discard, any: ip_tx}"))
    assert {(step.start.port, step.path.dst) for step in walk(card).steps if step.path.src == "tcp"} == {
        (0, "ip_tx"), (1, "spread"), (1, "discard"), (1, "ip_tx"),
    }  # fmt: skip


def test_a_tile_does_not_send_both_sorts():
    with pytest.raises((GirihError, GirihErrors), match=r"tile before sends messages of applications and others to tcp, which takes them at different fabric ports. Send"):
        card_of(STACK.replace("tcp_discard, at: [1, 3], next: tcp", "tcp_discard, at: [1, 3], next: before"))


def test_it_has_the_settings_and_counters_of_the_stack_with_one_port():
    """Its engine takes the one for the other."""
    plain, duplex = (load_kinds()[name] for name in ("tcp", "tcp_duplex"))
    assert duplex.config == plain.config
    assert [counter.name for counter in duplex.engine_counters] == [counter.name for counter in plain.engine_counters]
    assert (duplex.next.entries, duplex.next.names, duplex.parameters) == (plain.next.entries, plain.next.names, plain.parameters)
