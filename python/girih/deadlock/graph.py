# SPDX-License-Identifier: Apache-2.0
"""The wait-for graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx

Resource = Any  # any hashable value, chosen by the graph's user


@dataclass(frozen=True)
class Edge:
    """The holder of `holder` may wait for `wanted`, for each of the user's reasons, in the order given."""

    holder: Resource
    wanted: Resource
    reasons: tuple[Any, ...]


class Graph:
    """Resources and their waits. Results depend only on the edges and the order in which they were given."""

    def __init__(self) -> None:
        self._waits: dict[Resource, dict[Resource, dict[object, None]]] = {}

    def wait(self, holder: Resource, wanted: Resource, reason: object = None) -> None:
        """Adds an edge: the holder of `holder` may wait for `wanted`."""
        self._waits.setdefault(holder, {}).setdefault(wanted, {})[reason] = None
        self._waits.setdefault(wanted, {})

    def wait_in_turn(self, resources: Iterable[Resource], reason: object = None) -> None:
        """Adds edges: each resource is held until the next one is granted, as a message holds the links of its path."""
        for holder, wanted in pairwise(resources):
            self.wait(holder, wanted, reason)

    @property
    def resources(self) -> tuple[Resource, ...]:
        return tuple(self._waits)

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(self.edge(holder, wanted) for holder, wants in self._waits.items() for wanted in wants)

    def edge(self, holder: Resource, wanted: Resource) -> Edge:
        """The edge from one to the other. Raises KeyError if there is none."""
        return Edge(holder, wanted, tuple(self._waits[holder][wanted]))

    def waits_for(self, holder: Resource) -> tuple[Resource, ...]:
        """The resources that the holder of a resource may wait for next; none for an unknown resource."""
        return tuple(self._waits.get(holder, ()))

    def order(self) -> tuple[Resource, ...] | None:
        """All resources, each before those that it waits for: the proof that there is no deadlock. None: there is a cycle."""
        try:
            return tuple(networkx.topological_sort(self._digraph()))
        except networkx.NetworkXUnfeasible:
            return None

    def shortest_cycle(self) -> tuple[Edge, ...] | None:
        """The shortest cycle, each edge's `wanted` being the next one's `holder`; the first of equally short ones. None: no deadlock."""
        shortest: list[Resource] | None = None
        for tangle in self._tangles():
            for start in tangle:
                found = self._back_to(start, tangle)
                if shortest is None or len(found) < len(shortest):
                    shortest = found
        return None if shortest is None else self._edges_of(shortest)

    def cycle_through(self, resource: Resource) -> tuple[Edge, ...] | None:
        """The shortest cycle through a resource, starting with it. None: it is on no cycle."""
        for tangle in self._tangles():
            if resource in tangle:
                return self._edges_of(self._back_to(resource, tangle))
        return None

    def tangled(self) -> tuple[Resource, ...]:
        """Every resource that is on some cycle: to break all cycles, none may be left."""
        return tuple(resource for tangle in self._tangles() for resource in tangle)

    def _edges_of(self, cycle: list[Resource]) -> tuple[Edge, ...]:
        return tuple(self.edge(holder, wanted) for holder, wanted in pairwise([*cycle, cycle[0]]))

    def _digraph(self) -> networkx.DiGraph:
        graph: networkx.DiGraph = networkx.DiGraph()
        graph.add_nodes_from(self._waits)
        graph.add_edges_from((holder, wanted) for holder, wants in self._waits.items() for wanted in wants)
        return graph

    def _tangles(self) -> Iterator[dict[Resource, None]]:
        """The sets of resources that all wait for each other, in the order of the graph."""
        place = {resource: index for index, resource in enumerate(self._waits)}
        components = (
            sorted(component, key=place.__getitem__)
            for component in networkx.strongly_connected_components(self._digraph())
            if len(component) > 1 or any(resource in self._waits[resource] for resource in component)
        )
        for component in sorted(components, key=lambda component: place[component[0]]):
            yield dict.fromkeys(component)

    def _back_to(self, start: Resource, within: dict[Resource, None]) -> list[Resource]:
        """The shortest path from `start` back to it; there is one, because all resources of a tangle reach each other."""
        before: dict[Resource, Resource] = {}
        queue = [start]
        for holder in queue:
            for wanted in self._waits[holder]:
                if wanted == start:
                    way = [holder]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return way[::-1]
                if wanted in within and wanted not in before:
                    before[wanted] = holder
                    queue.append(wanted)
        raise AssertionError("a resource of a tangle that does not wait for itself")
