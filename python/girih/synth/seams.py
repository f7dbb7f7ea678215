# SPDX-License-Identifier: Apache-2.0
"""Seams: a tile with the routers at its fabric ports, as it stands on a card with a mesh."""

from __future__ import annotations

from pathlib import Path

from girih.build.generate import write_if_changed
from girih.compiler.emit.pins import link_pins
from girih.errors import GirihError
from girih.paths import BUILD
from girih.spec import axi
from girih.spec.kinds import Kind, load_kinds
from girih.verilog import render

FOLDER = BUILD / "seams"
TEMPLATE = Path(__file__).parent / "templates" / "seam.sv.j2"
ROUTER = {"in": "from", "out": "to"}  # how the nets of a router are called at a tile's input and output
COLUMN = 1  # of the routers; the one of port p is in row p
MESH = sum(1 << (y << 4 | x) for x in range(4) for y in range(4))  # the nodes that take messages


def seam_file(kind: str) -> Path:
    """The file with the module `seam_<kind>`. Raises GirihError if there is no such kind of tile on the fabric."""
    kinds = load_kinds()
    if kind not in kinds or not has_seam(kinds[kind]):
        raise GirihError(f"{kind} is not a kind of tile with a router", "synth", "Leave --seam out.")
    path = FOLDER / f"seam_{kind}.sv"
    write_if_changed(path, seam(kinds[kind]))
    return path


def has_seam(kind: Kind) -> bool:
    """Whether it is on the fabric. The routers of a seam have one class, so a kind with replies has none."""
    return (kind.has_input or kind.has_output) and kind.replies == "none"


def seam(kind: Kind) -> str:
    """The module `seam_<kind>`: pins are the tile's own and, at each router, the links with four neighbours."""
    ports = list(range(kind.ports_of({})))
    own = _own_pins(kind)
    unused = ["to_ready_{}[Local]"] * (not kind.has_output) + ["from_valid_{}[Local]", "from_flit_{}[Local]"] * (not kind.has_input)
    sides = [side for side, there in (("in", kind.has_input), ("out", kind.has_output)) if there]
    return render(
        TEMPLATE,
        kind=kind,
        ports=ports,
        own=own,
        unused=[[net.format(port) for net in unused] for port in ports],
        column=COLUMN,
        arrays=[{"name": side, "assigns": _assigns(ports, side)} for side in sides] if kind.many_ports else [],
        tile=_tile(kind, ports, sides, list(own)),
    )


def _own_pins(kind: Kind) -> dict[str, tuple[str, str]]:
    """The tile's pins apart from those to the fabric: declaration and unpacked dimension, by name."""
    pins: dict[str, tuple[str, str]] = {}
    for use, prefix, there, back in (("axis_in", "s_axis", "input ", "output"), ("axis_out", "m_axis", "output", "input ")):
        if use in kind.uses:
            wide = {"tdata": " [W-1:0]", "tkeep": " [W/8-1:0]"}
            pins |= {f"{prefix}_{name}": (f"{there} logic{wide.get(name, '')}", "") for name in ("tvalid", "tdata", "tkeep", "tlast", "tuser")}
            pins[f"{prefix}_tready"] = (f"{back} logic", "")
    for use in axi.PINS.keys() & kind.uses:
        pins |= {pin.name: (f"{pin.direction:6} logic {pin.width}".rstrip(), "") for pin in axi.PINS[use]}
    if "now" in kind.uses:
        pins["now_i"] = ("input  timestamp_t", "")
    if "credits_in" in kind.uses:
        units = next(parameter.default for parameter in kind.parameters if parameter.name == "units")
        pins["credit_i"] = ("input  sched_pkg::credit_t", f" [{units}]")
    if "credits_out" in kind.uses:
        pins["credit_o"] = ("output sched_pkg::credit_t", "")
    if kind.interrupts:
        pins["interrupt_o"] = ("output logic", "")
    if "interrupts" in kind.uses:
        pins["interrupt_i"] = (f"input  logic [{kind.rights - 1}:0]", "")
    return pins | {"ctrl_i": ("input  ctrl_t", ""), "ctrl_o": ("output ctrl_t", "")}


def _assigns(ports: list[int], side: str) -> list[tuple[str, str]]:
    """What joins the arrays of nets of a tile with many ports with its routers, as pairs of net and source."""
    pairs = []
    for port in ports:
        for signal in ("valid", "ready", "flit"):
            here, there = f"tile_{side}_{signal}[{port}]", f"{ROUTER[side]}_{signal}_{port}[Local]"
            pairs.append((there, here) if (side == "out") != (signal == "ready") else (here, there))
    return pairs


def _tile(kind: Kind, ports: list[int], sides: list[str], own: list[str]) -> tuple[str, str, list[str], list[str]]:
    """Module, name, parameters and connections of the tile."""
    nodes = [f"8'h{port << 4 | COLUMN:02x}" for port in ports]
    parameters = [f".PortNodes({{{', '.join(reversed(nodes))}}})" if kind.many_ports else f".Node({nodes[0]})"]
    if kind.has_output:
        others = MESH & ~sum(1 << (port << 4 | COLUMN) for port in ports)
        parameters.append(f".Nodes(256'h{others:x})")
    connections = [".clk_i", ".rst_i"]
    for side in sides:
        connections += link_pins(side, f"tile_{side}_{{}}" if kind.many_ports else f"{ROUTER[side]}_{{}}_0[Local]")
    return kind.name, "u_tile", parameters, [*connections, *(f".{name}" for name in own)]
