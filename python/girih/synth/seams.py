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
CLASS_PORT = {"in": "taken", "out": "sent"}  # those between a tile and the class_port at a router with two classes
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
    """Whether it is on the fabric."""
    return kind.has_input or kind.has_output


def seam(kind: Kind) -> str:
    """The module `seam_<kind>`: pins are the tile's own and, at each router, the links with four neighbours. The routers of a kind
    with replies have two message classes."""
    ports = list(range(kind.ports_of({})))
    classes = _classes(kind)
    own = _own_pins(kind)
    used = {_net(kind, side, port) for side in kind.sides for port in (ports if kind.many_ports else [_port(kind, side)])}
    free = {
        (way, port): [net for c in range(classes) if (net := _net_at(way, port, c, classes)) not in used] for way in ROUTER for port in ports
    }
    return render(
        TEMPLATE,
        kind=kind,
        ports=ports,
        classes=classes,
        own=own,
        silent=[free["out", port] for port in ports],
        deaf=[free["in", port] for port in ports],
        column=COLUMN,
        arrays=[{"name": side, "assigns": _assigns(kind, ports, side)} for side in kind.sides] if kind.many_ports else [],
        tile=_tile(kind, ports, list(own)),
    )


def _classes(kind: Kind) -> int:
    """The message classes of its routers."""
    return 1 if kind.replies == "none" else 2


def _port(kind: Kind, side: str) -> int:
    """The fabric port of a link of a kind without arrays of them."""
    return int(kind.request_port and side in ("request_out", "reply_in"))


def _net(kind: Kind, side: str, port: int) -> str:
    """Of a tile's link, such as `from_{}_0[Local]`, where the braces stand for the signal."""
    return _net_at(side.rpartition("_")[2], port, int(side.startswith("reply")), _classes(kind))


def _net_at(way: str, port: int, message_class: int, classes: int) -> str:
    """As `_net`, for what goes to a tile (way `in`) or comes from it (`out`) at a port, whether it has such a link or not."""
    return f"{ROUTER[way]}_{{}}_{port}[Local]" if classes == 1 else f"{CLASS_PORT[way]}_{{}}_{port}[{message_class}]"


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


def _assigns(kind: Kind, ports: list[int], side: str) -> list[tuple[str, str]]:
    """What joins the arrays of nets of a tile with many ports with its routers, as pairs of net and source."""
    pairs = []
    for port in ports:
        for signal in ("valid", "ready", "flit"):
            here, there = f"tile_{side}_{signal}[{port}]", _net(kind, side, port).format(signal)
            pairs.append((there, here) if (side == "out") != (signal == "ready") else (here, there))
    return pairs


def _tile(kind: Kind, ports: list[int], own: list[str]) -> tuple[str, str, list[str], list[str]]:
    """Module, name, parameters and connections of the tile."""
    nodes = [f"8'h{port << 4 | COLUMN:02x}" for port in ports]
    others = MESH & ~sum(1 << (port << 4 | COLUMN) for port in ports)
    parameters = [f".PortNodes({{{', '.join(reversed(nodes))}}})" if kind.many_ports else f".Node({nodes[0]})"]
    if kind.request_port:
        parameters.append(f".RequestNode({nodes[1]})")
    if kind.has_output:
        parameters.append(f".Nodes(256'h{others:x})")
    if kind.sends_replies:
        parameters.append(f".ReplyNodes(256'h{others:x})")
    connections = [".clk_i", ".rst_i"]
    for side in kind.sides:
        connections += link_pins(side, f"tile_{side}_{{}}" if kind.many_ports else _net(kind, side, _port(kind, side)))
    return kind.name, "u_tile", parameters, [*connections, *(f".{name}" for name in own)]
