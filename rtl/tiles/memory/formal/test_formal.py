# SPDX-License-Identifier: Apache-2.0
"""memory_replies, unbounded (k-induction), at a small size, and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# Which node has requests under way matters to ordered ones alone.
SMALL = [
    ("memory_replies", "ptr_t latest[256];", "ptr_t latest[2];"),
    ("memory_replies", "latest[owed_i.reply.src]", "latest[owed_i.reply.src[0]]"),
    ("memory_replies", "latest[requester_i]", "latest[requester_i[0]]"),
]
OPTIONS = {"abstraction": SMALL, "registers_for_memories": True, "solver": QUICK_ON_QUEUES}


def test_each_request_has_one_reply():
    prove("memory_replies_proof", **OPTIONS)


BROKEN = [
    ("- (owed_valid_i ? owed_i.slots : '0)", "- slots_t'(owed_valid_i)"),
    ("if (owed_valid_i && owed_i.status != StatusOk) done_q", "if (owed_valid_i && owed_i.status == StatusRefused) done_q"),
    ("if (r_valid_q && r_q.last && !atomic_i) done_q", "if (r_valid_q && !atomic_i) done_q"),
    ("assign r_slot = started ? next_slot[r_id] : r_id;", "assign r_slot = r_id;"),
    ("started ? worst(r_errors[r_id], r_q.resp) : r_q.resp;", "r_q.resp;"),
    ("out_brings_o <= brings && !failed;", "out_brings_o <= brings;"),
]
BROKEN_LATER = [  # the solver takes half a minute for each
    ("if (going_q) status = status_q;", ""),
    ("(going_q || done_q[first])", "done_q[head_q[SlotBits-1:0]]"),
]


@pytest.mark.parametrize(("old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(old, new):
    refute("memory_replies_proof", module="memory_replies", old=old, new=new, depth=12, **OPTIONS)
