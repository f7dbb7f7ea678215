# SPDX-License-Identifier: Apache-2.0
"""admission with four entries, unbounded (induction), and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of


def test_admission():
    prove("admission_proof", depth=2, registers_for_memories=True, solver=QUICK_ON_QUEUES)


BROKEN = [
    ("admission", "assign take = take_account &&", "assign take = in_valid_i && !in_request_i.lossless &&"),
    ("admission", "assign cells_given = give ? release_cells_i : '0;", "assign cells_given = give ? cells_t'(1) : '0;"),
    ("admission", "assign discard_o = in_valid_i && !accept_o && !in_request_i.overflow;", "assign discard_o = in_valid_i;"),
    ("admission", "!known || !in_request_i.entitled", "!known"),
    ("admission", "(below || !short_here)", "!short_here"),
    ("admission_slots", ".out_ready_i(take_i && !fresh),", ".out_ready_i(take_i && !fresh && !give_i),"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("admission_proof", module=module, old=old, new=new, depth=26, registers_for_memories=True)
