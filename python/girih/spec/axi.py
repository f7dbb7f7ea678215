# SPDX-License-Identifier: Apache-2.0
"""The pins of the AXI4 master ports to external memory and to the host, and of interrupts to the host, both of a tile and of the card."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pin:
    """width: an expression over the constants of girih_pkg, empty for one bit."""

    direction: str
    name: str
    width: str = ""


def _channel(prefix: str, direction: str, channel: str, signals: dict[str, str]) -> list[Pin]:
    back = "input" if direction == "output" else "output"
    return [Pin(back if name == "ready" else direction, f"{prefix}_{channel}{name}", width) for name, width in signals.items()]


def _port(prefix: str, ident: str, addr: str) -> list[Pin]:
    """ident, addr: the widths of IDs and addresses."""
    address = {
        "id": ident, "addr": addr, "len": "[7:0]", "size": "[2:0]", "burst": "[1:0]", "lock": "", "cache": "[3:0]", "prot": "[2:0]", "valid": "", "ready": "",
    }  # fmt: skip
    return [
        *_channel(prefix, "output", "aw", address),
        *_channel(prefix, "output", "w", {"data": "[W-1:0]", "strb": "[FlitBytes-1:0]", "last": "", "valid": "", "ready": ""}),
        *_channel(prefix, "input", "b", {"id": ident, "resp": "[1:0]", "valid": "", "ready": ""}),
        *_channel(prefix, "output", "ar", address),
        *_channel(prefix, "input", "r", {"id": ident, "data": "[W-1:0]", "resp": "[1:0]", "last": "", "valid": "", "ready": ""}),
    ]


PINS = {
    "axi": _port("m_axi", "[memory_access_pkg::IdBits-1:0]", "[memory_access_pkg::AddrBits-1:0]"),
    "host": _port("m_axi_host", "[host_access_pkg::HostIdBits-1:0]", "[host_access_pkg::HostAddrBits-1:0]"),
    "host_interrupt": [Pin("output", "host_interrupt_o", "[host_access_pkg::HostQueues-1:0]")],
}
"""Of each `uses` that gives a tile such pins. A card with a port to the host has both of its kinds."""
