# SPDX-License-Identifier: Apache-2.0
"""Proofs of the crossings at any ratio and phase of the clocks, unbounded (k-induction), and that each notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

CLOCKS = {"clocks_are_inputs": True, "registers_for_memories": True}


@pytest.mark.parametrize(("depth", "stages"), [(2, 2), (4, 3)])
def test_async_fifo(depth, stages):
    prove("async_fifo_proof", parameters={"Depth": depth, "Stages": stages}, solver=QUICK_ON_QUEUES, **CLOCKS)


@pytest.mark.parametrize("stages", [2, 3])
def test_cdc_handshake(stages):
    prove("cdc_handshake_proof", parameters={"Stages": stages}, **CLOCKS)


BROKEN = [
    ("async_fifo", "async_fifo", "return ptr ^ (ptr >> 1);", "return ptr;"),  # the pointer crosses in binary
    ("async_fifo", "async_fifo", "write_gray_q <= write_gray_d;", "write_gray_q <= gray(write_ptr_d + 1'b1);"),
    ("async_fifo", "async_fifo", "write_gray_d != (read", "write_gray_q != (read"),
    ("async_fifo", "async_fifo", "write_ptr_d = in_clear ? '0 : ", "write_ptr_d = "),
    ("async_fifo", "async_fifo", "&& (!valid_q || out_ready_i);", ";"),
    ("async_fifo", "cdc_clear", "move = together || behind;", "move = 1'b1;"),
    ("cdc_handshake", "cdc_handshake", "given_d == taken_seen", "1'b1"),
    ("cdc_handshake", "cdc_handshake", "taken_q <= !out_clear && (taken_q ^ pop);", "taken_q <= taken_q ^ pop;"),
    ("cdc_handshake", "cdc_clear", "{PhaseCleared, PhaseDone};", "{PhaseStopped};"),
]
BROKEN_LATER = [  # their counterexamples are long
    ("async_fifo", "cdc_clear", "(again_q || rst_i || ", "(again_q || "),
    ("cdc_handshake", "cdc_clear", " || (phase_q == PhaseDone && seen_state.again)", ""),
]


@pytest.mark.parametrize(("top", "module", "old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(top, module, old, new):
    depth = {"Depth": 2} if top == "async_fifo" else {}
    refute(f"{top}_proof", module=module, old=old, new=new, depth=40, parameters=depth, **CLOCKS)
