# SPDX-License-Identifier: Apache-2.0
"""Geometry of drawings: the route of a path over the fabric, parallel lanes, rounded corners."""

from __future__ import annotations

import math
from itertools import pairwise

from girih.topology import Place

Point = tuple[float, float]


def route(start: Place, end: Place) -> list[Place]:
    """The routers on a message's path over a mesh, first along x and then along y."""
    (x0, y0), (x1, y1) = start, end
    along_x = [(x, y0) for x in range(x0, x1, 1 if x1 >= x0 else -1)]
    return [*along_x, *[(x1, y) for y in range(y0, y1, 1 if y1 >= y0 else -1)], end]


def simplify(points: list[Point]) -> list[Point]:
    """Only the corners of a line."""
    kept = points[:1]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        (ax, ay), (bx, by) = _direction(before, here), _direction(here, after)
        if abs(ax * by - ay * bx) > 1e-9 or ax * bx + ay * by < 0:
            kept.append(here)
    return [*kept, points[-1]]


def parallel(points: list[Point], distance: float) -> list[Point]:
    """The line shifted to its right (in its direction, on a screen), with mitred corners."""
    moved = []
    for start, end in pairwise(points):
        dx, dy = _direction(start, end)
        offset = (-dy * distance, dx * distance)
        moved.append(((start[0] + offset[0], start[1] + offset[1]), (end[0] + offset[0], end[1] + offset[1])))
    corners = [_crossing(first, second) for first, second in pairwise(moved)]
    return [moved[0][0], *corners, moved[-1][1]]


def rounded(points: list[Point], radius: float) -> str:
    """An SVG path through the points with rounded corners."""
    parts = [f"M{_text(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        reach = min(radius, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        parts.append(f"L{_text(_towards(corner, before, reach))}Q{_text(corner)} {_text(_towards(corner, after, reach))}")
    return "".join([*parts, f"L{_text(points[-1])}"])


def shortened(points: list[Point], by: float) -> list[Point]:
    """The line without its last part, where the arrow head is."""
    return [*points[:-1], _towards(points[-1], points[-2], by)]


def arrow_head(points: list[Point], length: float) -> str:
    """The corners of an arrow head at the end of a line, for an SVG polygon."""
    (x, y), (dx, dy) = points[-1], _direction(points[-2], points[-1])
    back, half = (x - dx * length, y - dy * length), length * 0.5
    return f"{_text((x, y))} {_text((back[0] - dy * half, back[1] + dx * half))} {_text((back[0] + dy * half, back[1] - dx * half))}"


def _direction(start: Point, end: Point) -> Point:
    length = math.dist(start, end) or 1.0
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def _towards(start: Point, end: Point, distance: float) -> Point:
    dx, dy = _direction(start, end)
    return start[0] + dx * distance, start[1] + dy * distance


def _crossing(first: tuple[Point, Point], second: tuple[Point, Point]) -> Point:
    (x1, y1), (x2, y2) = first
    (x3, y3), (x4, y4) = second
    divisor = (x1 - x2) * (y3 - y4) - (y1 - y2) * (x3 - x4)
    if abs(divisor) < 1e-9:
        return x2, y2
    a, b = x1 * y2 - y1 * x2, x3 * y4 - y3 * x4
    return (a * (x3 - x4) - (x1 - x2) * b) / divisor, (a * (y3 - y4) - (y1 - y2) * b) / divisor


def _text(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
