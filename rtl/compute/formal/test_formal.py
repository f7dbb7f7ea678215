# SPDX-License-Identifier: Apache-2.0
"""Proofs that a unit's credits are conserved, and that it knows what it has room for; and that they notice broken designs."""

import pytest

from girih.formal import prove, refute


def test_credit_meter():
    prove("credit_meter_proof")


LENGTH = {"length_t": 14}


def test_room_fits():
    prove("room_fits_proof", depth=1, widths=LENGTH)


BROKEN = [
    ("assign leave = {!taken_i && lossless_waits,", "assign leave = {lossless_waits,"),
    ("credit_o.give_lossless <= taken_i ? taken_lossless_i : leave[1];", "credit_o.give_lossless <= leave[1];"),
    ("credit_o.cancel <= pushed_i;", "credit_o.cancel <= pushed_i && !taken_i;"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("credit_meter_proof", module="credit_meter", old=old, new=new, depth=8)


@pytest.mark.parametrize(("old", "new"), [("~flits, !partial}", "~flits, 1'b1}"), ("(known && enough)", "enough"), ("room_i >= length_t'", "room_i > length_t'")])
def test_a_wrong_answer_about_room_is_noticed(old, new):
    refute("room_fits_proof", module="room_fits", old=old, new=new, depth=2, widths=LENGTH)
