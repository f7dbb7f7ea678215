# SPDX-License-Identifier: Apache-2.0
"""cell_allocator with four cells, unbounded (induction), and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of


def test_cell_allocator():
    prove("cell_allocator_proof", depth=1, registers_for_memories=True, solver=f"--stbv {QUICK_ON_QUEUES}")


BROKEN = [
    ("cell_allocator", "if (!valid_q) end_q <= back_last_i;", "end_q <= back_last_i;"),
    ("cell_allocator", ".pop_i(load_read),", ".pop_i(load && !load_fresh && read_valid),"),
    ("cell_allocator", "(discard_i ? discard_cells_i : '0)", "count_t'(discard_i)"),
    ("cell_allocator", ".read_enable_i(take_i && !at_end),", ".read_enable_i(!at_end),"),
    ("cell_list", "(!valid_q || (pop_i && only))", "!valid_q"),
    ("cell_list", "if (push_i) tail_q <= push_last_i;", "if (straight) tail_q <= push_last_i;"),
]
BROKEN_LATER = [  # the solver takes longer for these
    ("cell_allocator", "(!back_i && if_none.discarded)", "if_none.discarded"),
]


@pytest.mark.parametrize(("module", "old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(module, old, new):
    refute("cell_allocator_proof", module=module, old=old, new=new, depth=14, registers_for_memories=True)
