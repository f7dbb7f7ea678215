# SPDX-License-Identifier: Apache-2.0
"""The placement problem of a card: the fabric ports that send to each other, and the wait-for graph."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from girih.compiler.dependencies import dependencies
from girih.compiler.messages import End, Path
from girih.compiler.model import CARD_NODE, Card
from girih.compiler.traffic import expected_flows, link_gbps
from girih.deadlock import Graph
from girih.topology import IN, OUT, Channel, Place, Topology


@dataclass(frozen=True)
class Problem:
    """The assignment of the tiles' ports, by number, to the places of a fabric.

    start: their initial places. kept: those that stay there. ways: pairs of ports between which messages go, and the fraction
    of the card's received traffic on each (0: possible, but not expected). capacity: of a link, as such a fraction.
    waits: edges of the wait-for graph that do not depend on places; port n is resource n towards the fabric and resource
    `ports` + n from it; numbers from 2 * `ports` are what tiles hold.
    """

    shape: Topology
    places: tuple[Place, ...]
    start: tuple[Place, ...]
    kept: frozenset[int]
    ways: tuple[tuple[int, int, float], ...]
    capacity: float
    waits: tuple[tuple[int, int], ...]

    @property
    def ports(self) -> int:
        return len(self.start)

    @property
    def can_be_placed(self) -> bool:
        """Whether the card would be free of deadlock on a fabric without links of its own, where no two paths share any."""
        graph = Graph()
        for holder, wanted in (*self.waits, *((start, self.ports + end) for start, end, _ in self.ways)):
            graph.wait(holder, wanted)
        return graph.order() is not None


def problem_of(card: Card, kept: Collection[str] = ()) -> Problem:
    """The problem of a card. kept: tiles that stay where they are."""
    ends = [End(tile.name, port) for tile in card.tiles for port in range(len(tile.places))]
    start = tuple(place for tile in card.tiles for place in tile.places)
    number = {place: index for index, place in enumerate(start)}
    flows = {(ends.index(a), ends.index(b)): gbps for (a, b), gbps in expected_flows(card).items()}
    possible, waits = _waits(card, number)
    received = sum(gbps for (a, _), gbps in flows.items() if "axis_in" in card.tile(ends[a].tile).kind.uses) or 1.0
    return Problem(
        shape=card.fabric.shape,
        places=tuple(place for place in card.fabric.shape.places if card.fabric.node(place) != CARD_NODE),
        start=start,
        kept=frozenset(index for index, end in enumerate(ends) if end.tile in kept),
        ways=tuple((a, b, flows.get((a, b), 0.0) / received) for a, b in dict.fromkeys([*flows, *possible])),
        capacity=max(link_gbps(card), _busiest_port(flows)) / received,
        waits=waits,
    )


def placed(card: Card, places: tuple[Place, ...]) -> Card:
    """The card with its fabric ports at other places. Values that depend on places are not updated."""
    left = iter(places)
    tiles = [replace(tile, places=tuple(next(left) for _ in tile.places)) for tile in card.tiles]
    return replace(card, tiles=tuple(replace(tile, nodes=tuple(map(card.fabric.node, tile.places))) for tile in tiles))


def _busiest_port(flows: dict[tuple[int, int], float]) -> float:
    """Gbps of the busiest link of a tile: if that is overloaded, no place helps, and links between routers need not carry more."""
    sums: dict[tuple[str, int], float] = {}
    for (start, end), gbps in flows.items():
        for link in ((IN, start), (OUT, end)):
            sums[link] = sums.get(link, 0.0) + gbps
    return max(sums.values(), default=0.0)


def _waits(card: Card, number: dict[Place, int]) -> tuple[list[tuple[int, int]], tuple[tuple[int, int], ...]]:
    """The part of the card's graph that does not depend on places: the ports of each path, and all other edges."""
    starts: dict[Path, dict[int, None]] = {}
    ends: dict[Path, dict[int, None]] = {}
    numbers: dict[object, int] = {}
    fixed: dict[tuple[int, int], None] = {}

    def numbered(resource: object) -> int:
        if isinstance(resource, Channel):
            return number[resource.start] + (len(number) if resource.side == OUT else 0)
        return numbers.setdefault(resource, 2 * len(number) + len(numbers))

    for edge in dependencies(card).edges:
        for reason in edge.reasons:
            if not isinstance(reason, Path):
                # What waits for a reply waits for nothing else: replies are taken wherever their tiles are.
                if not (isinstance(edge.wanted, Channel) and edge.wanted.message_class):
                    fixed[numbered(edge.holder), numbered(edge.wanted)] = None
                continue
            if edge.holder.side == IN:
                starts.setdefault(reason, {})[number[edge.holder.start]] = None
            if edge.wanted.side == OUT:
                ends.setdefault(reason, {})[number[edge.wanted.start]] = None
    return [(start, end) for path in starts for start in starts[path] for end in ends[path]], tuple(fixed)
