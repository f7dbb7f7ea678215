# SPDX-License-Identifier: Apache-2.0
"""`card.svg`: the card's fabric, its tiles, and the paths of messages as coloured arrows."""

from __future__ import annotations

from html import escape
from math import cos, pi, sin
from types import ModuleType

from girih.compiler.draw import butterfly, crossbar, mesh
from girih.compiler.draw.lanes import Point
from girih.compiler.draw.shapes import (
    FAINT,
    INK,
    LEGEND_LINE,
    MARGIN,
    PAPER,
    TILE_HEIGHT,
    TILE_WIDTH,
    Layout,
    arrow,
    text,
)
from girih.compiler.emit.heading import origin, summary
from girih.compiler.messages import Path
from girih.compiler.model import Card, Tile
from girih.compiler.paths import services

SERVICE_COLOURS = ("#2563eb", "#ea580c", "#16a34a", "#9333ea", "#dc2626", "#0891b2", "#db2777", "#854d0e")
AREA_COLOURS = ("#0f766e", "#b45309", "#1d4ed8", "#be185d", "#4d7c0f", "#6d28d9", "#475569", "#a16207")
MOST_LANES = 4


def draw(card: Card) -> str:
    """The text of the SVG."""
    layout = fabric_of(card).layout(card)
    found = services(card)
    body = [*scene(card, layout), *_paths(card), *_legend([service.name for service in found], layout.bottom)]
    return document(card, body, layout.width, layout.bottom + LEGEND_LINE * len(found) + MARGIN / 2)


def fabric_of(card: Card) -> ModuleType:
    """The module that draws the card's fabric: `layout` and `links` of a card, a message's `way` and one `channel`."""
    return {"mesh": mesh, "butterfly": butterfly, "crossbar": crossbar}[card.fabric.topology]


def document(card: Card, body: list[str], width: float, height: float) -> str:
    """The SVG around its content."""
    size = f"{width:.0f} {height:.0f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width:.0f}" height="{height:.0f}" '
            f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
            f"<!-- {escape(origin(card))} -->",
            f"<title>{escape(card.name)}: {escape(summary(card))}</title>",
            f'<rect width="100%" height="100%" rx="14" fill="{PAPER}"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def scene(card: Card, layout: Layout) -> list[str]:
    """The card without its messages."""
    return [*_title(card), *fabric_of(card).links(card), *_tiles(card, layout)]


def places_of(card: Card, path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The places between which a path is drawn."""
    start, end = card.tile(path.src), card.tile(path.dst)
    return start.places[0], end.places[next((hop.port for hop in start.hops if hop.to == path.dst), 0)]


def _title(card: Card) -> list[str]:
    x, y, radius = MARGIN + 6.0, 44.0, 17.0
    corners = [(radius if i % 2 == 0 else radius * 0.62, i * pi / 8) for i in range(16)]
    star = " ".join(f"{x + r * sin(a):.1f},{y - r * cos(a):.1f}" for r, a in corners)
    return [
        f'<polygon points="{star}" fill="#0f766e"/>',
        f'<circle cx="{x}" cy="{y}" r="5" fill="{PAPER}"/>',
        text(x + 32, y - 1, 20, card.name, more=' font-weight="700"'),
        text(x + 32, y + 18, 12.5, summary(card), FAINT),
    ]


def _tiles(card: Card, layout: Layout) -> list[str]:
    areas = sorted({tile.kind.area for tile in card.tiles})
    lines = []
    for tile in card.tiles:
        colour = AREA_COLOURS[areas.index(tile.kind.area) % len(AREA_COLOURS)]
        lines += _tile(tile, layout.boxes[tile.name, 0], colour)
        for port in range(1, len(tile.places)):
            lines += _more(tile, port, layout.boxes[tile.name, port], colour)
    return lines


def _more(tile: Tile, port: int, corner: Point, colour: str) -> list[str]:
    """A further place of a tile that has several."""
    x, y = corner
    return [
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}" rx="9" fill="{PAPER}" stroke="{colour}" '
        f'stroke-width="1.6" stroke-dasharray="5 4"/>',
        text(x + 15, y + 30, _name_size(tile), tile.name, FAINT, ' font-weight="650"'),
        text(x + 15, y + 49, 11.5, f"its fabric port {port}", FAINT),
    ]


def _name_size(tile: Tile) -> float:
    return min(15.0, 1.65 * (TILE_WIDTH - 24) / max(len(tile.name), 1))


def _tile(tile: Tile, corner: Point, colour: str) -> list[str]:
    x, y = corner
    size = _name_size(tile)
    lines = [
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}" rx="9" fill="{PAPER}" stroke="{colour}" '
        f'stroke-width="1.6"/>',
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}" rx="9" fill="{colour}" fill-opacity="0.09"/>',
        f'<rect x="{x:.0f}" y="{y + 10:.0f}" width="4" height="{TILE_HEIGHT - 20}" rx="2" fill="{colour}"/>',
        text(x + 15, y + 30, size, tile.name, INK, ' font-weight="650"'),
        text(x + 15, y + 49, 11.5, tile.kind.title, FAINT),
    ]
    if tile.port is not None:
        ways = [use for use in ("axis_in", "axis_out") if use in tile.kind.uses]
        for way, height in zip(ways, (35,) if len(ways) == 1 else (31, 43), strict=True):
            ends = [(x - 34, y + height), (x - 3, y + height)]
            lines += arrow(ends if way == "axis_in" else ends[::-1], INK, 2.2)
        lines.append(text(x - 36, y + (25 if len(ways) == 1 else 20), 10.5, f"port {tile.port}", FAINT))
    master = next((word for use, word in (("axi", "AXI4"), ("host", "host")) if use in tile.kind.uses), None)
    if master:
        lines += arrow([(x - 34, y + 31), (x - 3, y + 31)], INK, 2.2) + arrow([(x - 3, y + 43), (x - 34, y + 43)], INK, 2.2)
        lines.append(text(x - 36, y + 20, 10.5, master, FAINT))
    return lines


def _paths(card: Card) -> list[str]:
    """An arrow for each path of each service, in the service's lane and colour."""
    lines = []
    for index, service in enumerate(services(card)):
        colour, lane = SERVICE_COLOURS[index % len(SERVICE_COLOURS)], index % MOST_LANES
        for start, end in dict.fromkeys(places_of(card, path) for path in service.paths):
            lines += fabric_of(card).way(card, start, end, lane, colour)
    return lines


def _legend(names: list[str], top: float) -> list[str]:
    lines = []
    for index, name in enumerate(names):
        y = top + LEGEND_LINE * index
        lines += arrow([(MARGIN, y), (MARGIN + 38, y)], SERVICE_COLOURS[index % len(SERVICE_COLOURS)], 2.6)
        lines.append(text(MARGIN + 50, y + 4.5, 13, name))
    return lines
