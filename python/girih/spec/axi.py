# SPDX-License-Identifier: Apache-2.0
"""The pins of the AXI4 master port, of a tile that uses one and of the card."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "m_axi"


@dataclass(frozen=True)
class Pin:
    """width: an expression over the constants of girih_pkg, empty for one bit."""

    direction: str
    name: str
    width: str = ""


def _channel(direction: str, channel: str, signals: dict[str, str]) -> list[Pin]:
    back = "input" if direction == "output" else "output"
    return [Pin(back if name == "ready" else direction, f"{PREFIX}_{channel}{name}", width) for name, width in signals.items()]


_ID, _ADDR, _DATA = "[memory_access_pkg::IdBits-1:0]", "[memory_access_pkg::AddrBits-1:0]", "[W-1:0]"
_ADDRESS = {
    "id": _ID, "addr": _ADDR, "len": "[7:0]", "size": "[2:0]", "burst": "[1:0]", "lock": "", "cache": "[3:0]", "prot": "[2:0]", "valid": "", "ready": "",
}  # fmt: skip
PINS = [
    *_channel("output", "aw", _ADDRESS),
    *_channel("output", "w", {"data": _DATA, "strb": "[FlitBytes-1:0]", "last": "", "valid": "", "ready": ""}),
    *_channel("input", "b", {"id": _ID, "resp": "[1:0]", "valid": "", "ready": ""}),
    *_channel("output", "ar", _ADDRESS),
    *_channel("input", "r", {"id": _ID, "data": _DATA, "resp": "[1:0]", "last": "", "valid": "", "ready": ""}),
]
