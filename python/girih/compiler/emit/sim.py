# SPDX-License-Identifier: Apache-2.0
"""`card_sim.sv`: the card with a probe on every named link, and the watchdog's view of the links, only for the virtual card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from girih.compiler.emit.verilog import CARD_PORTS, heading, instance
from girih.compiler.model import Card
from girih.topology import Butterfly, Channel, Topology


@dataclass(frozen=True)
class Nets:
    """A link as the simulation sees it: its name, and what its signals are called at the top."""

    name: str
    valid: str
    ready: str
    flit: str


def emit_sim(card: Card) -> str:
    """The text of the module `card_sim`."""
    tiles = [Nets(link.name, *(f"u_card.{link.net(signal)}" for signal in ("valid", "ready", "flit"))) for link in card.links]
    return simulation(heading(card), card.ports, tiles, [*tiles, *_router_nets(card)] if tiles else [])


def simulation(heading: list[str], ports: int, probed: Sequence[Nets], watched: Sequence[Nets]) -> str:
    """`card_sim` around any module `card` that has the pins of a card.

    heading: its first lines. probed: links that can be captured, in the order of the manifest. watched: those that the
    watchdog sees, numbered as in the manifest.
    """
    unused = [name for name, links in (("probe_enable_i", probed), ("watch_i", watched)) if not links]
    lines = [
        *heading,
        "// The card, and probes that look at its links without touching them. Simulation only.",
        "module card_sim",
        "  import girih_pkg::*;",
        "#(",
        f"    localparam int unsigned Ports = {ports},",
        f"    localparam int unsigned Links = {len(probed) or 1}",
        ") (",
        *[f"    {port.declaration}," for port in CARD_PORTS],
        "    input logic [Links-1:0] probe_enable_i,  // one bit for each probe, by its index",
        "    input logic watch_i  // show this cycle to the watchdog",
        ");",
        *(["  logic unused;", f"  assign unused = ^{{{', '.join(unused)}}};"] if unused else []),
        *instance("card", "u_card", [], [f".{port.name}" for port in CARD_PORTS]),
    ]
    for index, link in enumerate(probed):
        connections = [".clk_i", f".enable_i(probe_enable_i[{index}])"]
        connections += [f".valid_i({link.valid})", f".ready_i({link.ready})", f".flit_i({link.flit})"]
        name = f"u_{link.name.replace('.', '_')}_probe"
        lines += ["", *instance("link_probe", name, [f".Index({index})"], connections)]
    return "\n".join([*lines, *(_watch(watched) if watched else []), "endmodule", ""])


def _watch(watched: Sequence[Nets]) -> list[str]:
    """The flit on each link, when the watchdog samples."""
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
    for index, link in enumerate(watched):
        lines.append(f"      if ({link.valid}) girih_watch({index}, {link.ready}, {link.flit}.desc.src, {link.flit}.desc.dst);")
    return [*lines, "    end", "  end"]


def _router_nets(card: Card) -> Iterator[Nets]:
    """Each link between routers, where it leaves the router."""
    shape = card.fabric.shape
    for link in shape.links():
        x, y = link.start
        router = f"u_card.u_fabric.gen_y[{y}].gen_x[{x}]"
        yield Nets("", *(f"{router}.out_{signal}[{_output(shape, link)}]" for signal in ("valid", "ready", "flit")))


def _output(shape: Topology, link: Channel) -> int:
    """The output of its router at which a link starts."""
    if isinstance(shape, Butterfly):
        return shape.tiles + [other for other in shape.links() if other.start == link.start].index(link)
    (x, y), (to_x, to_y) = link.start, link.end
    return {(0, -1): 0, (1, 0): 1, (0, 1): 2, (-1, 0): 3}[to_x - x, to_y - y]  # as in fabric_pkg
