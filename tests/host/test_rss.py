# SPDX-License-Identifier: Apache-2.0
"""Receive-side scaling: a driver spreads flows over the pairs by its own key and table (experiments/cards/nic_pairs.yaml)."""

import random
import struct
from dataclasses import dataclass, field, replace

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.host import WINDOW, Commands
from girih.paths import ROOT
from girih.spec.windows import offset
from rtl.tiles.host.test_host_steer import toeplitz
from tests.host.queues import frame, fresh
from tests.host.test_control import EVERYTHING, FORGETS, PAIRS, RSS, ControlQueue
from tests.host.test_pairs import PAIRS as HOST_PAIRS
from tests.host.test_pairs import Host, flow, inject

ENTRIES = 32
OK, ERROR = 0, 1
ALL_TYPES = 0x3F


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(ROOT / "experiments" / "cards" / "nic_pairs.yaml", collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    return fresh(opened)


@dataclass(frozen=True)
class Config:
    """struct virtio_net_rss_config."""

    types: int = ALL_TYPES
    unclassified: int = 0
    table: tuple[int, ...] = tuple(number % HOST_PAIRS for number in range(ENTRIES))
    send: int = HOST_PAIRS
    key: bytes = field(default_factory=lambda: random.randbytes(40))

    @property
    def data(self) -> bytes:
        start = struct.pack("<IHH", self.types, len(self.table) - 1, self.unclassified) + struct.pack(f"<{len(self.table)}H", *self.table)
        return start + struct.pack("<HB", self.send, len(self.key)) + self.key

    def pair(self, frame: bytes) -> int:
        """The pair of a frame with TCP or UDP over IPv4 or IPv6, without options."""
        six = frame[12:14] == b"\x86\xdd"
        place, size = (22, 32) if six else (26, 8)
        return self.table[toeplitz(frame[place : place + size + 4], self.key) % ENTRIES % len(self.table)]


class Scaled(Host):
    """A driver of all pairs, with a control queue."""

    def __init__(self, card, ring, offers: Commands = EVERYTHING):
        super().__init__(card, ring)
        self.control = ControlQueue(card, ring, self.memory, 0x30000, offers)
        card.run(FORGETS)

    def set(self, config: Config, **more) -> int:
        """The answer to the command."""
        return self.control.ask(RSS, config.data, **more)

    def homes(self, frames: list[bytes]) -> list[int]:
        """The pair that each frame comes to."""
        inject(self.card, frames)
        came = self.came()
        return [next(pair for pair, data in came.items() if one in data) for one in frames]


def table_of(card) -> list[int]:
    return [card.registers.read_window("host", offset(WINDOW, "steer", entry=entry)) for entry in range(ENTRIES)]


def flows(count: int) -> list[bytes]:
    return [flow(random.getrandbits(30), random.choice((6, 17)), 100, version=random.choice((4, 6))) for _ in range(count)]


def test_flows_go_where_the_driver_says(card, ring):
    """Keys of any length up to the largest, and tables of each size; what is not hashed goes to the pair that is named. A new setting replaces the old."""
    host = Scaled(card, ring)
    assert card.host.can_scale and not card.host.scales
    for size, key in ((32, 40), (1, 40), (2, 0), (16, 39), (4, 40), (8, 17)):
        config = Config(unclassified=random.randrange(4), table=tuple(random.randrange(4) for _ in range(size)), key=random.randbytes(key))
        assert host.set(config, table=random.random() < 0.3) == OK
        assert card.host.scales and table_of(card) == list(config.table) * (ENTRIES // size)
        frames = flows(20)
        assert host.homes(frames) == [config.pair(one) for one in frames]
        assert host.homes([frame(100)]) == [config.unclassified]
    assert host.set(Config(types=0, unclassified=2)) == OK
    assert host.homes(flows(6)) == 6 * [2]
    account(card.manifest, card.registers.counters()).judge()


def test_settings_that_cannot_be_change_nothing(card, ring):
    host = Scaled(card, ring)
    good = Config(unclassified=3)
    assert host.set(good) == OK
    wrong = [replace(good, **change) for change in (
        {"types": 0x40}, {"types": 1 << 8}, {"types": 1 << 31}, {"unclassified": 4}, {"unclassified": 256}, {"table": (0, 1, 2)}, {"table": (0,) * 64},
        {"table": (0, 4)}, {"table": (0, 256)}, {"table": (1,) * 31 + (4,)}, {"send": 0}, {"send": 5}, {"send": 256}, {"key": bytes(41)},
    )]  # fmt: skip
    data = [one.data for one in wrong] + [good.data[:-1], good.data + b"\0", good.data[:7], b""]
    data += [good.data[:73] + bytes([255]) + good.data[74:], good.data[:74] + bytes([39]) + good.data[75:]]
    for one in data:
        assert host.control.ask(RSS, one) == ERROR, one.hex()
    assert table_of(card) == list(good.table) and card.host.scales
    frames = flows(10)
    assert host.homes(frames) == [good.pair(one) for one in frames] and host.homes([frame(100)]) == [3]
    assert card.registers.counters("host")["host"]["mark_commands_refused"] == len(data)


def test_a_number_of_pairs_or_a_reset_ends_it(card, ring):
    """Flows are then spread by the card's own hash. A driver that has not accepted the feature is refused."""
    host = Scaled(card, ring)
    assert host.set(Config(table=(3,))) == OK and host.homes(flows(4)) == 4 * [3]
    host.control.does(PAIRS, b"\1\0")
    assert not card.host.scales and host.homes(flows(8)) == 8 * [0]
    assert host.set(Config(table=(3,))) == OK and host.homes(flows(4)) == 4 * [3]
    card.host.stop(host.control.number)
    assert not card.host.scales
    host.control.offers = replace(EVERYTHING, rss=False)
    host.control.start()
    assert host.set(Config()) == ERROR and not card.host.scales


def test_a_card_without_pairs_does_not_offer_it(built):
    with VirtualCard(built("nic")) as card:
        assert not card.host.can_scale
