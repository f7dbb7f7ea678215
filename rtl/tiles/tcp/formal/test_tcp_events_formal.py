# SPDX-License-Identifier: Apache-2.0
"""tcp_events with 16 connections, unbounded (induction): no event takes a record that another has yet to change; and that the proof notices broken designs."""

from pathlib import Path

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

PARTS = ("tcp_update", "tcp_settle", "tcp_rtt", "tcp_facts", "tcp_turns", "tcp_cubic", "tcp_dctcp", "tcp_pacer")
ABSTRACTION = [
    # What is read while it is written is undefined: here, it is always wrong.
    ("ram_simple_dual", "<= mem[read_addr_i];", "<= T'(write_enable_i && write_addr_i == read_addr_i ? ~mem[read_addr_i] : mem[read_addr_i]);"),
    # That tcp_pacer has the connection whose wait ends is no matter of this proof.
    ("tcp_events", "|| record_3_q.pacing.queued)", "|| 1'b1)"),
    # Nor is what an event makes of a state, since any arithmetic stands in for the update.
    ("tcp_states", "assert (!moves || legal)", "assert (1'b1)"),
]
OPTIONS = {
    "stand_ins": {module: Path(__file__).with_name(f"{module}_any.sv") for module in PARTS},
    "abstraction": ABSTRACTION,
    "streams": True,
    "widths": {"length_t": 14, "offset_t": 14, "tenant_t": 3},
    "registers_for_memories": True,
    "solver": QUICK_ON_QUEUES,
}


@pytest.mark.parametrize(("far", "notices"), [pytest.param(0, 1, marks=pytest.mark.thorough), pytest.param(1, 1, marks=pytest.mark.thorough), (1, 2)])
def test_tcp_events(far, notices):
    prove("tcp_events_proof", depth=2, parameters={"Far": far, "Notices": notices}, **OPTIONS)


BROKEN = [
    ("reused && !is_at(front_id, stage_q[1])", "reused"),
    ("(!is_at(notify_id, stage_q[1]) && !is_at(notify_id, stage_q[2]))", "!is_at(notify_id, stage_q[1])"),
    ("&& !is_at(transmit_id, stage_q[1]) && !is_at(transmit_id, stage_q[2])", "&& !is_at(transmit_id, stage_q[2])"),
    ("&& !is_at(id_t'(unopened_i.connection), stage_q[1])", ""),
    ("is_at(visit_id, stage_q[1]) || is_chosen(visit_id)", "is_at(visit_id, stage_q[1])"),
    ("is_at(window_id, stage_q[1]) || is_chosen(window_id)", "is_chosen(window_id)"),
    ("finding_valid_q && finding_waits_q && !finding_near_q", "finding_valid_q && !finding_near_q"),
    ("&& !(Far && breaks_i && !breaking_q);", ";"),
    ("turn = notify_free ? notify_id == id : transmit_free", "turn = transmit_free"),
    ("arrived = accept_free ? id_t'(unopened_i.connection) == id : front_id == id;", "arrived = front_id == id;"),
    ("own = clearing_q ? clear_q == id : tick_free ? visit_id == id :", "own = clearing_q ? clear_q == id :"),
    ("newest_1 = Settled;", "newest_1 = Written;"),
    ("if (is_at(id_1, stage_q[5])) newest_1 = Written;", "if (is_at(id_1, stage_q[5])) newest_1 = Stored;"),
    ("if (written_6_q && id_6_q == id_1)", "if (written_6_q)"),
    ("written_6_q && id_6_q == id_1", "1'b0"),
    ("near_2_q <= is_at(id_1, stage_q[3]);", "near_2_q <= 1'b0;"),
    ("record_3_q <= near_2_q ? settled : record_2_q;", "record_3_q <= near_2_q ? record_4_q : record_2_q;"),
    ("(near_2_q ? settled.phase : record_2_q.phase)", "record_2.phase"),
    ("record_2 = near_2_q ? record_4_q : record_2_q;", "record_2 = record_2_q;"),
    ("record_5_q <= settled;", "record_5_q <= derived;"),
    ("turn_id = notify_free ? notify_id : transmit_id;", "turn_id = transmit_id;"),
    ("arrived_id = accept_free ? id_t'(unopened_i.connection) : front_id;", "arrived_id = front_id;"),
    ("else if (tick_free) own_id = visit_id;", "else if (tick_free) own_id = scan_q;"),
    (".write_enable_i(stage_q[5].valid && stage_q[5].keeps),", ".write_enable_i(stage_q[5].valid),"),
    (".read_enable_i(chosen.valid),", ".read_enable_i(chosen.front),"),
    ("&& !told_q && !notifying_q &&", "&& !notifying_q &&"),
    ("if (told_q) notifying_q <= 1'b1;", "if (notify_pop) notifying_q <= 1'b1;"),
    ("chosen.front = front_work_i.kind != EventSack;", "chosen.front = 1'b1;"),
    ("chosen.work.connection = connection_t'(clear_q);", "chosen.work.connection = '0;"),
]


@pytest.mark.parametrize(("old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("tcp_events_proof", module="tcp_events", old=old, new=new, depth=32, parameters={"Far": 1, "Notices": 2}, **OPTIONS)
