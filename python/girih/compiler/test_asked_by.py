# SPDX-License-Identifier: Apache-2.0
"""A tile that tells questions from traffic by their sender: the compiler follows the two separately."""

import pytest

from girih.compiler.check.card import check_file
from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.messages import walk
from girih.compiler.paths import services
from girih.errors import GirihError, GirihErrors
from girih.paths import DESIGNS

TEXT = (DESIGNS / "logged.yaml").read_text()


def card_of(path, *changes):
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)
    return check_file(path)


def test_questions_and_traffic_take_their_ways(tmp_path):
    card = card_of(tmp_path / "card.yaml")
    ways = {service.name: service.paths for service in services(card)}
    pairs = {name: {(path.src, path.dst) for path in paths} for name, paths in ways.items()}
    assert ("rx_log", "udp_tx") not in pairs["ipv4 / udp / destination port 7"]
    assert ("rx_log", "udp_tx") in pairs["ipv4 / udp / destination port 5140 / answer"]
    words = {(state.at.tile, state.word) for state in walk(card).states}
    assert {("rx_log", None), ("rx_log", "answer"), ("tx_log", None), ("tx_log", "answer")} <= words
    assert ("echo", "answer") not in words


def test_traffic_without_headers_does_not_pass_for_an_answer(tmp_path):
    """Another tile asks: what rx_ask sends is now traffic and leads nowhere, and what eth_rx sends is a question without known headers."""
    with pytest.raises((GirihError, GirihErrors), match="messages from rx_log reach udp_tx of kind udp_tx before any tile has found"):
        card_of(tmp_path / "card.yaml", ("questions: rx_ask", "questions: eth_rx"))
    with pytest.raises((GirihError, GirihErrors), match="messages from rx_log reach udp_tx of kind udp_tx before any tile has found"):
        card_of(tmp_path / "card.yaml", ("{ipv4: ip_rx, arp: arp, answer: udp_tx}", "{ipv4: udp_tx, arp: arp, answer: udp_tx}"))


@pytest.mark.parametrize("name", ["rx_ask", "tx_answers"])
def test_without_a_buffer_it_can_hang(tmp_path, name):
    with pytest.raises(DeadlockError):
        card_of(tmp_path / "card.yaml", (f"{name}: {{kind: buffer", f"{name}: {{kind: relay"))


def test_the_tile_of_questions_must_be_named(tmp_path):
    with pytest.raises((GirihError, GirihErrors), match="tile rx_log of kind log needs questions"):
        card_of(tmp_path / "card.yaml", ("questions: rx_ask, ", ""))
