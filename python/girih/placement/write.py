# SPDX-License-Identifier: Apache-2.0
"""Writes the places of tiles into the text of a design file; everything else stays the same, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping

from ruamel.yaml import YAML
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node

from girih.topology import Place

Places = Mapping[str, tuple[Place, ...]]


def with_places(text: str, places: Places) -> str:
    """A checked design without an alias, with `at:` in every tile. places: of each tile by name."""
    tiles = _value(YAML().compose(text), "tiles")
    edits = [_edit(text, tile, places[name.value]) for name, tile in tiles.value if name.value in places]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def first_alias(text: str) -> tuple[int, str] | None:
    """The line and the name of the first alias in a file. An alias uses one text twice, so tiles share it."""
    aliases = (event for event in YAML().parse(text) if isinstance(event, AliasEvent))
    return next(((event.start_mark.line + 1, event.anchor) for event in aliases), None)


def place_text(places: tuple[Place, ...]) -> str:
    """In the syntax of a design file: `[1, 0]`, `3`, or a list of them for a tile with several fabric ports."""
    texts = [str(place[0]) if len(place) == 1 else str(list(place)) for place in places]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _value(mapping: MappingNode, key: str) -> Node | None:
    return next((value for name, value in mapping.value if name.value == key), None)


def _edit(text: str, tile: MappingNode, places: tuple[Place, ...]) -> tuple[int, int, str]:
    """The text to replace, and its replacement: the value of `at`, or an insertion behind the kind."""
    for name, value in tile.value:
        if name.value == "at":
            return name.end_mark.index, _end(value), f": {place_text(places)}"
    name, kind = next(entry for entry in tile.value if entry[0].value == "kind")
    end = _end(kind)
    if tile.flow_style:
        return end, end, f", at: {place_text(places)}"
    line_end = text.find("\n", end)
    end = len(text) if line_end < 0 else line_end
    return end, end, f"\n{' ' * name.start_mark.column}at: {place_text(places)}"


def _end(node: Node) -> int:
    """The end of a value; a block list ends with its last item, not at the next line."""
    while isinstance(node, CollectionNode) and not node.flow_style and node.value:
        node = node.value[-1]
    return node.end_mark.index
