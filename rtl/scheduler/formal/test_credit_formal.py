# SPDX-License-Identifier: Apache-2.0
"""Proofs of credit_manager, unbounded (k-induction), and that they notice a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute


@pytest.mark.parametrize(("units", "push", "few_units"), [(1, 0, 16), (1, 1, 16), (2, 0, 16), (2, 1, 16), (3, 1, 16), (3, 1, 0)])
def test_credit_manager(units, push, few_units):
    prove("credit_manager_proof", parameters={"Units": units, "Push": push, "FewUnits": few_units}, solver=QUICK_ON_QUEUES)


BROKEN = [
    ("outstanding_q <= settled + outstanding_t'(consume_i[i]);", "outstanding_q <= settled;"),
    ("step = '1;  // one less", "if (!consume_i[i]) step = '1;"),
    ("balance[i] > (consume_i[i] ? balance_t'(1) : balance_t'(0))", "balance[i] > balance_t'(0)"),
    ("slots_t'(LosslessSlots) - slots_t'(lossless_consume)", "slots_t'(LosslessSlots)"),
    ("if (consume_i[i]) ahead = more;\n          if", "if"),
    ("ahead = nearly;\n        end", "ahead = !more;\n        end"),
]
BROKEN_LOOPS = [
    ("if (consume_i[i]) ahead = more;\n            if", "if"),
    ("ahead = nearly;\n            behind", "ahead = !more;\n            behind"),
    ("            peers[j][i] = 1'b1;\n", ""),
    ("            behind[j][i] = ahead;\n", ""),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("credit_manager_proof", module="credit_manager", old=old, new=new, depth=12)


@pytest.mark.parametrize(("old", "new"), BROKEN_LOOPS)
def test_broken_loops_are_noticed(old, new):
    refute("credit_manager_proof", module="credit_manager", old=old, new=new, depth=12, parameters={"FewUnits": 0})
