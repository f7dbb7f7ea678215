# SPDX-License-Identifier: Apache-2.0
"""stream_fetch with two slots and short messages, unbounded (induction); and that the proof notices broken designs."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.stream_sizes import OPTIONS, sizes

# That no reply comes for a message that has all of its bytes is proved of the message that is followed.
NO_MATTER = ("stream_fetch", "assert (!reply_valid_i || !here_q[slot_t'(reply_i.slot)])", "assert (1'b1)")


def fetch(flit_bytes, message_flits, **parameters):
    return OPTIONS | {"parameters": parameters, "abstraction": [*sizes(flit_bytes, message_flits), NO_MATTER]}


# Bytes of a flit, flits of the longest message, and requests that wait for their replies.
@pytest.mark.parametrize(("flit_bytes", "message_flits", "owed"), [(2, 3, 3), *(pytest.param(*size, marks=pytest.mark.thorough) for size in ((2, 4, 3), (4, 3, 3), (2, 3, 4)))])
def test_messages_leave_with_their_bytes(flit_bytes, message_flits, owed):
    prove("stream_fetch_proof", depth=2, **fetch(flit_bytes, message_flits, Owed=owed))


BROKEN = [
    ("stream_fetch", "range_q.addr + seq_t'(piece_of(range_q))", "range_q.addr + seq_t'(FlitBytes)"),
    ("stream_fetch", "ask_o.ends = ends;", "ask_o.ends = 1'b1;"),
    ("stream_fetch", "ask_o.slot = 4'(ask_slot);", "ask_o.slot = 4'(tail_q);"),
    ("stream_fetch", "ask_o.piece.bytes = piece_of(range_q);", ""),
    ("stream_fetch", "asking_q && (reached_q || owed", "asking_q && (1'b1 || owed"),
    ("stream_fetch", "reached_q <= 1'b0;\n      ask_q", "ask_q"),
    ("stream_fetch", "if (reply_valid_i && reply_last_i && reply_i.ends) here_q", "if (reply_valid_i && reply_i.ends) here_q"),
    ("stream_fetch", "if (reply_valid_i && reply_last_i && reply_i.ends) here_q", "if (reply_valid_i && reply_last_i) here_q"),
    ("stream_fetch", "if (reply_valid_i && reply_failed_i) failed_q[slot_t'(reply_i.slot)] <= 1'b1;", ""),
    ("stream_fetch", "if (skips && range_q.bytes != '0) failed_q[ask_slot] <= 1'b1;", ""),
    ("stream_fetch", "if (skips && range_q.bytes != '0) failed_q", "if (skips || asks) failed_q"),
    ("stream_fetch", "void_q <= void_i;", "void_q <= 1'b0;"),
    ("stream_fetch", "here_q[slot_t'(tail_q)] <= 1'b0;", ""),
    ("stream_fetch", "ptr_t'(tail_q - head_q) != ptr_t'(Slots)", "ptr_t'(tail_q - out_q) != ptr_t'(Slots)"),
    ("stream_fetch", "&& (!using_q || released_i);", ";"),
    ("stream_fetch", "out_item_o = items[slot_t'(out_q)];", "out_item_o = items[slot_t'(head_q)];"),
    ("stream_access_pkg", "range.bytes < most ? range.bytes : most", "range.bytes"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("stream_fetch_proof", module=module, old=old, new=new, depth=12, **fetch(2, 3, Owed=3))
