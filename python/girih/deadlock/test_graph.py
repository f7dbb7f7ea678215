# SPDX-License-Identifier: Apache-2.0
"""Graphs made by hand, and random ones."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from girih.deadlock import Edge, Graph


def graph_of(*ways: str) -> Graph:
    """Each path consists of one-letter resources that wait in turn."""
    graph = Graph()
    for way in ways:
        graph.wait_in_turn(way, way)
    return graph


def cycle_of(*ways: str) -> str | None:
    cycle = graph_of(*ways).shortest_cycle()
    return None if cycle is None else "".join(edge.holder for edge in cycle)


@pytest.mark.parametrize(
    ("ways", "cycle"),
    [
        ([], None),
        (["a"], None),
        (["ab"], None),
        (["abcd", "ad", "bd"], None),  # many ways, none back
        (["aa"], "a"),
        (["aba"], "ab"),
        (["abc", "ca"], "abc"),
        (["abcda", "cb"], "bc"),  # the shorter of two that share an edge
        (["abca", "xyx"], "xy"),  # of two that share nothing
        (["xyx", "aba"], "xy"),  # the first of equally short ones
        (["abcdb"], "bcd"),  # with a tail that leads to it
        (["bcdb", "de"], "bcd"),  # and one that leads away
    ],
)
def test_shortest_cycle(ways, cycle):
    assert cycle_of(*ways) == cycle


def test_two_messages_that_hold_what_the_other_needs():
    """Neither way alone is a cycle."""
    assert cycle_of("ab") is None
    assert cycle_of("ab", "ba") == "ab"


def test_edges_keep_all_their_reasons_in_order():
    graph = graph_of("abc", "xbc", "cx")
    assert graph.shortest_cycle() == (
        Edge("b", "c", ("abc", "xbc")),
        Edge("c", "x", ("cx",)),
        Edge("x", "b", ("xbc",)),
    )
    with pytest.raises(KeyError):
        graph.edge("a", "c")


def test_the_shortest_cycle_of_a_resource():
    graph = graph_of("abca", "cxc", "da", "xe")
    assert ["".join(edge.holder for edge in graph.cycle_through(start)) for start in "abcx"] == ["abc", "bca", "cx", "xc"]
    assert graph.cycle_through("d") is graph.cycle_through("e") is graph.cycle_through("unknown") is None


def test_what_a_graph_says_of_itself():
    graph = graph_of("abc", "ac")
    assert graph.resources == tuple("abc")
    assert {(edge.holder, edge.wanted) for edge in graph.edges} == {("a", "b"), ("b", "c"), ("a", "c")}
    assert graph.waits_for("a") == ("b", "c")
    assert graph.waits_for("c") == graph.waits_for("unknown") == ()


def test_tangled_are_the_resources_on_cycles_only():
    assert graph_of("abcb", "cd", "xyx").tangled() == tuple("bcxy")
    assert graph_of("abcd").tangled() == ()


def test_order_is_the_proof():
    assert graph_of("abc", "ac").order() == tuple("abc")
    assert graph_of("aba").order() is None


by_chance = settings(derandomize=True, deadline=None, max_examples=100)

# Resources are numbers. In an ordered graph each waits for higher ones only.
resources = st.integers(0, 30)
ordered = st.lists(st.tuples(resources, resources).filter(lambda pair: pair[0] < pair[1]), min_size=1, max_size=80)


def made_of(pairs, names) -> Graph:
    graph = Graph()
    for holder, wanted in pairs:
        graph.wait(names[holder], names[wanted])
    return graph


def distances(pairs) -> dict[tuple[int, int], int]:
    """The least number of edges from each resource to each that it leads to (Floyd and Warshall)."""
    nodes = {node for pair in pairs for node in pair}
    far = dict.fromkeys(pairs, 1)
    for middle, start, end in product(nodes, nodes, nodes):
        if (start, middle) in far and (middle, end) in far:
            length = far[start, middle] + far[middle, end]
            far[start, end] = min(length, far.get((start, end), length))
    return far


@by_chance
@given(ordered, st.permutations(range(31)))
def test_an_order_is_always_accepted(pairs, names):
    graph = made_of(pairs, names)
    assert graph.shortest_cycle() is None
    assert graph.tangled() == ()
    place = {resource: index for index, resource in enumerate(graph.order())}
    assert all(place[names[holder]] < place[names[wanted]] for holder, wanted in pairs)


@by_chance
@given(ordered, st.permutations(range(31)), st.data())
def test_an_edge_back_along_a_way_is_always_refused_with_a_shortest_cycle(pairs, names, data):
    start, end = data.draw(st.sampled_from(sorted(distances(pairs))))
    pairs = data.draw(st.permutations([*pairs, (end, start)]))
    graph = made_of(pairs, names)
    cycle = graph.shortest_cycle()
    assert all(first.wanted == second.holder for first, second in pairwise([*cycle, cycle[0]]))
    edges = {(names[holder], names[wanted]) for holder, wanted in pairs}
    assert all((edge.holder, edge.wanted) in edges for edge in cycle)
    # All cycles go over the one edge back, so the shortest is it and the least way from its start to its end.
    assert len(cycle) == 1 + distances(pairs)[start, end]
    assert names[start] in graph.tangled()
    assert graph.order() is None


@by_chance
@given(st.lists(st.tuples(resources, resources), min_size=1, max_size=60), st.permutations(range(31)))
def test_any_graph_has_an_order_or_a_cycle_that_is_shortest(pairs, names):
    graph = made_of(pairs, names)
    far = distances(pairs)
    lengths = [far[node, node] for node in range(31) if (node, node) in far]
    cycle = graph.shortest_cycle()
    assert (cycle is None) == (graph.order() is not None) == (not lengths)
    if cycle:
        assert len(cycle) == min(lengths)
        assert set(graph.tangled()) == {names[node] for node in range(31) if (node, node) in far}
    for node in range(31):
        own = graph.cycle_through(names[node])
        assert (0 if own is None else len(own)) == far.get((node, node), 0)
