# SPDX-License-Identifier: Apache-2.0
"""Reads the pcapng files that a virtual card writes: packets with the name of their interface and their comment (draft-ietf-opsawg-pcapng)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from girih.errors import GirihError

INTERFACE, PACKET = 1, 6  # types of blocks
BLOCK, INTERFACE_FIXED, PACKET_FIXED = 12, 8, 20  # bytes of a block's frame, and of the fixed parts of both bodies
COMMENT, INTERFACE_NAME = 1, 2  # types of options


@dataclass(frozen=True)
class Packet:
    interface: str
    data: bytes
    comment: str


def packets(path: Path) -> Iterator[Packet]:
    """The packets of a little-endian file, in order. Raises GirihError if it ends within a block."""
    text, at, interfaces = path.read_bytes(), 0, []
    while at < len(text):
        kind, size = struct.unpack_from("<II", text, at) if at + BLOCK <= len(text) else (0, 0)
        if size < BLOCK or at + size > len(text):
            raise GirihError("the capture ends within a block", str(path), "Capture again.")
        body = text[at + 8 : at + size - 4]
        if kind == INTERFACE:
            interfaces.append(_options(body[INTERFACE_FIXED:]).get(INTERFACE_NAME, b"").decode())
        elif kind == PACKET:
            number, _, _, length, _ = struct.unpack_from("<5I", body)
            rest = body[PACKET_FIXED + _padded(length) :]
            yield Packet(interfaces[number], body[PACKET_FIXED : PACKET_FIXED + length], _options(rest).get(COMMENT, b"").decode())
        at += size


def _options(text: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at + 4 <= len(text):
        kind, size = struct.unpack_from("<HH", text, at)
        if kind == 0:
            break
        found[kind] = text[at + 4 : at + 4 + size]
        at += 4 + _padded(size)
    return found


def _padded(size: int) -> int:
    return -(-size // 4) * 4
