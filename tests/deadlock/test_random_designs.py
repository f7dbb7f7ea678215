# SPDX-License-Identifier: Apache-2.0
"""Random designs: those that the compiler accepts all run to completion, those that it refuses all can hang.

An accepted design that hangs would show a model that is too weak, a refused one that does not hang a model that is too
strong.
"""

from __future__ import annotations

import random
import re

import pytest

from girih.compiler.check.card import check
from girih.compiler.dependencies import dependencies
from girih.compiler.explain import name_of
from girih.compiler.model import Card
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse
from girih.spec.kinds import load_kinds
from tests.deadlock.generic import GenericCard, heading
from tests.deadlock.random_designs import TILES, random_design
from tests.deadlock.traffic import LONG, SIZES, saturate

# Designs that must be accepted, and refused ones that are shown to hang. On a crossbar few are refused at all.
COUNTS = [
    ("butterfly", 30, 4),
    *(pytest.param(*counts, marks=pytest.mark.thorough) for counts in (("mesh", 120, 12), ("butterfly", 60, 12), ("crossbar", 60, 0))),
    *(pytest.param(f"{shape}_replies", *counts, marks=pytest.mark.thorough) for shape, *counts in (("mesh", 600, 12), ("butterfly", 250, 0), ("crossbar", 150, 0))),
]
TRIES = 60
pytestmark = pytest.mark.slow


def card_of(text: str) -> Card:
    report = Report("random.yaml")
    return check(read(parse(text, report), "random", report), "random.yaml", load_kinds(), report, allow_deadlock=True)


@pytest.mark.parametrize(("shape", "wanted", "hang"), COUNTS)
def test_accepted_designs_run_and_refused_ones_hang(shape, wanted, hang, record_property):
    """Of 4 to 12 tiles, each number in turn."""
    accepted = refused = seed = frames = 0
    sizes = set()
    with GenericCard(shape) as generic:
        while accepted < wanted:
            seed += 1
            rng = random.Random(seed)
            text = random_design(shape, rng, TILES[seed % len(TILES)])
            card = card_of(text)
            cycle = dependencies(card).shortest_cycle()
            if cycle is None:
                generic.load(card)
                run = saturate(generic, rng)
                assert run.stall is None, f"accepted, and yet it hangs (seed {seed}):\n{text}\n{run.stall.text}"
                accepted, frames = accepted + 1, frames + run.received
                sizes.add(len(card.tiles))
            else:
                refused += 1
                if refused <= hang:
                    _hangs(generic, card, rng, f"refused, and yet it does not hang (seed {seed}):\n{text}")
    record_property("designs", f"{shape}: {accepted} accepted, {refused} refused, {frames} frames")
    assert sizes == set(TILES) and refused >= hang


@pytest.mark.thorough
def test_request_and_reply_three_hops_apart(tmp_path):
    """64 bytes there and back over an idle mesh: from the request's offer at the tile that asks to the reply's arrival there."""
    text = "\n".join(
        [
            *heading("mesh_replies", 1),
            "  rx: {kind: eth_rx, at: [0, 1], promiscuous: true, next: asker}",
            "  asker: {kind: requester, at: [1, 1], next: {requests: answerer, replies: tx}}",
            "  answerer: {kind: responder, at: [2, 3]}",
            "  tx: {kind: eth_tx, at: [3, 0]}",
            "",
        ]
    )
    with GenericCard("mesh_replies") as generic:
        generic.load(card_of(text))
        name = next(tile.name for tile in generic.built.tiles if tile.at == (1, 1))
        generic.card.start_capture(tmp_path / "links.pcapng", [f"{name}.out", f"{name}.reply_in"])
        generic.card.inject(0, bytes(range(64)))
        generic.card.run_until_quiet()
        assert generic.card.stop_capture() == 3
    request, reply, _ = (int(cycle) for cycle in re.findall(rb"cycle=(\d+)", (tmp_path / "links.pcapng").read_bytes()))
    # Four routers each way; a request waits a cycle behind the last, and the tile that answers takes one.
    assert reply - request == 4 + 1 + 1 + 4


def _hangs(generic: GenericCard, card: Card, rng: random.Random, complaint: str) -> None:
    for turn in range(TRIES):
        generic.load(card)
        stall = saturate(generic, rng, LONG if turn % 2 else SIZES).stall
        if stall:
            tangled = {name_of(card, resource) for resource in dependencies(card).tangled()}
            assert tangled.issuperset(stall.chain), f"this circle is none of the graph's:\n{stall.text}"
            return
    raise AssertionError(complaint)
