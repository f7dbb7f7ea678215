# SPDX-License-Identifier: Apache-2.0
"""The whole PIFO, unbounded (induction), and that the proof notices broken designs.

Its stages promise what `test_pifo_parts_formal.py` and `test_pifo_lists_formal.py` prove. What those proofs rely on is proved here,
before the promises are assumed. Each run is a step of the induction that shows one group of assertions: all groups hold in the
cycle before, and the groups that come earlier in the order hold in the same cycle.
"""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, verdict
from girih.testing import some_of

OPTIONS = {"registers_for_memories": True, "solver": QUICK_ON_QUEUES}
FACTS = [f"pifo_{stage}_facts" for stage in ("root", "leaf", "list", "overdue")]
PROMISES_ALONE = [(facts, "Invariants = 1'b1", "Invariants = 1'b0") for facts in FACTS]
# What the design asserts of itself and of its user is shown last. pifo_root_proof and pifo_tail_proof show what these stages assert.
UNCHECKED_STAGE = [
    ("pifo_root", "if (!rst_i && pop_valid_q) assert", "if (1'b0) assert"),
    ("pifo_tail", "if (!rst_i) begin\n      assert", "if (1'b0) begin\n      assert"),
]
UNCHECKED = [
    ("pifo", "if (!rst_i) begin\n      assert", "if (1'b0) begin\n      assert"),
    ("pifo_counts", "if (!rst_i) begin\n        if (pop) assert", "if (1'b0) begin\n        if (pop) assert"),
    ("pifo_counts", "if (!rst_i && pop_i != '0 && pop_age_i)", "if (1'b0)"),
    ("pifo_end", "if (!rst_i) begin\n        assert", "if (1'b0) begin\n        assert"),
]
# Groups in the harness, in order.
MODEL, COUNTS, STAGES, ROOT, LISTS, OVERDUE, FINDS, WAITS, PEEKS_LOWEST, PEEKS_HIGHEST, LOWEST, HIGHEST, PROMISES = range(1, 14)
# The modules of those on which later groups are built.
MODULES = {"model": MODEL, "counts": COUNTS, "stages": STAGES, "finds": FINDS, "waits": WAITS, "peeks": PEEKS_HIGHEST, "ranks": HIGHEST}


def step(goal, near, **parameters):
    """The step of the induction that shows a group."""
    return {
        "depth": 1,
        "parameters": {"Goal": goal, "Near": near, **parameters},
        "assumed": [*FACTS, *(f"pifo_proof_{part}" for part, group in MODULES.items() if group < goal)],
        "abstraction": [*PROMISES_ALONE, *UNCHECKED_STAGE, *(UNCHECKED if goal < PROMISES else [])],
        **OPTIONS,
    }


# Near: circular ranks that were popped in the last four cycles are close to those in the tree. Only then are the ends right. What comes
# before them holds without this rule.
QUICK = [*((goal, 0) for goal in (COUNTS, STAGES, ROOT, OVERDUE)), (WAITS, 1)]
LATE = [*((goal, 0) for goal in (MODEL, FINDS, LISTS)), *((goal, 1) for goal in (PEEKS_LOWEST, LOWEST, PEEKS_HIGHEST, HIGHEST, PROMISES))]


@pytest.mark.parametrize(("goal", "near"), [*QUICK, *some_of(0, LATE)])
def test_whole(goal, near):
    prove("pifo_proof", **step(goal, near))


BROKEN = [
    (COUNTS, "pifo_counts", "two = tree_q == count_t'(3);", "two = tree_q == count_t'(2);"),
    (FINDS, "pifo", ".pop_circular_q_i(pop_root_circular_q)", ".pop_circular_q_i(1'b0)"),
]
# Those of ROOT, LISTS and OVERDUE are of the models by which the promises of the stages are told, or of what the stages are given.
BROKEN_LATE = [
    (MODEL, "pifo_proof", "(tree_q[0] & ~tree_popped[0])", "tree_q[0]"),
    (MODEL, "pifo_proof", "32'(push_slot_i) < Entries && !taken[push_slot_i]", "32'(push_slot_i) < Entries && !tree_q[0][push_slot_i]"),
    (COUNTS, "pifo_counts", "if (append_q[q]) list_two = list_q == count_t'(1);", ""),
    (COUNTS, "pifo_counts", "last_q[q] <= pop && single_o[q];", "last_q[q] <= pop;"),
    (COUNTS, "pifo_counts", "overdue_o[q] && !(pop_highest_i && treed_o[q]);", "overdue_o[q];"),
    (COUNTS, "pifo_counts", "(treed_o[q] && !(pop && single_o[q]))", "(treed_o[q] && !pop)"),
    (COUNTS, "pifo_counts", "alone_q[q] <= append && !overdue_o[q];", "alone_q[q] <= append;"),
    (COUNTS, "pifo_counts", "if (append_q[q] || take_q[q]) list_q", "if (take_q[q]) list_q"),
    (STAGES, "pifo", "overdue_list_q <= overdue_leaf_q;", "overdue_list_q <= overdue_root;"),
    (STAGES, "pifo", "pop_root_circular_q <= |(circular_i >> pop_queue_i & Queues'(1));", "pop_root_circular_q <= '0;"),
    (STAGES, "pifo", "pop_leaf_some_q <= nonempty[pop_root_queue_q];", "pop_leaf_some_q <= 1'b1;"),
    (STAGES, "pifo", "pop_list_rank_q <= {pop_leaf_child_q, pop_leaf};", "pop_list_rank_q <= {pop_child, pop_leaf};"),
    (ROOT, "pifo_proof", "if (tree_q[1][s] && in_queue[q][s]", "if (tree_q[2][s] && in_queue[q][s]"),
    (ROOT, "pifo", "if (clear_word_q == '1) ready_q", "if (clear_word_q[0]) ready_q"),
    (LISTS, "pifo_proof", "(!leaf_taken[l] || (leaf_single[l] && popped_here))", "!leaf_taken[l]"),
    (LISTS, "pifo_proof", "if (tree_q[3][s] && place[s] == leaf)", "if (tree_q[2][s] && place[s] == leaf)"),
    (OVERDUE, "pifo_proof", "older_q[s][o]) older[s]", "older_q[o][s]) older[s]"),
    (WAITS, "pifo", "pop_leaf_some_q && !leaf_void;", "pop_leaf_some_q;"),
    (PEEKS_LOWEST, "pifo", "found_rank_q <= {peek_child_q, peek_leaf};", "found_rank_q <= {peek_child_q, pop_leaf};"),
    (LOWEST, "pifo_proof", "| tree_q[3] | before_q :", "| tree_q[3] :"),  # three cycles are too few
    (LOWEST, "pifo_end", "circular ? !below : high[RankWidth-1]", "high[RankWidth-1]"),
    (PROMISES, "pifo", "overdue_list_q.take ? overdue_slot : list_slot", "list_slot"),
]


@pytest.mark.parametrize(("goal", "module", "old", "new"), [*BROKEN, *some_of(0, BROKEN_LATE)])
def test_a_step_fails_with_a_broken_design(goal, module, old, new):
    result, _ = verdict("pifo_proof", mutation=(module, old, new), **step(goal, int(goal >= WAITS)))
    assert result == "UNKNOWN"  # the base case holds
