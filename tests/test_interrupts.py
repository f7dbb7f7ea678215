# SPDX-License-Identifier: Apache-2.0
"""Interrupts on a whole card, to the host and to a tile that is a master of the control network; and counters that are copied in one cycle."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from girih.card.client import ControlClient
from girih.card.registers import AccessRefused
from girih.card.virtual import VirtualCard
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from tests.control.running import frame, running

FRAME = frame(7)
LATER = 1_000_000  # cycles: a client pauses the card before these are over
DESIGN = """
name: alarm
width: 128
mac: 02:67:69:72:69:68
snapshots: true
fabric: {mesh: [3, 2]}
tiles:
  rx: {kind: eth_rx, promiscuous: true, next: {ipv4: left, arp: tx}}
  left: {kind: balancer, next: [bell, chime]}
  bell: {kind: alarm}
  chime: {kind: alarm}
  keeper: {kind: keeper, watched: chime, control: {read: [chime], write: [chime]}}
  tx: {kind: eth_tx}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("designs") / "alarm.yaml"
    path.write_text(DESIGN)
    return compile_design(path)


@pytest.fixture
def card(folder) -> Iterator[VirtualCard]:
    with VirtualCard(folder) as card:
        yield card


def test_the_host_is_told(card):
    registers = card.registers
    card.inject(0, FRAME)
    assert card.wait_for_interrupt(5000) == [], "the host has not enabled it; the tile's master has, and clears it"
    for _ in range(2):
        card.inject(0, FRAME)
    card.run_until_quiet()
    assert registers.counters("chime")["chime"]["used_messages"] + registers.counters("bell")["bell"]["used_messages"] == 3
    assert registers.read("bell.interrupt_pending") == 1
    registers.write("bell.interrupt_enable", 1)
    assert card.wait_for_interrupt(100) == ["bell"]
    assert registers.interrupts("bell") == ["message"]
    registers.clear_interrupts("bell")
    card.run(4)
    assert card.interrupting() == [] and registers.interrupts("bell") == []
    start = card.cycle
    card.inject(0, FRAME, cycle=start + 1000)
    card.inject(0, FRAME, cycle=start + 1000)
    assert card.wait_for_interrupt(5000, ["bell"]) == ["bell"] and 1000 < card.cycle - start < 1200


def test_a_master_of_the_control_network_is_told_and_clears(card):
    registers = card.registers
    card.run(500)
    assert registers.read("chime.interrupt_enable") == 0b11, "the tile keeper has enabled them"
    for number in range(1, 6):
        for _ in range(2):
            card.inject(0, FRAME)
        card.run_until_quiet()
        card.run(200)
        assert registers.counters("chime")["chime"]["used_messages"] == number
        assert registers.counters("keeper")["keeper"]["mark_cleared"] == number
        assert registers.read("chime.interrupt_pending") == 0 and card.interrupting() == []


def test_counters_of_a_tile_are_of_one_cycle(card):
    """While frames flow, all copied counters are of one cycle, so that messages received equal messages used."""
    for _ in range(400):
        card.inject(0, FRAME)
    card.run(300)
    seen = []
    for _ in range(6):
        counters = card.registers.counters("bell")["bell"]
        assert counters["in_messages"] == counters["used_messages"]
        seen.append(counters["in_messages"])
    assert seen == sorted(seen) and seen[-1] > seen[0] > 0
    with pytest.raises(AccessRefused):
        card.registers.as_tenant(1).counters("bell")
    card.check_conservation()


def test_clients_of_a_running_card_are_told(card):
    for _ in range(2):
        card.inject(0, FRAME, cycle=card.cycle + LATER)
    with running(card) as path, ControlClient(path) as client:
        registers = client.registers
        client.call("pause")
        registers.enable_interrupts("bell", ["message"])
        assert client.wait_for_interrupt(0.05) == client.interrupts() == {}
        with pytest.raises(GirihError, match=r"tile rx has no interrupts. Tiles with interrupts: bell, chime"):
            client.wait_for_interrupt(1, ["rx"])
        with pytest.raises(GirihError, match=r"tile bell has no interrupt 'massage'. It has: message, spoiled"):
            registers.enable_interrupts("bell", ["massage"])
        with ControlClient(path) as other, ThreadPoolExecutor(1) as pool:
            waits = pool.submit(other.wait_for_interrupt, 60, ["bell"])
            assert client.call("info")["name"] == "alarm", "the card answers others meanwhile"
            client.call("resume")
            assert waits.result() == {"bell": ["message"]}
        assert client.wait_for_interrupt(60) == client.interrupts() == {"bell": ["message"]}
        registers.clear_interrupts("bell")
        assert client.wait_for_interrupt(0.05, ["bell"]) == {}


def test_the_copies_of_two_clients_do_not_mix(card, monkeypatch):
    """The card's process takes and reads a copy in one request of a client."""
    with running(card) as path, ControlClient(path) as client:
        for access in ("read32", "write32"):
            monkeypatch.delattr(ControlClient, access)
        assert client.registers.counters("bell") == {"bell": dict.fromkeys(card.manifest.tile("bell").counters, 0)}
