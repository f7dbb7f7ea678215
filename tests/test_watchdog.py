# SPDX-License-Identifier: Apache-2.0
"""The watchdog: for a stalled card it reports which link holds what and waits for what; a card at rest or a slow one is not reported."""

import pytest

from girih.card import Session, VirtualCard
from girih.card.stall import CIRCLE, WIRE, CardStalled
from girih.compiler.check.card import check_file
from girih.compiler.compile import emit
from girih.compiler.dependencies import dependencies
from girih.compiler.explain import name_of
from girih.experiments.echo import DESIGN

STEP = 16  # cycles; the flows check after this many
PING_PONG = """\
fabric: {crossbar: 4}
width: 128
mac: 02:67:69:72:69:68
tiles:
  rx: {kind: eth_rx, next: {ipv4: a, arp: tx}}
  a: {kind: relay, next: b}
  b: {kind: relay, next: a}
  tx: {kind: eth_tx}
"""
CHAIN = (  # from the first tile that waits to the port; eth_rx does not wait, it drops
    "eth_rx > fabric", "[0, 0] > [1, 0]", "fabric > ip_rx", "tile ip_rx", "ip_rx > fabric", "[1, 0] > [2, 0]",
    "fabric > udp_rx", "tile udp_rx", "udp_rx > fabric", "[2, 0] > [3, 0]", "fabric > echo", "tile echo", "echo > fabric",
    "[3, 0] > [3, 1]", "fabric > udp_tx", "tile udp_tx", "udp_tx > fabric", "[3, 1] > [2, 1]", "fabric > ip_tx", "tile ip_tx",
    "ip_tx > fabric", "[2, 1] > [1, 1]", "fabric > eth_tx",
)  # fmt: skip


@pytest.fixture
def card():
    with VirtualCard.open(DESIGN["mesh"]) as card:
        card.run_until_quiet()
        yield card


def flood(card: VirtualCard, count: int = 2000) -> None:
    card.add_flow(payload=18)
    card.run_flows(count=count)


def test_a_wire_that_takes_nothing_is_named(card):
    card.set_ready(0, 0)
    with pytest.raises(CardStalled) as raised:
        flood(card)
    stall = raised.value.stall
    assert stall.kind == WIRE and stall.chain == CHAIN
    assert 20_000 <= stall.cycles < 20_000 + STEP
    assert {waiting.link for waiting in stall.links} == {link for link in CHAIN if not link.startswith("tile")}
    assert stall.sentences[0] == "eth_rx > fabric holds eth_rx > ip_rx, which waits for [0, 0] > [1, 0]"
    assert stall.sentences[-1] == "eth_tx waits for the wire at port 0, which takes nothing"
    assert stall.text.startswith(f"nothing has moved for {stall.cycles:,} cycles: 18 links hold messages\n  eth_rx > fabric holds")
    stalls = card.registers.link_stalls()
    assert min(stalls[waiting.link] for waiting in stall.links) >= 20_000
    assert all(count == 0 for link, count in stalls.items() if link not in CHAIN)

    card.set_ready(0, 1)
    card.check_conservation()
    assert card.stall() is None
    flood(card)


def test_messages_that_wait_for_each_other_are_told_apart(tmp_path):
    """Two relays that send to each other: the compiler refuses the design, and the card stalls in the circle that the compiler named."""
    design = tmp_path / "ping_pong.yaml"
    design.write_text(PING_PONG)
    checked = check_file(design, allow_deadlock=True)
    predicted = {name_of(checked, edge.holder) for edge in dependencies(checked).shortest_cycle()}
    with VirtualCard(emit(checked)) as card:
        card.add_flow(payload=100)
        with pytest.raises(CardStalled, match="wait for each other in a circle") as raised:
            card.run_flows(count=1000)
        stall = raised.value.stall
        assert stall.kind == CIRCLE and set(stall.chain) == predicted
        assert "a > fabric holds a > b, which waits for fabric > b" in stall.sentences
        with pytest.raises(CardStalled):
            card.check_conservation()


def test_neither_rest_nor_a_slow_wire_is_a_stall(card):
    card.run(50_000)
    assert card.stall() is None
    card.set_ready(0, 0.001, seed=1)
    flood(card, 30)
    assert card.stall() is None
    card.check_conservation()


def test_it_waits_as_long_as_it_is_told_and_not_at_all_if_told(card):
    with VirtualCard(card.manifest.folder, watchdog=500) as impatient:
        impatient.set_ready(0, 0)
        with pytest.raises(CardStalled) as raised:
            flood(impatient)
        assert 500 <= raised.value.stall.cycles < 500 + STEP
    with VirtualCard(card.manifest.folder, watchdog=0) as blind:
        blind.set_ready(0, 0)
        flood(blind)
        blind.run(50_000)
        assert blind.stall() is None


def test_a_session_says_it_once_and_goes_on(card):
    said = []
    session = Session(card, control=False, say=said.append)
    card.set_ready(0, 0)
    with pytest.raises(CardStalled):
        flood(card)
    session.serve(cycles=30_000)
    assert len(said) == 1 and "the wire at port 0" in said[0] and session.stall.kind == WIRE
    card.set_ready(0, 1)
    session.serve(cycles=30_000)
    assert len(said) == 1 and session.stall is None
