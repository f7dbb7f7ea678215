# SPDX-License-Identifier: Apache-2.0
"""`card_sim.sv`: the card with a probe on every named link, and the watchdog's view of the links, only for the virtual card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from girih.compiler.emit.edges import Edge, edges
from girih.compiler.emit.heading import origin
from girih.compiler.emit.pins import Port, card_ports
from girih.compiler.model import Card
from girih.topology import Butterfly, Channel, Topology
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "card_sim.sv.j2"


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
    pins = card_ports(card.axi_masters, len(card.interrupting), card.clocks.own)
    return simulation(origin(card), card.ports, tiles, [*tiles, *_router_nets(card)] if tiles else [], pins, edges(card))


def simulation(
    provenance: str, ports: int, probed: Sequence[Nets], watched: Sequence[Nets], pins: Sequence[Port] | None = None, crossed: Sequence[Edge] = ()
) -> str:
    """`card_sim` around any module `card` that has the pins of a card.

    provenance: a sentence for its first lines. probed: links that can be captured, in the order of the manifest. watched: those that the
    watchdog sees, numbered as in the manifest. pins: of the card; by default those of a card without AXI4 master ports and interrupts.
    crossed: its edges with a clock of their own.
    """
    unused = [name for name, links in (("probe_enable_i", probed), ("watch_i", watched)) if not links]
    return render(TEMPLATE, origin=provenance, ports=ports, pins=pins or card_ports(), probed=probed, watched=watched, unused=unused, crossed=crossed)


def _router_nets(card: Card) -> Iterator[Nets]:
    """The nets of each link between routers, where it leaves the router; with two message classes, for each class."""
    shape = card.fabric.shape
    ports = shape.tiles + shape.x + shape.y - 2 if isinstance(shape, Butterfly) else 5
    for message_class in range(card.classes):
        for link in shape.links():
            x, y = link.start
            router, output = f"u_card.u_fabric.gen_y[{y}].gen_x[{x}]", _output(shape, link)
            if card.classes == 1:
                yield Nets("", *(f"{router}.out_{signal}[{output}]" for signal in ("valid", "ready", "flit")))
            else:
                seen, at = f"{router}.u_router.u_switch.gen_classes.u_switch.seen", f"[{message_class}][{output}]"
                yield Nets("", f"{seen}_valid{at}", f"{router}.out_valid[{message_class * ports + output}]", f"{seen}_flit{at}")


def _output(shape: Topology, link: Channel) -> int:
    """The output of its router at which a link starts."""
    if isinstance(shape, Butterfly):
        return shape.tiles + [other for other in shape.links() if other.start == link.start].index(link)
    (x, y), (to_x, to_y) = link.start, link.end
    return {(0, -1): 0, (1, 0): 1, (0, 1): 2, (-1, 0): 3}[to_x - x, to_y - y]  # as in fabric_pkg
