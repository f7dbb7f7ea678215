# SPDX-License-Identifier: Apache-2.0
"""Copies of a design with one change, as if the file had been edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from girih.compiler.model import LARGEST_BUTTERFLY, LARGEST_SIDE, Card, Design, Fabric, TileText
from girih.compiler.read.design import LARGEST_CROSSBAR
from girih.compiler.read.parse import Map, Scalar, Seq, Tree
from girih.topology import Place

Places = Mapping[str, tuple[Place, ...]]  # the place of each fabric port, by tile


def word(line: int, text: str) -> Scalar:
    """A scalar as the reader would have made it."""
    return Scalar(line, text, text)


def placed(design: Design, places: Places) -> Design:
    """Moves some tiles."""
    return replace(
        design, tiles=tuple(replace(tile, at=places[tile.name]) if tile.name in places else tile for tile in design.tiles)
    )


def where(card: Card) -> dict[str, tuple[Place, ...]]:
    """The places of all tiles of a card."""
    return {tile.name: tile.places for tile in card.tiles}


def with_tile(design: Design, tile: TileText, fabric: Fabric | None = None) -> Design:
    """Adds a tile, on a larger fabric if needed."""
    return replace(design, tiles=(*design.tiles, tile), fabric=fabric or design.fabric)


def larger(fabric: Fabric) -> Fabric | None:
    """Adds a row of routers, or a port; None if the fabric cannot grow."""
    if fabric.topology == "crossbar":
        return replace(fabric, x=fabric.x + 1) if fabric.x < LARGEST_CROSSBAR else None
    highest = LARGEST_SIDE if fabric.topology == "mesh" else LARGEST_BUTTERFLY[1]
    return replace(fabric, y=fabric.y + 1) if fabric.y < highest else None


def fabric_written(fabric: Fabric) -> str:
    """A fabric and its size, as written in a design file."""
    sizes = {"mesh": [fabric.x, fabric.y], "butterfly": [fabric.x, fabric.y, fabric.tiles], "crossbar": fabric.x}
    return f"{{{fabric.topology}: {sizes[fabric.topology]}}}"


def with_next(design: Design, name: str, tree: Tree) -> Design:
    """Replaces the `next` of a tile."""
    return replace(design, tiles=tuple(replace(tile, next=tree) if tile.name == name else tile for tile in design.tiles))


def redirected(tree: Tree, old: str, new: str) -> Tree:
    """A `next` with every reference to one tile replaced by another."""

    def swap(item: Tree) -> Tree:
        return word(item.line, new) if isinstance(item, Scalar) and item.text == old else item

    match tree:
        case Seq():
            return replace(tree, items=tuple(map(swap, tree.items)))
        case Map():
            return replace(tree, entries=tuple((key, swap(value)) for key, value in tree.entries))
    return swap(tree)


def without(tree: Tree, old: str) -> Tree | None:
    """A `next` without the entries for a tile; None if too few are left."""
    match tree:
        case Seq():
            items = tuple(item for item in tree.items if not (isinstance(item, Scalar) and item.text == old))
            return replace(tree, items=items) if len(items) > 1 else items[0] if items else None
        case Map():
            entries = tuple((key, value) for key, value in tree.entries if not (isinstance(value, Scalar) and value.text == old))
            return replace(tree, entries=entries) if entries else None
    return None


def new_name(design: Design, stem: str) -> str:
    """A name that no tile has yet, such as `echo_1`."""
    taken = {tile.name for tile in design.tiles}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{stem}_{number}") not in taken)


def written(tree: Tree) -> str:
    """A `next` as it is written in one line."""
    match tree:
        case Seq():
            return f"[{_listed(written(item) for item in tree.items)}]"
        case Map():
            return f"{{{_listed(f'{key.text}: {written(value)}' for key, value in tree.entries)}}}"
    return tree.text


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
