# SPDX-License-Identifier: Apache-2.0
"""stream_requests with 16 connections, unbounded (induction), and that the proof notices broken designs."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

OPTIONS = {
    "streams": True,
    "memory": True,
    "abstraction": [("girih_pkg", "W = 16;", "W = 32;")],  # in a flit of two bytes, the place where a write ends is the same from either side
    "widths": {"length_t": 14, "offset_t": 14, "tenant_t": 3},
    "registers_for_memories": True,
    "solver": QUICK_ON_QUEUES,
}


def test_requests_and_replies_keep_their_order():
    prove("stream_requests_proof", depth=2, **OPTIONS)


BROKEN = [
    ("stream_requests", "& {3{owed_ready}};", ";"),
    ("stream_requests", "assign write_ready_o = ready && (open_q || grant[0]);", "assign write_ready_o = ready;"),
    ("stream_requests", "{2{ready && !open_q}} & grant[2:1];", "{2{ready}} & grant[2:1];"),
    ("stream_requests", "open_q || grant[0] ? write_i : grant[1] ?", "grant[0] ? write_i : grant[1] ?"),
    ("stream_requests", "open_q <= !write_last_i;", "open_q <= 1'b0;"),
    ("stream_requests", "ask.piece.connection[IdBits-1:0], ask.piece.sent,", "ask.piece.sent, ask.piece.connection[IdBits-1:0],"),
    ("stream_requests", "ask.piece.addr[RingBits-1:0]}", "1'b0, ask.piece.addr[RingBits-2:0]}"),
    ("stream_requests", "flit.desc.tenant = ask.piece.tenant;", "flit.desc.tenant = write_i.piece.tenant;"),
    ("stream_requests", "EmptyWidth'(-(ask.piece.addr", "EmptyWidth'((ask.piece.addr"),
    ("stream_requests", "made_o = ask_valid && ready && first;", "made_o = ask_valid && first;"),
    ("stream_requests", "replied = reply_in_valid_i && reply_in_flit_i.last;", "replied = reply_in_valid_i;"),
    ("stream_requests", "reply_place_o <= place;", "reply_place_o <= due.piece.addr[31:EmptyWidth];"),
    ("stream_requests", "reply_data_o <= reply_in_flit_i.data;", "if (begins) reply_data_o <= reply_in_flit_i.data;"),
    ("stream_requests", "place_q <= place + 1'b1;", "place_q <= due.piece.addr[31:EmptyWidth] + 1'b1;"),
    ("stream_requests", "!= memory_access_pkg::StatusOk || reply_in_flit_i.bad);", "!= memory_access_pkg::StatusOk);"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("stream_requests_proof", module=module, old=old, new=new, depth=8, **OPTIONS)
