# SPDX-License-Identifier: Apache-2.0
"""`card_sim.sv`: the card with a probe on every named link, and the watchdog's view of the links, only for the virtual card."""

from __future__ import annotations

from collections.abc import Iterator

from girih.compiler.emit.verilog import CARD_PORTS, heading, instance
from girih.compiler.model import Card
from girih.topology import Butterfly, Channel, Topology


def emit_sim(card: Card) -> str:
    """The text of the module `card_sim`."""
    links = card.links
    unused = [] if links else ["  logic unused;", "  assign unused = ^{probe_enable_i, watch_i};"]
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
        "    input logic [Links-1:0] probe_enable_i,  // one bit for each probe, by its index",
        "    input logic watch_i  // show this cycle to the watchdog",
        ");",
        *unused,
        *instance("card", "u_card", [], [f".{port.name}" for port in CARD_PORTS]),
    ]
    for index, link in enumerate(links):
        net = link.name.replace(".", "_")
        connections = [".clk_i", f".enable_i(probe_enable_i[{index}])"]
        connections += [f".{signal}_i(u_card.{link.net(signal)})" for signal in ("valid", "ready", "flit")]
        lines += ["", *instance("link_probe", f"u_{net}_probe", [f".Index({index})"], connections)]
    return "\n".join([*lines, *(_watch(card) if links else []), "endmodule", ""])


def _watch(card: Card) -> list[str]:
    """The flit on each link, when the watchdog samples; numbered as in the manifest's `watched`."""
    lines = [
        "",
        "  // What stands on each link: those of the tiles, then those between routers.",
        '  import "DPI-C" function void girih_watch(',
        "    input int unsigned link,",
        "    input bit moves,",
        "    input byte unsigned src,",
        "    input byte unsigned dst",
        "  );",
        "",
        "  always_ff @(posedge clk_i) begin",
        "    if (watch_i) begin",
    ]
    for index, (valid, ready, flit) in enumerate([*_tile_nets(card), *_router_nets(card)]):
        lines.append(f"      if ({valid}) girih_watch({index}, {ready}, {flit}.desc.src, {flit}.desc.dst);")
    return [*lines, "    end", "  end"]


def _tile_nets(card: Card) -> Iterator[tuple[str, ...]]:
    for link in card.links:
        yield tuple(f"u_card.{link.net(signal)}" for signal in ("valid", "ready", "flit"))


def _router_nets(card: Card) -> Iterator[tuple[str, ...]]:
    """Valid, ready and flit of each link between routers, where they leave the router."""
    shape = card.fabric.shape
    for link in shape.links():
        x, y = link.start
        router = f"u_card.u_fabric.gen_y[{y}].gen_x[{x}]"
        yield tuple(f"{router}.out_{signal}[{_output(shape, link)}]" for signal in ("valid", "ready", "flit"))


def _output(shape: Topology, link: Channel) -> int:
    """The output of its router at which a link starts."""
    if isinstance(shape, Butterfly):
        return shape.tiles + [other for other in shape.links() if other.start == link.start].index(link)
    (x, y), (to_x, to_y) = link.start, link.end
    return {(0, -1): 0, (1, 0): 1, (0, 1): 2, (-1, 0): 3}[to_x - x, to_y - y]  # as in fabric_pkg
