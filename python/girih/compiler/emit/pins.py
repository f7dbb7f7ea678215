# SPDX-License-Identifier: Apache-2.0
"""The pins of a card, which its top level and its simulation share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from girih.spec import axi


@dataclass(frozen=True)
class Port:
    """A port of the card. width: an expression over the card's constants, empty for one bit."""

    direction: str
    name: str
    width: str = ""

    @property
    def declaration(self) -> str:
        return f"{self.direction} logic {self.width + ' ' if self.width else ''}{self.name}"


def _stream(prefix: str, into: bool) -> list[Port]:
    there, back = ("input", "output") if into else ("output", "input")
    return [
        Port(there, f"{prefix}_tdata", "[Ports*W-1:0]"),
        Port(there, f"{prefix}_tkeep", "[Ports*FlitBytes-1:0]"),
        Port(there, f"{prefix}_tvalid", "[Ports-1:0]"),
        Port(back, f"{prefix}_tready", "[Ports-1:0]"),
        Port(there, f"{prefix}_tlast", "[Ports-1:0]"),
        Port(there, f"{prefix}_tuser", "[Ports-1:0]"),
    ]


CLOCK = [Port("input", "clk_i"), Port("input", "rst_i")]
ETHERNET = _stream("s_axis", into=True) + _stream("m_axis", into=False)
AXI_LITE = [
    Port("input", "s_axil_awaddr", "[31:0]"),
    Port("input", "s_axil_awprot", "[2:0]"),
    Port("input", "s_axil_awvalid"),
    Port("output", "s_axil_awready"),
    Port("input", "s_axil_wdata", "[31:0]"),
    Port("input", "s_axil_wstrb", "[3:0]"),
    Port("input", "s_axil_wvalid"),
    Port("output", "s_axil_wready"),
    Port("output", "s_axil_bresp", "[1:0]"),
    Port("output", "s_axil_bvalid"),
    Port("input", "s_axil_bready"),
    Port("input", "s_axil_araddr", "[31:0]"),
    Port("input", "s_axil_arprot", "[2:0]"),
    Port("input", "s_axil_arvalid"),
    Port("output", "s_axil_arready"),
    Port("output", "s_axil_rdata", "[31:0]"),
    Port("output", "s_axil_rresp", "[1:0]"),
    Port("output", "s_axil_rvalid"),
    Port("input", "s_axil_rready"),
]
MASTERS = {use: [Port(pin.direction, pin.name, pin.width) for pin in pins] for use, pins in axi.PINS.items()}


# Of an edge with a clock of its own: the clock, and the card's reset in it. A port has a clock for each direction, as a MAC has.
EDGES = {
    "ports": [
        port
        for prefix in ("s_axis", "m_axis")
        for port in (Port("input", f"{prefix}_clk_i", "[Ports-1:0]"), Port("output", f"{prefix}_rst_o", "[Ports-1:0]"))
    ],
    "memory": [Port("input", "memory_clk_i"), Port("output", "memory_rst_o")],
    "host": [Port("input", "host_clk_i"), Port("output", "host_rst_o")],
    "cores": [Port("input", "cores_clk_i")],  # nothing is beyond it
}


def card_ports(masters: Sequence[str] = (), interrupts: int = 0, edges: Iterable[str] = ()) -> list[Port]:
    """All pins of a card. masters: the AXI4 master ports that it has, of `MASTERS`. interrupts: the tiles that have interrupts. edges: those with a
    clock of their own, of `EDGES`."""
    lines = [Port("output", "interrupt_o", f"[{interrupts - 1}:0]")] if interrupts else []
    return [*CLOCK, *(port for edge in edges for port in EDGES[edge]), *ETHERNET, *AXI_LITE, *(port for use in masters for port in MASTERS[use]), *lines]


def link_pins(side: str, net: str) -> list[str]:
    """The connections of a tile's or a fabric's stream of flits, such as "in" or "reply_out". net: `echo_in_{}`, where the braces stand for the signal."""
    there, back = ("i", "o") if side.endswith("in") else ("o", "i")
    ends = (("valid", there), ("ready", back), ("flit", there))
    return [f".{side}_{signal}_{end}({net.format(signal)})" for signal, end in ends]
