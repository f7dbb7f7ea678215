# SPDX-License-Identifier: Apache-2.0
"""Match-action entries say which pair of virtqueues a flow goes to (experiments/cards/nic_services.yaml)."""

import struct
from collections import Counter

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.host import RECEIVE
from girih.paths import ROOT
from tests.host.queues import MAC, fresh
from tests.host.test_pairs import OTHER, PAIRS, Host, inject

KEY = "udp dst is {}"
PORTS = (7001, 7002, 7003, 7004, 7005)


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(ROOT / "experiments" / "cards" / "nic_services.yaml", collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    card = fresh(opened)
    card.host.steer(range(PAIRS))
    return card


def udp(port: int, source: int = 1, tag: bytes = b"") -> bytes:
    """A frame of UDP to a port; its source is another address, and another port."""
    payload = struct.pack(">HHHH", 1000 + source, port, 8 + 20, 0) + bytes(20)
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), source, 0, 64, 17, 0) + bytes([10, 0, source % 250, source // 250]) + bytes([10, 77, 0, 2])
    return MAC + OTHER + tag + b"\x08\x00" + header + payload


def homes(host: Host, frames: list[bytes]) -> list[int]:
    """The pair that each frame comes to."""
    inject(host.card, frames)
    came = host.came()
    for pair, data in came.items():
        assert data == [one for one in frames if one in data], f"the frames of pair {pair} are out of order"
    assert sum(map(len, came.values())) == len(frames)
    return [next(pair for pair, data in came.items() if one in data) for one in frames]


def add(card, port: int, actions: str) -> int:
    return card.services.add_entry("wire", KEY.format(port), actions)


def test_an_entry_sends_its_flows_to_a_pair(card, ring):
    """Whatever their addresses and tags; the others are spread by the parser's hash, each in one pair."""
    host = Host(card, ring)
    for number, port in enumerate(PORTS):
        add(card, port, f"flow {number}")
    frames = [udp(port, source, tag) for port in PORTS for source, tag in ((1, b""), (77, b""), (5, b"\x81\x00\x00\x07"))]
    assert homes(host, frames) == [number % PAIRS for number in range(len(PORTS)) for _ in range(3)]
    others = [udp(9, source) for source in range(100)]
    spread = homes(host, others)
    assert min(Counter(spread)[pair] for pair in range(PAIRS)) > 10, Counter(spread)
    assert homes(host, others[:20]) == spread[:20]
    account(card.manifest, card.registers.counters()).judge()


def test_the_table_of_the_host_says_which_pair_an_entry_is(card, ring):
    """If the driver uses fewer pairs, steered flows go to these."""
    host = Host(card, ring)
    add(card, PORTS[0], "flow 31")
    for table, pair in (([2], 2), ([0, 1], 1), ([3, 2, 1, 0], 0)):
        card.host.steer(table)
        assert homes(host, [udp(PORTS[0], source) for source in range(5)]) == 5 * [pair]


def test_entries_change_while_frames_come(card, ring):
    host = Host(card, ring)
    entry = add(card, PORTS[0], "flow 1")
    assert set(homes(host, [udp(PORTS[0], source) for source in range(10)])) == {1}
    card.services.delete_entry("wire", entry)
    add(card, PORTS[0], "flow 2")
    assert set(homes(host, [udp(PORTS[0], source) for source in range(10)])) == {2}


def test_frames_that_a_service_has_processed_keep_their_pair(card, ring):
    """A chain leads through a service before the host. Frames that are not IP have flow 0, and go to the first entry's pair."""
    host = Host(card, ring)
    card.host.steer([3, 0, 1, 2])
    frames = [udp(5004, source) for source in range(12)]
    inject(card, frames)
    came = host.came()
    assert sum(map(len, came.values())) == 12 and {one for data in came.values() for one in data} == set(frames)
    assert len([pair for pair, data in came.items() if data]) > 1
    plain = [MAC + OTHER + b"\x88\xb5" + bytes([number]) * 50 for number in range(4)]
    assert homes(host, plain) == 4 * [3]
    assert card.host.queue_stats(2 * 3 + RECEIVE).frames == len(came[3]) + 4
