# SPDX-License-Identifier: Apache-2.0
"""Figure 5(a) of Beehive with the tiles of a UDP stack, one of which stores whole packets, which only delays the hang."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.card.stall import CIRCLE, CardStalled, Stall
from girih.compiler.check.card import check_file
from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.compile import emit
from girih.compiler.explain import name_of
from girih.compiler.model import Card

DESIGN = Path(__file__).with_name("designs") / "udp_stack.yaml"
MAC, ADDRESS = "02:67:69:72:69:68", "10.77.0.2"
# The circle holds as many short packets as fit into the time that one takes to go round. Each of them that leaves lets a
# long one in, and as many long ones are more than udp_rx can store.
BURSTS = ((18, 60), (8972, 5)) * 8
READY = (1, 0.7, 0.3, 1)  # probability that the wire takes a beat, in each run
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def refused() -> DeadlockError:
    with pytest.raises(DeadlockError) as raised:
        check_file(DESIGN)
    return raised.value


def request(payload: bytes) -> bytes:
    packet = IP(src="10.77.0.1", dst=ADDRESS) / UDP(sport=4000, dport=7) / payload
    return bytes(Ether(dst=MAC, src="02:00:00:00:00:99") / packet)


def runs(card: Card) -> Iterator[tuple[Stall | None, VirtualCard]]:
    """Bursts of requests; then the wire takes all."""
    rng = random.Random(1)
    with VirtualCard(emit(card), collect=True) as running:
        for ready in READY:
            running.reset()
            for size, number in BURSTS:
                data = request(rng.randbytes(size))
                for _ in range(number):
                    running.inject(0, data)
            running.set_ready(0, ready, rng.getrandbits(32))
            running.run(20_000)
            running.set_ready(0, 1)
            stall = None
            try:
                running.run_until_quiet()
            except CardStalled as stalled:
                stall = stalled.stall
            yield stall, running


@pytest.mark.thorough
def test_a_store_and_forward_tile_in_the_circle_hangs_as_well(refused):
    stall = next((stall for stall, _ in runs(refused.card) if stall), None)
    assert stall, "it does not hang: the model is too strong"
    assert stall.kind == CIRCLE
    chain = [name_of(refused.card, edge.holder) for edge in refused.cycle]
    start = stall.chain.index(chain[0])
    assert [*stall.chain[start:], *stall.chain[:start]] == chain


def test_in_other_positions_it_runs(refused):
    position = next(proposal for proposal in refused.proposals if len(proposal.card.tiles) == len(refused.card.tiles))
    for stall, card in runs(position.card):
        assert stall is None, stall.text
        assert len(card.collect(0)) > 100
        card.check_conservation()
