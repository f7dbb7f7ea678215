# SPDX-License-Identifier: Apache-2.0
"""Unbounded proof that a unit's credits are conserved, and that the proof notices a meter that loses one."""

import pytest

from girih.formal import prove, refute


def test_credit_meter():
    prove("credit_meter_proof")


BROKEN = [
    ("assign leave = {!taken_i && lossless_waits,", "assign leave = {lossless_waits,"),
    ("credit_o.give_lossless <= taken_i ? taken_lossless_i : leave[1];", "credit_o.give_lossless <= leave[1];"),
    ("credit_o.cancel <= pushed_i;", "credit_o.cancel <= pushed_i && !taken_i;"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("credit_meter_proof", module="credit_meter", old=old, new=new, depth=8)
