# SPDX-License-Identifier: Apache-2.0
"""`card.sv`: the top level of a card, its tiles on the fabric and on the control ring."""

from __future__ import annotations

import re
from pathlib import Path

from girih.compiler.emit import apart
from girih.compiler.emit.edges import edges, inner
from girih.compiler.emit.heading import origin, summary
from girih.compiler.emit.pins import AXI_LITE, MASTERS, card_ports, link_pins
from girih.compiler.model import Card, Hop, Link, Tile, Value, nets
from girih.spec import axi
from girih.spec.kinds import ConfigField
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "card.sv.j2"
CTRL_TAGS = 4  # requests in flight from one master of the control network: `CtrlTags` of girih_pkg
CLOCKED = (".clk_i", ".rst_i")

Instance = tuple[str, str, list[str], list[str]]  # module, name, parameters and connections as text, such as `.Node(8'h01)`


def emit_card(card: Card, digest: str) -> str:
    """The text of the module `card`. digest: 16 hexadecimal digits that can be read from the card."""
    return render(
        TEMPLATE,
        card=card,
        origin=origin(card),
        summary=summary(card),
        pins=card_ports(card.axi_masters, len(card.interrupting), card.clocks.own),
        edges=edges(card),
        nodes=[(_node(tile.name, port), node) for tile in card.tiles for port, node in enumerate(tile.nodes)],
        takers=[_node(tile.name, port) for tile in card.tiles for port in tile.kind.in_ports(len(tile.nodes))],
        reply_takers=[_node(tile.name, int(tile.kind.request_port)) for tile in card.tiles if tile.kind.takes_replies] if card.classes > 1 else [],
        lossless=any(tile.kind.lossless for tile in card.tiles),
        fabric=_fabric(card) if card.links else None,
        bridge=_bridge(card, digest),
        units=len(card.scheduling.unit_names),
        join=_host_join(card),
        quiet=bool(card.at_host) and not any("host_interrupt" in tile.kind.uses for tile in card.tiles),
        tiles=[_tile(card, tile, index) for index, tile in enumerate(card.tiles)],
    )


def constant(name: str) -> str:
    """`ip_rx` as `IpRx`, `echo_1` as `Echo_1`: different names stay different."""
    return re.sub("(?:^|_)([a-z])", lambda match: match[1].upper(), name)


def _node(tile: str, port: int = 0) -> str:
    """The constant with the node of a tile's fabric port."""
    return f"{constant(tile)}Node{port or ''}"


def _fabric(card: Card) -> dict:
    """The fabric's instance, the number of links between its routers, its ports at which no tile sends (silent) or receives
    (deaf), and the unread nets there."""
    fabric = card.fabric
    outputs = "Nodes[FabricPorts-1:0]" if card.classes == 1 else "FabricPorts'(Nodes | ReplyNodes)"
    sizes = {
        "mesh": [f".X({fabric.x})", f".Y({fabric.y})"],
        "butterfly": [f".X({fabric.x})", f".Y({fabric.y})", f".Tiles({fabric.tiles})"],
        "crossbar": [".Ports(FabricPorts)", f".Outputs({outputs})"],
    }
    parameters = sizes[fabric.topology] + [f".Classes({card.classes})"] * (card.classes > 1)
    late = sum(1 << fabric.index(tile.at) for tile in card.apart if tile.kind.takes_replies)
    if late:
        parameters.append(f".RepliesWait({fabric.ports}'h{late:x})")
    links = len(list(fabric.shape.links()))
    connections = [*CLOCKED, *link_pins("in", "fabric_in_{}"), *link_pins("out", "fabric_out_{}")]
    if links:
        connections.append(".stall_o(link_stall)")
    taken = {(link.into_tile, fabric_port(card, link)) for link in card.links}
    silent = [port for port in range(fabric.ports * card.classes) if (False, port) not in taken]
    deaf = [port for port in range(fabric.ports * card.classes) if (True, port) not in taken]
    unused = sorted([(port, "in_ready") for port in silent] + [(port, "out_valid") for port in deaf])
    return {
        "instance": (fabric.topology, "u_fabric", parameters, connections),
        "links": links,
        "silent": silent,
        "deaf": deaf,
        "unused": [f"fabric_{net}[{port}]" for port, net in unused],
    }


def fabric_port(card: Card, link: Link) -> int:
    """The fabric's port of a link: those of replies follow the others."""
    return card.fabric.index(link.tile.places[link.port]) + link.message_class * card.fabric.ports


def _side(card: Card, tile: Tile, side: str) -> dict:
    """The nets of a tile's links on one side, and their assignments to and from the fabric's, as pairs of net and source."""
    ports = len(tile.nodes) if tile.kind.many_ports else 1
    vector, array = (f"[{ports - 1}:0] ", f"[{ports}]") if tile.kind.many_ports else ("", "")
    assigns = []
    for port in range(ports):
        link = Link(tile, side, port if tile.kind.many_ports else None)
        fabric = "out" if link.into_tile else "in"
        for signal, backwards in (("valid", False), ("flit", False), ("ready", True)):
            there, here = f"fabric_{fabric}_{signal}[{fabric_port(card, link)}]", link.net(signal)
            assigns.append((here, there) if link.into_tile != backwards else (there, here))
    return {"name": nets(tile, side), "vector": vector, "array": array, "assigns": assigns}


def _bridge(card: Card, digest: str) -> Instance:
    parameters = [f".Digest(64'h{digest})", ".Ports(Ports)", ".Tiles(Tiles)"]
    stalls = "1'b0"
    if card.links and any(card.fabric.shape.links()):
        parameters.append(".Links(FabricLinks)")
        stalls = "link_stall"
    if card.masters:
        masters = len(card.masters) + 1
        spare = masters * CTRL_TAGS - (len(card.tiles) + masters)
        parameters += [".Alone(1'b0)", f".Pad({max(spare, 0)})"]
    connections = [*CLOCKED, *[f".{port.name}" for port in AXI_LITE], f".link_stall_i({stalls})"]
    return "ctrl_bridge", "u_ctrl_bridge", parameters, [*connections, ".ctrl_o(ctrl[0])", ".ctrl_i(ctrl[Tiles])", ".now_o(now)"]


def _tile(card: Card, tile: Tile, index: int) -> dict:
    """A tile: its nets and its instance. index: its place on the control ring."""
    kind = tile.kind
    own = tile in card.apart
    connections = apart.connections(tile) if own else list(CLOCKED)
    for side in kind.sides:
        connections += link_pins(side, f"{apart.own_link(tile, side) if own else nets(tile, side)}_{{}}")
    for use, prefix in (("axis_in", "s_axis"), ("axis_out", "m_axis")):
        if use in kind.uses:
            connections += _ethernet(card, prefix, tile.port)
    joined = tile in card.at_host and len(card.at_host) > 1
    for use, ports in MASTERS.items():
        if use in kind.uses:
            for port in ports:
                net = f"{_joined(port.name)}[{card.at_host.index(tile)}]" if joined and use == "host" else inner(card, port.name)
                connections.append(_connected(port.name, net))
    if "now" in kind.uses and not own:
        connections.append(".now_i(now)")
    if "credits_in" in kind.uses:
        connections.append(".credit_i(credits)")
    if "credits_out" in kind.uses and not own:
        connections.append(f".credit_o({apart.credit(card, tile)})")
    if tile.name in card.interrupting:
        connections.append(f".interrupt_o(interrupt_o[{card.interrupting.index(tile.name)}])")
    if "interrupts" in kind.uses and not own:
        connections.append(f".interrupt_i({_interrupts(card, tile)})")
    if not own:
        connections += [f".ctrl_i(ctrl[{index}])", f".ctrl_o(ctrl[{index + 1}])"]
    return {
        "name": tile.name,
        "summary": kind.summary,
        "sides": [_side(card, tile, side) for side in kind.sides],
        "apart": apart.crossing(card, tile, index, _node(tile.name), _interrupts(card, tile)) if own else None,
        "instance": (kind.name, f"u_{tile.name}", [*_parameters(tile), *_control(card, tile), *_records(card, tile)], connections),
    }


def _interrupts(card: Card, master: Tile) -> str:
    """The interrupt lines of the tiles for which a master of the control network has rights. Only the operator can clear an interrupt."""
    rights = master.control.rights if master.control and master.control.tenant == 0 else ()
    lines = [f"interrupt_o[{card.interrupting.index(right.tile)}]" if right.tile in card.interrupting else "1'b0" for right in rights]
    lines += ["1'b0"] * (master.kind.rights - len(lines))
    return "{" + ", ".join(reversed(lines)) + "}"


def _joined(pin: str) -> str:
    """The net between a tile's pin of the host port and `host_join`."""
    return pin.replace("m_axi_host", "host_axi")


def _connected(pin: str, net: str) -> str:
    return f".{pin}" if net == pin else f".{pin}({net})"


def _host_join(card: Card) -> dict | None:
    """The nets and the instance of `host_join`, which two tiles need to share the host port; None for fewer."""
    if len(card.at_host) < 2:
        return None
    pins = axi.PINS["host"]
    connections = [f".{pin.name.replace('m_axi', 's_axi', 1)}({_joined(pin.name)})" for pin in pins]
    connections += [_connected(pin.name, inner(card, pin.name)) for pin in pins]
    return {
        "tiles": " and ".join(tile.name for tile in card.at_host),
        "nets": [f"logic [{len(card.at_host) - 1}:0]{pin.width} {_joined(pin.name)};" for pin in pins],
        "instance": ("host_join", "u_host_join", [], [*CLOCKED, *connections]),
    }


def _ethernet(card: Card, prefix: str, port: int) -> list[str]:
    net = inner(card, f"{prefix}_").removesuffix("_")
    wide = {"tdata": "W", "tkeep": "FlitBytes"}
    signals = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser")
    return [
        f".{prefix}_{signal}({net}_{signal}[{f'{port}*{wide[signal]}+:{wide[signal]}' if signal in wide else port}])"
        for signal in signals
    ]


def _parameters(tile: Tile) -> list[str]:
    kind = tile.kind
    parameters = [f".Node({_node(tile.name)})"]
    if kind.many_ports:
        parameters = [f".PortNodes({{{', '.join(_node(tile.name, port) for port in reversed(range(len(tile.nodes))))}}})"]
    if kind.request_port:
        parameters.append(f".RequestNode({_node(tile.name, 1)})")
    if kind.has_output:
        # A fabric has no path from a port back to itself, so a message to its own port must not leave.
        own = " & ".join(f"~(256'(1) << {_node(tile.name, port)})" for port in range(len(tile.nodes)))
        parameters.append(f".Nodes(Nodes & {own})" if kind.has_input else ".Nodes(Nodes)")
    if kind.sends_replies:
        parameters.append(f".ReplyNodes(ReplyNodes & ~(256'(1) << {_node(tile.name)}))")
    if kind.has_output or kind.sends_replies:
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


def _control(card: Card, tile: Tile) -> list[str]:
    """A tile's parameters for a control network with several masters, and for being one of them."""
    if not card.masters:
        return []
    # The crossing of a tile that is no master passes one request at a time.
    parameters = [".SharedControl(1'b1)"] * (tile.control is not None or tile not in card.apart)
    if any(right.write and right.tile == tile.name for master in card.tiles if master.control and master.control.tenant == 0 for right in master.control.rights):
        parameters.append(".WholeChanges(1'b1)")
    if tile.control is not None:
        count, rights = tile.kind.rights, tile.control.rights
        nodes = sum(right.node << 8 * index for index, right in enumerate(rights))
        reads = sum(right.read << index for index, right in enumerate(rights))
        writes = sum(right.write << index for index, right in enumerate(rights))
        parameters += [
            f".ControlMaster({card.masters.index(tile.name) + 1})",
            f".ControlTenant({tile.control.tenant})",
            f".ControlNodes({8 * count}'h{nodes:x})",
            f".ControlReads({count}'h{reads:x})",
            f".ControlWrites({count}'h{writes:x})",
        ]
    return parameters


def _records(card: Card, tile: Tile) -> list[str]:
    """The parameters of a tile for the copies of its counters and for its last drops."""
    drops = [f".DropEntries({tile.drop_log})", f".DropKeys({tile.drop_keys})"] if tile.drop_log else []
    return [".Snapshots(1'b1)"] * card.snapshots + drops


def _packed(value: Value, field: ConfigField) -> int:
    """A field of `cfg_t` as a number; element 0 of an array is at the least significant end."""
    if isinstance(value, int):
        return value
    return sum(element << field.width * index for index, element in enumerate(value))


def _entry(hop: Hop) -> str:
    anything = int(hop.key is None)
    return f"next_hop_t'{{valid: 1'b1, any: 1'b{anything}, node: {_node(hop.to, hop.port)}, key: 16'd{hop.key or 0}}}"
