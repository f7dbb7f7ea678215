# SPDX-License-Identifier: Apache-2.0
"""The drawing of a flattened butterfly: each router is above its tiles, and a spine leads down from it between them.

A link to a router that is not a neighbour goes around those between: above them in a row, to their left in a column.
"""

from __future__ import annotations

from itertools import pairwise

from girih.compiler.draw.lanes import Point, simplify
from girih.compiler.draw.shapes import MARGIN, TILE_HEIGHT, TILE_WIDTH, TITLE_HEIGHT, Layout, arrow_beside, router, wire
from girih.compiler.model import Card, Fabric
from girih.topology import IN, OUT, Channel, Place

PORT_ROOM = 44  # left of a tile, for the arrows of its Ethernet port
SPINE = 34  # between the spine and the tiles
DETOUR = 16  # between the links of a row or column, by how far they lead
BAND = 46  # from a router to its tiles


def layout(card: Card) -> Layout:
    """Where the tiles of a card are."""
    fabric = card.fabric
    boxes = {(tile.name, port): _box(fabric, at) for tile in card.tiles for port, at in enumerate(tile.places)}
    pitch_x, pitch_y = _pitch(fabric)
    return Layout(boxes, max(2 * MARGIN + fabric.x * pitch_x, 560), TITLE_HEIGHT + fabric.y * pitch_y + 8)


def links(card: Card) -> list[str]:
    """Routers, the links between them and to the tiles."""
    fabric = card.fabric
    lines = []
    for at in fabric.shape.places:
        if any(at in tile.places for tile in card.tiles):
            middle = _middle(fabric, at, 0.5)
            lines += [wire(_router(fabric, at), middle), wire(middle, _side(fabric, at, 0.5))]
    for link in fabric.shape.links():
        if link.start < link.end:  # the one back is the same wire
            lines += [wire(start, end) for start, end in pairwise(_between(fabric, link))]
    places = [at for at in fabric.shape.places if at[2] == 0]
    return [*lines, *(router(_router(fabric, at)) for at in places)]


def way(card: Card, start: Place, end: Place, lane: int, colour: str) -> list[str]:
    """An arrow from tile to tile."""
    return arrow_beside(_line(card.fabric, start, end), lane, colour)


def channel(card: Card, link: Channel) -> list[Point]:
    """The line of one link."""
    fabric = card.fabric
    if link.side == IN:
        return [_side(fabric, link.start, 0.5), _middle(fabric, link.start, 0.5), _router(fabric, link.start)]
    if link.side == OUT:
        return [_router(fabric, link.end), _middle(fabric, link.end, 0.5), _side(fabric, link.end, 0.5)]
    return _between(fabric, link)


def _line(fabric: Fabric, start: Place, end: Place) -> list[Point]:
    """The line of a message from tile to tile; it leaves in the lower half of a side and arrives in the upper one."""
    points = [_side(fabric, start, 0.66), _middle(fabric, start, 0.66)]
    if start[:2] != end[:2]:
        points.append(_router(fabric, start))
        for link in fabric.shape.hops(start, end):
            points += _between(fabric, link)[1:]
    return simplify(_forward([*points, _middle(fabric, end, 0.34), _side(fabric, end, 0.34)]))


def _forward(points: list[Point]) -> list[Point]:
    """A line without detours: it does not go up a spine only to come back down on a link of the column."""
    kept: list[Point] = []
    for here, after in zip(points, [*points[1:], points[-1]], strict=True):
        back = kept and kept[-1][0] == here[0] == after[0] and (here[1] - kept[-1][1]) * (after[1] - here[1]) < 0
        if not back:
            kept.append(here)
    return kept


def _pitch(fabric: Fabric) -> Point:
    """The distance between routers."""
    rows = (fabric.tiles + 1) // 2
    width = 2 * (PORT_ROOM + TILE_WIDTH + SPINE) + _left(fabric)
    return width, rows * (TILE_HEIGHT + 30) + BAND + DETOUR * max(fabric.x - 2, 0) + 34


def _left(fabric: Fabric) -> float:
    """The room for the links of a column, left of the spine."""
    return DETOUR * max(fabric.y - 2, 0)


def _router(fabric: Fabric, at: Place) -> Point:
    pitch_x, pitch_y = _pitch(fabric)
    x = MARGIN + at[0] * pitch_x + PORT_ROOM + TILE_WIDTH + SPINE + _left(fabric)
    return x, TITLE_HEIGHT + at[1] * pitch_y + DETOUR * max(fabric.x - 2, 0) + 12


def _box(fabric: Fabric, at: Place) -> Point:
    """The upper left corner of a tile: even ones are left of the spine, odd ones right of it."""
    x, y = _router(fabric, at)
    row, right = divmod(at[2], 2)
    across = SPINE + PORT_ROOM if right else -SPINE - _left(fabric) - TILE_WIDTH
    return x + across, y + BAND + row * (TILE_HEIGHT + 30)


def _side(fabric: Fabric, at: Place, part: float) -> Point:
    """A point on the side of a tile that faces the spine."""
    x, y = _box(fabric, at)
    return x + (0 if at[2] % 2 else TILE_WIDTH), y + TILE_HEIGHT * part


def _middle(fabric: Fabric, at: Place, part: float) -> Point:
    """The point of the spine beside that."""
    return _router(fabric, at)[0], _side(fabric, at, part)[1]


def _between(fabric: Fabric, link: Channel) -> list[Point]:
    start, end = _router(fabric, link.start), _router(fabric, link.end)
    if link.start[1] == link.end[1]:
        above = start[1] - DETOUR * (abs(link.end[0] - link.start[0]) - 1)
        return simplify([start, (start[0], above), (end[0], above), end]) if above < start[1] else [start, end]
    left = start[0] - DETOUR * (abs(link.end[1] - link.start[1]) - 1)
    return simplify([start, (left, start[1]), (left, end[1]), end]) if left < start[0] else [start, end]
