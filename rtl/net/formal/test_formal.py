# SPDX-License-Identifier: Apache-2.0
"""Proofs of the window in series with the trim, unbounded (k-induction), and that each notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# Messages of up to 15 bytes are requested, 2 to a flit; longer ones pass through the same states.
OPTIONS = {"widths": {"length_t": 4, "offset_t": 4}, "solver": QUICK_ON_QUEUES}


@pytest.mark.parametrize("header_bytes", [2, 3, 4, 6])
def test_window_and_trim(header_bytes):
    prove("header_trim_proof", parameters={"HeaderBytes": header_bytes}, **OPTIONS)


BROKEN = [
    ("header_window", "assign in_ready_o = !full || out_ready_i;", "assign in_ready_o = 1'b1;"),
    ("header_window", "(!slot_q[0].first || complete || full || enough)", "1'b1"),
    ("header_window", "(!slot_q[0].first || complete || full || enough)", "(!slot_q[0].first || full || enough)"),
    ("header_window", " - length_t'(slot_q[n-1].empty)", ""),
    ("header_window", "slot_q[n-1].last || !taken[n]", "!taken[n]"),
    ("header_window", "32'(need_i) <= n * FlitBytes", "32'(need_i) <= n * FlitBytes + 1"),
    ("header_window", "if (pop && !push) taken_q <= taken[K:1];", "if (pop) taken_q <= taken[K:1];"),
    ("header_window", "taken_q[i+1] ? slot_q[i+1] : in_flit_i", "slot_q[i+1]"),
    ("message_trim", "assign too_short = (first_q || trim_q) && in_flit_i.last && present < left;", "assign too_short = 1'b0;"),
    ("header_pkg", "(bytes >> EmptyWidth == '0 || bytes == length_t'(FlitBytes))", "bytes >> EmptyWidth == '0"),
    ("message_trim", "trim && left <= 2 * FullFlit", "trim && left < 2 * FullFlit"),
    ("message_trim", "trim && left <= 2 * FullFlit", "left <= 2 * FullFlit"),
    ("message_trim", "(cuts ? through_end >> 1 : '1)", "(cuts ? through_end >> 1 : '0)"),
    ("message_trim", "(cuts ? through_end >> 1 : '1)", "(cuts ? through_end : '1)"),
    ("message_trim", "trim && left >> EmptyWidth == '0 && !tail_q", "trim && left >> EmptyWidth == '0"),
    ("message_trim", "out_flit_o.bad = in_flit_i.bad;\n", "\n"),
    ("message_trim", "left_q <= left - FullFlit;", "left_q <= left;"),
    ("message_trim", "assign in_ready_o = hold || out_ready_i;", "assign in_ready_o = out_ready_i;"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("header_trim_proof", module=module, old=old, new=new, depth=10, **OPTIONS)
