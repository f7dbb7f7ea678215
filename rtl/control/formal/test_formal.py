# SPDX-License-Identifier: Apache-2.0
"""Proof of the control ring: every access ends and is answered once. Unbounded with the host as the only master; with two masters, for everything
that can happen in the first cycles after reset."""

import pytest

from girih.formal import ProofFailed, prove, refute, verdict
from girih.testing import some_of

WIDTHS = {"tenant_t": 4}


def test_ctrl_ring():
    prove("ctrl_ring_proof", widths=WIDTHS)


BROKEN = [
    ("window_guard", "(window_done_i || expired)", "window_done_i"),
    ("window_guard", "if (window_done_i) busy_q", "if (window_done_i || expired) busy_q"),
    ("window_guard", "given_up_q || !window_done_i", "!window_done_i"),
    ("window_guard", "if (valid_i) request_q", "request_q"),
    ("window_guard", "given_up_q <= 1'b1;", "given_up_q <= 1'b0;"),
    ("ctrl_node", "        beat_q.response <= 1'b1;\n        beat_q.error <= error_i;", "        beat_q.response <= 1'b0;\n        beat_q.error <= error_i;"),
    ("ctrl_node", "beat_q.valid <= !mine;", "beat_q.valid <= 1'b1;"),
    ("ctrl_port", "answer_valid_o = ctrl_i.valid && mine;", "answer_valid_o = ctrl_i.valid && mine && ctrl_i.response;"),
    ("axil_requests", "done_q[oldest_q] <= 1'b0;", ""),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("ctrl_ring_proof", module=module, old=old, new=new, depth=16, widths=WIDTHS)


MASTERS = {"tenant_t": 2, "ctrl_master_t": 2}
DEPTH = 18  # longer than the longest request


@pytest.mark.thorough  # minutes
def test_two_masters():
    result, run = verdict("ctrl_masters_proof", mode="bmc", depth=DEPTH, widths=MASTERS, registers_for_memories=True)
    if result != "PASS":
        raise ProofFailed(f"ctrl_masters_proof: {result}; see {run}")


def test_rights_cannot_be_exceeded():
    prove("ctrl_master_proof", widths=MASTERS)


BROKEN_MASTER = [
    ("ctrl_master", "request_q.write ? may_write_i[i] : may_read_i[i]", "may_read_i[i]"),
    ("ctrl_master", "Nodes[i] == request_q.node && ", ""),
    ("ctrl_master", "assign to_ring = free && allowed;", "assign to_ring = free;"),
    ("ctrl_master", "request.tenant = Tenant;", "request.tenant = '0;"),
    ("ctrl_master", "port_answers && answer.response && !answer.error ? answer.data", "answer.response && !answer.error ? answer.data"),
    ("ctrl_master", "port_answers && answer.response && !answer.error ? answer.data", "port_answers && answer.response ? answer.data"),
    ("ctrl_port", "request.master = Master;", ""),
    ("ctrl_port", "request_ready_o ? request : ctrl_i", "request_valid_i ? request : ctrl_i"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN_MASTER))
def test_a_broken_master_is_noticed(module, old, new):
    refute("ctrl_master_proof", module=module, old=old, new=new, depth=8, widths=MASTERS)
