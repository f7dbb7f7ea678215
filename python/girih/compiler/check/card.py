# SPDX-License-Identifier: Apache-2.0
"""Third pass: makes a checked `Card` from a `Design` and the kinds of tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from girih.compiler import values
from girih.compiler.check import hops, settings
from girih.compiler.check.addresses import check_addresses, readdressed
from girih.compiler.check.applications import to_their_ports
from girih.compiler.check.chains import why_no_exit
from girih.compiler.check.control import check_control, check_interrupts, check_leases, check_masters, read_counters
from girih.compiler.check.deadlock import check_deadlock
from girih.compiler.check.fill import filled, leased_tiles
from girih.compiler.check.groups import check_groups, with_groups
from girih.compiler.check.headers import check_headers
from girih.compiler.check.listening import check_listening
from girih.compiler.check.memory import check_memory
from girih.compiler.check.places import place
from girih.compiler.check.programs import check_programs, program_of
from girih.compiler.check.replies import check_replies
from girih.compiler.check.scheduling import check_scheduling
from girih.compiler.check.traffic import check_traffic
from girih.compiler.model import Card, Design, Fabric, Hop, Tile, TileText, Value
from girih.compiler.paths import reachable_ports
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse, read_text
from girih.compiler.scheduling import Scheduling
from girih.errors import GirihError
from girih.paths import ROOT
from girih.spec.kinds import Kind, load_kinds
from girih.spec.message import SUPPORTED_WIDTHS
from girih.topology import Place


def check_file(
    path: Path,
    kinds: Mapping[str, Kind] | None = None,
    allow_deadlock: bool = False,
    *,
    ip: str | None = None,
    mac: str | None = None,
) -> Card:
    """The card of a design file. Raises GirihError, or GirihErrors with all independent errors.

    allow_deadlock: also accepts a card that can hang, for tests. ip (`10.77.0.2/24`), mac: override those in the file.
    """
    path = Path(path)
    text = read_text(path)
    report = Report(str(path))
    design = read(parse(text, report), path.stem.replace("-", "_"), report)
    if ip is not None or mac is not None:
        design = readdressed(design, ip, mac)
    card = check(design, source_name(path), load_kinds() if kinds is None else kinds, report, allow_deadlock)
    check_programs(card, report)
    return card


def source_name(path: Path) -> str:
    """A file name that does not depend on where the repository is."""
    resolved = Path(path).resolve()
    return str(resolved.relative_to(ROOT)) if resolved.is_relative_to(ROOT) else resolved.name


@dataclass(frozen=True)
class _Plan:
    """Facts about each tile, by name, that are known before the tiles are checked one by one.

    ports: the number of fabric ports of each. places: only of tiles that could be placed.
    """

    design: Design
    kinds: Mapping[str, Kind | None]
    ports: Mapping[str, int]
    fabric: Fabric
    places: Mapping[str, tuple[Place, ...]]
    scheduling: Scheduling
    report: Report

    def places_of(self, name: str) -> tuple[Place, ...]:
        """The places of a tile; a placeholder if it could not be placed, which has been reported."""
        return self.places[name] if name in self.places else self.fabric.shape.places[:1] * self.ports[name]

    @cached_property
    def nodes(self) -> dict[str, int]:
        """The first node of every tile."""
        return {name: self.fabric.node(self.places_of(name)[0]) for name in self.kinds}

    @cached_property
    def request_nodes(self) -> dict[str, int]:
        """The node from which the requests of every tile come."""
        apart = [name for name, kind in self.kinds.items() if kind is not None and kind.request_port]
        return self.nodes | {name: self.fabric.node(self.places_of(name)[1]) for name in apart}

    @cached_property
    def targets(self) -> dict[str, int | str]:
        """The first node of every tile that a setting may name; for other tiles, the reason why it cannot be named."""
        return {name: why_no_exit(self.kinds[name]) or node for name, node in self.nodes.items()}

    @cached_property
    def leased(self) -> frozenset[str]:
        """The tiles that get their address while the card runs."""
        return leased_tiles(self.design, self.kinds)

    def scheduler_for(self, tile: TileText) -> tuple[str, tuple[int, ...]] | None:
        """The scheduler and its fabric ports, in the order in which this tile uses them: units start with different ports, and so do port tiles."""
        name, units = self.scheduling.scheduler, self.scheduling.unit_names
        if name is None:
            return None
        ports = list(range(self.ports[name]))
        turn = (units.index(tile.name) if tile.name in units else tile.port) % len(ports)
        return name, (*ports[turn:], *ports[:turn])


def check(design: Design, source: str, kinds: Mapping[str, Kind], report: Report, allow_deadlock: bool = False) -> Card:
    """The card of a design. Raises the errors of this and earlier passes at the end."""
    known = {tile.name: _kind(tile, kinds, report) for tile in design.tiles}
    design = with_groups(design, known)
    ports = {tile.name: _fabric_ports(tile, known[tile.name]) for tile in design.tiles}
    fabric, places = place(design, ports, report)
    design = replace(design, params=replace(design.params, address_bits=fabric.address_bits))
    scheduling = check_scheduling(design, known, report)
    plan = _Plan(design, known, ports, fabric, places, scheduling, report)
    tiles = tuple(_tile(text, kind, plan) for text in design.tiles if (kind := known[text.name]) is not None)
    tiles = to_their_ports(tiles, report)
    traffic = check_traffic(design, tiles, scheduling, report)
    memory = check_memory(design, tiles, report)
    card = Card(
        design.name, source, design.params, design.clock_mhz, design.ports, fabric, design.addresses, tiles, scheduling, traffic, memory, design.snapshots, design.clocks,
    )
    too_high = any(tile.port is not None and tile.port >= card.ports for tile in card.tiles)
    if design.tiles and None not in known.values() and not too_high:
        _check_ports(card, design, report)
    check_masters(card, report)
    check_interrupts(card, report)
    check_leases(card, report)
    if not report.errors:  # the following checks need all next hops
        _check_reachable(card, report)
        check_listening(card, report)
        check_replies(card, kinds, report)
        check_headers(card, report)
        check_groups(card, kinds, report)
        check_addresses(card, report)
    report.raise_if_any()
    if not allow_deadlock:
        check_deadlock(card, design, kinds, report.file, lambda changed: _rechecked(changed, source, kinds, report.file))
    return card


def _rechecked(design: Design, source: str, kinds: Mapping[str, Kind], file: str) -> Card | None:
    """The card of a changed design, deadlock allowed; None if the design has other errors."""
    try:
        return check(design, source, kinds, Report(file), allow_deadlock=True)
    except GirihError:
        return None


def _tile(text: TileText, kind: Kind, plan: _Plan) -> Tile:
    design, report = plan.design, plan.report
    _check_width(text, kind, design, report)
    _check_port(text, kind, design, report)
    table = hops.resolve(text, kind, plan.kinds, design.ports, report, plan.scheduler_for(text))
    follows = filled(text, kind, design, plan.scheduling, plan.nodes, plan.kinds, table, report)
    counters = read_counters(text, kind, plan.nodes, plan.kinds, design.params)
    nodes = plan.request_nodes if kind.sends_replies else plan.nodes  # a tile that answers is told who may ask
    config, parameters = settings.resolve(text, kind, design, follows, plan.targets, nodes, counters, text.name in plan.leased, report)
    places = plan.places_of(text.name)
    return Tile(
        name=text.name,
        kind=kind,
        places=places,
        nodes=tuple(map(plan.fabric.node, places)),
        port=text.port if kind.at_port else None,
        config=config,
        parameters=parameters,
        hops=table,
        ways=_ways(text, kind, dict(config), plan.targets),
        line=text.line,
        drop_log=text.drop_log,
        control=check_control(text, kind, plan.nodes, design.params, report),
        program=program_of(text, kind, report),
    )


def _kind(tile: TileText, kinds: Mapping[str, Kind], report: Report) -> Kind | None:
    name = tile.kind.text
    if name in kinds:
        return kinds[name]
    if name:  # a missing kind has been reported
        hint = values.did_you_mean(name, kinds)
        report.error(
            tile.kind.line, f"tile {tile.name} is of kind {name}, which does not exist", f"{hint}The kinds are {values.listing(kinds, 'and')}."
        )
    return None


def _fabric_ports(tile: TileText, kind: Kind | None) -> int:
    """The number of fabric ports of a tile; 1 if the setting is wrong, which another pass reports."""
    if kind is None:
        return 1
    given = {key.text: values.number(value) for key, value in tile.settings}
    limits = {parameter.name: (int(parameter.min), int(parameter.max)) for parameter in kind.parameters if parameter.name == kind.fabric_ports}
    good = {name: n for name, n in given.items() if n is not None and name in limits and limits[name][0] <= n <= limits[name][1]}
    return kind.ports_of(good)


def _ways(tile: TileText, kind: Kind, config: Mapping[str, Value], targets: Mapping[str, int | str]) -> tuple[Hop, ...]:
    """The tiles that the configuration of a tile names."""
    names: dict[object, str] = {node: name for name, node in targets.items()}
    return tuple(
        Hop(None, field.name, names[config[field.name]], tile.line)
        for field in kind.config
        if field.format == "node" and config[field.name] in names
    )


def _check_width(tile: TileText, kind: Kind, design: Design, report: Report) -> None:
    width = design.params.data_width
    if width in SUPPORTED_WIDTHS and width not in kind.widths:
        report.error(
            tile.kind.line,
            f"tile {tile.name} of kind {kind.name} cannot be {width} bits wide",
            f"It takes a card of width {values.listing(kind.widths)}.",
        )


def _check_port(tile: TileText, kind: Kind, design: Design, report: Report) -> None:
    if tile.port_line is not None and not kind.at_port:
        report.error(tile.port_line, f"tile {tile.name} of kind {kind.name} uses no Ethernet port", "Remove port.")
    elif kind.at_port and tile.port >= design.ports:
        report.error(
            tile.port_line,
            f"tile {tile.name} is at port {tile.port}; the card has {_ports(design.ports)}",
            f"Write ports: {tile.port + 1} at the top of the card, or give the tile a lower port.",
        )


def _ports(count: int) -> str:
    return "1 port, number 0" if count == 1 else f"{count} ports, numbers 0 to {count - 1}"


def _check_ports(card: Card, design: Design, report: Report) -> None:
    """Every port has one tile that receives and one that transmits."""
    for use, example, verb in (("axis_in", "eth_rx", "receives from"), ("axis_out", "eth_tx", "transmits to")):
        owners: dict[int, str] = {}
        for tile in card.tiles:
            if use not in tile.kind.uses:
                continue
            if tile.port in owners:
                report.error(
                    tile.line,
                    f"{owners[tile.port]} and {tile.name} are both at port {tile.port}, and only one tile {verb} a port",
                    f"Give one of them another, such as port: {tile.port + 1}, or remove it.",
                )
            owners.setdefault(tile.port, tile.name)
        for port in sorted(set(range(card.ports)) - set(owners)):
            report.error(
                design.tiles_line,
                f"no tile {verb} port {port}",
                f"Add one, such as {example}_{port}: {{kind: {example}, port: {port}, …}}, or lower ports.",
            )


def _check_reachable(card: Card, report: Report) -> None:
    reached = reachable_ports(card)
    for tile in card.tiles:
        if tile.kind.sides and not reached[tile.name]:
            report.error(tile.line, f"no message ever reaches tile {tile.name}", "Name it in the next of another tile, or remove it.")
