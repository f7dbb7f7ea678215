# SPDX-License-Identifier: Apache-2.0
"""Unbounded proof that tenants do not observe each other at an index of a window, and that the proof notices designs in which they do."""

import pytest

from girih.formal import prove, refute

OPTIONS = {"widths": {"tenant_t": 2, "ctrl_master_t": 1}, "registers_for_memories": True}


def test_tenants_are_apart():
    prove("window_index_proof", **OPTIONS)


BROKEN = [
    # One index for all tenants of a master.
    ("assign owner = {tenant_i, master_i};", "assign owner = {tenant_t'(0), master_i};"),
    # An access of one moves the index of another.
    ("else if (moves) indices[owner] <= index + 1'b1;", "else if (moves) indices[owner ^ 3'b010] <= index + 1'b1;"),
    # It is not cleared.
    ("if (clearing_q) indices[cleared_q] <= '0;", "if (clearing_q && cleared_q[0]) indices[cleared_q] <= '0;"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("window_index_proof", module="window_index", old=old, new=new, depth=14, **OPTIONS)
