# SPDX-License-Identifier: Apache-2.0
"""The positions of all ports during a search, and their cost, updated from step to step."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from girih.placement.problem import Problem
from girih.topology import Place

# Costs in links per packet. A link that is to carry twice what it can costs as much as OVERLOAD links more for all packets;
# each resource in a tangle of deadlock costs TANGLED. Sharing decides between equals: it is the square of what links carry.
OVERLOAD, TANGLED, SHARING = 2.0, 0.05, 1e-3
UNEXPECTED = 1e-5  # the part that a way counts for on which nothing is expected, but possible

Undo = tuple[int, int, list[float], float, float, float, int]


@dataclass(frozen=True, order=True)
class Worth:
    """What places are worth; the least is the best.

    tangled: resources that are in the way of a proof that nothing can hang, 0 where it cannot. overload: what links are
    to carry beyond their capacity. hops: links between routers that a packet crosses, all tiles of its way together.
    Both are of what the card receives. idle: the same links, of ways on which nothing is expected. sharing: the sum of
    the squares of what links carry; many small flows on one link are worse than on several.
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
    """Slots are numbers of places. at: the port in each, or None. slot: of each port."""

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
        """Orders states as their worth does, and is there at once."""
        return self.tangled, round(self._overload, 6), round(self._hops, 6), round(self._sharing, 6)

    def places(self) -> tuple[Place, ...]:
        return tuple(self.problem.places[slot] for slot in self.slot)

    def is_kept(self, slot: int) -> bool:
        return self.at[slot] in self.problem.kept

    def worth(self) -> Worth:
        """Computed anew, so that what rounding has added up over many steps does not count."""
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
        """Ports that may move go anywhere."""
        for port in movable:
            slot = chooser.randrange(len(self.at))
            if not self.is_kept(slot):
                self.move(port, slot)
        self.untangle()

    def move(self, port: int, slot: int) -> Undo:
        """A port goes to a slot, and who is there comes in its place. `tangled` is then to be found by `untangle`."""
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
        """As it was before the last move, which gave `undo`."""
        port, back, self._load, self._hops, self._overload, self._sharing, self.tangled = undo
        self._exchange(port, back)

    def untangle(self) -> None:
        """Takes away what nothing waits for, and what waits for nothing, again and again; what is left is tangled."""
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
        """Adds what goes by a way to the costs, or takes it away."""
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
    """What is left of some resources when those that none of them waits for are gone, and then those that none is left to."""
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
