# SPDX-License-Identifier: Apache-2.0
"""Proofs of credit_manager, unbounded (k-induction), and that they notice a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

OPTIONS = {"widths": {"service_t": 4}}


@pytest.mark.parametrize(("units", "push", "few_units"), [(1, 0, 16), (1, 1, 16), (2, 0, 16), (2, 1, 16), (2, 1, 0), (3, 1, 16), pytest.param(3, 1, 0, marks=pytest.mark.thorough)])
def test_credit_manager(units, push, few_units):
    prove("credit_manager_proof", parameters={"Units": units, "Push": push, "FewUnits": few_units}, solver=QUICK_ON_QUEUES, **OPTIONS)


BROKEN = [
    ("consume_q <= consume_i[i];", "consume_q <= 1'b0;"),
    ("assign less = event_q.give && !event_q.cancel && !consume_q;", "assign less = event_q.give && !event_q.cancel;"),
    ("several || (some && !consume_i[i])", "some"),
    ("room_for_two || (room_for_one && !lossless_consume)", "room_for_one"),
]
BROKEN_BEST = [
    (2, 16, "(consume_i[i] ? best_less : best_still)", "best_still"),
    (2, 16, "ahead_of_it & level[i] & {Units", "ahead_of_it & {Units"),
    (3, 16, "{Units{unit_enabled_i[i] && !several}}", "{Units{unit_enabled_i[i]}}"),
    (2, 16, "assign behind_less[i][j] = !more;", "assign behind_less[i][j] = !at_least;"),
    (2, 0, "            behind_less[i][j] = !more;", "            behind_less[i][j] = !at_least;"),
    (2, 0, "            level[j][i] = !more;", "            level[j][i] = nearly;"),
    (2, 0, "            peers_o[j][i] = 1'b1;\n", ""),
    (2, 0, "            behind[j][i] = at_least;\n", ""),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("credit_manager_proof", module="credit_manager", old=old, new=new, depth=12, **OPTIONS)


@pytest.mark.parametrize(("units", "few_units", "old", "new"), some_of(1, BROKEN_BEST))
def test_broken_choice_is_noticed(units, few_units, old, new):
    parameters = {"Units": units, "FewUnits": few_units}
    refute("credit_manager_proof", module="best_units", old=old, new=new, depth=12, parameters=parameters, **OPTIONS)
