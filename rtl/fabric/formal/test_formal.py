# SPDX-License-Identifier: Apache-2.0
"""Proof of the router's stream contract, unbounded, for messages from each of its ports."""

import pytest

from girih.formal import prove, refute

# A minute or two each. The local port's messages go every way; a row's go on, turn or end, and the other directions are alike.
NORTH, EAST, SOUTH, WEST, LOCAL = range(5)
ALIKE = [pytest.param(source, marks=pytest.mark.thorough) for source in (NORTH, SOUTH, WEST)]


@pytest.mark.parametrize("source", [LOCAL, pytest.param(EAST, marks=pytest.mark.slow), *ALIKE])
def test_router(source):
    prove("router_proof", parameters={"Source": source})


BROKEN = [
    ("fabric_output", "assign free = owner_q == '0 || |(take_o & last_i);", "assign free = owner_q == '0 || |take_o;"),
    ("fabric_input", "if (push) first_q <= in_flit_i.last;", "if (push) first_q <= 1'b1;"),
    ("router", "to_x > here_x", "to_x >= here_x"),
]


@pytest.mark.parametrize(("module", "old", "new"), BROKEN)
def test_broken_design_is_noticed(module, old, new):
    refute("router_proof", module=module, old=old, new=new, depth=5, parameters={"Source": 4})
