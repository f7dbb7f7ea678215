# SPDX-License-Identifier: Apache-2.0
"""Random designs: those that the compiler accepts all run to completion, those that it refuses all can hang.

An accepted design that hangs would show a model that is too weak, a refused one that does not hang a model that is too
strong.
"""

from __future__ import annotations

import random

import pytest

from girih.compiler.check.card import check
from girih.compiler.dependencies import dependencies
from girih.compiler.explain import name_of
from girih.compiler.model import Card
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse
from girih.spec.kinds import load_kinds
from tests.deadlock.generic import GenericCard
from tests.deadlock.random_designs import random_design
from tests.deadlock.traffic import LONG, SIZES, saturate

# Designs that must be accepted, and refused ones that are shown to hang. On a crossbar few are refused at all.
COUNTS = [
    ("mesh", 40, 4),
    ("butterfly", 30, 4),
    ("mesh_replies", 22, 2),
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
    """Of 4 to 12 tiles."""
    accepted = refused = seed = frames = 0
    sizes = set()
    with GenericCard(shape) as generic:
        while accepted < wanted:
            seed += 1
            rng = random.Random(seed)
            text = random_design(shape, rng)
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
    assert sizes == set(range(4, 13)) and refused >= hang


def _hangs(generic: GenericCard, card: Card, rng: random.Random, complaint: str) -> None:
    for turn in range(TRIES):
        generic.load(card)
        stall = saturate(generic, rng, LONG if turn % 2 else SIZES).stall
        if stall:
            tangled = {name_of(card, resource) for resource in dependencies(card).tangled()}
            assert tangled.issuperset(stall.chain), f"this circle is none of the graph's:\n{stall.text}"
            return
    raise AssertionError(complaint)
