# SPDX-License-Identifier: Apache-2.0
"""`ctl drops`, and drops by key: each drop that a tile of `designs/logged.yaml` records has the cycle that a probe saw, and the reason and the key
that follow from the frame."""

import json
import random

import pytest

from girih.card import VirtualCard
from girih.card.client import ControlClient
from girih.card.drops import OTHER_KEYS, Drop, drops_by_key, last_drops
from girih.errors import GirihError
from girih.management.log_replay import captured, end_of_reset
from tests.control.running import OTHER, running
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP

CARD = Host(bytes.fromhex("026769726968"), bytes([10, 77, 0, 2]))  # as the design says
TILES = ["rx_log", "ip_rx", "udp_rx"]
ENTRIES = 64
LATE = 8  # cycles that a tile may take from a flit to reporting its drop


@pytest.fixture(scope="module")
def folder(built):
    return built("logged")


@pytest.fixture
def card(folder):
    with VirtualCard(folder) as card:
        yield card


def frame(port: int, **wrong: int) -> bytes:
    """A one-flit frame: a datagram to a UDP port."""
    datagram = udp(OTHER.ip, CARD.ip, bytes(18), destination=port, **wrong)
    return ethernet(CARD.mac, OTHER.mac, IPV4, ipv4(OTHER.ip, CARD.ip, UDP, datagram))


def refused(sort: str) -> tuple[bytes, str | None, tuple[str, int | None]]:
    """A one-flit frame, the tile that must drop it, and the reason and key of the record."""
    key = random.randrange(0x2000, 0x8000)
    match sort:
        case "ethertype":
            return ethernet(CARD.mac, OTHER.mac, key, bytes(46)), "rx_log", ("drop_no_next_hop", key)
        case "protocol":
            key = random.choice([2, 6, 47, 89, 132, 255])
            return ethernet(CARD.mac, OTHER.mac, IPV4, ipv4(OTHER.ip, CARD.ip, key, bytes(26))), "ip_rx", ("drop_no_next_hop", key)
        case "header":
            return ethernet(CARD.mac, OTHER.mac, IPV4, ipv4(OTHER.ip, CARD.ip, UDP, bytes(26), checksum_error=1)), "ip_rx", ("drop_checksum", None)
        case "port":
            return frame(key), "udp_rx", ("drop_no_next_hop", key)
        case "checksum":
            return frame(7, checksum_error=1), "udp_rx", ("drop_checksum", None)
    return frame(7), None, ("", None)


def of_tile(card: VirtualCard, tile: str) -> list[Drop]:
    found = last_drops(card.registers, tile)
    assert found.overwritten == 0
    return found.drops


def test_each_drop_has_its_reason_key_and_cycle(card, folder, tmp_path):
    """Frames back to back, some of them good."""
    card.start_capture(tmp_path / "in.pcapng", [f"{tile}.in" for tile in TILES])
    sent = [refused(random.choice(["ethertype", "protocol", "header", "port", "checksum", "good"])) for _ in range(150)]
    for data, *_ in sent:
        card.inject(0, data)
    card.run_until_quiet()
    card.stop_capture()
    seen = captured(tmp_path / "in.pcapng", end_of_reset(folder), TILES)
    for tile in TILES:
        drops = of_tile(card, tile)
        reasons = {fate[0] for _, at, fate in sent if at == tile}
        assert {reason for drop in drops for reason in drop.reasons} == reasons
        for reason in reasons:  # two messages may be dropped in one cycle, for different reasons
            wanted = [(data, fate[1]) for data, at, fate in sent if at == tile and fate[0] == reason]
            came = iter(seen[tile])
            for (data, key), drop in zip(wanted, (drop for drop in drops if reason in drop.reasons), strict=True):
                cycle = next(message.cycle for message in came if message.data == data)
                assert 0 <= drop.cycle - cycle <= LATE and (key is None or drop.key == key), drop


def test_the_last_ones_are_kept(card):
    ports = [random.randrange(10000, 60000) for _ in range(ENTRIES + 37)]
    for port in ports:
        card.inject(0, frame(port))
    card.run_until_quiet()
    found = last_drops(card.registers, "udp_rx")
    assert found.overwritten == 37 and [drop.key for drop in found.drops] == ports[37:]
    assert [drop.number for drop in found.drops] == list(range(37, ENTRIES + 37))
    with pytest.raises(GirihError, match="tile echo keeps no drops"):
        last_drops(card.registers, "echo")


def test_drops_are_counted_by_key(card):
    """A scan of UDP ports, and frames of several EtherTypes in between."""
    ports = [random.choice(range(20000, 20030)) for _ in range(300)]
    types = [random.choice([0x88CC, 0x88F7, 0x86DD]) for _ in ports]
    for port, ethertype in zip(ports, types, strict=True):
        card.inject(0, frame(port))
        card.inject(0, ethernet(CARD.mac, OTHER.mac, ethertype, bytes(46)))
    card.run_until_quiet()
    found = drops_by_key(card.registers)
    first = list(dict.fromkeys(ports))
    apart, rest = first[:16], first[16:]
    assert found["udp_rx"] == {f"destination port {port}": ports.count(port) for port in apart} | {OTHER_KEYS: sum(ports.count(port) for port in rest)}
    assert len(rest) > 5 and found["rx_log"] == {f"ethertype {t:#06x}": types.count(t) for t in dict.fromkeys(types)} | {OTHER_KEYS: 0}
    assert found["ip_rx"] == {OTHER_KEYS: 0}
    for tile in ("udp_rx", "rx_log"):
        assert sum(found[tile].values()) == card.registers.counters(tile)[tile]["drop_no_next_hop"] == 300


def test_the_command(card, girih):
    with running(card) as path:
        code, text, _ = girih(path, "ctl", "drops")
        assert code == 0 and text == "No tile that keeps its drops has dropped anything.\n"
    for data, *_ in (refused("header"), (frame(9999),), (ethernet(CARD.mac, OTHER.mac, 0x88CC, bytes(46)),)):
        card.inject(0, data)
        card.run_until_quiet()
    card.inject(0, frame(9998))
    with running(card) as path:
        code, text, _ = girih(path, "ctl", "drops", "udp_rx", "rx_log", "ip_rx")
        lines = [line.split() for line in text.splitlines()]
        words = [[word for word in line if word not in "│┃"][1:] for line in lines if "│" in line]
        assert code == 0 and words == [
            ["ip_rx", "checksum", "-"],
            ["udp_rx", "no_next_hop", "destination", "port", "9999"],
            ["rx_log", "no_next_hop", "ethertype", "0x88cc"],
            ["udp_rx", "no_next_hop", "destination", "port", "9998"],
        ]
        code, text, _ = girih(path, "stats")
        assert code == 0 and [line.split() for line in text.splitlines() if "0x88cc" in line] == [["│", "rx_log", "│", "ethertype", "0x88cc", "│", "1", "│"]]
        code, text, _ = girih(path, "stats", "--prometheus")
        assert code == 0 and 'girih_drops_by_key_total{card="logged",tile="udp_rx",kind="udp_rx",key="destination port 9999"} 1\n' in text
        code, text, _ = girih(path, "ctl", "drops", "udp_rx", "udp_rx", "--json")
        assert code == 0 and [drop["key"] for drop in json.loads(text)["drops"]] == ["destination port 9999", "destination port 9998"]
        code, _, errors = girih(path, "ctl", "drops", "echo")
        assert code == 2 and "tile echo keeps no drops" in errors and "rx_log, ip_rx, udp_rx" in errors


def test_the_command_during_a_flood(card, girih):
    """Drops are faster than records can be read one by one; the command lists as many as the tile keeps, and stops nothing."""
    for port in range(1000, 60000):
        card.inject(0, frame(port))
    card.run(2000)
    with running(card) as path, ControlClient(path) as client:
        client.call("pause")
        before, cycle = client.registers.counters("udp_rx")["udp_rx"]["drop_no_next_hop"], client.call("info")["cycle"]
        code, text, _ = girih(path, "ctl", "drops", "udp_rx", "--json")
        keys = [int(drop["key"].split()[-1]) for drop in json.loads(text)["drops"]]
        assert code == 0 and len(keys) == ENTRIES and keys == list(range(keys[0], keys[0] + ENTRIES))
        assert client.call("info")["cycle"] == cycle and client.registers.counters("udp_rx")["udp_rx"]["drop_no_next_hop"] > before > ENTRIES
        code, text, _ = girih(path, "ctl", "drops", "udp_rx")
        assert code == 0 and "earlier ones of udp_rx were overwritten." in text
