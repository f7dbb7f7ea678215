# SPDX-License-Identifier: Apache-2.0
"""Proofs of the primitives, unbounded (k-induction), and that each notices a broken design."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of


@pytest.mark.parametrize("depth", [2, *(pytest.param(depth, marks=pytest.mark.thorough) for depth in (4, 16))])
def test_fifo(depth):
    prove("fifo_proof", parameters={"Depth": depth})


@pytest.mark.parametrize("depth", [2, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("module", ["fifo_block", "fifo_block_registered"])
def test_fifo_block(module, depth):
    prove(f"{module}_proof", parameters={"Depth": depth})


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("module", ["skid_buffer", "stream_register"])
def test_cuts_of_streams(module, cut):
    prove(f"{module}_proof", parameters={"Cut": cut})


def test_ready_register():
    prove("ready_register_proof")


@pytest.mark.parametrize("n", [2, 5, *(pytest.param(n, marks=pytest.mark.thorough) for n in (3, 4, 8))])
def test_arbiter_round_robin(n):
    prove("arbiter_round_robin_proof", parameters={"N": n})


@pytest.mark.parametrize("n", [1, 5, *(pytest.param(n, marks=pytest.mark.thorough) for n in (2, 8))])
def test_arbiter_priority(n):
    prove("arbiter_priority_proof", parameters={"N": n})


BROKEN = [
    ("fifo", "if (pop) read_ptr_q", "if (out_ready_i) read_ptr_q"),
    ("fifo", "assign push = in_valid_i && !full_q;", "assign push = in_valid_i;"),
    ("fifo", "full_q  <= !pop && last_place;", "full_q  <= last_place;"),
    ("fifo", "    if (push) valid_q <= 1'b1;\n    else if (pop)", "    if (pop)"),
    ("fifo_block", "assign past = refill && ram_empty_q;", "assign past = refill;"),
    ("fifo_block", "if (in_offer_i && past)", "if (in_offer_i && ram_empty_q)"),
    ("fifo_block", "in_offer_i && in_ready_o && !past", "in_offer_i && !past"),
    ("fifo_block_registered", "assign straight = refill && !behind_valid;", "assign straight = refill;"),
    ("fifo_block_registered", "head_valid_q <= behind_valid || in_valid_i;", "head_valid_q <= behind_valid;"),
    ("skid_buffer", "if (move) out_data_q", "if (in_valid_i) out_data_q"),
    ("skid_buffer", "if (in_ready_q) skid_data_q", "skid_data_q"),
    ("skid_buffer", "assign in_ready_o = in_ready_q;", "assign in_ready_o = !out_valid_q;"),
    ("stream_register", "if (load) data_q <= in_data_i;", "data_q <= in_data_i;"),
    ("stream_register", "assign in_ready_o = !valid_q || out_ready_i;", "assign in_ready_o = 1'b1;"),
    ("ready_register", "in_ready_q <= !held_back;", "in_ready_q <= out_ready_i;"),
    ("ready_register", "if (!full_q) data_q", "data_q"),
    ("ready_register", "full_q ? data_q : in_data_i", "out_ready_i ? data_q : in_data_i"),
    ("arbiter_round_robin", "last_q <= grant_o[N-2:0]", "last_q <= grant_o[N-1:1]"),
    ("arbiter_round_robin", "|favoured ? grant_favoured : grant_any", "grant_any"),
    ("arbiter_priority", "request_i[i] && request_i[i-1:0] == '0", "request_i[i]"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute(f"{module}_proof", module=module, old=old, new=new, depth=12)


@pytest.mark.parametrize(("old", "new"), [("(i + 1) % N", "i"), ("precedes(s, j, i) && starts[s]", "j < i")])
def test_a_broken_arbiter_of_few_is_noticed(old, new):
    refute("arbiter_round_robin_proof", module="arbiter_round_robin", old=old, new=new, depth=12, parameters={"N": 3})


@pytest.mark.parametrize("module", ["skid_buffer", "stream_register"])
def test_a_broken_wire_is_noticed(module):
    old = "assign in_ready_o = out_ready_i;"
    refute(f"{module}_proof", module=module, old=old, new="assign in_ready_o = 1'b1;", depth=3, parameters={"Cut": 0})
