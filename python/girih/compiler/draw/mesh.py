# SPDX-License-Identifier: Apache-2.0
"""The drawing of a mesh: a tile beside each router."""

from __future__ import annotations

from girih.compiler.draw import lanes
from girih.compiler.draw.lanes import Point
from girih.compiler.draw.shapes import MARGIN, TILE_HEIGHT, TILE_WIDTH, TITLE_HEIGHT, Layout, arrow_beside, router, wire
from girih.compiler.model import Card
from girih.topology import IN, OUT, Channel, Place

PITCH_X, PITCH_Y = 256, 162


def layout(card: Card) -> Layout:
    """Where the tiles of a card are."""
    boxes = {(tile.name, port): _cell(at) for tile in card.tiles for port, at in enumerate(tile.places)}
    width = max(2 * MARGIN + card.fabric.x * PITCH_X - 40, 560)
    return Layout(boxes, width, TITLE_HEIGHT + card.fabric.y * PITCH_Y + 8)


def links(card: Card) -> list[str]:
    """Routers, the links between them and to the tiles."""
    lines = []
    places = [(x, y) for y in range(card.fabric.y) for x in range(card.fabric.x)]
    taken = {at for tile in card.tiles for at in tile.places}
    for x, y in places:
        for neighbour in ((x + 1, y), (x, y + 1)):
            if neighbour in places:
                lines.append(wire(_router((x, y)), _router(neighbour)))
        if (x, y) in taken:
            lines.append(wire(_corner((x, y)), _router((x, y))))
    return [*lines, *(router(_router(at)) for at in places)]


def way(card: Card, start: Place, end: Place, lane: int, colour: str) -> list[str]:
    """An arrow from tile to tile."""
    return arrow_beside(_line(lanes.route(start, end)), lane, colour)


def channel(card: Card, link: Channel) -> list[Point]:
    """The line of one link."""
    if link.side == IN:
        return [_corner(link.start), _router(link.start)]
    if link.side == OUT:
        return [_router(link.end), _corner(link.end)]
    return [_router(link.start), _router(link.end)]


def _cell(at: Place) -> Point:
    return MARGIN + 24 + at[0] * PITCH_X, TITLE_HEIGHT + at[1] * PITCH_Y


def _router(at: Place) -> Point:
    x, y = _cell(at)
    return x + TILE_WIDTH + 42, y + TILE_HEIGHT + 42


def _corner(at: Place) -> Point:
    x, y = _cell(at)
    return x + TILE_WIDTH - 6, y + TILE_HEIGHT - 6


def _line(places: list[Place]) -> list[Point]:
    """The line from tile to tile along the links between routers; it ends at the side of a tile that its link passes."""
    routers = [_router(at) for at in places]
    start, end = _joint(places[0], places[1]), _joint(places[-1], places[-2])
    return lanes.simplify([*start, *routers[1:-1], *reversed(end)])


def _joint(at: Place, towards: Place) -> list[Point]:
    """A point on the edge of the tile at `at`, and the one beside it on the link to or from `towards`."""
    x, y = _cell(at)
    link_x, link_y = _router(at)
    if at[1] == towards[1]:
        along = x + TILE_WIDTH * (0.7 if towards[0] > at[0] else 0.3)
        return [(along, y + TILE_HEIGHT), (along, link_y)]
    along = y + TILE_HEIGHT * (0.68 if towards[1] > at[1] else 0.32)
    return [(x + TILE_WIDTH, along), (link_x, along)]
