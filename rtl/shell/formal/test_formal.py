# SPDX-License-Identifier: Apache-2.0
"""Proof of tile_sender, unbounded, and that it notices a broken one."""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of


@pytest.mark.parametrize("tenants", ["2'b11", "2'b10"])  # several; one, which is stamped
def test_tile_sender(tenants):
    prove("tile_sender_proof", parameters={"Tenants": tenants})


def test_a_tile_with_few_keys():
    prove("tile_sender_proof", parameters={"Tenants": "2'b11", "Direct": "1'b1"})


def test_a_tile_without_source_routes():
    prove("tile_sender_proof", chained=True, parameters={"Tenants": "2'b11", "Routed": "1'b0"})  # routes of several hops


BROKEN_ROUTES = [
    ("assign routed = Routed && ", "assign routed = "),
    ("Routed ? rest_of_route(in_flit_i.desc) : without_route(in_flit_i.desc)", "rest_of_route(in_flit_i.desc)"),
    ("Routed ? rest_of_route(in_flit_i.desc) : without_route(in_flit_i.desc)", "in_flit_i.desc"),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN_ROUTES))
def test_a_source_route_that_is_followed_is_noticed(old, new):
    refute("tile_sender_proof", module="tile_sender", old=old, new=new, depth=6, chained=True, parameters={"Routed": "1'b0"})


BROKEN = [
    ("stop.node = looked_up ? table_node : known_node;", "stop.node = routed ? next_of_route(in_flit_i.desc) : table_node;"),
    ("stop.allowed = held_q ? stop_q.allowed : allowed;", "stop.allowed = allowed;"),
    ("held_q ? !swallow_q : allowed && routed", "allowed && routed"),
    ("      held_q <= !(in_ready_o && in_flit_i.last);", "      held_q <= 1'b1;"),
    ("      swallow_q <= !out_valid_o && !(in_ready_o && in_flit_i.last);", "      swallow_q <= !out_valid_o;"),
    ("assign in_ready_o = out_ready_i || swallow_q;", "assign in_ready_o = out_ready_i;"),
    ("assign in_ready_o = out_ready_i || swallow_q;", "assign in_ready_o = 1'b1;"),
    ("(asks && table_takes)", "(asks && hit)"),
    ("out_flit_o.first = first_q;", "out_flit_o.first = in_flit_i.first;"),
    ("&& Nodes[next_of_route(in_flit_i.desc)]", ""),
    ("&& tenants_i[in_flit_i.desc.tenant]", ""),
    ("in_flit_i.desc.lossless && lossless_i", "in_flit_i.desc.lossless"),
    ("in_valid_i && !held_q && stop.allowed && !found", "in_valid_i && stop.allowed && !found"),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("tile_sender_proof", module="tile_sender", old=old, new=new, depth=6)


def test_an_unchecked_node_of_a_key_is_noticed():
    old = " && Nodes[entries_i[k].node]"
    refute("tile_sender_proof", module="next_hop_table", old=old, new="", depth=6, parameters={"Direct": "1'b1"})


def test_a_tenant_that_is_not_stamped_is_noticed():
    old = "if (Stamped) out_flit_o.desc.tenant = Stamp;"
    refute("tile_sender_proof", module="tile_sender", old=old, new="", depth=6, parameters={"Tenants": "2'b10"})
