# SPDX-License-Identifier: Apache-2.0
"""packet_store, unbounded (k-induction), at a small size, and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# The size of the largest message is a lower bound of Depth, and matters to fits_o alone.
SMALL = [
    ("packet_store", "if (Depth < 2 * MaxFrameFlits ||", "if ("),
    ("packet_store", "ptr_t'(Depth - MaxFrameFlits)", "ptr_t'(Depth - 2)"),
]


@pytest.mark.parametrize(("depth", "tokens", "bypass"), [(4, 2, 1), (4, 4, 1), (4, 2, 0), *(pytest.param(*size, marks=pytest.mark.thorough) for size in ((8, 2, 1), (8, 4, 0)))])
def test_packet_store(depth, tokens, bypass):
    prove("packet_store_proof", parameters={"Depth": depth, "Tokens": tokens, "Bypass": bypass}, abstraction=SMALL, solver=QUICK_ON_QUEUES)


BROKEN = [
    ("write_q <= drop_i ? committed_q : write_plus;", "write_q <= write_plus;"),
    ("bypassed_q <= empty_next;", "bypassed_q <= 1'b0;"),
    ("!full_q && (token_ready || open_q)", "!full_q"),
    ("full_q <= !drop_i && write_plus ==", "full_q <= write_q =="),
    ("if (pop) full_q <= 1'b0;\n    else if", "if"),
    ("else if (pop) valid_q", "if (pop) valid_q"),
    ("(pop && read_plus == write_q) || (!pop && read_q == write_q)", "read_q == write_q"),
    (".out_ready_i(pop && out_flit_o.last),", ".out_ready_i(pop),"),
    ("if (commit_i || open_q) committed_q", "if (commit_i) committed_q"),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("packet_store_proof", module="packet_store", old=old, new=new, depth=12, abstraction=SMALL, solver=QUICK_ON_QUEUES)
