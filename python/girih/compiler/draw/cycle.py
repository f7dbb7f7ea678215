# SPDX-License-Identifier: Apache-2.0
"""The drawing of a card that can hang: the links and tiles that wait for each other, and the messages that make them."""

from __future__ import annotations

from girih.compiler.dependencies import Buffer
from girih.compiler.draw import lanes
from girih.compiler.draw.card import document, fabric_of, places_of, scene
from girih.compiler.draw.lanes import Point
from girih.compiler.draw.shapes import LEGEND_LINE, LINE, MARGIN, PAPER, TILE_HEIGHT, TILE_WIDTH, Layout, text
from girih.compiler.explain import Cycle, Line, lines_of
from girih.compiler.messages import Path
from girih.compiler.model import Card
from girih.compiler.paths import message_paths
from girih.topology import Channel

COLOUR = "#dc2626"
LETTER = 6.6  # the width of a line in the legend
BADGE = 9.0


def draw_cycle(card: Card, cycle: Cycle) -> str:
    """The text of the SVG. Steps have the numbers of the checker's message."""
    fabric, layout = fabric_of(card), fabric_of(card).layout(card)
    found = lines_of(card, cycle)
    in_cycle = {line.step.reason for line in found}
    others = (places_of(card, path) for path in message_paths(card) if path not in in_cycle)
    messages = dict.fromkeys(places_of(card, reason) for reason in in_cycle if isinstance(reason, Path))
    ways = [(way, LINE) for way in dict.fromkeys(others) if way not in messages] + [(way, COLOUR) for way in sorted(messages)]
    body = [
        *scene(card, layout),
        *(part for edge in cycle for part in _link(card, edge.holder)),
        *(part for edge in cycle for part in _tile(layout, edge.holder)),
        *(part for (start, end), colour in ways for part in fabric.way(card, start, end, 0, colour)),
        *(part for number, line in enumerate(found, 1) for part in _badge(_place(card, layout, line), number)),
        *_legend(found, layout.bottom),
    ]
    width = max(layout.width, 2 * MARGIN + 30 + LETTER * max(len(line.text) for line in found))
    return document(card, body, width, layout.bottom + LEGEND_LINE * len(found) + MARGIN / 2)


def _link(card: Card, resource: object) -> list[str]:
    """A link of the cycle as a broad line."""
    if not isinstance(resource, Channel):
        return []
    path = lanes.rounded(fabric_of(card).channel(card, resource), 8)
    return [f'<path d="{path}" fill="none" stroke="{COLOUR}" stroke-width="13" stroke-opacity="0.32" stroke-linecap="round"/>']


def _tile(layout: Layout, resource: object) -> list[str]:
    """The outline of a tile that waits."""
    if not isinstance(resource, Buffer):
        return []
    x, y = layout.boxes[resource.tile, 0]
    return [
        f'<rect x="{x - 4:.0f}" y="{y - 4:.0f}" width="{TILE_WIDTH + 8}" height="{TILE_HEIGHT + 8}" rx="12" fill="none" '
        f'stroke="{COLOUR}" stroke-width="3"/>'
    ]


def _place(card: Card, layout: Layout, line: Line) -> Point | None:
    """The position of a line's number: on the first link that its message holds, or at the corner of its tile."""
    holders = [edge.holder for edge in line.step.edges]
    if isinstance(line.step.reason, Path):
        first, second = fabric_of(card).channel(card, holders[0])[:2]
        return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2
    tile = next((end.tile for edge in line.step.edges for end in (edge.wanted, edge.holder) if isinstance(end, Buffer)), None)
    return None if tile is None else (layout.boxes[tile, 0][0] + TILE_WIDTH, layout.boxes[tile, 0][1])


def _badge(at: Point | None, number: int) -> list[str]:
    if at is None:
        return []
    x, y = at
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{BADGE}" fill="{COLOUR}"/>',
        text(x, y + 4, 11.5, str(number), PAPER, ' font-weight="700" text-anchor="middle"'),
    ]


def _legend(found: list[Line], top: float) -> list[str]:
    lines = []
    for number, line in enumerate(found, 1):
        y = top + LEGEND_LINE * (number - 1)
        lines += _badge((MARGIN + BADGE, y), number)
        lines.append(text(MARGIN + 30, y + 4.5, 13, line.text))
    return lines
