# SPDX-License-Identifier: Apache-2.0
"""Explains a stalled card: the message on each link and what it waits for, to the end or around a circle."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import dropwhile, pairwise

from girih.card.manifest import Watch
from girih.deadlock import Graph
from girih.errors import GirihError

CIRCLE, WIRE, TILE = "circle", "wire", "tile"
REMEDY = {
    CIRCLE: "./girih check says how the design can be changed so that this cannot happen.",
    WIRE: "Let the other end of the wire take frames.",
    TILE: "See why the tile takes nothing, in its registers or in waves; if a tile is meant to take so long, raise --watchdog.",
}


@dataclass(frozen=True)
class Waiting:
    """A message that is offered on a link and not taken, with its source and destination tiles."""

    link: str
    src: str
    dst: str

    @property
    def message(self) -> str:
        return f"{self.src} > {self.dst}"


@dataclass(frozen=True)
class Stall:
    """Nothing has moved for `cycles`. links: all that hold messages. chain: links and tiles, each waiting for the
    next. If kind is "circle" the last waits for the first, else for a port's wire or for the tile itself.
    sentences: the same in words."""

    cycles: int
    kind: str
    links: tuple[Waiting, ...]
    chain: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole explanation, on several lines."""
        what = "messages wait for each other in a circle" if self.kind == CIRCLE else f"{len(self.links)} links hold messages"
        return "\n".join([f"nothing has moved for {self.cycles:,} cycles: {what}", *(f"  {line}" for line in self.sentences)])


class CardStalled(GirihError):
    """The card stalled before it came to rest; `stall` says why."""

    def __init__(self, stall: Stall, name: str):
        super().__init__(stall.text, name, REMEDY[stall.kind])
        self.stall = stall


def explain(watch: Watch, cycles: int, links: tuple[Waiting, ...], stuck_wires: frozenset[int]) -> Stall:
    """Explains why links that hold messages wait. stuck_wires: ports whose wire takes nothing."""
    offered = {waiting.link: waiting for waiting in links}
    graph = _waits(watch, offered)
    wires = {f"fabric > {tile}": port for tile, port in watch.wires.items() if port in stuck_wires}
    wire = next((link for link in offered if link in wires), None)
    end = wire or (_ends(graph, offered) or [links[0].link])[0]
    cycle = None if wire else graph.shortest_cycle() or _graph_of(watch).cycle_through(end)
    if cycle:
        chain = tuple(edge.holder for edge in cycle)
        return Stall(cycles, CIRCLE, links, chain, _sentences(watch, offered, (*chain, chain[0])))
    furthest = _longest_to(graph, end)
    chain = tuple(dropwhile(lambda resource: resource not in offered, furthest))
    sentences = _sentences(watch, offered, chain)
    tile = chain[-1].removeprefix("fabric > ")
    if wire:
        last = f"{tile} waits for the wire at port {wires[wire]}, which takes nothing"
    else:
        last = f"{tile} takes nothing from {chain[-1]}, where {offered[chain[-1]].message} is next"
    return Stall(cycles, WIRE if wire else TILE, links, chain, (*sentences, last))


def _graph_of(watch: Watch) -> Graph:
    """Everything that can wait, including links on which nothing is offered, because a message in the queue at the end of a link
    does not show there. For a card that the compiler accepts, this graph has no cycle."""
    graph = Graph()
    for holder, wants in watch.waits.items():
        for wanted in wants:
            graph.wait(holder, wanted)
    return graph


def _waits(watch: Watch, offered: dict[str, Waiting]) -> Graph:
    """The wait-for graph, reduced to links that hold messages and to resources that are not links."""
    links = set(watch.links)
    graph = Graph()
    for holder, wants in watch.waits.items():
        for wanted in wants:
            if all(resource in offered or resource not in links for resource in (holder, wanted)):
                graph.wait(holder, wanted)
    return graph


def _ends(graph: Graph, offered: dict[str, Waiting]) -> list[str]:
    """The links that hold a message but wait for no other link that does."""

    def reaches_another(link: str) -> bool:
        seen, queue = {link}, [link]
        for resource in queue:
            for wanted in graph.waits_for(resource):
                if wanted in offered:
                    return True
                if wanted not in seen:
                    seen.add(wanted)
                    queue.append(wanted)
        return False

    return [link for link in offered if not reaches_another(link)]


def _longest_to(graph: Graph, end: str) -> tuple[str, ...]:
    """The longest chain of resources that leads to `end`, each waiting for the next."""
    holders: dict[str, list[str]] = {}
    for edge in graph.edges:
        holders.setdefault(edge.wanted, []).append(edge.holder)
    after: dict[str, str | None] = {end: None}
    queue = [end]
    for resource in queue:
        for holder in holders.get(resource, ()):
            if holder not in after:
                after[holder] = resource
                queue.append(holder)
    way = [queue[-1]]
    while (then := after[way[-1]]) is not None:
        way.append(then)
    return tuple(way)


def _sentences(watch: Watch, offered: dict[str, Waiting], chain: tuple[str, ...]) -> tuple[str, ...]:
    """A sentence for every element of the chain except the last."""
    return tuple(_sentence(watch, offered, holder, wanted) for holder, wanted in pairwise(chain))


def _sentence(watch: Watch, offered: dict[str, Waiting], holder: str, wanted: str) -> str:
    reasons = watch.waits[holder][wanted]
    if holder in offered and wanted in offered:
        first = offered[wanted].message
        if first in reasons:
            return f"{holder} holds {first}, which waits for {wanted}"
        return f"{holder} holds {' or '.join(reasons)}, which waits for {wanted} behind {first}"
    if holder in watch.links and holder not in offered:
        return f"{holder} holds {' or '.join(reasons)} in its queue, which waits for {wanted}"
    if holder in offered and wanted in watch.links:
        return f"{holder} holds {offered[holder].message}, which waits for {wanted}"
    if wanted in offered:
        return f"{holder} waits for {wanted} with {offered[wanted].message}"
    return f"{holder} holds {offered[holder].message}: {reasons[0]}" if holder in offered else f"{holder} waits for {wanted}: {reasons[0]}"
