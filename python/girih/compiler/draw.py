# SPDX-License-Identifier: Apache-2.0
"""`card.svg`: the card's fabric, its tiles, and the ways of messages as coloured arrows."""

from __future__ import annotations

from html import escape
from math import cos, pi, sin

from girih.compiler import draw_butterfly, lanes
from girih.compiler.lanes import Point
from girih.compiler.model import Card, Tile
from girih.compiler.paths import services
from girih.compiler.shapes import FAINT, INK, LEGEND_LINE, MARGIN, PAPER, TILE_HEIGHT, TILE_WIDTH, TITLE_HEIGHT, Layout, router, text, wire
from girih.compiler.verilog import origin, summary

SERVICE_COLOURS = ("#2563eb", "#ea580c", "#16a34a", "#9333ea", "#dc2626", "#0891b2", "#db2777", "#854d0e")
AREA_COLOURS = ("#0f766e", "#b45309", "#1d4ed8", "#be185d", "#4d7c0f", "#6d28d9", "#475569", "#a16207")
PITCH_X, PITCH_Y = 256, 162  # of a mesh
LANE, FIRST_LANE, MOST_LANES = 6.0, 4.0, 4
HEAD = 8


def draw(card: Card) -> str:
    """The text of the SVG."""
    match card.fabric.topology:
        case "mesh":
            layout = _mesh_layout(card)
            fabric = _mesh(card)
        case "butterfly":
            layout = draw_butterfly.layout(card)
            fabric = draw_butterfly.links(card)
        case _:
            layout = _crossbar_layout(card)
            fabric = _crossbar(card, layout)
    found = services(card)
    height = layout.bottom + LEGEND_LINE * len(found) + MARGIN / 2
    body = [
        *_title(card),
        *fabric,
        *_tiles(card, layout),
        *_paths(card, layout),
        *_legend([service.name for service in found], layout.bottom),
    ]
    size = f"{layout.width:.0f} {height:.0f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{layout.width:.0f}" height="{height:.0f}" '
            f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
            f"<!-- {escape(origin(card))} -->",
            f"<title>{escape(card.name)}: {escape(summary(card))}</title>",
            f'<rect width="100%" height="100%" rx="14" fill="{PAPER}"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def _mesh_layout(card: Card) -> Layout:
    boxes = {(tile.name, port): _cell(at) for tile in card.tiles for port, at in enumerate(tile.places)}
    width = max(2 * MARGIN + card.fabric.x * PITCH_X - 40, 560)
    return Layout(boxes, width, TITLE_HEIGHT + card.fabric.y * PITCH_Y + 8)


def _crossbar_layout(card: Card) -> Layout:
    columns = (card.fabric.ports + 1) // 2
    pitch = TILE_WIDTH + 52
    boxes = {}
    for tile, port in ((tile, port) for tile in card.tiles for port in range(len(tile.places))):
        row, column = divmod(tile.places[port][0], columns)
        x = column if row == 0 else columns - 1 - column  # the ports run around the crossbar
        boxes[tile.name, port] = (MARGIN + 24 + x * pitch, TITLE_HEIGHT + row * (TILE_HEIGHT + 210))
    return Layout(boxes, max(2 * MARGIN + columns * pitch + 16, 560), TITLE_HEIGHT + 2 * TILE_HEIGHT + 250)


def _cell(at: tuple[int, int]) -> Point:
    return MARGIN + 24 + at[0] * PITCH_X, TITLE_HEIGHT + at[1] * PITCH_Y


def _router(at: tuple[int, int]) -> Point:
    x, y = _cell(at)
    return x + TILE_WIDTH + 42, y + TILE_HEIGHT + 42


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


def _mesh(card: Card) -> list[str]:
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


def _corner(at: tuple[int, int]) -> Point:
    x, y = _cell(at)
    return x + TILE_WIDTH - 6, y + TILE_HEIGHT - 6


def _crossbar(card: Card, layout: Layout) -> list[str]:
    y = TITLE_HEIGHT + TILE_HEIGHT + 26
    width = layout.width - 2 * MARGIN
    return [
        f'<rect x="{MARGIN}" y="{y}" width="{width:.0f}" height="158" rx="14" fill="#f3f4f6" stroke="#9ca3af" stroke-width="1.5"/>',
        text(MARGIN + width / 2, y + 84, 13, "crossbar", "#9ca3af", ' text-anchor="middle" letter-spacing="3"'),
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
            lines += _arrow(ends if way == "axis_in" else ends[::-1], INK, 2.2)
        lines.append(text(x - 36, y + (25 if len(ways) == 1 else 20), 10.5, f"port {tile.port}", FAINT))
    return lines


def _arrow(points: list[Point], colour: str, width: float) -> list[str]:
    path = lanes.rounded(lanes.shortened(points, HEAD - 1), 10)
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>',
        f'<polygon points="{lanes.arrow_head(points, HEAD)}" fill="{colour}"/>',
    ]


def _paths(card: Card, layout: Layout) -> list[str]:
    """An arrow for each path of each service, in the service's lane and colour."""
    lines = []
    for index, service in enumerate(services(card)):
        colour, lane = SERVICE_COLOURS[index % len(SERVICE_COLOURS)], index % MOST_LANES
        for src, dst in dict.fromkeys((path.src, path.dst) for path in service.paths):
            start, end = card.tile(src), card.tile(dst)
            port = next((hop.port for hop in start.hops if hop.to == dst), 0)
            if card.fabric.topology == "crossbar":
                lines += _curve(layout.boxes[src, 0], layout.boxes[dst, port], lane, colour)
                continue
            if card.fabric.topology == "mesh":
                line = _mesh_line(lanes.route(start.places[0], end.places[port]))
            else:
                line = draw_butterfly.line(card.fabric, start.places[0], end.places[port])
            lines += _arrow(lanes.parallel(line, FIRST_LANE + LANE * lane), colour, 2.4)
    return lines


def _mesh_line(places: list[tuple[int, int]]) -> list[Point]:
    """From tile to tile along the links between routers; a line joins the side of a tile that its link passes."""
    routers = [_router(at) for at in places]
    start, end = _joint(places[0], places[1]), _joint(places[-1], places[-2])
    return lanes.simplify([*start, *routers[1:-1], *reversed(end)])


def _joint(at: tuple[int, int], towards: tuple[int, int]) -> list[Point]:
    """A point on the edge of the tile at `at`, and the one beside it on the link to or from `towards`."""
    x, y = _cell(at)
    link_x, link_y = _router(at)
    if at[1] == towards[1]:
        along = x + TILE_WIDTH * (0.7 if towards[0] > at[0] else 0.3)
        return [(along, y + TILE_HEIGHT), (along, link_y)]
    along = y + TILE_HEIGHT * (0.68 if towards[1] > at[1] else 0.32)
    return [(x + TILE_WIDTH, along), (link_x, along)]


def _curve(start: Point, end: Point, lane: int, colour: str) -> list[str]:
    """From tile to tile through the crossbar: out of the right half of a tile's edge, into the left half."""
    upper = min(start[1], end[1]) if start[1] != end[1] else TITLE_HEIGHT
    (x0, y0, down0) = _edge(start, upper, TILE_WIDTH / 2 + 12 + LANE * lane)
    (x1, y1, down1) = _edge(end, upper, TILE_WIDTH / 2 - 12 - LANE * lane)
    bend = min(60 + abs(x1 - x0) * 0.12, 130) if down0 == down1 else 120
    stop = y1 + HEAD * down1
    path = f"M{x0:.1f},{y0:.1f}C{x0:.1f},{y0 + bend * down0:.1f} {x1:.1f},{y1 + bend * down1:.1f} {x1:.1f},{stop:.1f}"
    head = lanes.arrow_head([(x1, stop), (x1, y1)], HEAD)
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.4" stroke-linecap="round"/>',
        f'<polygon points="{head}" fill="{colour}"/>',
    ]


def _edge(box: Point, upper: float, along: float) -> tuple[float, float, int]:
    """A point on the edge of a tile that faces the crossbar, and 1 if the crossbar is below it, else -1."""
    below = box[1] == upper
    return box[0] + along, box[1] + (TILE_HEIGHT if below else 0), 1 if below else -1


def _legend(names: list[str], top: float) -> list[str]:
    lines = []
    for index, name in enumerate(names):
        y = top + LEGEND_LINE * index
        lines += _arrow([(MARGIN, y), (MARGIN + 38, y)], SERVICE_COLOURS[index % len(SERVICE_COLOURS)], 2.6)
        lines.append(text(MARGIN + 50, y + 4.5, 13, name))
    return lines
