# SPDX-License-Identifier: Apache-2.0
"""No module exceeds its budget of timing."""

import pytest

from girih.spec.message import CardParams
from girih.synth.budgets import FILE, WIDTH, Budget, load_budgets
from girih.synth.design import module_timing
from girih.synth.timing import timing_of
from girih.testing.netlists import Module

CHEAP = ("router", "echo")  # their synthesis takes seconds, and other tests need it anyway
BUDGETS = load_budgets()


@pytest.mark.parametrize("module", [m if m in CHEAP else pytest.param(m, marks=pytest.mark.thorough) for m in BUDGETS])
def test_within_its_budget(module):
    timing = module_timing(module, CardParams(WIDTH))
    slowest = timing.registers.paths[0]
    assert BUDGETS[module].exceeded(timing) == [], f"{module}: {slowest.start} > {slowest.end}; budgets are in {FILE}"


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
