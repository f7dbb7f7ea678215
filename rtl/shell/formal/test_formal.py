# SPDX-License-Identifier: Apache-2.0
"""Proof of tile_sender, unbounded, and that it notices a broken one."""

import pytest

from girih.formal import prove, refute


@pytest.mark.parametrize("tenants", ["2'b11", "2'b10"])  # several; one, which is stamped
def test_tile_sender(tenants):
    prove("tile_sender_proof", parameters={"Tenants": tenants})


BROKEN = [
    ("if (held_q) stop = stop_q;", ""),
    ("if (in_valid_i) held_q <= !(in_ready_o && in_flit_i.last);", "held_q <= !(in_ready_o && in_flit_i.last);"),
    ("stop.allowed && stop.found && Nodes[stop.node]", "stop.allowed && stop.found"),
    ("&& tenants_i[in_flit_i.desc.tenant]", ""),
    ("in_flit_i.desc.lossless && lossless_i", "in_flit_i.desc.lossless"),
    ("in_valid_i && !held_q && stop.allowed && !stop.found", "in_valid_i && stop.allowed && !stop.found"),
]


@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("tile_sender_proof", module="tile_sender", old=old, new=new, depth=6)


def test_a_tenant_that_is_not_stamped_is_noticed():
    old = "if (Stamped) out_flit_o.desc.tenant = Stamp;"
    refute("tile_sender_proof", module="tile_sender", old=old, new="", depth=6, parameters={"Tenants": "2'b10"})
