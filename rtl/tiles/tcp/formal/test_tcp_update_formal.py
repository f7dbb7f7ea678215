# SPDX-License-Identifier: Apache-2.0
"""What each event makes of a connection's record, for any record that record_order_pkg permits, at full size; and that the proof notices broken designs."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.tcp_sizes import FULL, sizes

# Parts of the promise.
SENDS = 0
RESENDS = 1
SACKED = 2
RECEIVES = 3
RANGES = 4
PHASES = 5
BUFFER = 6
STORED = 7
TOLD = 8
OPENS = 9
STATES = 10
OTHERS = 11

# Those that a solver finds together. In each run: what is received and told, the states, and that others have no effect.
TOGETHER = [(RECEIVES,), (PHASES, BUFFER, STORED, TOLD, OPENS, STATES), (OTHERS,)]
THOROUGH = [(SENDS,), (RESENDS,), (SACKED,), (RANGES,)]


def options(*parts):
    return {"parameters": {"Parts": sum(1 << part for part in parts)}, **sizes(FULL, solver="z3" if OTHERS in parts else QUICK_ON_QUEUES)}


@pytest.mark.parametrize("parts", [*TOGETHER, *(pytest.param(parts, marks=pytest.mark.thorough) for parts in THOROUGH)])
def test_tcp_update(parts):
    prove("tcp_update_proof", depth=2 if STATES in parts else 1, **options(*parts))


# Part, module, old text and new text.
BROKEN = [
    (SENDS, "tcp_update", "if (facts_i.ack_beyond_next) r.snd_nxt = work_i.ack;", ""),
    (SENDS, "tcp_facts", "&& !facts_o.ack_unsent && !facts_o.ack_ancient;", "&& !facts_o.ack_ancient;"),
    (SENDS, "tcp_transmit", "if (precedes(record_i.snd_max, r.snd_nxt)) r.snd_max = r.snd_nxt;", ""),
    (SENDS, "tcp_answer", "r.snd_nxt = work_i.ack;", ""),
    (SENDS, "tcp_facts", "facts_o.writes = seq_t'(Ring)", "facts_o.writes = seq_t'(2 * Ring)"),
    (RESENDS, "tcp_update", "if (!record_i.sacks || facts_i.ack_passes_resent) r.resent_to = near_t'(work_i.ack);", ""),
    (RESENDS, "tcp_update", "r.recovering = record_i.recovering && !facts_i.ack_recovers;", ""),
    (RESENDS, "tcp_update", "&& facts_i.outstanding && ((facts_i.same_wnd", "&& ((facts_i.same_wnd"),
    (RESENDS, "tcp_transmit", "record_i.hole + near_t'(facts_i.again)", "record_i.hole + near_t'(record_i.mss)"),
    (SACKED, "tcp_update", "passes_sacked = 1'b1;", ""),
    (SACKED, "tcp_update", "&& facts_i.counts && facts_i.sack_fits)", "&& facts_i.counts)"),
    (RECEIVES, "tcp_facts", "(reading_i ? reading_seq_i : turn_i.rcv_read) + seq_t'(Ring);", "turn_i.rcv_read + seq_t'(Ring);"),
    (RECEIVES, "tcp_command", "r.rcv_read = record_i.rcv_nxt - seq_t'(record_i.fin_received);", "r.rcv_read = record_i.rcv_nxt;"),
    (RANGES, "tcp_command", "r.ranges = '0;", ""),
    (RANGES, "tcp_update", "if (keeps && (!record_i.closing || record_i.half)) begin", "if (keeps) begin"),
    (PHASES, "tcp_settle", "&& all_acked && !record_i.half && record_i.fin_received;", "&& all_acked && record_i.fin_received;"),
    (BUFFER, "tcp_command", "phases_i[Open] && !record_i.closing && facts_i.writes", "phases_i[Open] && !record_i.closing"),
    (BUFFER, "tcp_command", "d.result.seq = record_i.snd_end;", "d.result.seq = record_i.snd_max;"),
    (BUFFER, "tcp_facts", "&& !facts_o.ack_unsent && !facts_o.ack_ancient;", "&& !facts_o.ack_ancient;"),
    (STORED, "tcp_facts", "? window : record_i.rcv_edge - work_i.seq);", "? window : window);"),
    (STORED, "tcp_facts", "facts_o.early ? length_t'(-offset) : '0;", "'0;"),
    (TOLD, "tcp_tell", "r.rcv_read = record_i.rcv_read + seq_t'(facts_i.reads);", "r.rcv_read = record_i.rcv_nxt;"),
    (TOLD, "tcp_facts", "readable = turn_i.rcv_nxt - seq_t'(turn_i.fin_received) - turn_i.rcv_read;", "readable = turn_i.rcv_nxt - turn_i.rcv_read;"),
    (OPENS, "tcp_update", "&& !(phases_i[SynReceived] && !facts_i.ack_news)", ""),
    (OPENS, "tcp_answer", "!(facts_i.acks_all && facts_i.ack_news)", "!facts_i.ack_news"),
    (OPENS, "tcp_answer", "r.phase = SynReceived;", "r.phase = Open;"),
    (OPENS, "tcp_update", "if (facts_i.exact) begin\n            d.reset_received", "if (facts_i.in_window) begin\n            d.reset_received"),
    (STATES, "tcp_settle", "r.phase = record_i.active ? TimeWait : Free;", "r.phase = Free;"),
    (STATES, "tcp_command", "if (!record_i.closing) r.active = !record_i.fin_received;", "r.active = !record_i.fin_received;"),
    (OTHERS, "tcp_facts", "work_i.tenant != record_i.tenant\n        || ", ""),
    (OTHERS, "tcp_command", "&& (!record_i.closing || record_i.half) && !facts_i.foreign;", "&& (!record_i.closing || record_i.half);"),
    (OTHERS, "tcp_update", "else if (facts_i.foreign || phases_i[Free]", "else if (phases_i[Free]"),
]


@pytest.mark.parametrize(("part", "module", "old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(part, module, old, new):
    refute("tcp_update_proof", module=module, old=old, new=new, depth=3 if part == STATES else 2, **options(part))
