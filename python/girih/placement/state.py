# SPDX-License-Identifier: Apache-2.0
"""The positions of all ports during a search, and their cost, updated from step to step."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from girih.placement.problem import Problem
from girih.topology import Place

# Costs in links per packet. A link loaded to twice its capacity costs as much as OVERLOAD more links for all packets;
# each tangled resource costs TANGLED. Sharing decides between equals: it is the sum of the squares of the loads of links.
OVERLOAD, TANGLED, SHARING = 2.0, 0.05, 1e-3
UNEXPECTED = 1e-5  # the weight of a path on which traffic is possible, but not expected

Undo = tuple[int, int, list[float], float, float, float, int]


@dataclass(frozen=True, order=True)
class Worth:
    """The cost of places; the least is the best.

    tangled: resources that prevent a proof of freedom from deadlock, 0 if there is one. overload: the load of links
    beyond their capacity. hops: links between routers that a packet crosses on its whole path.
    Both are relative to the card's received traffic. idle: the hops of paths without expected traffic. sharing: the sum of
    the squares of the links' loads: many small flows on one link are worse than on several.
    """

    tangled: int
    overload: float
    hops: float
    idle: int
    sharing: float

    @property
    def good(self) -> bool:
        return self.tangled == 0


class State:
    """A slot is the number of a place. at: the port in each slot, or None. slot: of each port."""

    def __init__(self, problem: Problem):
        self.problem = problem
        number = {place: index for index, place in enumerate(problem.places)}
        self.slot = [number[place] for place in problem.start]
        self.at: list[int | None] = [None] * len(problem.places)
        for port, slot in enumerate(self.slot):
            self.at[slot] = port
        first = 2 * problem.ports + len({end for edge in problem.waits for end in edge if end >= 2 * problem.ports})
        self._link = {link: index for index, link in enumerate(problem.shape.links(), first)}
        self._routes: dict[tuple[int, int], tuple[int, ...]] = {}
        self._ways_of: list[list[int]] = [[] for _ in range(problem.ports)]
        for index, (start, end, _) in enumerate(problem.ways):
            self._ways_of[start].append(index)
            if end != start:
                self._ways_of[end].append(index)
        self.partners = [
            list(dict.fromkeys(end if start == port else start for start, end, _ in (problem.ways[way] for way in ways)))
            for port, ways in enumerate(self._ways_of)
        ]
        slots = range(len(self.at))
        self.near = [[other for other in slots if other != slot and len(self._route(slot, other)) <= 1] or [slot] for slot in slots]
        self._load = [0.0] * (first + len(self._link))
        self._ways = [(start, end, part, part or UNEXPECTED) for start, end, part in problem.ways]
        self._fixed: list[list[int]] = [[] for _ in self._load]
        for holder, wanted in problem.waits:
            self._fixed[holder].append(wanted)
        self._hops = self._overload = self._sharing = 0.0
        for way in range(len(problem.ways)):
            self._put(way, 1)
        self.tangled = 0
        self.untangle()

    @property
    def cost_without_tangle(self) -> float:
        return self._hops + OVERLOAD * self._overload + SHARING * self._sharing

    @property
    def cost(self) -> float:
        return self.cost_without_tangle + TANGLED * self.tangled

    @property
    def key(self) -> tuple[float, ...]:
        """Orders states like their worth, and is available at once."""
        return self.tangled, round(self._overload, 6), round(self._hops, 6), round(self._sharing, 6)

    def places(self) -> tuple[Place, ...]:
        return tuple(self.problem.places[slot] for slot in self.slot)

    def is_kept(self, slot: int) -> bool:
        return self.at[slot] in self.problem.kept

    def worth(self) -> Worth:
        """Computed from scratch, so that rounding errors do not accumulate over many steps."""
        loads: dict[int, float] = {}
        hops, idle = 0.0, 0
        for start, end, part, _ in self._ways:
            route = self._route(self.slot[start], self.slot[end])
            hops += part * len(route)
            idle += 0 if part else len(route)
            for link in route:
                loads[link] = loads.get(link, 0.0) + part
        overload = sum(max(0.0, load - self.problem.capacity) for load in loads.values())
        sharing = sum(load * load for load in loads.values())
        return Worth(self.tangled, round(overload, 9), round(hops, 9), idle, round(sharing, 9))

    def shuffle(self, chooser: random.Random, movable: list[int]) -> None:
        """Moves all ports that may move to random places."""
        for port in movable:
            slot = chooser.randrange(len(self.at))
            if not self.is_kept(slot):
                self.move(port, slot)
        self.untangle()

    def move(self, port: int, slot: int) -> Undo:
        """Moves a port to a slot, and the port there, if any, to its old slot. `tangled` must then be updated by `untangle`."""
        back, other = self.slot[port], self.at[slot]
        undo = (port, back, self._load.copy(), self._hops, self._overload, self._sharing, self.tangled)
        ways = self._ways_of[port]
        if other is not None:
            ways = list(dict.fromkeys([*ways, *self._ways_of[other]]))
        for way in ways:
            self._put(way, -1)
        self._exchange(port, slot)
        for way in ways:
            self._put(way, 1)
        return undo

    def undo(self, undo: Undo) -> None:
        """Restores the state before the last move, which returned `undo`."""
        port, back, self._load, self._hops, self._overload, self._sharing, self.tangled = undo
        self._exchange(port, back)

    def untangle(self) -> None:
        """Repeatedly removes resources for which nothing waits and those that wait for nothing; the rest is tangled."""
        waits: list[list[int]] = [list(wanted) for wanted in self._fixed]
        for start, end, _, _ in self._ways:
            holder = start
            for link in self._route(self.slot[start], self.slot[end]):
                waits[holder].append(link)
                holder = link
            waits[holder].append(self.problem.ports + end)
        left = _peeled(waits, range(len(waits)))
        if left:  # from the other end
            held: list[list[int]] = [[] for _ in waits]
            for holder in left:
                for wanted in waits[holder]:
                    held[wanted].append(holder)
            left = _peeled(held, left)
        self.tangled = len(left)

    def _exchange(self, port: int, slot: int) -> None:
        back, other = self.slot[port], self.at[slot]
        self.at[back], self.at[slot] = other, port
        self.slot[port] = slot
        if other is not None:
            self.slot[other] = back

    def _route(self, start: int, end: int) -> tuple[int, ...]:
        route = self._routes.get((start, end))
        if route is None:
            places = self.problem.places
            route = tuple(self._link[link] for link in self.problem.shape.hops(places[start], places[end]))
            self._routes[start, end] = route
        return route

    def _put(self, way: int, sign: int) -> None:
        """Adds the load of a path to the costs, or subtracts it."""
        start, end, part, weight = self._ways[way]
        route = self._route(self.slot[start], self.slot[end])
        self._hops += sign * weight * len(route)
        capacity, loads = self.problem.capacity, self._load
        for link in route:
            old = loads[link]
            new = loads[link] = old + sign * part
            self._sharing += new * new - old * old
            if new > capacity:
                self._overload += new - (max(capacity, old))
            elif old > capacity:
                self._overload -= old - capacity


def _peeled(waits: list[list[int]], among: Iterable[int]) -> list[int]:
    """The rest of some resources after repeatedly removing those for which no other one waits."""
    among = list(among)
    waited = [0] * len(waits)
    for holder in among:
        for wanted in waits[holder]:
            waited[wanted] += 1
    free = [resource for resource in among if not waited[resource]]
    for resource in free:
        for wanted in waits[resource]:
            waited[wanted] -= 1
            if not waited[wanted]:
                free.append(wanted)
    return [resource for resource in among if waited[resource]]
