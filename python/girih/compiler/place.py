# SPDX-License-Identifier: Apache-2.0
"""Where the tiles are on the fabric: as the design says, and the others along a snake in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from girih.compiler.model import CARD_NODE, Design, Fabric
from girih.compiler.parse import Report
from girih.compiler.read import MOST_TILES

Place = tuple[int, int]


def place(design: Design, report: Report) -> tuple[Fabric, dict[str, Place]]:
    """The fabric in its final size and the place of every tile by name: (x, y), or (port, 0) on a crossbar."""
    if design.fabric is None:  # which was reported
        return Fabric("crossbar", len(design.tiles)), {}
    fabric = _sized(design, report)
    places: dict[str, Place] = {}
    owners: dict[Place, str] = {}
    for tile in design.tiles:
        if tile.at is None:
            continue
        at = _checked(tile.name, tile.at, fabric, tile.at_line, report)
        if at is None:
            continue
        if at in owners:
            report.error(
                tile.at_line,
                f"tiles {owners[at]} and {tile.name} are both at {_text(at, fabric)}",
                f"Move one of them, or leave out at and {tile.name} takes the next free place.",
            )
            continue
        places[tile.name], owners[at] = at, tile.name
    free = (at for at in snake(fabric) if at not in owners and fabric.node(at) != CARD_NODE)
    for tile in design.tiles:
        if tile.at is None and (at := next(free, None)) is not None:
            places[tile.name] = at
    return fabric, places


def snake(fabric: Fabric) -> Iterator[Place]:
    """All places, row by row, every second row backwards: each is a neighbour of the one before."""
    for y in range(fabric.y):
        row = range(fabric.x) if y % 2 == 0 else reversed(range(fabric.x))
        yield from ((x, y) for x in row)


def _sized(design: Design, report: Report) -> Fabric:
    fabric, tiles = design.fabric, len(design.tiles)
    if fabric.topology == "crossbar":
        largest = max((tile.at[0] + 1 for tile in design.tiles if tile.at), default=0)
        if tiles > MOST_TILES:
            report.error(
                design.tiles_line, f"{tiles} tiles are too many for a crossbar", f"It has at most {MOST_TILES} ports; use a mesh."
            )
        if fabric.x == 0:
            return replace(fabric, x=min(max(tiles, largest, 1), MOST_TILES))
    if tiles > fabric.ports:
        remedy = "Make it larger, such as fabric: {mesh: [4, 4]}, or remove tiles."
        if fabric.topology == "crossbar":
            remedy = "Write fabric: crossbar, which has as many ports as there are tiles."
        report.error(fabric.line, f"{tiles} tiles do not fit {_size(fabric)}", remedy)
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
    return at[0], 0
