# SPDX-License-Identifier: Apache-2.0
"""Proofs of credit_manager, unbounded (k-induction), and that they notice a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute


@pytest.mark.parametrize(("units", "push"), [(1, 0), (1, 1), (2, 0), (2, 1), (3, 1)])
def test_credit_manager(units, push):
    prove("credit_manager_proof", parameters={"Units": units, "Push": push}, solver=QUICK_ON_QUEUES)


BROKEN = [
    ("outstanding_q <= settled + outstanding_t'(consume_i[i]);", "outstanding_q <= settled;"),
    ("step = '1;  // one less", "if (!consume_i[i]) step = '1;"),
    ("balance[i] > (consume_i[i] ? balance_t'(1) : balance_t'(0))", "balance[i] > balance_t'(0)"),
    ("slots_t'(LosslessSlots) - slots_t'(lossless_consume)", "slots_t'(LosslessSlots)"),
    ("if (consume_i[i]) ahead = more;", ""),
    ("if (consume_i[j]) ahead = nearly;", "if (consume_i[j]) ahead = !more;"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("credit_manager_proof", module="credit_manager", old=old, new=new, depth=12)
