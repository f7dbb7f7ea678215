# SPDX-License-Identifier: Apache-2.0
"""What is sent in a turn to transmit, for any record whose numbers and ranges are in order, at full size; and that the proof notices broken designs."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.tcp_sizes import FULL, sizes

# Parts of the promise, which a solver finds one by one.
WRITTEN = 0
NO_GAP = 1
WINDOW = 2
SENT = 3


@pytest.mark.parametrize("part", [WRITTEN, NO_GAP, WINDOW, SENT])
def test_tcp_transmit(part):
    prove("tcp_transmit_proof", depth=1, parameters={"Part": part}, **sizes(FULL))


# Part, module, old text and new text.
BROKEN = [
    (WRITTEN, "tcp_facts", "facts_o.fin_was_sent ? 2'd1 : 2'd0;", "2'd0;"),
    (WRITTEN, "tcp_facts", "(facts_o.fin_was_sent ? turn_i.snd_end : turn_i.snd_max) - seq_t'(turn_i.mss)", "turn_i.snd_max - seq_t'(turn_i.mss)"),
    (WRITTEN, "tcp_facts", "facts_o.tail_fits = !tail[17] && ", "facts_o.tail_fits = "),
    (WRITTEN, "tcp_facts", "again_from = turn_i.hole_ends ? 2'd2 :", "again_from = !turn_i.hole_ends ? 2'd2 :"),
    (WRITTEN, "tcp_transmit", "record_i.closing && facts_i.sends_rest;", "record_i.closing;"),
    (WRITTEN, "tcp_transmit", "&& facts_i.fin_was_sent && !record_i.hole_ends;", "&& !record_i.hole_ends;"),
    (NO_GAP, "tcp_acknowledge", "segment_o.seq = record_i.snd_nxt;", "segment_o.seq = record_i.snd_end;"),
    (WINDOW, "tcp_facts", "if (wnd_left[31]) wnd_left = '0;", ""),
    (WINDOW, "tcp_facts", "sendable <= wnd_left && sendable <= seq_t'(turn_i.mss)", "sendable <= seq_t'(turn_i.mss)"),
    (WINDOW, "tcp_settle", "record_i.usable < record_i.snd_wnd ? record_i.usable", "record_i.usable > record_i.snd_wnd ? record_i.usable"),
    (SENT, "tcp_transmit", "if (precedes(record_i.snd_max, r.snd_nxt)) r.snd_max", "r.snd_max"),
    (SENT, "tcp_transmit", "+ {seq_t'(facts_i.send), d.segment.flags.fin};", "+ {seq_t'(facts_i.send), 1'b0};"),
]


@pytest.mark.parametrize(("part", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(part, module, old, new):
    refute("tcp_transmit_proof", module=module, old=old, new=new, depth=2, parameters={"Part": part}, **sizes(FULL))
