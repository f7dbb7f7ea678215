# SPDX-License-Identifier: Apache-2.0
"""The tiles' configuration and parameters that follow from the design's services and tenants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from girih.compiler.check.chains import is_scheduler
from girih.compiler.check.control import check_control, written_tiles
from girih.compiler.check.scheduling import CELL_FLITS, MOST_SERVICES, buffer_bytes
from girih.compiler.check.settings import LEASED, REPLICAS, is_balancer, parameter
from girih.compiler.model import Design, Hop, TileText, Value
from girih.compiler.read.parse import Report
from girih.compiler.read.scheduling import MOST_TENANTS
from girih.compiler.scheduling import POLICIES, Scheduling, Service
from girih.services.policy import shift_of
from girih.services.tenants import WEIGHT_ONE
from girih.spec.kinds import CREDIT_UNITS, Kind
from girih.spec.message import CardParams

LEASE_PLACES = "places"
LINES = "line"
SPACES = "spaces"  # a bit for each word of requests that the design gives a tile
LINE_VALID = 1 << 8  # in a register `line`, above the node
SCHEDULED_ARRAYS = (
    "unit_node", "unit_service", "unit_credits", "affinity", "push", "policy", "shift", "hierarchy", "by_tenant", "given_rank", "rights",
    "guaranteed_cells", "guaranteed_entries", "limit", "inverse_weight",
)  # fmt: skip
"""The arrays of a scheduler's configuration that follow from the services and tenants."""
SCHEDULED_SIZES = (CREDIT_UNITS, "services", "tenants")
"""The parameters of a scheduler that do."""


def settable(kind: Kind) -> list[str]:
    """The configuration and parameters of a kind that a tile can set, in their order: those that do not follow from the rest of the design."""
    derived = {"port"} | _derived(kind)
    names = [*(field.name for field in kind.config), *(item.name for item in kind.parameters)]
    return [name for name in names if name not in derived]


def _derived(kind: Kind) -> set[str]:
    """The names that `filled` gives values to in every design."""
    if is_balancer(kind):
        return {REPLICAS}
    if is_scheduler(kind):
        return {*SCHEDULED_ARRAYS, *SCHEDULED_SIZES}
    if kind.leases:
        return {LEASE_PLACES}
    if kind.watches:
        return {LINES}
    return {SPACES} if kind.requests else set()


def filled(
    tile: TileText,
    kind: Kind,
    design: Design,
    scheduling: Scheduling,
    nodes: Mapping[str, int],
    kinds: Mapping[str, Kind | None],
    table: Sequence[Hop],
    report: Report,
) -> dict[str, Value]:
    """Values by name of field or parameter; a kind uses those that it has. nodes, kinds: of the tiles. table: the next hops of the tile."""
    if is_balancer(kind):
        return {REPLICAS: len(table)}
    if is_scheduler(kind):
        return _of_scheduler(tile, kind, design, scheduling, nodes, report)
    if kind.leases:
        return {LEASE_PLACES: _lease_places(tile, kind, kinds, nodes, report)}
    if kind.watches:
        return {LINES: _lines(tile, kind, kinds, nodes, design.params, report)}
    if kind.requests:
        there = {hop.key for hop in table}
        return {SPACES: sum(1 << bit for bit, key in enumerate(kind.requests.values()) if key in there)}
    if "axis_in" in kind.uses:
        owner = next((tenant.number for tenant in scheduling.tenants if tile.port in tenant.ports), None)
        return {} if owner is None else {"tenant": owner}
    return {}


def leased_tiles(design: Design, kinds: Mapping[str, Kind | None]) -> frozenset[str]:
    """The tiles whose address a tile of the card writes while it runs, so that the design need not give it."""
    return frozenset(
        name for tile in design.tiles if (kind := kinds[tile.name]) is not None and kind.leases for name in written_tiles(tile)
    )


def _lease_places(
    tile: TileText, kind: Kind, kinds: Mapping[str, Kind | None], nodes: Mapping[str, int], report: Report
) -> tuple[int, ...]:
    """One word for each register with the card's address, mask or gateway in a tile that this tile may write: which of the three, node, offset."""
    room = next(field.count for field in kind.config if field.name == LEASE_PLACES)
    words = [
        LEASED.index(field.name) + 1 << 24 | nodes[name] << 16 | field.offset
        for name in written_tiles(tile)
        if (other := kinds.get(name)) is not None
        for field in other.config
        if field.name in LEASED
    ]
    if not any(word >> 24 == 1 for word in words):
        what = f"control of tile {tile.name} names no tile in write that has an ip, so no tile would get the address"
        report.error(tile.line, what, "Name the ipv4_rx, ipv4_tx and arp tiles of the port.")
    if len(words) > room:
        what = f"the tiles that {tile.name} may write have {len(words)} registers with addresses; a {kind.name} writes {room}"
        report.error(tile.line, what, "Name fewer in write.")
    return (*words[:room], *[0] * (room - len(words)))


def _lines(
    tile: TileText, kind: Kind, kinds: Mapping[str, Kind | None], nodes: Mapping[str, int], params: CardParams, report: Report
) -> tuple[int, ...]:
    """One word for each right: the node if that tile has interrupts, which the master can then read and clear."""
    room = next(field.count for field in kind.config if field.name == LINES)
    control = check_control(tile, kind, nodes, params, Report(""))
    if control is None:
        return (0,) * room
    if control.tenant:
        what = f"control of tile {tile.name} names a tenant; interrupts and counters are the operator's"
        report.error(tile.line, what, "Leave tenant out.")
    words = [
        LINE_VALID | right.node if right.read and right.write and (other := kinds[right.tile]) is not None and other.interrupts else 0
        for right in control.rights[:room]
    ]
    return (*words, *[0] * (room - len(words)))


def _of_scheduler(
    tile: TileText, kind: Kind, design: Design, scheduling: Scheduling, nodes: Mapping[str, int], report: Report
) -> dict[str, Value]:
    units = [(unit, service) for service in scheduling.services for unit in service.units]
    tenants = {tenant.number: tenant for tenant in scheduling.tenants}
    cell_bytes = (parameter(tile, kind, "cell_flits", design.params) or CELL_FLITS) * design.params.flit_bytes
    entries = parameter(tile, kind, "entries", design.params) or 0  # guaranteed in proportion to the memory
    buffer = buffer_bytes(tile, kind, design.params) or 1
    everything = (1 << len(scheduling.services)) - 1
    numbers = {service.name: service.number for service in scheduling.services}

    def of_tenants(value, otherwise: int) -> list[int]:
        return [value(tenants[n]) if n in tenants else otherwise for n in range(max(tenants, default=-1) + 1)]

    arrays = {
        "unit_node": [nodes.get(unit, 0) for unit, _ in units],
        "unit_service": [service.number for _, service in units],
        "unit_credits": [service.credits for _, service in units],
        "affinity": [int(service.affinity) for service in scheduling.services],
        "push": [service.push for service in scheduling.services],
        "policy": [POLICIES.index(service.policy.kind) for service in scheduling.services],
        "shift": [_shift(service, design.clock_mhz) for service in scheduling.services],
        "hierarchy": [int(service.policy.share) for service in scheduling.services],
        "by_tenant": [int(service.policy.by_tenant) for service in scheduling.services],
        "given_rank": [int(service.policy.given_rank) for service in scheduling.services],
        # If the design names tenants, all others have no rights.
        "rights": of_tenants(lambda tenant: sum(1 << numbers[name] for name in tenant.services), 0)
        if tenants
        else [everything] * MOST_TENANTS,
        "guaranteed_cells": of_tenants(lambda tenant: -(-tenant.guarantee // cell_bytes), 0),
        "guaranteed_entries": of_tenants(lambda tenant: tenant.guarantee * entries // buffer, 0),
        "limit": of_tenants(lambda tenant: -(-tenant.limit // cell_bytes), 0),
        "inverse_weight": of_tenants(lambda tenant: WEIGHT_ONE // tenant.weight, WEIGHT_ONE),
    }
    found: dict[str, Value] = {}
    for field in kind.config:
        if field.name in SCHEDULED_ARRAYS and field.count:
            values = arrays[field.name][: field.count]
            found[field.name] = (*values, *[0] * (field.count - len(values)))
    needs = {
        CREDIT_UNITS: len(units),
        "services": len(scheduling.services),
        "tenants": max([parameter(tile, kind, "tenants", design.params) or 1, *[number + 1 for number in tenants]]),
    }
    needs["tenants"] = 1 << (needs["tenants"] - 1).bit_length()
    for item in kind.parameters:
        if item.name in SCHEDULED_SIZES:
            value = max(needs[item.name], int(item.min))
            reported = item.name == "tenants" or (item.name == "services" and value > MOST_SERVICES)
            if value > int(item.max) and not reported:
                report.error(tile.line, f"the card has {value} {item.name}; a {kind.name} takes {item.max}", "Leave some out.")
            found[item.name] = value
    most = parameter(tile, kind, "most_queues", design.params)
    queues = needs["services"] * needs["tenants"]
    known = all(needs[item.name] <= int(item.max) for item in kind.parameters if item.name in needs)  # others have been reported
    if most is not None and known and queues > most:
        limit = next(int(item.max) for item in kind.parameters if item.name == "most_queues")
        what = f"the card has {needs['services']} services and {needs['tenants']} tenants, which makes {queues} queues; {tile.name} may have {most}"
        more = f", or write most_queues: {queues} in {tile.name}, which makes it large and slow" if queues <= limit else ""
        report.error(tile.line, what, f"Leave some out{more}.")
    return found


def _shift(service: Service, clock_mhz: int) -> int:
    classes = {entry.number: dict(entry.values) for entry in service.policy.classes}
    return shift_of(service.policy.kind, classes, clock_mhz)
