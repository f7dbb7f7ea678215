# SPDX-License-Identifier: Apache-2.0
"""The key that operators and a card share: read from a file, and given to the card by its host."""

from __future__ import annotations

import os
from pathlib import Path

from girih.card.registers import Registers
from girih.errors import GirihError
from girih.management.protocol import KEY_BYTES
from girih.spec.windows import offset

WINDOW, KIND = "controller_window", "controller"
WORD_BYTES = 4


def read_key(path: Path) -> bytes:
    """The key in a file: 64 hexadecimal digits. Raises GirihError."""
    remedy = f"Make one: (umask 077; openssl rand -hex {KEY_BYTES} > FILE)"
    try:
        text = Path(path).read_text()
    except (OSError, ValueError) as error:
        raise GirihError(f"the key cannot be read ({error})", str(path), remedy) from error
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise GirihError(f"the file does not hold a key of {KEY_BYTES} bytes in hexadecimal digits", str(path), remedy)
    return key


def unlock(registers: Registers, key: bytes, start: int | None = None) -> list[str]:
    """Gives the key to the card's controllers, whose names it returns.

    start: a 64-bit number, unique for each start of a card with this key; random by default. Raises GirihError if the card has no controller.
    """
    tiles = [tile.name for tile in registers.manifest.tiles if tile.kind == KIND]
    if not tiles:
        raise GirihError("the card has no controller", registers.manifest.name, "Take a design with a tile of kind controller, such as designs/managed.yaml.")
    for tile in tiles:
        for word in range(KEY_BYTES // WORD_BYTES):
            registers.write_window(tile, offset(WINDOW, "key", word=word), int.from_bytes(key[WORD_BYTES * word :][:WORD_BYTES], "little"))
        number = int.from_bytes(os.urandom(8), "little") if start is None else start
        for half in (0, 1):
            registers.write_window(tile, offset(WINDOW, "start", half=half), number >> 32 * half & 0xFFFF_FFFF)
    return tiles
