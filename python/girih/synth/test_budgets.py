# SPDX-License-Identifier: Apache-2.0
"""No module exceeds its timing budget."""

import pytest

from girih.paths import ROOT
from girih.spec.kinds import load_kinds
from girih.spec.message import CardParams
from girih.synth.budgets import FILE, WIDTH, Budget, load_budgets
from girih.synth.design import module_timing
from girih.synth.seams import has_seam
from girih.synth.timing import Timing, timing_of
from girih.testing.netlists import Module

CHEAP = ("async_fifo", "router", "echo")  # their synthesis takes seconds, and other tests need it anyway
MODULES, SEAMS = load_budgets("modules"), load_budgets("seams")


def check(budget: Budget, timing: Timing) -> None:
    slowest = timing.registers.paths[0]
    assert budget.exceeded(timing) == [], f"{timing.top}: {slowest.start} > {slowest.end}; budgets are in {FILE}"


@pytest.mark.parametrize("module", [m if m in CHEAP else pytest.param(m, marks=pytest.mark.thorough) for m in MODULES])
def test_a_module_is_within_its_budget(module):
    check(MODULES[module], module_timing(module, CardParams(WIDTH)))


def test_every_kind_of_tile_with_a_router_has_a_budget():
    described = {path.stem for path in (ROOT / "rtl").rglob("*.yaml")}
    assert SEAMS.keys() == {name for name, kind in load_kinds().items() if name in described and has_seam(kind)}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", SEAMS)
def test_a_tile_with_its_routers_is_within_its_budget(kind):
    check(SEAMS[kind], module_timing(kind, CardParams(WIDTH), seam=True))


@pytest.mark.parametrize(
    "budget, sentences",
    [
        (Budget(5.13, 20, 50), []),
        (Budget(5.12, 20, 50), ["5.13 ns, the budget is 5.12"]),
        (Budget(5.13, 19, 50), ["20 levels, the budget is 19"]),
        (Budget(5.13, 20, 49), ["50 % of the endpoints over 4 ns, the budget is 49"]),
        (Budget(1, 1, 0), ["5.13 ns, the budget is 1", "20 levels, the budget is 1", "50 % of the endpoints over 4 ns, the budget is 0"]),
    ],
)
def test_what_exceeds_a_budget_is_said(budget, sentences):
    module = Module()
    module.flip_flop(module.chain(module.flip_flop("0"), 20))
    module.flip_flop(module.chain(module.flip_flop("0"), 1))
    assert budget.exceeded(timing_of(module.read())) == sentences
