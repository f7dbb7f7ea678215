# SPDX-License-Identifier: Apache-2.0
"""Places tiles on the fabric: where the design says, the others along a snake in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from girih.compiler import values
from girih.compiler.model import LARGEST_BUTTERFLY, LARGEST_SIDE, Design, Fabric, TileText
from girih.compiler.read.design import LARGEST_CROSSBAR, MOST_TILES
from girih.compiler.read.parse import Report
from girih.topology import Place

_AXES = {"mesh": ("x", "y"), "butterfly": ("x", "y", "tile"), "crossbar": ("port",)}
_EXAMPLE = {"mesh": "[0, 0]", "butterfly": "[0, 0, 0]", "crossbar": "0"}


def place(design: Design, ports: Mapping[str, int], report: Report) -> tuple[Fabric, dict[str, tuple[Place, ...]]]:
    """The fabric in its final size and the places of every tile by name.

    ports: the number of places of each tile.
    """
    if design.fabric is None:  # which has been reported
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
    free = (at for at in snake(fabric) if at not in owners and fabric.is_free(at))
    for tile in design.tiles:
        if tile.at is None and len(next_free := tuple(islice(free, ports[tile.name]))) == ports[tile.name]:
            places[tile.name] = next_free
    return fabric, places


def _spread(tile: TileText, ports: int, fabric: Fabric, report: Report) -> tuple[tuple[int, ...], ...]:
    """The places of a tile as written, one for each of its fabric ports; on a crossbar the first one is enough."""
    at = tile.at
    if fabric.topology == "crossbar" and ports > 1 and len(at) == 1:
        at = tuple((first + index,) for index, first in enumerate(at[0] * ports)) if len(at[0]) == 1 else tuple((port,) for port in at[0])
    if len(at) == ports:
        return at
    example = ", ".join([_EXAMPLE[fabric.topology]] * ports)
    report.error(
        tile.at_line,
        f"tile {tile.name} has {ports} fabric port{'s' if ports > 1 else ''} and is at {len(at)} place{'s' if len(at) > 1 else ''}",
        f"Give each port its place, at: [{example}], or leave it out.",
    )
    return ()


def snake(fabric: Fabric) -> Iterator[Place]:
    """All places, row by row, every second row backwards: each is a neighbour of the previous one."""
    for y in range(fabric.y):
        row = [place for place in fabric.shape.places if place[1:2] in ((), (y,))]
        yield from row if y % 2 == 0 else reversed(row)


def _sized(design: Design, ports: Mapping[str, int], report: Report) -> Fabric:
    fabric, tiles = design.fabric, len(design.tiles)
    needed = sum(ports.values())
    if fabric.topology == "crossbar":
        largest = max((max(at[0] for at in tile.at) + ports[tile.name] for tile in design.tiles if tile.at), default=0)
        if fabric.x == 0:
            fabric = replace(fabric, x=min(max(needed, largest, 1), LARGEST_CROSSBAR))
    if needed > fabric.room:
        with_ports = f" with {needed} fabric ports" if needed > tiles else ""
        report.error(fabric.line, f"{tiles} tiles{with_ports} do not fit {fabric.text}", _larger(fabric, needed))
    return fabric


def _larger(fabric: Fabric, needed: int) -> str:
    """A remedy: the smallest fabric of the same topology that holds this many tiles and is no smaller in any dimension; a mesh for more than a crossbar holds."""
    if needed > MOST_TILES:
        return f"A card has room for {MOST_TILES}; remove some."
    if fabric.topology == "crossbar":
        if needed <= LARGEST_CROSSBAR:
            return "Write fabric: crossbar, which has as many ports as there are tiles."
        fabric = Fabric("mesh", 1, 1)
    most = (LARGEST_SIDE, LARGEST_SIDE, 1) if fabric.topology == "mesh" else LARGEST_BUTTERFLY
    sizes = product(*(range(size, end + 1) for size, end in zip((fabric.x, fabric.y, fabric.tiles), most, strict=True)))
    fit = [larger for size in sizes if (larger := Fabric(fabric.topology, *size)).room >= needed]
    best = min(fit, key=lambda larger: (larger.room, abs(larger.x - larger.y)))
    size = [best.x, best.y, best.tiles][: len(_AXES[fabric.topology])]
    return f"Make it larger, such as fabric: {{{fabric.topology}: {size}}}, or remove tiles."


def _text(at: Place, fabric: Fabric) -> str:
    return f"port {at[0]}" if fabric.topology == "crossbar" else str(list(at))


def _checked(name: str, at: tuple[int, ...], fabric: Fabric, line: int, report: Report) -> Place | None:
    """The place of one fabric port, None after an error."""
    axes, written = _AXES[fabric.topology], at[0] if len(at) == 1 else list(at)
    if len(at) != len(axes):
        what = "one number" if axes == ("port",) else f"[{', '.join(axes)}]"
        report.error(
            line,
            f"tile {name} is at {written}; a place on a {fabric.topology} is {what}",
            f"Write at: {_EXAMPLE[fabric.topology]}",
        )
        return None
    sizes = (fabric.x, fabric.y, fabric.tiles)
    if not all(0 <= index < size for index, size in zip(at, sizes, strict=False)):
        remedy = f"It may be 0 to {fabric.x - 1}."
        if axes != ("port",):
            spans = [f"{axis} {'may be ' * (axis == 'x')}0 to {size - 1}" for axis, size in zip(axes, sizes, strict=False)]
            remedy = f"{values.listing(spans, 'and')}."
        report.error(line, f"tile {name} is at {_text(at, fabric)}, off {fabric.text}", remedy)
        return None
    if not fabric.is_free(at):
        report.error(line, f"tile {name} is at {list(at)}, the node number of the card itself", "Choose another place.")
        return None
    return at
