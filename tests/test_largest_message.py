# SPDX-License-Identifier: Apache-2.0
"""The largest IPv4 packet there is, through the whole network stack of a card whose design allows it."""

from __future__ import annotations

import pytest

from girih.card.registers import total
from girih.card.virtual import VirtualCard
from girih.compiler.compile import compile_design
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import ECHO_PORT, IPV4, UDP

HOST, CARD = Host(bytes([2, 0, 0, 0, 0, 1]), bytes([10, 77, 0, 1])), Host(bytes.fromhex("026769726968"), bytes([10, 77, 0, 2]))
LARGEST = 65_535 - 28  # payload of a datagram
DESIGN = """
name: largest
width: 128
max_frame: 65553
time_bits: 32
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
fabric: {mesh: [4, 2]}
tiles:
  eth_rx: {kind: eth_rx, next: {ipv4: ip_rx}}
  ip_rx: {kind: ipv4_rx, next: {udp: udp_rx}}
  udp_rx: {kind: udp_rx, next: {7: echo}}
  echo: {kind: echo, next: udp_tx}
  udp_tx: {kind: udp_tx, next: ip_tx}
  ip_tx: {kind: ipv4_tx, next: eth_tx}
  eth_tx: {kind: eth_tx, reflect: true}
"""


def datagram(payload: bytes, tags: tuple[int, ...] = ()) -> bytes:
    packet = ipv4(HOST.ip, CARD.ip, UDP, udp(HOST.ip, CARD.ip, payload, destination=ECHO_PORT))
    return ethernet(CARD.mac, HOST.mac, IPV4, packet, tags)


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    path = tmp_path_factory.mktemp("designs") / "largest.yaml"
    path.write_text(DESIGN)
    with VirtualCard(compile_design(path), collect=True) as card:
        yield card


@pytest.mark.parametrize("tags", [(), (5,)], ids=["untagged", "tagged"])
@pytest.mark.parametrize("size", [16_383 - 42, 16_384, 32_768 - 28, LARGEST - 1, LARGEST])
def test_it_comes_back(card, size, tags):
    payload = bytes(n * 7 % 251 for n in range(size))
    card.inject(0, datagram(payload, tags))
    card.run_until_quiet()
    [frame] = card.collect()
    start = 42 + 4 * len(tags)
    assert frame.data[start:] == payload and len(frame.data) == start + size
    assert int.from_bytes(frame.data[start - 26 : start - 24], "big") == size + 28
    assert int.from_bytes(frame.data[start - 4 : start - 2], "big") == size + 8
    assert frame.data[:12] == HOST.mac + CARD.mac
    # Its sender would take it: the checksum is right.
    assert udp(CARD.ip, HOST.ip, payload, source=ECHO_PORT, destination=40000)[6:8] == frame.data[start - 2 : start]


def test_what_no_message_can_hold_is_cut_and_dropped(card):
    before = dropped(card)
    card.inject(0, datagram(bytes(LARGEST), (5,)) + bytes(1))
    card.run_until_quiet()
    assert card.collect() == [] and dropped(card) == before + 1
    card.check_conservation()


def dropped(card: VirtualCard) -> int:
    return sum(total(counters, ("drop_",)) for counters in card.registers.counters().values())
