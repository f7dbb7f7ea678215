# SPDX-License-Identifier: Apache-2.0
"""The paths of messages through a card: every path from tile to tile, and the kinds of traffic that they form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx

from girih.compiler.messages import Path, State, Step, Walk, ends, gives_chains, walk
from girih.compiler.model import Card, Tile

END = "end"  # of a message, in a graph of states


@dataclass(frozen=True)
class Service:
    """Everything that happens to one kind of traffic, such as `ipv4 / udp / destination port 7`. round: the tiles of a circle
    in which its messages can go round, empty if there is none."""

    name: str
    paths: tuple[Path, ...]
    round: tuple[str, ...] = ()

    @property
    def tiles(self) -> tuple[str, ...]:
        """In the order in which messages reach them: each after all that lead to it, as far as possible."""
        order: dict[str, None] = {}
        left = list(self.paths)
        while left:
            waiting = {path.dst for path in left}
            ready = [path for path in left if path.src not in waiting] or left[:1]
            for path in ready:
                order.setdefault(path.src)
                left.remove(path)
        for path in self.paths:
            order.setdefault(path.dst)
        return tuple(order)


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
    leave = networkx.ancestors(graph, END)
    return _round(_graph([step for step in found.steps if step.before not in leave]))


def services(card: Card) -> tuple[Service, ...]:
    """The kinds of traffic that leave the card or end in a tile, and the usual paths of each; chains last."""
    found = walk(card, card.scheduling.chains, with_labels=True, usual=True)
    tiles = {tile.name: tile for tile in card.tiles}
    chains = {f"chain {chain.name}": chain.number for chain in card.scheduling.chains}
    to: dict[State, list[Step]] = {state: [] for state in found.states}
    for step in found.steps:
        to[step.after].append(step)
    sorts: dict[tuple[str, ...], dict[Step, None]] = {}
    for final in (state for state in found.states if ends(tiles[state.at.tile], state)):
        taken = sorts.setdefault(final.labels, {})
        seen, stack = {final}, [final]
        while stack:
            for step in to[stack.pop()]:
                taken[step] = None
                if step.before not in seen:
                    seen.add(step.before)
                    stack.append(step.before)
    place = {path: index for index, path in enumerate(dict.fromkeys(step.path for step in found.steps))}
    names = sorted(sorts, key=lambda labels: chains.get(labels[0], -1) if labels else -1)
    return tuple(_service(labels, sorted(sorts[labels], key=lambda step: place[step.path]), tiles) for labels in names)


def _service(labels: tuple[str, ...], steps: list[Step], tiles: Mapping[str, Tile]) -> Service:
    # What an end of a byte stream sends, is no message that has come to it.
    same = [step for step in steps if "stream" not in tiles[step.before.at.tile].kind.groups]
    again = _round(_graph(same))
    return Service(" / ".join(labels) or "all", tuple(dict.fromkeys(step.path for step in steps)), tuple(state.at.tile for state in again))


def _graph(steps: tuple[Step, ...] | list[Step]) -> networkx.DiGraph:
    return networkx.DiGraph((step.before, step.after) for step in steps)


def _round(graph: networkx.DiGraph) -> list[State]:
    """The states of a circle, in order."""
    try:
        return [start for start, _ in networkx.find_cycle(graph)]
    except networkx.NetworkXNoCycle:
        return []
