# SPDX-License-Identifier: Apache-2.0
"""The lists of the PIFO with four entries, unbounded (induction), and that the proofs notice a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute, verdict
from girih.testing import some_of


# pifo_proof relies on these proofs, with one queue and 32 leaves.
@pytest.mark.parametrize(
    ("top", "parameters"),
    [
        ("pifo_list_proof", {"Step": 1}),
        pytest.param("pifo_list_proof", {"Step": 1, "LeafWidth": 5}, marks=pytest.mark.thorough),
        ("pifo_overdue_proof", {}),
        ("pifo_overdue_proof", {"Queues": 1}),
    ],
)
def test_lists(top, parameters):
    prove(top, depth=1, parameters=parameters, registers_for_memories=True, solver=QUICK_ON_QUEUES, timeout=1500)


BROKEN = [
    ("pifo_list_proof", "pifo_list", ".write_enable_i(push_valid_q && push_begins_i),", ".write_enable_i(push_valid_q),"),
    ("pifo_list_proof", "pifo_list", "link_pushed[push_slot_q] <= link_linked[push_slot_q];", "link_pushed[push_slot_q] <= 1'b0;"),
    ("pifo_list_proof", "pifo_list", "if (push_valid_q && !push_takes_i) begin", "if (push_valid_q && !push_takes_i && !pop_valid_q) begin"),
    ("pifo_list_proof", "pifo_list", "pop_seen[0] = pop_leaf_i;", "pop_seen[0] = pop_next_leaf_i;"),
    ("pifo_list_proof", "pifo_ram", "bypass ? written_q :", ""),
    ("pifo_list_proof", "pifo_ram", "bypass_posted ? older_q :", ""),
    ("pifo_overdue_proof", "pifo_overdue", "(append_i || (take_i && take_last_i))", "(append_i || take_i)"),
    ("pifo_overdue_proof", "pifo_overdue", "if (!append_alone_i) newer[", "if (append_alone_i) newer["),
    ("pifo_overdue_proof", "pifo_overdue", "append_i ? append_slot_i : older[slot_o];", "append_i ? append_slot_i : newer[slot_o];"),
]


@pytest.mark.parametrize(("top", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(top, module, old, new):
    refute(top, module=module, old=old, new=new, depth=14, registers_for_memories=True, solver=QUICK_ON_QUEUES)


@pytest.mark.parametrize(("top", "module", "old", "new"), [BROKEN[0], BROKEN[2]])
def test_the_step_of_one_leaf_fails_with_a_broken_design(top, module, old, new):
    result, _ = verdict(top, depth=1, mutation=(module, old, new), parameters={"Step": 1}, registers_for_memories=True, solver=QUICK_ON_QUEUES)
    assert result == "UNKNOWN"  # the base case holds
