# SPDX-License-Identifier: Apache-2.0
"""The levels of the PIFO's tree, and its tails, unbounded (induction), and that the proofs notice broken designs.

The second parameters are those of `pifo_proof`, which relies on these proofs.
"""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

OPTIONS = {"registers_for_memories": True, "solver": QUICK_ON_QUEUES}


@pytest.mark.parametrize("parameters", [{}, {"Queues": 1, "Entries": 4}, {"Queues": 1, "Entries": 4, "IndexWidth": 3}])
def test_root(parameters):
    prove("pifo_root_proof", depth=1, parameters=parameters, **OPTIONS)


@pytest.mark.parametrize("parameters", [{}, pytest.param({"Entries": 4, "WordWidth": 3, "Late": 2}, marks=pytest.mark.thorough), pytest.param({"IndexWidth": 3}, marks=pytest.mark.thorough)])
def test_leaf(parameters):
    prove("pifo_leaf_proof", depth=1, parameters=parameters, **OPTIONS)


@pytest.mark.parametrize("parameters", [{}, {"Queues": 1}, pytest.param({"Queues": 4, "RankWidth": 6}, marks=pytest.mark.thorough)])
def test_tail(parameters):
    prove("pifo_tail_proof", depth=1, parameters=parameters, **OPTIONS)


BROKEN = [
    ("pifo_root_proof", "pifo_root", "(!push_word[push_child] || left_now)", "!push_word[push_child]"),
    ("pifo_root_proof", "pifo_root", "follows_q && emptied ? taken_t", "emptied ? taken_t"),
    ("pifo_root_proof", "pifo_root", "peek_word_q <= word_after |", "peek_word_q <= word |"),
    ("pifo_root_proof", "pifo_root", "(left_q ? left_one_q : '0)", "'0"),
    ("pifo_root_proof", "pifo_root", "clear_i ? count_t'(1) : pops[0] + 1'b1", "clear_i ? '0 : pops[0] + 1'b1"),
    ("pifo_root_proof", "pifo_find", "mirror[0] : '0) > mirror[1]", "mirror[0] : '0) < mirror[1]"),
    ("pifo_root_proof", "pifo_find", "(swapped && some[1])", "swapped"),
    ("pifo_root_proof", "first_value", "{1'b0, value_i ^ ~set_i}", "{1'b0, value_i}"),
    ("pifo_root_proof", "pifo_ram", "bypass ? written_q :", ""),
    ("pifo_leaf_proof", "pifo_leaf", "leaves_q <= pop_emptied_i && !same_q;", "leaves_q <= pop_emptied_i;"),
    ("pifo_leaf_proof", "pifo_leaf", "^ (push_late_q && leaves_q))", ")"),
    ("pifo_leaf_proof", "pifo_leaf", "take || (same_q && pop_emptied_i)", "take"),
    ("pifo_leaf_proof", "pifo_leaf", "peek_left = '{late[1] && leaves_q ?", "peek_left = '{late[1] ?"),
    ("pifo_leaf_proof", "pifo_leaf", "late_again[0] && leaves_q ?", "late_again[0] ?"),
    ("pifo_leaf_proof", "pifo_leaf", ".set_i(set ? set_one_q : '0)", ".set_i('0)"),
    ("pifo_leaf_proof", "pifo_leaf", "left_q <= follow ? left_now :", "left_q <= follow ? left_q :"),
    ("pifo_leaf_proof", "pifo_leaf", "(followed_q && !emptied_q ? pop_one_q : '0)", "'0"),
    ("pifo_leaf_proof", "pifo_find", "turned(note_i, highest_i) | cleared", "turned(note_i, highest_i)"),
    ("pifo_leaf_proof", "pifo_find", "emptied_index_o = index_after", "emptied_index_o = index_before"),
    ("pifo_root_proof", "pifo_same", "early_q <= (a_i >> Late == b_i >> Late) ^ Inverted", "early_q <= !Inverted"),
]


@pytest.mark.parametrize(("top", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(top, module, old, new):
    refute(top, module=module, old=old, new=new, depth=16, **OPTIONS)


BROKEN_TAIL = [
    ("found_q <= found_valid_i && !lost_q[found_queue_i];", "found_q <= found_valid_i;"),
    ("assign found = found_q && !lost_q[found_queue_q];", "assign found = found_q;"),
    ("assign keeps = any_q & ~lost_q;", "assign keeps = any_q;"),
    ("(empty_i | (lost_i & single_i))", "empty_i"),
    ("push_q && !(same && !push_first)", "push_q"),
    ("found && !(same && push_first)", "found"),
    ("above = circular ? !above : a[RankWidth-1];", "above = a[RankWidth-1];"),
    ("      found_last_q[push_queue_q] <= 1'b0;\n", ""),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN_TAIL))
def test_a_broken_tail_is_noticed(old, new):
    refute("pifo_tail_proof", module="pifo_tail", old=old, new=new, depth=8, **OPTIONS)
