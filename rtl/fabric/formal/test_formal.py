# SPDX-License-Identifier: Apache-2.0
"""Proof of the router's stream contract, unbounded, for messages from each of its ports."""

import pytest

from girih.formal import prove, refute



# South is to north as east is to west: the same logic with other directions.
MIRRORED = [pytest.param(source, marks=pytest.mark.slow) for source in (1, 2)]


@pytest.mark.parametrize("source", [0, 3, 4, *MIRRORED])
def test_router(source):
    prove("router_proof", parameters={"Source": source})


BROKEN = [
    ("fabric_output", "assign grant = busy ? owner_q : winner;", "assign grant = winner;"),
    ("fabric_output", "|(take_o & last_i) ? '0 : grant", "|take_o ? '0 : grant"),
    ("router", "to_x > here_x", "to_x >= here_x"),
    ("router", "if (pop[i]) first_q <= last[i];", "if (pop[i]) first_q <= 1'b1;"),
    ("fifo", "assign push = in_valid_i && in_ready_o;", "assign push = in_valid_i;"),
]


@pytest.mark.parametrize(("module", "old", "new"), BROKEN)
def test_broken_design_is_noticed(module, old, new):
    refute("router_proof", module=module, old=old, new=new, depth=5, parameters={"Source": 4})
