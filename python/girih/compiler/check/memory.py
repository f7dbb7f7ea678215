# SPDX-License-Identifier: Apache-2.0
"""External memory: a card has one AXI4 port, with a tile at it if the design describes a memory or its clock. Only tiles that make requests get grants."""

from __future__ import annotations

from collections.abc import Sequence

from girih.compiler import values
from girih.compiler.model import Design, ExternalMemory, Tile
from girih.compiler.read.parse import Report
from girih.spec.formats import Format

ACCESS = Format("memory_access")
READ_OR_WRITE, ANY_NODE = (ACCESS.encode("grant_rights", dict.fromkeys(names, 1)) for names in (("read", "write"), ("any_node",)))


def check_memory(design: Design, tiles: Sequence[Tile], report: Report) -> ExternalMemory | None:
    """The memory behind the card's port; None if no tile uses it. Mistakes go to `report`."""
    users = [tile for tile in tiles if "axi" in tile.kind.uses]
    for tile in users[1:]:
        what = f"{users[0].name} and {tile.name} are both at the card's only memory port"
        report.error(tile.line, what, f"Remove one of them, and send its requests to the other, next: {users[0].name}")
    if not users and design.memory_line is not None:
        report.error(design.memory_line, "the card has a section memory, but no tile that uses it", "Add one: memory: {kind: memory}, or remove the section memory.")
    _check_host(tiles, report)
    _check_clocks(design, tiles, report)
    for tile in tiles:
        if any(name == "grant_rights" for name, _ in tile.config):
            _check_grants(tile, tiles, report)
        if tile.kind.next and tile.kind.next.key == SPACE:
            _check_spaces(tile, report)
    _check_buffers(tiles, report)
    return design.memory if users else None


BUFFERS = "first_page"  # the setting of a kind whose stream buffers are in a tile of memory


def _check_buffers(tiles: Sequence[Tile], report: Report) -> None:
    """Checks that stream buffers are in memory that is there and granted, and that no two tiles have the same."""
    taken: list[tuple[Tile, str, range]] = []
    for tile in tiles:
        to = next((hop.to for hop in tile.hops if hop.key in tile.kind.requests.values()), None)
        memory = next((other for other in tiles if other.name == to), None)
        if memory is None or not any(name == BUFFERS for name, _ in tile.config):
            continue
        pages = _buffer_pages(tile)
        what = f"the buffers of tile {tile.name} are pages {pages.start} to {pages.stop - 1} of {memory.name}"
        size = _parameter(memory, "pages")
        if size is not None and pages.stop > size:
            remedy = f"Write pages: {1 << (pages.stop - 1).bit_length()} in {memory.name}, or give {tile.name} fewer connections or a smaller window."
            report.error(memory.line, f"{what}, which has {size} pages", remedy)
        elif any(name == "grant_rights" for name, _ in memory.config) and not _granted(memory, tile, pages):
            grant = f"grant_node: [{tile.name}], grant_first: [{pages.start}], grant_last: [{pages.stop - 1}], grant_rights: [3]"
            report.error(memory.line, f"{what}, which are not granted to it", f"Give {memory.name} a grant, such as {grant}.")
        for other, at, theirs in taken:
            if at == to and pages.start < theirs.stop and theirs.start < pages.stop:
                both = f"{what}, and those of {other.name} are pages {theirs.start} to {theirs.stop - 1}"
                report.error(tile.line, both, f"Write first_page: {theirs.stop} in {tile.name}.")
        taken.append((tile, memory.name, pages))


def _parameter(tile: Tile, name: str) -> int | None:
    """The value of a parameter whose default is a number; None if its kind has no such parameter."""
    default = next((parameter.default for parameter in tile.kind.parameters if parameter.name == name), None)
    return dict(tile.parameters).get(name, None if default is None else int(default))


def _buffer_pages(tile: Tile) -> range:
    """The pages of the stream buffers of a tile, two for each connection."""
    first = dict(tile.config)[BUFFERS]
    connections, window = _parameter(tile, "connections"), _parameter(tile, "window")
    assert isinstance(first, int) and connections is not None and window is not None, "a kind with buffers in a memory has connections and a window"
    return range(first, first + -(-2 * connections * window // ACCESS.size("PageBytes")))


def _granted(memory: Tile, tile: Tile, pages: range) -> bool:
    """Whether the grants of a tile of memory together let a tile read and write all of these pages."""
    columns = dict(memory.config)
    entries = zip(*(columns[f"grant_{part}"] for part in ("rights", "node", "first", "last")), strict=True)
    both = READ_OR_WRITE
    ranges = sorted((first, last) for rights, node, first, last in entries if rights & both == both and (rights & ANY_NODE or node == tile.request_node))
    reached = pages.start
    for first, last in ranges:
        if first <= reached:
            reached = max(reached, last + 1)
    return reached >= pages.stop


def _check_host(tiles: Sequence[Tile], report: Report) -> None:
    """Checks that at most one tile of each kind uses the port to the host."""
    first: dict[str, Tile] = {}
    for tile in tiles:
        if "host" not in tile.kind.uses:
            continue
        other = first.setdefault(tile.kind.name, tile)
        if other is not tile:
            report.error(tile.line, f"{other.name} and {tile.name} are both at the card's only port to the host", "Remove one of them.")


def _check_clocks(design: Design, tiles: Sequence[Tile], report: Report) -> None:
    """Checks that a tile is at each edge that has a clock of its own; a card always has Ethernet ports."""
    there = {use for tile in tiles for use in tile.kind.uses} | {"program" for tile in tiles if tile.kind.programs}
    at_edge = "is at that edge"
    for edge, use, what, example in (
        ("memory", "axi", at_edge, "memory: {kind: memory}"),
        ("host", "host", at_edge, "dma: {kind: dma}"),
        ("cores", "program", "has a core", "echo: {kind: core, program: udp_echo.c}"),
    ):
        if edge in design.clocks.own and use not in there:
            line = dict(design.clock_lines).get(edge, 1)
            report.error(line, f"clocks names {edge}, but no tile of the card {what}", f"Add one, such as {example}, or remove {edge} from clocks.")


SPACE = "space"  # the key of a kind that accesses several memories


def _check_spaces(tile: Tile, report: Report) -> None:
    """Checks that every space has a next hop: commands may name any space, and a request without a next hop gets no reply."""
    keys = {hop.key for hop in tile.hops}
    missing = [name for name, key in tile.kind.next.names.items() if key not in keys] if None not in keys else []
    if tile.hops and missing:
        what = f"next of tile {tile.name} has no tile for {' and '.join(missing)}, and it may be told to copy there"
        report.error(tile.line, what, f"Add {', '.join(f'{name}: a_tile' for name in missing)}, or send everything to one tile, next: {tile.hops[0].to}")



def _check_grants(memory: Tile, tiles: Sequence[Tile], report: Report) -> None:
    """Checks that each grant in use has pages, and names a tile that takes replies, or any tile."""
    columns = dict(memory.config)
    entries = [columns[f"grant_{part}"] for part in ("rights", "node", "first", "last")]
    askers = [tile for tile in tiles if tile.kind.takes_replies]
    for number, (rights, node, first, last) in enumerate(zip(*entries, strict=True)):
        whose = f"grant {number} of tile {memory.name}"
        if rights & READ_OR_WRITE and not rights & ANY_NODE and node not in [tile.request_node for tile in askers]:
            names = values.listing(tile.name for tile in askers)
            report.error(memory.line, f"{whose} is for no tile that takes replies", f"Name in grant_node: {names}, or add {ANY_NODE} to its grant_rights for any tile.")
        if first > last:
            report.error(memory.line, f"{whose} is from page {first} to page {last}, the wrong way round", "Exchange grant_first and grant_last.")
