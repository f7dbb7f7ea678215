# SPDX-License-Identifier: Apache-2.0
"""`card.json`: the data that programs need to build, drive and watch the card; `tables.txt`: tables for people."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path

from girih.compiler import values
from girih.compiler.check.programs import compiled, cores_of, memory_of
from girih.compiler.emit.addresses import addresses_at_start
from girih.compiler.emit.heading import origin, summary
from girih.compiler.emit.program import emit_card_header
from girih.compiler.emit.registers import base, histogram, registers
from girih.compiler.emit.scheduling import describe
from girih.compiler.emit.watch import watch
from girih.compiler.model import CARD_NODE, Card, ExternalMemory, Tile
from girih.compiler.paths import MOST_ROUTES, services
from girih.paths import relative
from girih.spec.kinds import WINDOW, Register, card_registers

STALLS = "link.stalls"  # of the card's registers
UDP_KEY = "destination port"  # the key of a tile whose node table has UDP ports


def emit_manifest(card: Card, digest: str, sources: list[Path]) -> str:
    """The text of `card.json`. sources: every SystemVerilog file in compile order."""
    manifest = {
        "name": card.name,
        "design": card.source,
        "digest": digest,
        "data_width": card.params.data_width,
        "ports": card.ports,
        "clock_mhz": card.clock_mhz,
        "max_frame": card.params.max_frame,
        "route_hops": card.params.route_hops,
        "chain_hops": card.params.chain_hops,
        "service_bits": card.params.service_bits,
        "address_bits": card.params.address_bits,
        "time_bits": card.params.time_bits,
        "groups": list(card.params.groups),
        "tenants": card.params.tenants,
        "fabric": {"topology": card.fabric.topology, "x": card.fabric.x, "y": card.fabric.y, "tiles": card.fabric.tiles},
        "stalls": _stalls(card),
        "watch": watch(card),
        "addresses": addresses(card),
        "start": addresses_at_start(card),
        "links": [link.name for link in card.links],
        "tiles": [_tile(card, tile) for tile in card.tiles],
        "services": [
            {"name": service.name, "paths": [[path.src, path.dst, path.label] for path in service.paths]}
            for service in services(card)
        ],
        "interrupts": list(card.interrupting),
        "snapshots": card.snapshots,
        "sources": [relative(path) for path in sources],
    }
    if card.clocks.own:
        manifest["clocks"] = card.clocks.own
    if card.memory is not None:
        manifest["memory"] = _memory(card.memory)
    if card.params.chain_hops:
        manifest["scheduling"] = describe(card)
    return json.dumps(manifest, indent=1) + "\n"


def _memory(memory: ExternalMemory) -> dict[str, int]:
    """The settings of the memory behind the virtual card's port, as girih_memory_params names them."""
    settings = asdict(memory)
    return {"size": settings.pop("megabytes") << 20, **settings}


def _stalls(card: Card) -> dict[str, int]:
    """The address of the counter of each link between routers, by the link's name."""
    if not card.links:
        return {}
    first = next(register for register in card_registers() if register.name == STALLS)
    start = base(CARD_NODE) + first.offset
    return {link.text: start + index * first.stride for index, link in enumerate(card.fabric.shape.links())}


def addresses(card: Card) -> dict:
    """The data for clients: the card's addresses and the UDP ports of its applications."""
    shared = card.addresses
    applications: dict[int, str] = {}
    for tile in card.tiles:
        if tile.kind.next and tile.kind.next.key == UDP_KEY and "payload" in tile.kind.gives:  # the ports of TCP have another tile
            applications |= {hop.key: hop.to for hop in tile.hops if hop.key is not None}
    receivers = {tile.port: tile for tile in card.tiles if "axis_in" in tile.kind.uses}
    macs = {tile.port: mac for tile in card.tiles if "axis_in" in tile.kind.uses and isinstance(mac := dict(tile.config).get("mac"), int)}
    return {
        "mac": None if shared.mac is None else values.mac_text(shared.mac),
        "ip": None if shared.ip is None else values.ipv4_text(shared.ip),
        "prefix": shared.prefix,
        "gateway": None if shared.gateway is None else values.ipv4_text(shared.gateway),
        "port_macs": [values.mac_text(macs[port]) for port in sorted(macs)],
        "port_ips": [_address_of_port(card, receivers[port]) for port in sorted(receivers)],
        "udp": [{"port": port, "tile": applications[port]} for port in sorted(applications)],
    }


def _tile(card: Card, tile: Tile) -> dict:
    bins = histogram(tile)
    program = compiled(card, tile)
    return {
        "name": tile.name,
        "kind": tile.kind.name,
        "node": tile.node,
        "at": list(tile.at),
        "nodes": list(tile.nodes),
        "port": tile.port,
        "base": base(tile.node),
        "config": {**dict(tile.config), **dict(tile.parameters)},
        "next": [{"key": hop.key, "label": hop.label, "to": hop.to} for hop in tile.hops],
        "window": WINDOW if "window" in tile.kind.uses else None,
        "window_bytes": 1 << tile.kind.window_bits if "window" in tile.kind.uses else 0,
        "holds": tile.kind.holds,
        "ways": {hop.label: hop.to for hop in tile.ways},
        "interrupts": list(tile.kind.interrupts),
        "histogram": {"offset": bins.offset, "bins": bins.count} if bins else None,
        "counters": {counter.name: counter.offset for counter in tile.kind.counters},
        "registers": {name: _register(register) for name, register in registers(tile, card.params).items()},
        **({"rights": rights_text(tile)} if tile.control else {}),
        **({"drop_log": _drop_log(tile)} if tile.drop_log else {}),
        **({"program": base64.b64encode(program.image).decode(), "memory_bytes": memory_of(tile), "cores": cores_of(tile)} if program else {}),
        **({"card_header": header} if program and (header := emit_card_header(card, tile)) else {}),
    }


def _drop_log(tile: Tile) -> dict:
    """What a tile records of its last drops: how many, the reasons by bit, what the key of a drop without a next hop means, and how many keys it counts."""
    return {"entries": tile.drop_log, "keys": tile.drop_keys, "reasons": list(tile.kind.drop_reasons), "key": tile.kind.next.meaning if tile.kind.next else None}


def rights_text(tile: Tile) -> list[str]:
    """The rights of a tile at other tiles by the design, in the order of its registers, and for whom it has them: `read write balancer for tenant 0`."""
    if tile.control is None:
        return []
    return [" ".join([*["read"] * right.read, *["write"] * right.write, right.tile, f"for tenant {tile.control.tenant}"]) for right in tile.control.rights]


def _register(register: Register) -> dict:
    return {"offset": register.offset, "width": register.width, "access": register.access, "doc": register.doc}


def emit_tables(card: Card) -> str:
    """The services and next-hop tables of a card, for people."""
    lines = [origin(card), "", f"Card {card.name}: {summary(card)}.", "", "Services: what happens to each sort of traffic", ""]
    for service in services(card):
        lines += [f"  {service.name}", *(f"      {' > '.join(map(' | '.join, route))}" for route in service.routes)]
        if len(service.routes) == MOST_ROUTES:
            lines.append("      and more")
    lines += ["", "Tiles and their node tables: a message goes to the first entry that matches", ""]
    rows: list[tuple[str, ...]] = [("tile", "kind", "node", "key", "next")]
    for tile in card.tiles:
        head = (tile.name, tile.kind.name, f"0x{tile.node:02x}")
        for hop in (*tile.hops, *tile.ways):
            among = f"{hop.to}.{hop.port}" if len(card.tile(hop.to).places) > 1 else hop.to
            rows.append((*head, hop.label, among))
            head = ("", "", "")
        if not tile.hops and not tile.ways:
            rows.append((*head, "", "where the message's source route says" if tile.port is None else f"port {tile.port}"))
    return "\n".join([*lines, *align(rows), ""])


def align(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows of a table as lines with columns of equal width."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _address_of_port(card: Card, receiver: Tile) -> str | None:
    """The address, with its prefix, for which the port answers ARP requests; None if it answers none."""
    answers = next((tile for hop in receiver.hops if hop.label == "arp" for tile in card.tiles if tile.name == hop.to), None)
    config = dict(answers.config) if answers else {}
    ip, netmask = config.get("ip"), config.get("netmask")
    return f"{values.ipv4_text(ip)}/{netmask.bit_count()}" if isinstance(ip, int) and isinstance(netmask, int) and ip else None
