# SPDX-License-Identifier: Apache-2.0
"""Proof of the stream contract of mesh and butterfly routers, unbounded, for messages from each of their ports."""

import pytest

from girih.formal import prove, refute

# A minute or two each. The local port's messages go every way; a row's go on, turn or end, and the other directions are alike.
NORTH, EAST, SOUTH, WEST, LOCAL = range(5)
ALIKE = [pytest.param(source, marks=pytest.mark.thorough) for source in (NORTH, SOUTH, WEST)]


@pytest.mark.parametrize("source", [LOCAL, pytest.param(EAST, marks=pytest.mark.slow), *ALIKE])
def test_router(source):
    prove("router_proof", parameters={"Source": source}, registers_for_memories=True)


# A tile's messages go every way; then those of the other tile, of the row and of the column.
@pytest.mark.parametrize("source", [pytest.param(0, marks=pytest.mark.slow), *(pytest.param(s, marks=pytest.mark.thorough) for s in (1, 2, 3, 4))])
def test_butterfly_router(source):
    prove("router_proof", parameters={"Butterfly": 1, "Source": source}, registers_for_memories=True)


BROKEN = [
    ("fabric_output", "assign free = owner_q == '0 || |(take_o & last_i);", "assign free = owner_q == '0 || |take_o;"),
    ("fabric_input", "if (push) first_q <= in_flit_i.last;", "if (push) first_q <= 1'b1;"),
    ("router", "to_x > here_x", "to_x >= here_x"),
    ("butterfly_router", "OfTile && to_x != 3'(X)", "OfTile && to_y == 3'(Y)"),
]


@pytest.mark.parametrize(("module", "old", "new"), BROKEN)
def test_broken_design_is_noticed(module, old, new):
    parameters = {"Butterfly": 1, "Source": 0} if module == "butterfly_router" else {"Source": 4}
    refute("router_proof", module=module, old=old, new=new, depth=5, parameters=parameters, registers_for_memories=True)
