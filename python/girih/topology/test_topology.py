# SPDX-License-Identifier: Apache-2.0
"""The ways that messages take: they are whole, short, and made of links that the fabric has."""

from __future__ import annotations

import networkx
import pytest

from girih.topology import Butterfly, Crossbar, Mesh, Topology

SHAPES = [Crossbar(2), Crossbar(9), Mesh(2, 1), Mesh(4, 3), Mesh(1, 5), Butterfly(2, 2, 1), Butterfly(4, 2, 4), Butterfly(1, 3, 2)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=repr)


@shapes
def test_every_way_is_joined_up_and_made_of_links_of_the_fabric(shape: Topology):
    channels = set(shape.channels)
    for start in shape.places:
        for end in shape.places:
            way = shape.route(start, end)
            assert channels.issuperset(way)
            assert len(set(way)) == len(way)
            at = start[:2]
            for channel in way[1:-1]:
                assert channel.start == at
                at = channel.end
            assert at == end[:2] or isinstance(shape, Crossbar)


@shapes
def test_no_way_has_more_links_than_it_needs(shape: Topology):
    graph = networkx.DiGraph([(link.start, link.end) for link in shape.links()])
    for start in shape.places:
        for end in shape.places:
            links = len(list(shape.hops(start, end)))
            if isinstance(shape, Crossbar) or start[:2] == end[:2]:
                assert links == 0
            else:
                assert links == networkx.shortest_path_length(graph, start[:2], end[:2])


@shapes
def test_links_are_waited_for_in_an_order(shape: Topology):
    """A fabric by itself cannot deadlock: what each link waits for, over all ways, has no cycle (Dally and Seitz, 1987)."""
    waits: networkx.DiGraph = networkx.DiGraph()
    for start in shape.places:
        for end in shape.places:
            networkx.add_path(waits, shape.route(start, end))
    assert networkx.is_directed_acyclic_graph(waits)


@shapes
def test_numbers_of_places_and_links_are_their_own(shape: Topology):
    nodes = [shape.node(place) for place in shape.places]
    assert len(set(nodes)) == len(nodes)
    assert max(nodes) < 0xFF
    assert len(set(shape.channels)) == len(shape.channels)
