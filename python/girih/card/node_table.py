# SPDX-License-Identifier: Apache-2.0
"""Entries of a tile's node table, in the format of its registers `next_hop[…]` (rtl/shell/tile.rdl)."""

from __future__ import annotations

KEY_MASK = 0xFFFF
NODE_SHIFT, NODE_MASK = 16, 0xFF << 16
ANY = 1 << 24
VALID = 1 << 31


def entry(key: int, node: int) -> int:
    """Messages with this key go to this node."""
    return VALID | node << NODE_SHIFT | key


def node_of(word: int) -> int | None:
    """Where the entry leads; None: it is not in use."""
    return (word & NODE_MASK) >> NODE_SHIFT if word & VALID else None
