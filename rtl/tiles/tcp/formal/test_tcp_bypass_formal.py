# SPDX-License-Identifier: Apache-2.0
"""What the stages of tcp_events may leave out when two events of a connection are close, for any record and event; and that the proof notices broken designs."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

OPTIONS = {"streams": True, "widths": {"length_t": 14, "offset_t": 14, "tenant_t": 3}, "solver": QUICK_ON_QUEUES}


@pytest.mark.parametrize("updates", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_what_is_left_out_has_no_effect(updates):
    prove("tcp_bypass_proof", depth=1, parameters={"Updates": updates}, **OPTIONS)


BROKEN = [
    (0, "tcp_settle", "if (wants) r.transmit_queued = 1'b1;", "if (wants) r.resend = 1'b1;"),
    (0, "tcp_facts", "left[2] = record_i.threshold;", "left[2] = record_i.limit;"),
    (0, "tcp_facts", "near_t'(record_i.snd_una), record_i.ecn.reduced_to", "near_t'(record_i.snd_una), record_i.hole"),
    (1, "tcp_facts", "seq_t'(Ring) - (record_i.snd_end - record_i.snd_una)", "seq_t'(Ring) - (turn_i.snd_end - turn_i.snd_una)"),
    (1, "tcp_facts", "if (work_i.kind == EventSegment) facts_o.rcv_edge = record_i.rcv_edge;", ""),
    (1, "tcp_update", "kinds_i[EventNotify], kinds_i[EventUnopened]: begin", "kinds_i[EventNotify], kinds_i[EventUnopened], kinds_i[EventWindow]: begin"),
    (1, "tcp_command", "d.result.seq = record_i.snd_end;", "d.result.seq = facts_i.idle_seq;"),
]


@pytest.mark.parametrize(("updates", "module", "old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(updates, module, old, new):
    refute("tcp_bypass_proof", module=module, old=old, new=new, depth=2, parameters={"Updates": updates}, **OPTIONS)
