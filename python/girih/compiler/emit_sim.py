# SPDX-License-Identifier: Apache-2.0
"""`card_sim.sv`: the card with a probe on every named link, for the virtual card only."""

from __future__ import annotations

from girih.compiler.model import Card
from girih.compiler.verilog import CARD_PORTS, heading, instance


def emit_sim(card: Card) -> str:
    """The text of the module `card_sim`."""
    links = card.links
    unused = [] if links else ["  logic unused;", "  assign unused = ^probe_enable_i;"]
    lines = [
        *heading(card),
        "// The card, and probes that look at its links without touching them. Simulation only.",
        "module card_sim",
        "  import girih_pkg::*;",
        "#(",
        f"    localparam int unsigned Ports = {card.ports},",
        f"    localparam int unsigned Links = {len(links) or 1}",
        ") (",
        *[f"    {port.declaration}," for port in CARD_PORTS],
        "    input logic [Links-1:0] probe_enable_i  // one bit for each probe, by its index",
        ");",
        *unused,
        *instance("card", "u_card", [], [f".{port.name}" for port in CARD_PORTS]),
    ]
    for index, link in enumerate(links):
        net = link.name.replace(".", "_")
        connections = [".clk_i", f".enable_i(probe_enable_i[{index}])"]
        connections += [f".{signal}_i(u_card.{link.net(signal)})" for signal in ("valid", "ready", "flit")]
        lines += ["", *instance("link_probe", f"u_{net}_probe", [f".Index({index})"], connections)]
    return "\n".join([*lines, "endmodule", ""])
