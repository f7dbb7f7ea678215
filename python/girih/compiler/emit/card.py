# SPDX-License-Identifier: Apache-2.0
"""`card.sv`: the top level of a card, its tiles on the fabric and on the control ring."""

from __future__ import annotations

import re

from girih.compiler.emit.verilog import AXI_LITE, CARD_PORTS, heading, instance, summary
from girih.compiler.model import Card, Hop, Link, Tile, Value
from girih.spec.kinds import ConfigField


def emit_card(card: Card, digest: str) -> str:
    """The text of the module `card`. digest: 16 hexadecimal digits that can be read from the card."""
    lines = [
        *heading(card),
        f"// Card {card.name}: {summary(card)}.",
        "module card",
        "  import girih_pkg::*;",
        "#(",
        f"    localparam int unsigned Ports = {card.ports}",
        ") (",
        *[f"    {port.declaration}," for port in CARD_PORTS[:-1]],
        f"    {CARD_PORTS[-1].declaration}",
        ");",
        *_constants(card),
        *(_fabric(card) if card.links else []),
        *_control(card, digest),
        *_credits(card),
    ]
    for index, tile in enumerate(card.tiles):
        lines += _tile(card, tile, index)
    return "\n".join([*lines, "endmodule", ""])


def constant(name: str) -> str:
    """`ip_rx` as `IpRx`, `echo_1` as `Echo_1`: different names stay different."""
    return re.sub("(?:^|_)([a-z])", lambda match: match[1].upper(), name)


def _node(tile: str, port: int = 0) -> str:
    """The constant with the node of a tile's fabric port."""
    return f"{constant(tile)}Node{port or ''}"


def _constants(card: Card) -> list[str]:
    lines = [
        *([f"  localparam int unsigned FabricPorts = {card.fabric.ports};"] if card.links else []),
        f"  localparam int unsigned Tiles = {len(card.tiles)};",
        "",
        "  // Nodes of the tiles: {y[3:0], x[3:0]} on a mesh, {y[2:0], x[2:0], tile[1:0]} on a butterfly, the port on a crossbar.",
    ]
    lines += [
        f"  localparam node_t {_node(tile.name, port)} = 8'h{node:02x};"
        for tile in card.tiles
        for port, node in enumerate(tile.nodes)
    ]
    ones = [
        f"256'(1) << {_node(tile.name, port)}"
        for tile in card.tiles
        for port in tile.kind.in_ports(len(tile.nodes))
    ]
    tenants, lossless = card.tenants, any(tile.kind.lossless for tile in card.tiles)
    lines += [
        "",
        "  // The tenants of the card, one bit each, and whether there may be lossless messages.",
        f"  localparam bit [15:0] AllTenants = 16'h{(1 << tenants) - 1:04x};",
        f"  localparam bit Lossless = 1'b{int(lossless)};",
    ]
    if not ones:
        return [*lines, ""]
    lines += ["", "  // The nodes that take messages, one bit each.", "  localparam logic [255:0] Nodes ="]
    lines += [f"      ({text})" + (" |" if text is not ones[-1] else ";") for text in ones]
    return [*lines, ""]


def _fabric(card: Card) -> list[str]:
    """The fabric, and the nets of each tile at its fabric port."""
    fabric = card.fabric
    sizes = {
        "mesh": [f".X({fabric.x})", f".Y({fabric.y})"],
        "butterfly": [f".X({fabric.x})", f".Y({fabric.y})", f".Tiles({fabric.tiles})"],
        "crossbar": [".Ports(FabricPorts)", ".Outputs(Nodes[FabricPorts-1:0])"],
    }
    sides = ("in", "out")
    links = len(list(fabric.shape.links()))
    lines = ["  // The fabric; its input is a tile's output."]
    for side in sides:
        lines += [
            f"  logic [FabricPorts-1:0] fabric_{side}_valid, fabric_{side}_ready;",
            f"  flit_t fabric_{side}_flit[FabricPorts];",
        ]
    connections = [".clk_i", ".rst_i"]
    for side in sides:
        valid, ready = ("_i", "_o") if side == "in" else ("_o", "_i")
        connections += [
            f".{side}_valid{valid}(fabric_{side}_valid)",
            f".{side}_ready{ready}(fabric_{side}_ready)",
            f".{side}_flit{valid}(fabric_{side}_flit)",
        ]
    if links:
        lines += [
            f"  localparam int unsigned FabricLinks = {links};",
            "  logic [FabricLinks-1:0] link_stall;  // by the links between routers",
        ]
        connections.append(".stall_o(link_stall)")
    lines += ["", *instance(fabric.topology, "u_fabric", sizes[fabric.topology], connections), ""]
    taken = {(side, fabric.index(at)) for tile in card.tiles for side in _sides(tile) for at in tile.places}
    idle, unused = [], []
    for port in range(fabric.ports):
        if ("out", port) not in taken:
            idle += [f"  assign fabric_in_valid[{port}] = 1'b0;", f"  assign fabric_in_flit[{port}] = '0;"]
            unused.append(f"fabric_in_ready[{port}]")
        if ("in", port) not in taken:
            idle += [f"  assign fabric_out_ready[{port}] = 1'b1;"]
            unused.append(f"fabric_out_valid[{port}]")
    if unused:
        idle += ["  logic unused;", f"  assign unused = ^{{{', '.join(unused)}}};"]
    return [*lines, "  // Where no tile sends, or none receives.", *idle, ""] if idle else lines


def _sides(tile: Tile) -> list[str]:
    return [side for side, there in (("in", tile.kind.has_input), ("out", tile.kind.has_output)) if there]


def _tile_nets(card: Card, tile: Tile, side: str) -> list[str]:
    """The nets of a tile's links of one side, and their connections to the fabric."""
    name = f"{tile.name}_{side}"
    ports = len(tile.nodes)
    vector, array = (f"[{ports - 1}:0] ", f"[{ports}]") if tile.kind.many_ports else ("", "")
    lines = [f"  logic {vector}{name}_valid, {name}_ready;", f"  flit_t {name}_flit{array};"]
    fabric = "out" if side == "in" else "in"
    for port, at in enumerate(tile.places):
        link = Link(tile, side, port if tile.kind.many_ports else None)
        for signal, backwards in (("valid", False), ("flit", False), ("ready", True)):
            there, here = f"fabric_{fabric}_{signal}[{card.fabric.index(at)}]", link.net(signal)
            to, source = (there, here) if (side == "out") != backwards else (here, there)
            lines.append(f"  assign {to} = {source};")
    return lines


def _control(card: Card, digest: str) -> list[str]:
    connections = [".clk_i", ".rst_i", *[f".{port.name}" for port in AXI_LITE]]
    parameters = [f".Digest(64'h{digest})", ".Ports(Ports)", ".Tiles(Tiles)"]
    if card.links and any(card.fabric.shape.links()):
        parameters.append(".Links(FabricLinks)")
        connections.append(".link_stall_i(link_stall)")
    else:
        connections.append(".link_stall_i(1'b0)")
    connections += [".ctrl_o(ctrl[0])", ".ctrl_i(ctrl[Tiles])", ".now_o(now)"]
    return [
        "  // The control ring: from the bridge through the tiles, in the order of the file, and back.",
        "  // The bridge also keeps the card's time, and counts the stalls of the links between routers.",
        "  ctrl_t ctrl[Tiles+1];",
        "  timestamp_t now;",
        "",
        *instance("ctrl_bridge", "u_ctrl_bridge", parameters, connections),
    ]


def _credits(card: Card) -> list[str]:
    """The credit links, from every unit to the scheduler."""
    if not card.scheduling.unit_names:
        return []
    return ["", "  // Credits of the units.", f"  sched_pkg::credit_t credits[{len(card.scheduling.unit_names)}];"]


def _tile(card: Card, tile: Tile, index: int) -> list[str]:
    kind = tile.kind
    lines = ["", f"  // {tile.name}: {kind.summary}."]
    connections = [".clk_i", ".rst_i"]
    for side in _sides(tile):
        lines += _tile_nets(card, tile, side)
        valid, ready = ("_i", "_o") if side == "in" else ("_o", "_i")
        connections += [
            f".{side}_valid{valid}({tile.name}_{side}_valid)",
            f".{side}_ready{ready}({tile.name}_{side}_ready)",
            f".{side}_flit{valid}({tile.name}_{side}_flit)",
        ]
    for use, prefix in (("axis_in", "s_axis"), ("axis_out", "m_axis")):
        if use in kind.uses:
            connections += _ethernet(prefix, tile.port)
    if "now" in kind.uses:
        connections.append(".now_i(now)")
    if "credits_in" in kind.uses:
        connections.append(".credit_i(credits)")
    if "credits_out" in kind.uses:
        connections.append(f".credit_o(credits[{card.scheduling.unit_names.index(tile.name)}])")
    connections += [f".ctrl_i(ctrl[{index}])", f".ctrl_o(ctrl[{index + 1}])"]
    return lines + instance(kind.name, f"u_{tile.name}", _parameters(tile), connections)


def _ethernet(prefix: str, port: int) -> list[str]:
    wide = {"tdata": "W", "tkeep": "FlitBytes"}
    signals = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser")
    return [
        f".{prefix}_{signal}({prefix}_{signal}[{f'{port}*{wide[signal]}+:{wide[signal]}' if signal in wide else port}])"
        for signal in signals
    ]


def _parameters(tile: Tile) -> list[str]:
    kind = tile.kind
    parameters = [f".Node({_node(tile.name)})"]
    if kind.many_ports:
        parameters = [f".PortNodes({{{', '.join(_node(tile.name, port) for port in reversed(range(len(tile.nodes))))}}})"]
    if kind.has_output:
        # A fabric has no path from a port back to itself, so a message to its own port must not leave.
        own = " & ".join(f"~(256'(1) << {_node(tile.name, port)})" for port in range(len(tile.nodes)))
        parameters.append(f".Nodes(Nodes & {own})" if kind.has_input else ".Nodes(Nodes)")
        parameters += [".SendsAs(AllTenants)", ".Lossless(Lossless)"]
    if kind.config:
        values = dict(tile.config)
        fields = ", ".join(f"{field.name}: {field.bits}'h{_packed(values[field.name], field):x}" for field in kind.config)
        parameters.append(f".Config({kind.name}_pkg::cfg_t'{{{fields}}})")
    names = {parameter.name: parameter.verilog_name for parameter in kind.parameters}
    parameters += [f".{names[name]}({value})" for name, value in tile.parameters]
    if kind.next:
        unused = kind.next.entries - len(tile.hops)
        entries = [f"{{{unused}{{next_hop_t'(0)}}}}"] if unused else []
        entries += [_entry(hop) for hop in reversed(tile.hops)]
        parameters.append(".NextHops({" + ",".join(f"\n          {entry}" for entry in entries) + "\n      })")
    return parameters


def _packed(value: Value, field: ConfigField) -> int:
    """A field of `cfg_t` as a number; element 0 of an array is at the least significant end."""
    if isinstance(value, int):
        return value
    return sum(element << field.width * index for index, element in enumerate(value))


def _entry(hop: Hop) -> str:
    anything = int(hop.key is None)
    return f"next_hop_t'{{valid: 1'b1, any: 1'b{anything}, node: {_node(hop.to, hop.port)}, key: 16'd{hop.key or 0}}}"
