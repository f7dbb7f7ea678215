# SPDX-License-Identifier: Apache-2.0
"""`card.sv`: the top level of a card, its tiles on the fabric and on the control ring."""

from __future__ import annotations

from girih.compiler.model import Card, Hop, Tile
from girih.compiler.verilog import AXI_LITE, CARD_PORTS, heading, instance, summary


def emit_card(card: Card, digest: str) -> str:
    """The text of the module `card`. digest: 16 hexadecimal digits that the card can be asked for."""
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
        *_fabric(card),
        *_control(digest),
    ]
    for index, tile in enumerate(card.tiles):
        lines += _tile(card, tile, index)
    return "\n".join([*lines, "endmodule", ""])


def constant(name: str) -> str:
    """`ip_rx` as `IpRx`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _constants(card: Card) -> list[str]:
    lines = [
        f"  localparam int unsigned FabricPorts = {card.fabric.ports};",
        f"  localparam int unsigned Tiles = {len(card.tiles)};",
        "",
        "  // Nodes of the tiles: {y[3:0], x[3:0]} on a mesh, the port on a crossbar.",
    ]
    lines += [f"  localparam node_t {constant(tile.name)}Node = 8'h{tile.node:02x};" for tile in card.tiles]
    ones = [f"256'(1) << {constant(tile.name)}Node" for tile in card.tiles if tile.kind.has_input]
    lines += ["", "  // The nodes that take messages, one bit each.", "  localparam logic [255:0] Nodes ="]
    lines += [f"      ({text})" + (" |" if text is not ones[-1] else ";") for text in ones]
    return [*lines, ""]


def _fabric(card: Card) -> list[str]:
    """The fabric, and the nets of each tile at its fabric port."""
    fabric = card.fabric
    sizes = [f".X({fabric.x})", f".Y({fabric.y})"] if fabric.topology == "mesh" else [".Ports(FabricPorts)"]
    sides = ("in", "out")
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
    lines += ["", *instance(fabric.topology, "u_fabric", sizes, connections), ""]
    taken = {(side, fabric.index(tile.at)) for tile in card.tiles for side in _sides(tile)}
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


def _tile_nets(name: str, side: str, port: int) -> list[str]:
    """The nets of a tile's link, and what joins them to the fabric."""
    fabric = "out" if side == "in" else "in"
    lines = [f"  logic {name}_{side}_valid, {name}_{side}_ready;", f"  flit_t {name}_{side}_flit;"]
    pairs = [(f"fabric_{fabric}_{signal}[{port}]", f"{name}_{side}_{signal}") for signal in ("valid", "flit", "ready")]
    for (there, here), backwards in zip(pairs, (False, False, True), strict=True):
        to, source = (there, here) if (side == "out") != backwards else (here, there)
        lines.append(f"  assign {to} = {source};")
    return lines


def _control(digest: str) -> list[str]:
    connections = [".clk_i", ".rst_i", *[f".{port.name}" for port in AXI_LITE]]
    connections += [".ctrl_o(ctrl[0])", ".ctrl_i(ctrl[Tiles])", ".now_o(now)"]
    return [
        "  // The control ring: from the bridge through the tiles, in the order of the file, and back.",
        "  // The bridge also keeps the card's time.",
        "  ctrl_t ctrl[Tiles+1];",
        "  timestamp_t now;",
        "",
        *instance("ctrl_bridge", "u_ctrl_bridge", [f".Digest(64'h{digest})", ".Ports(Ports)", ".Tiles(Tiles)"], connections),
    ]


def _tile(card: Card, tile: Tile, index: int) -> list[str]:
    kind = tile.kind
    lines = ["", f"  // {tile.name}: {kind.summary}."]
    connections = [".clk_i", ".rst_i"]
    for side in _sides(tile):
        lines += _tile_nets(tile.name, side, card.fabric.index(tile.at))
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
    connections += [f".ctrl_i(ctrl[{index}])", f".ctrl_o(ctrl[{index + 1}])"]
    return lines + instance(kind.name, f"u_{tile.name}", _parameters(card, tile), connections)


def _ethernet(prefix: str, port: int) -> list[str]:
    wide = {"tdata": "W", "tkeep": "FlitBytes"}
    signals = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser")
    return [
        f".{prefix}_{signal}({prefix}_{signal}[{f'{port}*{wide[signal]}+:{wide[signal]}' if signal in wide else port}])"
        for signal in signals
    ]


def _parameters(card: Card, tile: Tile) -> list[str]:
    kind = tile.kind
    parameters = [f".Node({constant(tile.name)}Node)"]
    if kind.has_output:
        # A mesh has no way from a tile back to itself, so a message that says so must not leave.
        itself = kind.has_input and card.fabric.topology == "mesh"
        parameters.append(f".Nodes(Nodes & ~(256'(1) << {constant(tile.name)}Node))" if itself else ".Nodes(Nodes)")
    if kind.config:
        widths = {field.name: field.width for field in kind.config}
        fields = ", ".join(f"{name}: {widths[name]}'h{value:x}" for name, value in tile.config)
        parameters.append(f".Config({kind.name}_pkg::cfg_t'{{{fields}}})")
    names = {parameter.name: parameter.verilog_name for parameter in kind.parameters}
    parameters += [f".{names[name]}({value})" for name, value in tile.parameters]
    if kind.next:
        unused = kind.next.entries - len(tile.hops)
        entries = [f"{{{unused}{{next_hop_t'(0)}}}}"] if unused else []
        entries += [_entry(hop) for hop in reversed(tile.hops)]
        parameters.append(".NextHops({" + ",".join(f"\n          {entry}" for entry in entries) + "\n      })")
    return parameters


def _entry(hop: Hop) -> str:
    anything = int(hop.key is None)
    return f"next_hop_t'{{valid: 1'b1, any: 1'b{anything}, node: {constant(hop.to)}Node, key: 16'd{hop.key or 0}}}"
