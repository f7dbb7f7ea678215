# SPDX-License-Identifier: Apache-2.0
"""The fabric port by which messages come to a tile that has one for applications: theirs by the second, all others by the first."""

from __future__ import annotations

from dataclasses import replace

from girih.compiler.model import Tile
from girih.compiler.read.parse import Report
from girih.spec.message import STREAM

APPLICATIONS, NETWORK = 1, 0  # fabric ports


def to_their_ports(tiles: tuple[Tile, ...], report: Report) -> tuple[Tile, ...]:
    """The tiles, with the hops that lead to the port for applications. A tile that only passes messages on sends what it gets; reports one that gets both."""
    if not any(tile.kind.applications_apart for tile in tiles):
        return tiles
    by_name = {tile.name: tile for tile in tiles}
    senders: dict[str, list[Tile]] = {}
    for tile in tiles:
        for hop in (*tile.hops, *tile.ways):
            senders.setdefault(hop.to, []).append(tile)
    changed = []
    for tile in tiles:
        hops = list(tile.hops)
        for index, hop in enumerate(hops):
            if hop.to in by_name and by_name[hop.to].kind.applications_apart:
                ports = _ports_of(tile, senders)
                if len(ports) > 1:
                    what = f"tile {tile.name} sends messages of applications and others to {hop.to}, which takes them at different fabric ports"
                    report.error(hop.line, what, "Send them through two tiles, one for each sort.")
                hops[index] = replace(hop, port=max(ports, default=NETWORK))
        changed.append(replace(tile, hops=tuple(hops)))
    return tuple(changed)


def _ports_of(tile: Tile, senders: dict[str, list[Tile]]) -> set[int]:
    """The fabric ports for what a tile sends: more than one if it passes on messages of both sorts."""
    ports: set[int] = set()
    seen, queue = {tile.name}, [tile]
    for one in queue:
        kind = one.kind
        if STREAM in kind.writes:
            ports.add(APPLICATIONS)
        elif kind.needs or kind.gives or kind.writes or not kind.has_input:
            ports.add(NETWORK)
        else:
            for sender in senders.get(one.name, []):
                if sender.name not in seen:
                    seen.add(sender.name)
                    queue.append(sender)
    return ports
