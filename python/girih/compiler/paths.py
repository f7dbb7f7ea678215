# SPDX-License-Identifier: Apache-2.0
"""The ways of messages through a card: every path from tile to tile, and the services they add up to."""

from __future__ import annotations

from dataclasses import dataclass

from girih.compiler.model import Card, Hop, Tile
from girih.compiler.scheduling import Chain

# Tile, port that the message came in by, labels of the keys so far, whether it came from the fabric.
State = tuple[str, int, tuple[str, ...], bool]


@dataclass(frozen=True)
class Path:
    """Messages go from one tile straight to another; `label` says which."""

    src: str
    dst: str
    label: str


@dataclass(frozen=True)
class Service:
    """All that happens to one sort of traffic, such as `ipv4 / udp / destination port 7`."""

    name: str
    paths: tuple[Path, ...]

    @property
    def tiles(self) -> tuple[str, ...]:
        """In the order in which messages meet them: each after all that lead to it, as far as that can be."""
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

    This is what an analysis of deadlock starts from: an entry of a node table that no message meets is none. Units are
    sent to, and send back what they have no room for, whatever the chains are.
    """
    taken = {path for _, path, _ in _walk(card, with_labels=False)[1]}
    scheduling = card.scheduling
    found = [
        path
        for tile in card.tiles
        for hop in (*tile.hops, *tile.ways)
        if (path := Path(tile.name, hop.to, hop.label)) in taken or tile.name in scheduling.unit_names
    ]
    found += [path for chain in scheduling.chains for path in _chain_paths(card, chain)]
    if scheduling.scheduler:
        found += [Path(scheduling.scheduler, unit, f"service {it.name}") for it in scheduling.services for unit in it.units]
    return tuple(dict.fromkeys(found))


def reachable_ports(card: Card) -> dict[str, frozenset[int]]:
    """The Ethernet ports whose frames can reach each tile."""
    reached: dict[str, set[int]] = {tile.name: set() for tile in card.tiles}
    for name, port, *_ in _walk(card, with_labels=False)[0]:
        reached[name].add(port)
    for unit in card.scheduling.unit_names:  # a chain can lead anything there, at run time
        reached[unit] |= set(range(card.ports))
    return {name: frozenset(ports) for name, ports in reached.items()}


def services(card: Card) -> tuple[Service, ...]:
    """The sorts of traffic that leave the card or end in a tile, and the paths that each takes."""
    states, steps = _walk(card, with_labels=True)
    before: dict[State, list[tuple[State, Path]]] = {state: [] for state in states}
    for state, path, after in steps:
        before[after].append((state, path))
    names: dict[tuple[str, ...], dict[Path, None]] = {}
    for final in (state for state in states if _ends(card.tile(state[0]), state)):
        paths = names.setdefault(final[2], {})
        seen, stack = {final}, [final]
        while stack:
            for state, path in before[stack.pop()]:
                paths[path] = None
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
    order = {path: index for index, path in enumerate(dict.fromkeys(path for _, path, _ in steps))}
    found = [
        Service(" / ".join(labels) or "all", tuple(sorted(paths, key=order.__getitem__))) for labels, paths in names.items()
    ]
    chains = [Service(f"chain {chain.name}", _chain_paths(card, chain)) for chain in card.scheduling.chains]
    return tuple(found + chains)


def _chain_paths(card: Card, chain: Chain) -> tuple[Path, ...]:
    """From the ports to the scheduler, then from unit to unit by push, or over the scheduler, and to the exit."""
    scheduler, label = card.scheduling.scheduler, f"chain {chain.name}"
    ways: list[tuple[str, str]] = [(tile.name, scheduler) for tile in card.tiles if _leads_to(tile, scheduler, card)]
    before = (scheduler,)
    for hop in chain.hops:
        service = card.scheduling.service(hop.service)
        if before != (scheduler,) and service.push == 0:
            ways += [(unit, scheduler) for unit in before]
            before = (scheduler,)
        ways += [(src, dst) for src in before for dst in service.units if src != dst]
        before = service.units
    exits = [chain.exit] if chain.exit else [hop.to for tile in card.tiles if tile.kind.at_port for hop in tile.ways]
    ways += [(src, dst) for src in before for dst in exits]
    return tuple(dict.fromkeys(Path(src, dst, label) for src, dst in ways))


def _leads_to(tile: Tile, scheduler: str, card: Card) -> bool:
    """Whether a tile starts chains: it sends to the scheduler, and is no unit."""
    return tile.name not in card.scheduling.unit_names and any(hop.to == scheduler for hop in tile.hops)


def _ends(tile: Tile, state: State) -> bool:
    """Whether a message is at its end: it came from the fabric to a tile that leads out of the card."""
    return not tile.kind.has_output or (state[3] and "axis_out" in tile.kind.uses)


def _walk(card: Card, with_labels: bool) -> tuple[list[State], list[tuple[State, Path, State]]]:
    """All states that a message can be in, breadth first from the ports, and the steps between them."""
    tiles = {tile.name: tile for tile in card.tiles}
    states: dict[State, None] = {
        (tile.name, tile.port, (), False): None for tile in card.tiles if "axis_in" in tile.kind.uses
    }
    steps, queue = [], list(states)
    for state in queue:
        name, port, labels, _ = state
        if _ends(tiles[name], state):
            continue
        for hop in possible_hops(tiles[name], port):
            added = (hop.label,) if with_labels and _tells(tiles[name], hop) and hop.label not in labels else ()
            after = (hop.to, port, labels + added, True)
            steps.append((state, Path(name, hop.to, hop.label), after))
            if after not in states:
                states[after] = None
                queue.append(after)
    return list(states), steps


def possible_hops(tile: Tile, port: int) -> tuple[Hop, ...]:
    """The hops that a message of a port can take: a table searched by port has one for it."""
    if tile.kind.next is None or tile.kind.next.key != "port":
        return (*tile.ways, *tile.hops)
    return tuple(hop for hop in tile.hops if hop.key in (port, None))[:1]


def _tells(tile: Tile, hop: Hop) -> bool:
    """Whether the hop says what sort of message it is; the port and the choice of a replica do not."""
    return hop in tile.ways or (hop.key is not None and tile.kind.next.key not in ("port", "replica"))
