# SPDX-License-Identifier: Apache-2.0
"""What generated files say about their card."""

from __future__ import annotations

from girih.compiler.model import Card


def origin(card: Card) -> str:
    """The origin of a generated file, for its first lines."""
    return f"Generated from {card.source} by ./girih build {card.source}; do not edit."


def heading(card: Card) -> list[str]:
    return ["// SPDX-License-Identifier: Apache-2.0", f"// {origin(card)}"]


def summary(card: Card) -> str:
    """A one-line summary of a card."""
    tiles = "1 tile" if len(card.tiles) == 1 else f"{len(card.tiles)} tiles"
    ports = "1 port" if card.ports == 1 else f"{card.ports} ports"
    classes = ", replies apart from requests" if card.classes > 1 else ""
    return f"{tiles} on {card.fabric.text}, {card.params.data_width} bits, {ports}{classes}"
