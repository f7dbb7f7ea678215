# SPDX-License-Identifier: Apache-2.0
"""A running card as a design file: the one that it was built from, with the settings that have been changed since.

What was not changed stays as it was written, comments included. The result is checked as any design is, and compared with the card
register by register, so settings that no design file can express are named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from girih.card import node_table
from girih.card.manifest import Manifest
from girih.card.registers import Registers
from girih.compiler.check.card import check_file
from girih.compiler.check.chains import is_scheduler
from girih.compiler.check.fill import LEASE_PLACES, LINES, SPACES
from girih.compiler.check.hops import ANY
from girih.compiler.check.programs import compiled
from girih.compiler.check.settings import LEASED, REPLICAS, is_balancer
from girih.compiler.emit.manifest import rights_text
from girih.compiler.model import Card, Tile, Value
from girih.compiler.values import ipv4_text, mac_text, prefix_of
from girih.errors import GirihError, GirihErrors
from girih.management.configuration import settings
from girih.management.scheduling_text import Scheduling, own_part, write_scheduling
from girih.paths import ROOT
from girih.spec.kind import RIGHTS
from girih.spec.kinds import ConfigField, NodeTable
from girih.whole_file import check_place, draft_of, replaceable

if TYPE_CHECKING:
    from girih.card.client import ControlClient
    from girih.management.client import NetworkCard

WIDE = 1 << 16  # so that no line of the file is broken
TABLE = "next_hop"

Found = Mapping[str, int]
"""Registers of a card by name, those that can be read."""


@dataclass(frozen=True)
class Saved:
    """What was written. changed: names of the registers that differed from the design. left: sentences about settings that the file cannot express."""

    changed: list[str]
    left: list[str]


def source_of(manifest: Manifest) -> Path:
    """The design file from which a card was built. Raises GirihError if its path is unknown: a card has only the name of a file outside the checkout."""
    path = ROOT / (manifest.design or "")
    if not path.is_file():
        raise GirihError(f"the design file of card {manifest.name} is not in this checkout", manifest.design or "ctl design", "Name it: --of DESIGN")
    return path


def save_design(card: ControlClient | NetworkCard, source: Path, path: Path) -> Saved:
    """Writes the design of a running card. source: the design file from which it was built. Raises GirihError, or GirihErrors if
    no design may have this configuration; then nothing is written."""
    named, path = path, replaceable(path)
    check_place(path, "design")
    was = check_file(source)
    _check_same(was, card, source)
    found = settings(card.registers)
    scheduling = Scheduling.of(card) if card.registers.manifest.scheduling else None
    yaml = YAML()
    yaml.width = WIDE
    yaml.preserve_quotes = True
    document = yaml.load(source.read_text())
    if "name" not in document:
        document.insert(0, "name", was.name)
    readdressed = _write_addresses(document, was, found, source)
    _write_tiles(document, readdressed, found)
    _move_programs(document, source, named, path)
    if scheduling:
        write_scheduling(document, was, scheduling, found)
    text = StringIO()
    yaml.dump(document, text)
    now = _checked(path, text.getvalue().rstrip("\n") + "\n")
    left = sorted([*_differences(now, found), *_rights_taken(was, card.registers)])
    return Saved(sorted(_differences(was, found)), left + (scheduling.left(now) if scheduling else []))


def _check_same(was: Card, card: ControlClient | NetworkCard, source: Path) -> None:
    """Checks that what cannot change in a running card is as in the design: its parameters, and the kinds, places, parameters, programs and
    rights of its tiles."""
    manifest = card.registers.manifest
    fixed = {tile.name: {parameter.name for parameter in tile.kind.parameters} for tile in was.tiles}
    programs = {tile.name: program.image for tile in was.tiles if (program := compiled(was, tile))}
    designed = {tile.name: (tile.kind.name, tile.node, tile.drop_log, dict(tile.parameters), programs.get(tile.name), rights_text(tile)) for tile in was.tiles}
    running = {
        tile.name: (
            tile.kind,
            tile.node,
            tile.drop_log.entries if tile.drop_log else 0,
            {name: value for name, value in tile.settings.items() if name in fixed.get(tile.name, ())},
            tile.program,
            list(tile.rights),
        )
        for tile in manifest.tiles
    }
    params = replace(was.params, timing=manifest.params.timing)  # a card does not say its timing
    facts = (running, manifest.params, manifest.ports, manifest.snapshots, manifest.clock_mhz, manifest.clocks)
    if facts != (designed, params, was.ports, was.snapshots, was.clock_mhz, was.clocks.own):
        raise GirihError(f"card {card.registers.manifest.name} was not built from this design", str(source), "Name the design file that it runs: --of DESIGN")


def _checked(path: Path, text: str) -> Card:
    """Writes a design to a file and returns its card; if the design has errors, no file is created or changed."""
    with draft_of(path, "design", ".yaml") as draft:
        draft.write_text(text, encoding="utf-8")
        try:
            return check_file(draft)
        except GirihErrors as errors:
            raise GirihErrors([_of_the_card(error) for error in errors.errors]) from errors
        except GirihError as error:
            raise _of_the_card(error) from error


def _of_the_card(error: GirihError) -> GirihError:
    return GirihError(error.what, "the card as it is", error.remedy)


# ---- addresses that all tiles share ----


def _write_addresses(document: CommentedMap, was: Card, found: Found, source: Path) -> Card:
    """Changes an address of the card if it has changed alike in all tiles that inherit it; returns the card with it."""
    shared = {"ip": was.addresses.ip, "mac": was.addresses.mac}
    now = {name: _common(was, name, value, found) for name, value in shared.items() if value is not None}
    new_ip = new_mac = None
    masks = {_value(tile, field, found) for tile, field in _fields(was, "netmask")}
    prefix = next((prefix_of(mask) for mask in masks if isinstance(mask, int)), None) if len(masks) == 1 else was.addresses.prefix
    ip, mac = now.get("ip"), now.get("mac")
    if ip and prefix and (ip, prefix) != (was.addresses.ip, was.addresses.prefix):
        new_ip = f"{ipv4_text(ip)}/{prefix}"
    if mac and mac != was.addresses.mac:
        new_mac = mac_text(mac)
    try:
        readdressed = check_file(source, ip=new_ip, mac=new_mac)
    except GirihError:  # such as an address that does not fit the gateway: the tiles have it then
        return was
    document.update({name: text for name, text in (("ip", new_ip), ("mac", new_mac)) if text})
    return readdressed


def _common(was: Card, name: str, value: int, found: Found) -> int | None:
    """The present value in the tiles of port 0 that inherit the card's address, if all have the same."""
    values = {_value(tile, field, found) for tile, field in _fields(was, name) if dict(tile.config)[name] == value}
    only = values.pop() if len(values) == 1 else None
    return only if isinstance(only, int) else None


def _fields(card: Card, name: str) -> Iterator[tuple[Tile, ConfigField]]:
    leased = _leased(card)
    return ((tile, field) for tile in card.tiles for field in tile.kind.config if field.name == name and tile.name not in leased)


# ---- the settings of tiles, and where they send messages ----


def _write_tiles(document: CommentedMap, was: Card, found: Found) -> None:
    names = {node: tile.name for tile in was.tiles for node in tile.nodes}
    names |= {tile.nodes[0] << 16 | counter.offset: f"{tile.name}.{counter.name}" for tile in was.tiles for counter in tile.kind.counters}
    for tile in was.tiles:
        changed: dict[str, object] = {}
        for field in tile.kind.config:
            value = _value(tile, field, found)
            if value != dict(tile.config)[field.name] and not _is_derived(was, tile, field):
                changed[field.name] = _text(field, value, names)
        if tile.kind.next is not None and _table(tile, tile.kind.next, found) != _table_of(was, tile):
            changed["next"] = _next(was, tile, tile.kind.next, found, names)
        if changed:
            own_part(document["tiles"], tile.name).update(changed)


def _value(tile: Tile, field: ConfigField, found: Found) -> Value:
    """The value of a field in the card; what cannot be read is as in the design."""
    was, name = dict(tile.config)[field.name], f"{tile.name}.{field.name}"
    if isinstance(was, int):
        return found.get(name, was)
    return tuple(found.get(_element(found, name, index), value) for index, value in enumerate(was))


def _element(found: Found, name: str, index: int) -> str:
    """The name of an element of an array of registers; an array of one has no index."""
    return name if index == 0 and name in found else f"{name}[{index}]"


def _is_derived(card: Card, tile: Tile, field: ConfigField) -> bool:
    """Whether a design does not set a field itself: it follows from other keys, or changes while the card runs."""
    owned = any(tile.port in tenant.ports for tenant in card.scheduling.tenants)
    return (
        (is_scheduler(tile.kind) and bool(field.count))
        or (is_balancer(tile.kind) and field.name == REPLICAS)
        or (bool(tile.kind.leases) and field.name == LEASE_PLACES)
        or (bool(tile.kind.watches) and field.name == LINES)
        or (bool(tile.kind.requests) and field.name == SPACES)
        or ("axis_in" in tile.kind.uses and field.name == "tenant" and owned)
        or (field.name in LEASED and tile.name in _leased(card))
    )


def _leased(card: Card) -> set[str]:
    """The tiles that get their addresses while the card runs."""
    return {right.tile for tile in card.tiles if tile.kind.leases and tile.control for right in tile.control.rights if right.write}


def _text(field: ConfigField, value: Value, names: Mapping[int, str]) -> object:
    """A value in the syntax of design files, without the trailing elements of an array that have the default."""
    if isinstance(value, int):
        match field.format:
            case "mac":
                return mac_text(value)
            case "ipv4":
                return ipv4_text(value)
            case "flag":
                return bool(value)
            case "node" | "tile":
                return names.get(value, value)
            case "counter":
                return names.get(value, value) if value else 0
        return value
    items = list(value)
    while len(items) > 1 and items[-1] == (field.default or 0):
        items.pop()
    return _flow([_text(field, item, names) for item in items])


def _flow(items: list) -> CommentedSeq:
    found = CommentedSeq(items)
    found.fa.set_flow_style()
    return found


Table = dict[int | None, int]
"""Nodes by key in the order of the table; None is any key, and ends it."""


def _table(tile: Tile, described: NodeTable, found: Found) -> Table:
    """The node table in the card, without entries that no message reaches."""
    words = [found.get(_element(found, f"{tile.name}.{TABLE}", index), 0) for index in range(described.entries)]
    table: Table = {}
    for word in words:
        node = node_table.node_of(word)
        if node is None:
            continue
        key = None if word & node_table.ANY else word & node_table.KEY_MASK
        table.setdefault(key, node)
        if key is None:
            break
    return table


def _table_of(card: Card, tile: Tile) -> Table:
    return {hop.key: card.tile(hop.to).nodes[hop.port] for hop in tile.hops}


def _next(card: Card, tile: Tile, described: NodeTable, found: Found, names: Mapping[int, str]) -> object:
    """The key `next` of a tile, for its table in the card."""
    table = _table(tile, described, found)
    filled = {hop.key for hop in tile.hops if hop.line == 0}  # the compiler adds them
    to = {key: names.get(node, f"node_{node}") for key, node in table.items() if key not in filled or node != _table_of(card, tile)[key]}
    if is_balancer(tile.kind):
        used = found.get(f"{tile.name}.{REPLICAS}", len(to))
        return _flow([name for key, name in sorted((key, name) for key, name in to.items() if key is not None) if key < used])
    if list(to) == [None]:
        return next(iter(to.values()), None)
    words = {number: word for word, number in described.names.items()}
    entries = CommentedMap((ANY if key is None else words.get(key, key), name) for key, name in to.items())
    entries.fa.set_flow_style()
    return entries


def _move_programs(document: CommentedMap, source: Path, named: Path, path: Path) -> None:
    """Programs are named relative to the design file. A file that a link in another folder leads to is found from both, so its programs have whole paths."""
    moved = named.parent.resolve() != path.parent
    for tile in document["tiles"].values():
        program = tile.get("program")
        if program and (beside := source.parent / program).is_file():
            tile["program"] = str(beside.resolve()) if moved else os.path.relpath(beside.resolve(), path.parent)


# ---- what the file does not say ----


def _rights_taken(card: Card, registers: Registers) -> Iterator[str]:
    """The rights on the control network that differ from the design: the host has revoked them, and a restarted card has them again."""
    for tile in registers.shown:
        control = card.tile(tile.name).control
        for index, right in enumerate(control.rights if control else ()):
            name = f"{tile.name}.{RIGHTS}[{index}]"
            if registers.read(name) & 3 != right.read | right.write << 1:
                yield name


def _differences(card: Card, found: Found) -> Iterator[str]:
    """The registers whose values are not those of a card's design, tables in their meaning."""
    leased = _leased(card)
    for tile in card.tiles:
        for name, value in tile.config:
            if name in LEASED and tile.name in leased:
                continue
            if isinstance(value, int):
                if found.get(f"{tile.name}.{name}", value) != value:
                    yield f"{tile.name}.{name}"
            else:
                keys = [_element(found, f"{tile.name}.{name}", index) for index in range(len(value))]
                yield from (key for key, item in zip(keys, value, strict=True) if found.get(key, item) != item)
        if tile.kind.next is not None and _element(found, f"{tile.name}.{TABLE}", 0) in found and _table(tile, tile.kind.next, found) != _table_of(card, tile):
            yield f"{tile.name}.{TABLE}"
