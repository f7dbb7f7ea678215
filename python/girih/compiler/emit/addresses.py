# SPDX-License-Identifier: Apache-2.0
"""The addresses of a card are registers. The virtual card is built without them and writes them when it starts, so that
another address needs no rebuild."""

from __future__ import annotations

from dataclasses import replace

from girih.compiler.model import Card, Tile

FORMATS = ("mac", "ipv4")


def addresses_at_start(card: Card) -> dict[str, int]:
    """The address registers of the tiles, by name, with their values in the design."""
    return {f"{tile.name}.{name}": value for tile in card.tiles for name, value in tile.config if name in _names(tile) and isinstance(value, int)}


def without_addresses(card: Card) -> Card:
    """The same card with addresses of 0."""
    return replace(card, tiles=tuple(_without(tile) for tile in card.tiles))


def _without(tile: Tile) -> Tile:
    names = _names(tile)
    return replace(tile, config=tuple((name, 0 if name in names and isinstance(value, int) else value) for name, value in tile.config))


def _names(tile: Tile) -> set[str]:
    return {field.name for field in tile.kind.config if field.format in FORMATS}
