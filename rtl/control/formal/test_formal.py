# SPDX-License-Identifier: Apache-2.0
"""Proof of the control ring, unbounded: every access ends, and is answered once."""

import pytest

from girih.formal import prove, refute

WIDTHS = {"tenant_t": 4}


def test_ctrl_ring():
    prove("ctrl_ring_proof", widths=WIDTHS)


BROKEN = [
    ("window_guard", "(window_done_i || expired)", "window_done_i"),
    ("window_guard", "if (window_done_i) busy_q", "if (window_done_i || expired) busy_q"),
    ("window_guard", "given_up_q || !window_done_i", "!window_done_i"),
    ("window_guard", "given_up_q <= 1'b1;", "given_up_q <= 1'b0;"),
    ("ctrl_node", "beat_q.response <= 1'b1;", "beat_q.response <= 1'b0;"),
    ("ctrl_node", "beat_q.valid <= !mine;", "beat_q.valid <= 1'b1;"),
    ("ctrl_bridge", "if (ctrl_i.valid) begin", "if (ctrl_i.valid && ctrl_i.response) begin"),
]


@pytest.mark.parametrize(("module", "old", "new"), BROKEN)
def test_broken_design_is_noticed(module, old, new):
    refute("ctrl_ring_proof", module=module, old=old, new=new, depth=16, widths=WIDTHS)
