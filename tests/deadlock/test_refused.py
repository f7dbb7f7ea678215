# SPDX-License-Identifier: Apache-2.0
"""Designs that the compiler refuses hang, in the circle that it names; repaired as it proposes, they do not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from girih.compiler.check.card import check_file
from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.explain import name_of
from girih.compiler.model import Card
from tests.deadlock.generic import SHAPES, GenericCard
from tests.deadlock.traffic import Run, saturate

DESIGNS = {path.stem: path for path in sorted(Path(__file__).with_name("designs").glob("*.yaml"))}
REAL_TILES = ("udp_stack",)  # a generic card does not have its tiles; see test_udp_stack.py
TRIES = 10  # most attempts to make it hang, each with other random traffic
RUNS = 4  # of each repaired design
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def generic():
    opened: dict[str, GenericCard] = {}

    def of(shape: str) -> GenericCard:
        if shape not in opened:
            opened[shape] = GenericCard(shape)
        return opened[shape]

    yield of
    for card in opened.values():
        card.card.close()


def refusal(name: str) -> DeadlockError:
    with pytest.raises(DeadlockError) as raised:
        check_file(DESIGNS[name])
    return raised.value


def runs(generic: GenericCard, design: Card, count: int, seed: int) -> Iterator[Run]:
    """Runs of a design, each with other random traffic."""
    rng = random.Random(seed)
    for _ in range(count):
        generic.load(design)
        yield saturate(generic, rng)


@pytest.mark.parametrize("name", [name for name in DESIGNS if name not in REAL_TILES])
def test_a_refused_design_hangs_in_its_circle_and_repaired_it_does_not(name, generic):
    refused = refusal(name)
    card = generic(refused.card.fabric.topology)
    stall = next((run.stall for run in runs(card, refused.card, TRIES, seed=1) if run.stall), None)
    assert stall, "it does not hang: the model is too strong"
    chain = [name_of(refused.card, edge.holder) for edge in refused.cycle]
    start = stall.chain.index(chain[0])
    assert (*stall.chain[start:], *stall.chain[:start]) == tuple(chain)
    assert {link for link in chain if not link.startswith("tile")} <= {waiting.link for waiting in stall.links}

    repaired = [proposal for proposal in refused.proposals if card.fits(proposal.card)]
    assert repaired, "choose the places so that a generic card has what is proposed"
    for proposal in repaired:
        for run in runs(card, proposal.card, RUNS, seed=2):
            assert run.stall is None, f"{proposal.text}\n{run.stall.text}"
            assert run.received > 0


def test_every_shape_of_fabric_is_among_them():
    assert {refusal(name).card.fabric.topology for name in DESIGNS} == {shape.removesuffix("_replies") for shape in SHAPES}
