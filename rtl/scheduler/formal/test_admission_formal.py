# SPDX-License-Identifier: Apache-2.0
"""admission with four entries: nothing goes wrong within a number of cycles from reset."""

import pytest

from girih.formal import prove, refute


def test_admission():
    prove("admission_proof", mode="bmc", depth=12)


BROKEN = [
    ("assign take = take_account &&", "assign take = in_valid_i && !in_request_i.lossless &&"),
    ("- (give ? release_cells_i : '0);", "- (give ? cells_t'(1) : '0);"),
    ("assign discard_o = in_valid_i && fate != Accepted && !in_request_i.overflow;", "assign discard_o = in_valid_i;"),
    ("!known || !rights[in_request_i.service]", "!known"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("admission_proof", module="admission", old=old, new=new, depth=12)
