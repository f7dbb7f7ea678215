# SPDX-License-Identifier: Apache-2.0
"""The paths of messages through a card: every path from tile to tile, and the kinds of traffic that they form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice

import networkx as nx

from girih.compiler.messages import Path, State, Step, Walk, ends, gives_chains, usual_walk, walk
from girih.compiler.model import Card, Tile, once_per_card

END = "end"  # the end of a message in a graph of states
MOST_ROUTES = 64  # listed for one service
Route = tuple[tuple[str, ...], ...]
"""The tiles on a way, in order: one name, or those between which the way can choose."""


@dataclass(frozen=True)
class Service:
    """Everything that happens to one kind of traffic, such as `ipv4 / udp / destination port 7`.

    paths: each pair of tiles that it uses. routes: its ways from the tile where it begins to those where it ends. round: the
    tiles of a circle in which its messages can go round, but for the few times that a tile allows, empty if there is none.
    """

    name: str
    paths: tuple[Path, ...]
    routes: tuple[Route, ...]
    round: tuple[str, ...] = ()


def message_paths(card: Card) -> tuple[Path, ...]:
    """Every pair of tiles between which a message can go, in the order of the file.

    An entry of a node table that no message matches adds no pair.
    """
    return tuple(dict.fromkeys(step.path for step in in_order(card, walk(card).steps)))


def in_order(card: Card, steps: tuple[Step, ...]) -> list[Step]:
    """Steps in the order of the file: by tile, by the entries of its node table, then the source routes."""
    tiles = {tile.name: index for index, tile in enumerate(card.tiles)}
    entries = {
        Path(tile.name, hop.to, hop.label): index for tile in card.tiles for index, hop in enumerate((*tile.hops, *tile.ways))
    }
    return sorted(steps, key=lambda step: (step.path not in entries, tiles[step.path.src], entries.get(step.path, 0)))


def reachable_ports(card: Card) -> dict[str, frozenset[int]]:
    """The Ethernet ports whose frames can reach each tile."""
    reached: dict[str, set[int]] = {tile.name: set() for tile in card.tiles}
    for state in walk(card).states:
        reached[state.at.tile].add(state.port)
    for tile in card.tiles:  # without services no message has a chain, although tables lead to the scheduler
        if gives_chains(tile) and not card.scheduling.services:
            for hop in tile.hops:
                reached[hop.to].add(tile.port)
    return {name: frozenset(ports) for name, ports in reached.items()}


def endless(found: Walk) -> list[State]:
    """The states of a circle that no message ever leaves; empty if there is none."""
    graph = _graph(found.steps)
    graph.add_node(END)
    graph.add_edges_from((state, END) for state, steps in found.steps_from.items() if not steps)
    leave = nx.ancestors(graph, END)
    return _round(_graph([step for step in found.steps if step.before not in leave]))


@once_per_card
def services(card: Card) -> tuple[Service, ...]:
    """The kinds of traffic that leave the card or end in a tile, and the usual paths of each; chains last."""
    found = usual_walk(card, card.scheduling.chains, with_labels=True)
    tiles = {tile.name: tile for tile in card.tiles}
    chains = {f"chain {chain.name}": chain.number for chain in card.scheduling.chains}
    to: dict[State, list[Step]] = {state: [] for state in found.states}
    for step in found.steps:
        to[step.after].append(step)
    ended: dict[tuple[str, ...], list[State]] = {}
    for final in (state for state in found.states if ends(tiles[state.at.tile], state)):
        ended.setdefault(final.labels, []).append(final)
    place = {path: index for index, path in enumerate(dict.fromkeys(step.path for step in found.steps))}
    names = sorted(ended, key=lambda labels: chains.get(labels[0], -1) if labels else -1)
    return tuple(_service(labels, ended[labels], to, place, tiles) for labels in names)


def _service(
    labels: tuple[str, ...], finals: list[State], to: Mapping[State, list[Step]], place: Mapping[Path, int], tiles: Mapping[str, Tile]
) -> Service:
    """The traffic that ends in these states. to: the steps to each state. place: where each path stands in the order of the file."""
    taken: dict[Step, None] = {}
    seen, stack = set(finals), list(finals)
    while stack:
        for step in to[stack.pop()]:
            taken[step] = None
            if step.before not in seen:
                seen.add(step.before)
                stack.append(step.before)
    steps = sorted(taken, key=lambda step: place[step.path])
    # An end of a byte stream sends messages of its own, not those that came to it. What may come back a few times is no round.
    same = [step for step in steps if "stream" not in tiles[step.before.at.tile].kind.groups and step.path not in _revisits(tiles[step.path.src])]
    again = _round(_graph(same))
    paths = tuple(dict.fromkeys(step.path for step in steps))
    return Service(" / ".join(labels) or "all", paths, _routes(steps, finals), tuple(state.at.tile for state in again))


def _routes(steps: list[Step], finals: list[State]) -> tuple[Route, ...]:
    """The ways along these steps to the final states. States that have the same steps before and after them are one stop."""
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from((state,) for state in finals)
    graph.add_edges_from(((step.before,), (step.after,)) for step in steps)
    ending: set[tuple[State, ...]] = {(state,) for state in finals}
    while True:
        alike: dict[tuple, list[tuple[State, ...]]] = {}
        for stop in graph:
            alike.setdefault((frozenset(graph.pred[stop]), frozenset(graph.succ[stop]), stop in ending), []).append(stop)
        names = {stop: tuple(state for each in stops for state in each) for stops in alike.values() for stop in stops}
        if all(stop == name for stop, name in names.items()):
            break
        graph, ending = nx.relabel_nodes(graph, names), {names[stop] for stop in ending}
    starts = [stop for stop in graph if not graph.pred[stop]] or list(graph)[:1]
    ways = (way for start in starts for way in nx.all_simple_paths(graph, start, ending - {start}))
    found = chain(([start] for start in starts if start in ending), ways)
    return tuple(dict.fromkeys(tuple(tuple(dict.fromkeys(state.at.tile for state in stop)) for stop in way) for way in islice(found, MOST_ROUTES)))


def _revisits(tile: Tile) -> set[Path]:
    """The paths from a tile on which its messages may come back to it."""
    keys = [tile.kind.next.names[word] for word in tile.kind.revisits] if tile.kind.next else []
    return {Path(tile.name, hop.to, hop.label) for hop in tile.hops if hop.key in keys}


def _graph(steps: tuple[Step, ...] | list[Step]) -> nx.DiGraph:
    return nx.DiGraph((step.before, step.after) for step in steps)


def _round(graph: nx.DiGraph) -> list[State]:
    """The states of a circle, in order."""
    try:
        return [start for start, _ in nx.find_cycle(graph)]
    except nx.NetworkXNoCycle:
        return []
