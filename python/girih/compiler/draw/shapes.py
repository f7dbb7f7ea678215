# SPDX-License-Identifier: Apache-2.0
"""Sizes, colours and basic shapes shared by the drawings of all fabrics."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from girih.compiler.draw import lanes
from girih.compiler.draw.lanes import Point

INK, FAINT, LINE, PAPER = "#1f2937", "#6b7280", "#d1d5db", "#ffffff"
TILE_WIDTH, TILE_HEIGHT = 148, 70
MARGIN, TITLE_HEIGHT, LEGEND_LINE = 48, 92, 24
HEAD = 8  # of an arrow
LANE, FIRST_LANE = 6.0, 4.0  # of arrows beside each other


@dataclass(frozen=True)
class Layout:
    """Positions in a drawing. boxes: the upper left corner of each tile by name and fabric port; bottom: where the legend starts."""

    boxes: dict[tuple[str, int], Point]
    width: float
    bottom: float


def text(x: float, y: float, size: float, content: str, colour: str = INK, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}" fill="{colour}"{more}>{escape(content)}</text>'


def wire(start: Point, end: Point) -> str:
    return (
        f'<line x1="{start[0]:.0f}" y1="{start[1]:.0f}" x2="{end[0]:.0f}" y2="{end[1]:.0f}" stroke="{LINE}" '
        f'stroke-width="7" stroke-linecap="round"/>'
    )


def router(centre: Point) -> str:
    x, y = centre
    return (
        f'<rect x="{x - 11:.0f}" y="{y - 11:.0f}" width="22" height="22" rx="5" fill="#f3f4f6" stroke="#9ca3af" '
        f'stroke-width="1.5"/>'
    )


def arrow(points: list[Point], colour: str, width: float) -> list[str]:
    path = lanes.rounded(lanes.shortened(points, HEAD - 1), 10)
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>',
        f'<polygon points="{lanes.arrow_head(points, HEAD)}" fill="{colour}"/>',
    ]


def arrow_beside(points: list[Point], lane: int, colour: str) -> list[str]:
    """An arrow in one of the lanes beside a line."""
    return arrow(lanes.parallel(points, FIRST_LANE + LANE * lane), colour, 2.4)
