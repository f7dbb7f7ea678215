# SPDX-License-Identifier: Apache-2.0
"""Proof of the stream contract of mesh and butterfly routers, unbounded, for messages from each of their ports."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# Messages of the local port go every way; those of a row go on, turn or end, and the other directions are alike.
NORTH, EAST, SOUTH, WEST, LOCAL = range(5)


@pytest.mark.parametrize("source", [LOCAL, *(pytest.param(source, marks=pytest.mark.thorough) for source in (NORTH, EAST, SOUTH, WEST))])
def test_router(source):
    prove("router_proof", parameters={"Source": source}, registers_for_memories=True, solver=QUICK_ON_QUEUES)


# Messages of a tile go every way; then those of the other tile, of the row and of the column.
@pytest.mark.parametrize("source", [pytest.param(0, marks=pytest.mark.slow), *(pytest.param(s, marks=pytest.mark.thorough) for s in (1, 2, 3, 4))])
def test_butterfly_router(source):
    prove("router_proof", parameters={"Butterfly": 1, "Source": source}, registers_for_memories=True, solver=QUICK_ON_QUEUES)


# The flits of each class from one port; ports differ only in the order in which arbiters serve them.
@pytest.mark.parametrize(
    ("source", "number"), [(0, 0), pytest.param(0, 1, marks=pytest.mark.slow), *(pytest.param(s, c, marks=pytest.mark.thorough) for s in (1, 2) for c in (0, 1))]
)
def test_switch_of_two_classes(source, number):
    prove("class_switch_proof", parameters={"Source": source, "Class": number}, registers_for_memories=True, solver=QUICK_ON_QUEUES)


@pytest.mark.parametrize("replies_wait", [0, 1])
def test_port_of_two_classes(replies_wait):
    prove("class_port_proof", parameters={"RepliesWait": replies_wait}, registers_for_memories=True)


BROKEN_PORT = [
    ("class_port", "turn_q <= !rst_i && !turn_q", "turn_q <= 1'b0"),  # one class is always first
    ("class_port", "assign in_ready_o = to_ready_i & ~{can[0] && !turn_q, can[1] && turn_q};", "assign in_ready_o = to_ready_i & ~{in_valid_i[0] && !turn_q, can[1] && turn_q};"),
    ("port_queue", "room_q  <= count_d <= count_t'(Depth - 2);", "room_q  <= count_d <= count_t'(Depth - 1);"),
    ("class_port", "assign from_ready_o[1] = out_ready_i[1];", "assign from_ready_o[1] = out_ready_i[1] && from_ready_o[0];"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN_PORT))
def test_a_broken_port_is_noticed(module, old, new):
    refute("class_port_proof", module=module, old=old, new=new, depth=9, registers_for_memories=True)


TURN = "cross_d[0][o] = can_d[0][o] & ~(turn_q ? busy[1] | {Ports{any_d[1][o]}} : '0);"
BROKEN_CLASSES = [
    ("class_switch", "turn_q <= !rst_i && !turn_q", "turn_q <= 1'b1"),  # one class is always first
    ("class_switch", TURN, TURN.replace("busy[1]", "'0")),  # both take an input
    ("class_switch", TURN, TURN.replace("{Ports{any_d[1][o]}}", "'0")),  # both take an output
    ("class_output", "owner_q & valid_d_i) & {Inputs{room_i}};", "owner_q & valid_d_i);"),
    ("class_output", "assign free = owner_q == '0 || (left_i && |(owner_q & last_i));", "assign free = owner_q == '0 || left_i;"),
    ("class_input", "room_q <= count_d <= count_t'(Depth - 2);", "room_q <= count_d <= count_t'(Depth - 1);"),
    ("class_input", "first_q[c] <= in_flit_i.last;", "first_q[c] <= 1'b1;"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(0, BROKEN_CLASSES))
def test_broken_classes_are_noticed(module, old, new):
    refute("class_switch_proof", module=module, old=old, new=new, depth=7, registers_for_memories=True)


BROKEN = [
    ("fabric_input", "if (push) first_q <= in_flit_i.last;", "if (push) first_q <= 1'b1;"),
    ("router", "to_x > here_x", "to_x >= here_x"),
    ("butterfly_router", "OfTile && to_x != 3'(X)", "OfTile && to_y == 3'(Y)"),
    ("fabric_output", "assign free = owner_q == '0 || |(grant_o & valid_i & last_i);", "assign free = owner_q == '0 || |(grant_o & valid_i);"),  # the solver takes half a minute
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    parameters = {"Butterfly": 1, "Source": 0} if module == "butterfly_router" else {"Source": 4}
    refute("router_proof", module=module, old=old, new=new, depth=5, parameters=parameters, registers_for_memories=True)
