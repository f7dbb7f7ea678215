# SPDX-License-Identifier: Apache-2.0
"""The drawing of a crossbar: its tiles run around it."""

from __future__ import annotations

from girih.compiler.draw import lanes
from girih.compiler.draw.lanes import Point
from girih.compiler.draw.shapes import HEAD, LANE, MARGIN, TILE_HEIGHT, TILE_WIDTH, TITLE_HEIGHT, Layout, text
from girih.compiler.model import Card, Fabric
from girih.topology import IN, Channel, Place

PITCH = TILE_WIDTH + 52
TOP = TITLE_HEIGHT + TILE_HEIGHT + 26
HEIGHT = 158


def layout(card: Card) -> Layout:
    """Where the tiles of a card are."""
    boxes = {(tile.name, port): _box(card.fabric, at) for tile in card.tiles for port, at in enumerate(tile.places)}
    return Layout(boxes, _width(card.fabric), TITLE_HEIGHT + 2 * TILE_HEIGHT + 250)


def links(card: Card) -> list[str]:
    """The crossbar itself."""
    width = _width(card.fabric) - 2 * MARGIN
    return [
        f'<rect x="{MARGIN}" y="{TOP}" width="{width:.0f}" height="{HEIGHT}" rx="14" fill="#f3f4f6" stroke="#9ca3af" stroke-width="1.5"/>',
        text(MARGIN + width / 2, TOP + 84, 13, "crossbar", "#9ca3af", ' text-anchor="middle" letter-spacing="3"'),
    ]


def way(card: Card, start: Place, end: Place, lane: int, colour: str) -> list[str]:
    """From tile to tile: out of the right half of a tile's edge, into the left half."""
    boxes = _box(card.fabric, start), _box(card.fabric, end)
    (x0, y0, down0) = _edge(boxes[0], TILE_WIDTH / 2 + 12 + LANE * lane)
    (x1, y1, down1) = _edge(boxes[1], TILE_WIDTH / 2 - 12 - LANE * lane)
    bend = min(60 + abs(x1 - x0) * 0.12, 130) if down0 == down1 else 120
    stop = y1 + HEAD * down1
    path = f"M{x0:.1f},{y0:.1f}C{x0:.1f},{y0 + bend * down0:.1f} {x1:.1f},{y1 + bend * down1:.1f} {x1:.1f},{stop:.1f}"
    head = lanes.arrow_head([(x1, stop), (x1, y1)], HEAD)
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.4" stroke-linecap="round"/>',
        f'<polygon points="{head}" fill="{colour}"/>',
    ]


def channel(card: Card, link: Channel) -> list[Point]:
    """The line of one link, between the edge of its tile and the crossbar."""
    x, y, down = _edge(_box(card.fabric, link.start), TILE_WIDTH / 2 + (12 if link.side == IN else -12))
    ends = [(x, y), (x, y + 26 * down)]
    return ends if link.side == IN else ends[::-1]


def _columns(fabric: Fabric) -> int:
    return (fabric.ports + 1) // 2


def _width(fabric: Fabric) -> float:
    return max(2 * MARGIN + _columns(fabric) * PITCH + 16, 560)


def _box(fabric: Fabric, at: Place) -> Point:
    """The upper left corner of a tile; the ports run around the crossbar."""
    row, column = divmod(at[0], _columns(fabric))
    x = column if row == 0 else _columns(fabric) - 1 - column
    return MARGIN + 24 + x * PITCH, TITLE_HEIGHT + row * (TILE_HEIGHT + 210)


def _edge(box: Point, along: float) -> tuple[float, float, int]:
    """A point on the edge of a tile that faces the crossbar, and 1 if the crossbar is below it, else -1."""
    below = box[1] == TITLE_HEIGHT
    return box[0] + along, box[1] + (TILE_HEIGHT if below else 0), 1 if below else -1
