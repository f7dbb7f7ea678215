# SPDX-License-Identifier: Apache-2.0
"""stream_writer with short messages, unbounded (induction), and that its two proofs notice broken designs."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.stream_sizes import OPTIONS, sizes


def writer(flit_bytes, message_flits, queue):
    """Options for the proof of the bytes, with a queue of so many words: that what comes finds room is the other proof."""
    depth = ("stream_writer", ".T(word_t),\n      .Depth(Depth)", f".T(word_t),\n      .Depth({queue})")
    return OPTIONS | {"parameters": {"Queue": queue}, "abstraction": [*sizes(flit_bytes, message_flits), depth]}


# The bytes of a range, which are no matter of the room, are checked by the proof of the bytes.
ROOM = OPTIONS | {"abstraction": [*sizes(2, 3), ("stream_writer", "assert (!flush_q || left_q.bytes == '0 || push)", "assert (1'b1)")]}


# Bytes of a flit, flits of the longest message, and words of the queue. Requests have up to two flits, or up to four if messages have four.
@pytest.mark.parametrize(
    ("flit_bytes", "message_flits", "queue"),
    [(2, 3, 2), *(pytest.param(*size, marks=pytest.mark.thorough) for size in ((2, 3, 4), (2, 4, 2), (4, 3, 2)))],
)
def test_bytes_are_written_once_in_their_places(flit_bytes, message_flits, queue):
    prove("stream_writer_proof", depth=2, timeout=1500, **writer(flit_bytes, message_flits, queue))


def test_there_is_room():
    prove("stream_writer_room_proof", depth=2, **ROOM)


BROKEN = [
    ("stream_writer", "carried_q[i] ? carry_q[8*i+:8] : data_q", "flush_q ? carry_q[8*i+:8] : data_q"),
    ("stream_writer", ".places_i(place)", ".places_i('0)"),
    ("stream_writer", "if (flush_q) carried_q <= '0;", ""),
    ("stream_writer", "carried_q <= placed_q.next;", "carried_q <= placed_q.here;"),
    ("stream_writer", "write_q && (carried_q | placed_q.here) != '0", "write_q && placed_q.here != '0"),
    ("stream_writer", "flush_q ? carried_q != '0", "flush_q ? 1'b0"),
    ("stream_writer", "left.bytes > in_word ? left.bytes - in_word : '0", "left.bytes - in_word"),
    ("stream_writer", "left.addr + seq_t'(in_word)", "left.addr + seq_t'(FlitBytes)"),
    ("stream_writer", "assign left = begins_q ? range_q : left_q;", "assign left = left_q;"),
    ("stream_writer", "word.begins = begins_q || starts_q;", "word.begins = begins_q;"),
    ("stream_writer", "if (push) begin\n      starts_q <= 1'b0;", "if (push) begin"),
    ("stream_writer", "ask_o.piece.bytes = bytes;", ""),
    ("stream_writer", "ask_o.ends = bytes == head.left.bytes;", "ask_o.ends = ask_last_o;"),
    ("stream_writer", "head.begins && is_new;", "head.begins;"),
    ("stream_writer", "same_place ? noted_generation_q : head.left.sent", "head.left.sent"),
    ("stream_writer", "if (noted_sent_q) sent_by", "if (!noted_sent_q) sent_by"),
    ("stream_writer", "flits_q <= (open_q ? flits_q : flits) - 1'b1;", "flits_q <= flits;"),
    ("stream_writer", "bytes + length_t'(FlitBytes - 1)) >> EmptyWidth);", "bytes) >> EmptyWidth);"),
    ("stream_writer", "assign head_ready = ask_ready_i;", "assign head_ready = 1'b1;"),
    ("stream_access_pkg", "range.bytes < most ? range.bytes : most", "range.bytes"),
    ("header_pkg", "+ stop) & ~placed_below((EmptyWidth + 1)'(place) + first);", "+ stop);"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("stream_writer_proof", module=module, old=old, new=new, depth=10, **writer(2, 3, 2))


TOO_FULL = [
    ("offers_flits_i) + 1'b1", "offers_flits_i)"),
    ("words_q + coming_q <=", "coming_q <="),
    ("room_t'(1) + room_t'(moves_last_i)", "room_t'(2)"),
    ("room_t'(Depth - Longest - Between)", "room_t'(Depth)"),
    ("- room_t'(next_valid && next_ready)", "- room_t'(next_ready)"),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, TOO_FULL))
def test_missing_room_is_noticed(old, new):
    refute("stream_writer_room_proof", module="stream_writer", old=old, new=new, depth=40, **ROOM)
