# SPDX-License-Identifier: Apache-2.0
"""Where the tiles are on the fabric: as the design says, and the others along a snake in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from girih.compiler.model import CARD_NODE, Design, Fabric, TileText
from girih.compiler.parse import Report
from girih.compiler.read import MOST_TILES
from girih.topology import Place


def place(design: Design, ports: Mapping[str, int], report: Report) -> tuple[Fabric, dict[str, tuple[Place, ...]]]:
    """The fabric in its final size and the places of every tile by name.

    ports: how many places each tile takes.
    """
    if design.fabric is None:  # which was reported
        return Fabric("crossbar", sum(ports.values())), {}
    fabric = _sized(design, ports, report)
    places: dict[str, tuple[Place, ...]] = {}
    owners: dict[Place, str] = {}
    for tile in design.tiles:
        if tile.at is None:
            continue
        found = [_checked(tile.name, at, fabric, tile.at_line, report) for at in _spread(tile, ports[tile.name], fabric, report)]
        for at in found:
            if at in owners:
                report.error(
                    tile.at_line,
                    f"tiles {owners[at]} and {tile.name} are both at {_text(at, fabric)}",
                    f"Move one of them, or leave out at and {tile.name} takes the next free place.",
                )
            elif at is not None:
                owners[at] = tile.name
        if found and None not in found:
            places[tile.name] = tuple(found)
    free = (at for at in snake(fabric) if at not in owners and fabric.node(at) != CARD_NODE)
    for tile in design.tiles:
        if tile.at is None and len(found := tuple(islice(free, ports[tile.name]))) == ports[tile.name]:
            places[tile.name] = found
    return fabric, places


def _spread(tile: TileText, ports: int, fabric: Fabric, report: Report) -> tuple[tuple[int, ...], ...]:
    """The places of a tile as written, one for each of its fabric ports; on a crossbar the first one will do."""
    at = tile.at
    if fabric.topology == "crossbar" and ports > 1 and len(at) == 1:
        at = tuple((first + index,) for index, first in enumerate(at[0] * ports)) if len(at[0]) == 1 else tuple((port,) for port in at[0])
    if len(at) == ports:
        return at
    example = ", ".join("[0, 0]" if fabric.topology == "mesh" else "0" for _ in range(ports))
    report.error(
        tile.at_line,
        f"tile {tile.name} has {ports} fabric port{'s' if ports > 1 else ''} and is at {len(at)} place{'s' if len(at) > 1 else ''}",
        f"Give each port its place, at: [{example}], or leave it out.",
    )
    return ()


def snake(fabric: Fabric) -> Iterator[Place]:
    """All places, row by row, every second row backwards: each is a neighbour of the one before."""
    for y in range(fabric.y):
        row = [place for place in fabric.shape.places if place[1:2] in ((), (y,))]
        yield from row if y % 2 == 0 else reversed(row)


def _sized(design: Design, ports: Mapping[str, int], report: Report) -> Fabric:
    fabric, tiles = design.fabric, len(design.tiles)
    needed = sum(ports.values())
    if fabric.topology == "crossbar":
        largest = max((max(at[0] for at in tile.at) + ports[tile.name] for tile in design.tiles if tile.at), default=0)
        if needed > MOST_TILES:
            report.error(
                design.tiles_line, f"{tiles} tiles are too many for a crossbar", f"It has at most {MOST_TILES} ports; use a mesh."
            )
        if fabric.x == 0:
            return replace(fabric, x=min(max(needed, largest, 1), MOST_TILES))
    if needed > fabric.ports:
        remedy = "Make it larger, such as fabric: {mesh: [4, 4]}, or remove tiles."
        if fabric.topology == "crossbar":
            remedy = "Write fabric: crossbar, which has as many ports as there are tiles."
        with_ports = f" with {needed} fabric ports" if needed > tiles else ""
        report.error(fabric.line, f"{tiles} tiles{with_ports} do not fit {_size(fabric)}", remedy)
    return fabric


def _size(fabric: Fabric) -> str:
    return f"a mesh of {fabric.x} x {fabric.y}" if fabric.topology == "mesh" else f"a crossbar of {fabric.x} ports"


def _text(at: Place, fabric: Fabric) -> str:
    return f"[{at[0]}, {at[1]}]" if fabric.topology == "mesh" else f"port {at[0]}"


def _checked(name: str, at: tuple[int, ...], fabric: Fabric, line: int, report: Report) -> Place | None:
    if fabric.topology == "mesh":
        if len(at) != 2:
            report.error(line, f"tile {name} is at {at[0]}; a place on a mesh is [x, y]", "Write at: [0, 0]")
            return None
        if not (0 <= at[0] < fabric.x and 0 <= at[1] < fabric.y):
            x, y = fabric.x - 1, fabric.y - 1
            report.error(
                line, f"tile {name} is at [{at[0]}, {at[1]}], off {_size(fabric)}", f"x may be 0 to {x} and y 0 to {y}."
            )
            return None
        if fabric.node(at) == CARD_NODE:
            report.error(line, f"tile {name} is at [15, 15], the node number of the card itself", "Choose another place.")
            return None
        return at
    if len(at) != 1:
        report.error(line, f"tile {name} is at {list(at)}; a place on a crossbar is one number", "Write at: 0")
        return None
    if not 0 <= at[0] < fabric.x:
        report.error(line, f"tile {name} is at port {at[0]}, off {_size(fabric)}", f"It may be 0 to {fabric.x - 1}.")
        return None
    return (at[0],)
