# SPDX-License-Identifier: Apache-2.0
"""The crossings at those edges of a card that have a clock of their own: their nets and instances in `card.sv`, and what they hold, for the simulation.
Those around the tiles with cores are in girih.compiler.emit.apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from girih.compiler.emit.apart import TIME, around, held
from girih.compiler.emit.pins import ETHERNET
from girih.compiler.model import Card
from girih.spec import axi
from girih.spec.formats import Format

CARD = (".clk_i", ".rst_i")
LEAST_DEPTH = 16
"""Entries of a FIFO that passes one in every cycle of the slower clock."""

INSIDE = "u_card.gen_edges"
"""The block of the top level with the crossings, whose instances could otherwise have the name of a tile."""

Instance = tuple[str, str, list[str], list[str]]  # as in girih.compiler.emit.card


@dataclass(frozen=True)
class Edge:
    """An edge with a clock of its own. about: a sentence. nets: declarations. fifos, pulses: the hierarchical names of its asynchronous FIFOs and
    handshakes, in a module that has the card as `u_card`. others: expressions of what else it holds, of one bit."""

    name: str
    about: str
    nets: list[str]
    instances: list[Instance]
    fifos: list[str]
    pulses: list[str]
    others: list[str]

    @property
    def holds(self) -> list[str]:
        """Expressions of which one is true as long as anything is in a crossing of the edge. They look at
        both of its clocks, as only a simulation can."""
        return [
            *(f"{fifo}.write_ptr_q != {fifo}.read_ptr_q || {fifo}.valid_q" for fifo in self.fifos),
            *(f"{pulse}.given_q != {pulse}.taken_q || {pulse}.valid_q" for pulse in self.pulses),
            *self.others,
        ]


def inner(card: Card, pin: str) -> str:
    """The net of a card's pin inside the crossing of its edge; the pin itself where there is none."""
    for edge, prefix in (("host", "m_axi_host_"), ("host", "host_interrupt"), ("memory", "m_axi_"), ("ports", "s_axis_"), ("ports", "m_axis_")):
        if pin.startswith(prefix):
            return f"edge_{pin}" if edge in card.clocks.own else pin
    return pin


def edges(card: Card) -> list[Edge]:
    """The edges with a clock of their own, in the order of the card's pins."""
    make = {"ports": _ports, "memory": lambda card: _axi(card, "memory", "axi", "memory_access_pkg::"), "host": _host, "cores": _cores}
    return [make[edge](card) for edge in card.clocks.own]


@dataclass(frozen=True)
class Crossing:
    """A sort of crossings of an edge. count: of those that the card has. clock: the faster one of its two, in Hz."""

    module: str
    parameters: Mapping[str, object]
    count: int = 1
    clock: int = 0


def crossings(card: Card) -> dict[str, Crossing]:
    """The crossings by what they are for: `memory`, `host`, `interrupts`, `receive`, `transmit` and `time`, and `tile X` and `credits X` of the tiles that have a
    clock of their own."""
    found: dict[str, Crossing] = {}
    own = card.clocks.own
    faster = {edge: max(hertz, card.clock_mhz * 1_000_000) for edge, hertz in own.items()}
    for edge, access, prefix in (("memory", "memory_access", ""), ("host", "host_access", "Host")):
        if edge in own:
            widths = Format(access)
            parameters = {"IdBits": widths.size(f"{prefix}IdBits"), "AddrBits": widths.size(f"{prefix}AddrBits"), "Depth": LEAST_DEPTH}
            found[edge] = Crossing("axi_crossing", parameters, clock=faster[edge])
    if "host" in own and _interrupts(card):
        found["interrupts"] = Crossing("pulse_crossing", {"Width": Format("host_access").size("HostQueues")}, clock=faster["host"])
    if "ports" in own:
        found["receive"] = Crossing("receive_crossing", {"Depth": _receive_depth(card)}, card.ports, faster["ports"])
        found["transmit"] = Crossing("transmit_crossing", {}, card.ports, faster["ports"])
    if "cores" in own:
        found["time"] = Crossing("time_crossing", {}, clock=faster["cores"])
        for tile in card.apart:
            for name, module, sizes in around(card, tile):
                found[f"{name} {tile.name}"] = Crossing(module, sizes, clock=faster["cores"])
    return found


def _interrupts(card: Card) -> bool:
    return any("host_interrupt" in tile.kind.uses for tile in card.tiles)


def _receive_depth(card: Card) -> int:
    """A MAC cannot wait. If its clock is faster than the card's, a frame of the largest size fits at any ratio; if not, no FIFO ever fills."""
    if card.clocks.own["ports"] <= card.clock_mhz * 1_000_000:
        return LEAST_DEPTH
    flits = -(-card.params.max_frame // (card.params.data_width // 8))
    return 1 << (flits + LEAST_DEPTH - 1).bit_length()


def _reset(name: str, clock: str, reset: str) -> Instance:
    return "edge_reset", f"u_{name}_reset", [], [*CARD, f".edge_clk_i({clock})", f".edge_rst_o({reset})"]


def _axi(card: Card, edge: str, use: str, constants: str, prefix: str = "") -> Edge:
    """The crossing of an AXI4 port. constants: of the widths of its IDs and addresses."""
    pins = axi.PINS[use]
    outer = pins[0].name.removesuffix("awid")
    connections = [f".s_axi_{pin.name.removeprefix(outer)}({inner(card, pin.name)})" for pin in pins]
    connections += [f".m_axi_{pin.name.removeprefix(outer)}({pin.name})" for pin in pins]
    name = f"u_{edge}_crossing"
    parameters = [f".IdBits({constants}{prefix}IdBits)", f".AddrBits({constants}{prefix}AddrBits)", f".Depth({LEAST_DEPTH})"]
    clocks = [*CARD, f".edge_clk_i({edge}_clk_i)", f".edge_rst_i({edge}_rst_o)"]
    return Edge(
        edge,
        f"The port to the {edge} has a clock of its own.",
        [f"logic {pin.width + ' ' if pin.width else ''}{inner(card, pin.name)};" for pin in pins],
        [_reset(edge, f"{edge}_clk_i", f"{edge}_rst_o"), ("axi_crossing", name, parameters, [*clocks, *connections])],
        [f"{INSIDE}.{name}.u_{channel}" for channel in ("aw", "w", "b", "ar", "r")],
        [],
        [],
    )


def _host(card: Card) -> Edge:
    edge = _axi(card, "host", "host", "host_access_pkg::", "Host")
    if not _interrupts(card):
        return edge
    pin = axi.PINS["host_interrupt"][0]
    name = "u_host_interrupt_crossing"
    edge.nets.append(f"logic {pin.width} {inner(card, pin.name)};")
    connections = [*CARD, f".pulse_i({inner(card, pin.name)})", ".edge_clk_i(host_clk_i)", ".edge_rst_i(host_rst_o)", f".pulse_o({pin.name})"]
    edge.instances.append(("pulse_crossing", name, [".Width(host_access_pkg::HostQueues)"], connections))
    edge.pulses.append(f"{INSIDE}.{name}.u_handshake")
    edge.others.append(f"{INSIDE}.{name}.waiting_q != '0")
    return edge


def _ports(card: Card) -> Edge:
    wide = {"tdata": "W", "tkeep": "FlitBytes"}
    nets = [f"logic {port.width} {inner(card, port.name)};" for port in ETHERNET]
    instances: list[Instance] = []
    fifos, others = [], []
    for port in range(card.ports):
        for module, prefix, parameter in (("receive_crossing", "s_axis", f".Depth({_receive_depth(card)})"), ("transmit_crossing", "m_axis", "")):
            name = f"u_{prefix}_{port}_crossing"
            clocks = [*CARD, f".edge_clk_i({prefix}_clk_i[{port}])", f".edge_rst_i({prefix}_rst_o[{port}])"]
            connections = []
            for end, net in (("mac", prefix), ("card", f"edge_{prefix}")):
                for signal in ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser"):
                    place = f"{port}*{wide[signal]}+:{wide[signal]}" if signal in wide else port
                    connections.append(f".{end}_axis_{signal}({net}_{signal}[{place}])")
            instances.append(_reset(f"{prefix}_{port}", f"{prefix}_clk_i[{port}]", f"{prefix}_rst_o[{port}]"))
            instances.append((module, name, [parameter] if parameter else [], [*clocks, *connections]))
            fifos.append(f"{INSIDE}.{name}.u_fifo")
        received, sent = f"{INSIDE}.u_s_axis_{port}_crossing", f"{INSIDE}.u_m_axis_{port}_crossing"
        others += [f"{received}.cut_q || {received}.lost_q != '0 || {received}.owed_q != '0", f"{sent}.stored_valid"]
    return Edge("ports", "The Ethernet ports have clocks of their own.", nets, instances, fifos, [], others)


def _cores(card: Card) -> Edge:
    """The clock of the tiles with cores: its reset, and the card's time in it. Each tile has its own crossing, beside its instance."""
    fifos, others = zip(*(held(tile) for tile in card.apart), strict=True)
    return Edge(
        "cores",
        "The tiles with cores have a clock of their own.",
        ["logic cores_rst;", f"timestamp_t {TIME};"],
        [
            _reset("cores", "cores_clk_i", "cores_rst"),
            ("time_crossing", "u_cores_time", [], [*CARD, ".now_i(now)", ".edge_clk_i(cores_clk_i)", f".now_o({TIME})"]),
        ],
        [name for names in fifos for name in names],
        [],
        [text for texts in others for text in texts],
    )
