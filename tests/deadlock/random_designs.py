# SPDX-License-Identifier: Apache-2.0
"""Random designs that a generic card can be: which tiles, where, and where each sends what."""

from __future__ import annotations

import random

import networkx

from tests.deadlock.generic import Slot, heading, place_text, slots

TILES = range(4, 13)
KEYS = {"eth_rx": ("ipv4", "arp"), "relay": (), "buffer": ()}


def random_design(shape: str, rng: random.Random, count: int) -> str:
    """The text of a design of `count` tiles; every tile is reached, and all messages end."""
    while True:
        text = _attempt(shape, count, rng)
        if text:
            return text


def _attempt(shape: str, count: int, rng: random.Random) -> str | None:
    """A design, or None if messages would circulate for ever or the number of tiles reached is not `count`."""
    ports = rng.randint(1, min(3, count // 2))
    own = rng.sample(range(3), ports)
    there = {(slot.kind, slot.port): slot for slot in slots(shape)}
    rx = [there["eth_rx", port] for port in own]
    tx = [there["eth_tx", port] for port in own]
    others = [slot for slot in slots(shape) if slot.port is None]
    middle = rng.sample(others, min(len(others), rng.randint(count - 2 * ports, count)))
    names = {slot: f"{slot.kind}_{'_'.join(map(str, slot.place))}" for slot in (*rx, *tx, *middle)}
    tables = {slot: _table(slot, ports, middle, tx, rng) for slot in (*rx, *middle)}
    if any(len(table) < 2 for slot, table in tables.items() if slot.kind in ("balancer", "requester")):
        return None
    ways = networkx.DiGraph()
    for port, slot in enumerate(rx):
        _follow(ways, slot, port, tables)
    reached = {slot for slot, _ in ways.nodes}
    if shape.endswith("_replies") and not any(slot.kind == "requester" for slot in reached):
        return None
    if not networkx.is_directed_acyclic_graph(ways) or not reached.issuperset(tx) or len(reached) != count:
        return None
    lines = heading(shape, ports)
    for slot in names:
        if slot in reached:
            lines.append(_line(slot, names, tables.get(slot, {}), own, [port for at, port in ways.nodes if at == slot]))
    return "\n".join([*lines, ""])


Table = dict[object, Slot]


def _table(slot: Slot, ports: int, middle: list[Slot], tx: list[Slot], rng: random.Random) -> Table:
    """Where a tile sends messages: by Ethertype or as a request (a word), by port (a number) or by replica (-1, -2 …)."""

    def after() -> Slot:
        inner = [other for other in middle if other != slot and other.kind != "responder"]
        return rng.choice(inner) if inner and rng.random() < 0.7 else rng.choice(tx)

    if slot.kind == "responder":
        return {}
    if slot.kind == "requester":
        responders = [other for other in middle if other.kind == "responder"]
        return {"requests": rng.choice(responders), "replies": after()} if responders else {}
    if slot.kind == "eth_rx":
        return {word: after() for word in rng.choice([("any",), ("ipv4", "any"), ("ipv4", "arp", "any")])}
    if slot.kind == "balancer":
        ends = list(dict.fromkeys(after() for _ in range(4)))[: rng.randint(2, 4)]
        return {-1 - index: end for index, end in enumerate(ends)}
    return {port: after() for port in range(ports)}


def _follow(ways: networkx.DiGraph, slot: Slot, port: int, tables: dict[Slot, Table]) -> None:
    """Adds every tile that a message of a port can reach from a tile on."""
    if (slot, port) in ways and ways.out_degree((slot, port)):
        return
    ways.add_node((slot, port))
    for key, end in tables.get(slot, {}).items():
        if not isinstance(key, int) or key < 0 or key == port:
            ways.add_edge((slot, port), (end, port))
            _follow(ways, end, port, tables)


def _line(slot: Slot, names: dict[Slot, str], table: Table, own: list[int], met: list[int]) -> str:
    start = f"  {names[slot]}: {{kind: {slot.kind}, at: {place_text(slot.place)}"
    if slot.port is not None:
        start += f", port: {own.index(slot.port)}"
    if slot.kind in ("eth_tx", "responder"):
        return start + "}"
    if slot.kind == "balancer":
        return f"{start}, next: [{', '.join(names[end] for end in table.values())}]}}"
    entries = {key: end for key, end in table.items() if not isinstance(key, int) or key in met}
    return f"{start}, next: {{{', '.join(f'{key}: {names[end]}' for key, end in entries.items())}}}}}"
