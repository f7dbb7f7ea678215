# SPDX-License-Identifier: Apache-2.0
"""The compiler's verdicts on random designs, compared with those of a judge that plays their messages and shares nothing with it.

A design that the compiler accepts must never hang. One that it refuses should hang; some hang so seldom that the judge does not
see it.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from girih.compiler.check.card import check
from girih.compiler.dependencies import dependencies
from girih.compiler.messages import walk
from girih.compiler.model import Card
from girih.compiler.paths import endless
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse
from girih.compiler.stub_kinds import service_kinds
from girih.errors import GirihError, GirihErrors
from tests.deadlock.judge import Place, Plan, hangs, text
from tests.deadlock.random_plans import random_plan

ROUNDS = 6  # of an accepted design
MOST_ROUNDS = {"plain": 5000, "services": 5000, "lossless": 150}  # of a refused one
SHOWN = 0.93  # the least share of the refused ones that hang within these rounds; of those without lossless messages all do
SORTS = ("plain", "services", "lossless")


def card_of(plan: Plan) -> Card:
    report = Report("plan.yaml")
    return check(read(parse(text(plan), report), "plan", report), "plan.yaml", service_kinds(), report, allow_deadlock=True)


def led(card: Card) -> dict[str, int]:
    """The fabric port of the scheduler that each tile sends to."""
    return {tile.name: hop.port for tile in card.tiles for hop in tile.hops if hop.to == card.scheduling.scheduler}


def sort(plan: Plan) -> str:
    if any(tile.lossless for tile in plan.tiles.values()):
        return "lossless"
    return "services" if plan.services else "plain"


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(1000), pytest.param(range(1000, 8000), marks=pytest.mark.thorough)], ids=str)
def test_the_compiler_and_the_judge_agree(seeds, record_property):
    accepted, refused, shown = (dict.fromkeys(SORTS, 0) for _ in range(3))
    for seed in seeds:
        rng = random.Random(seed)
        plan = random_plan(rng)
        try:
            card = card_of(plan)
        except (GirihError, GirihErrors):
            continue  # it has other mistakes
        free = not endless(walk(card)) and dependencies(card).order() is not None
        hung = hangs(plan, led(card), rng, ROUNDS if free else MOST_ROUNDS[sort(plan)])
        assert not (free and hung), f"accepted, and yet it hangs (seed {seed}):\n{text(plan)}"
        (accepted if free else refused)[sort(plan)] += 1
        shown[sort(plan)] += hung
    record_property("designs", f"accepted {accepted}, refused {refused}, of which hang {shown}")
    assert all(accepted[each] > len(seeds) // 60 and refused[each] > len(seeds) // 150 for each in SORTS)
    assert sum(shown.values()) >= SHOWN * sum(refused.values())
    assert shown["plain"] == refused["plain"] and shown["services"] == refused["services"]


def at(*place: int) -> tuple[tuple[int, ...], ...]:
    return (place,)


BEHIND_AN_EXIT = Plan(
    (5, 2),
    {
        "u": Place("unit", at(0, 0)),
        "r1": Place("relay", at(1, 0), next=("wire",)),
        "r0": Place("relay", at(2, 0), next=("host", "r1")),
        "wire": Place("port", at(3, 0), 0, exit="r0"),
        "scheduler": Place("scheduler", ((0, 1), (1, 1))),
        "host": Place("port", at(2, 1), 1, exit="r1"),
    },
    services=((("u",), "always"),),
    chains=(((0,), "r0"),),
)


@pytest.mark.parametrize(("exit", "circle"), [("r0", True), ("wire", False)])
def test_a_design_that_is_known(exit, circle):
    """The tiles behind the exit of a chain hold a link that the chain needs."""
    plan = replace(BEHIND_AN_EXIT, chains=(((0,), exit),))
    card = card_of(plan)
    assert hangs(plan, led(card), random.Random(1), 40) == (dependencies(card).order() is None) == circle
