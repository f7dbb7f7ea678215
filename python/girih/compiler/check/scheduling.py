# SPDX-License-Identifier: Apache-2.0
"""Third pass, for services and tenants: every name is known, every unit belongs to one service, the guarantees fit."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler import values
from girih.compiler.check.chains import check_chains, is_scheduler, is_service, is_unit
from girih.compiler.check.entries import check_entries
from girih.compiler.check.settings import parameter
from girih.compiler.model import Design, TileText
from girih.compiler.read.parse import Report, Scalar
from girih.compiler.read.scheduling import MOST_CLASSES, MOST_TENANTS
from girih.compiler.scheduling import Scheduling, Service, ServiceText, Tenant, TenantText
from girih.spec.kinds import Kind
from girih.spec.message import CardParams, type_widths

LOSSLESS_SLOTS = "lossless_slots"  # the most lossless messages that a scheduler sends to a unit, or for which a unit has room
CELL_FLITS = 2  # if the kind has no parameter for it
MOST_SERVICES = 1 << type_widths()["service"]
Kinds = Mapping[str, Kind | None]


def check_scheduling(design: Design, kinds: Kinds, report: Report) -> Scheduling:
    """The services of a design, and their scheduler. kinds: of every tile, None if unknown."""
    text = design.scheduling
    _check_chained(design, kinds, report)
    if not text.there:
        return Scheduling()
    scheduler = _scheduler(design, kinds, report)
    services = _services(text.services, design, kinds, report)
    tenants = _tenants(text.tenants, services, _most_tenants(scheduler, kinds), design, report)
    _check_buffer(tenants, scheduler, kinds, design, report)
    _check_lossless_slots(scheduler, kinds, design, report)
    _check_by_tenant(services, tenants, design, report)
    check_entries(tenants, design, kinds, report)
    chains = check_chains(text.chains, services, tenants, design, kinds, report)
    return Scheduling(scheduler.name if scheduler else None, services, tenants, chains)


def _check_chained(design: Design, kinds: Kinds, report: Report) -> None:
    if design.params.chain_hops:
        return
    for tile in design.tiles:
        if (kind := kinds[tile.name]) is not None and kind.chained:
            report.error(
                tile.line, f"tile {tile.name} of kind {kind.name} is for a card with services", f"{_services_to_add(tile, design, kinds)}, or {_instead(kind)}."
            )


def _services_to_add(tile: TileText, design: Design, kinds: Kinds) -> str:
    """What makes a card one with services: the tile itself if it is a unit, else a unit of the card, else no service yet."""
    units = [other.name for other in design.tiles if is_unit(kinds[other.name])]
    if units:
        unit = tile.name if tile.name in units else units[0]
        return f"Add services: at the top, such as services: {{{unit}_service: [{unit}]}}"
    scheduler = "" if any(is_scheduler(kind) for kind in kinds.values()) else " and add a tile of kind scheduler"
    return f"Write services: {{}} at the top{scheduler}"


def _instead(kind: Kind) -> str:
    return "use eth_rx and eth_tx in its place" if kind.at_port else "remove it"


def _scheduler(design: Design, kinds: Kinds, report: Report) -> TileText | None:
    found = [tile for tile in design.tiles if is_scheduler(kinds[tile.name])]
    if not found and None not in kinds.values():
        report.error(design.scheduling.services_line, "services need a scheduler", "Add a scheduler; ./girih list shows the kinds.")
    for tile in found[1:]:
        report.error(tile.line, f"{found[0].name} and {tile.name} are both schedulers", "A card has one; give it more fabric ports instead.")
    return found[0] if found else None


def _services(texts: tuple[ServiceText, ...], design: Design, kinds: Kinds, report: Report) -> tuple[Service, ...]:
    owners: dict[str, str] = {}
    services = []
    if len(texts) > MOST_SERVICES:
        report.error(design.scheduling.services_line, f"{len(texts)} services are too many", f"A card has at most {MOST_SERVICES}.")
    for number, text in enumerate(texts):
        name = text.name.text
        if not text.units:
            report.error(text.name.line, f"service {name} has no unit", f"Name one or more, such as {name}: [{name}_0, {name}_1]")
        units = [unit for unit in text.units if _is_good_unit(unit, name, owners, kinds, report)]
        services.append(
            Service(name, number, tuple(u.text for u in units), text.policy, text.push, text.affinity, text.credits)
        )
    for tile in design.tiles:
        if is_unit(kinds[tile.name]) and tile.name not in owners:
            report.error(tile.line, f"unit {tile.name} belongs to no service", "Name it in the units of a service, or remove it.")
    return tuple(services)


def _is_good_unit(unit: Scalar, service: str, owners: dict[str, str], kinds: Kinds, report: Report) -> bool:
    if unit.text not in kinds:
        units = [name for name, kind in kinds.items() if is_unit(kind)]
        hint = values.did_you_mean(unit.text, units)
        report.error(unit.line, f"service {service} names {unit.text}, which is not a tile", f"{hint}The units are {values.listing(units, 'and')}.")
        return False
    kind = kinds[unit.text]
    if kind is None:  # which has been reported
        return False
    if not is_unit(kind):
        report.error(unit.line, f"tile {unit.text} of kind {kind.name} is not a compute unit, but service {service} names it", "Name compute units only.")
        return False
    if unit.text in owners:
        report.error(
            unit.line, f"unit {unit.text} is in two services, {owners[unit.text]} and {service}", "A unit belongs to one service; add another unit."
        )
        return False
    owners[unit.text] = service
    return True


def _most_tenants(scheduler: TileText | None, kinds: Kinds) -> int:
    """The number of tenants that the scheduler supports; without a scheduler, the number that a descriptor can hold."""
    kind = None if scheduler is None else kinds[scheduler.name]
    return next((int(item.max) for item in kind.parameters if item.name == "tenants"), MOST_TENANTS) if kind else MOST_TENANTS


def _tenants(texts: tuple[TenantText, ...], services: tuple[Service, ...], most: int, design: Design, report: Report) -> tuple[Tenant, ...]:
    names = [service.name for service in services]
    numbers: dict[int, str] = {}
    port_owners: dict[int, str] = {}
    tenants = []
    for text in texts:
        if text.number is not None:
            if text.number >= most:
                what = f"tenant {text.name.text} has id {text.number}; the scheduler knows {most} tenants"
                report.error(text.number_line, what, values.span(0, most - 1))
            if text.number in numbers:
                report.error(
                    text.number_line, f"tenants {numbers[text.number]} and {text.name.text} have the same id {text.number}", "Give one of them another."
                )
            numbers.setdefault(text.number, text.name.text)
    free = (number for number in range(1, most) if number not in numbers)
    for text in texts:
        name = text.name.text
        number = text.number if text.number is not None else next(free, None)
        if number is None:
            report.error(text.name.line, f"tenant {name} is one too many", f"A card has at most {most}, numbers 0 to {most - 1}.")
            continue
        rights = names if text.services is None else [s.text for s in text.services if is_service(s, f"tenant {name}", names, report)]
        ports = tuple(port for port in (_port(p, name, port_owners, design, report) for p in text.ports) if port is not None)
        if text.limit and text.limit < text.guarantee:
            report.error(
                text.name.line, f"tenant {name} has a limit of {text.limit} bytes, below its guarantee of {text.guarantee}", "Raise the limit."
            )
        tenants.append(Tenant(name, number, text.weight, text.guarantee, text.limit, text.entries, tuple(rights), ports))
    return tuple(tenants)


def _port(word: Scalar, tenant: str, owners: dict[int, str], design: Design, report: Report) -> int | None:
    port = values.number(word)
    if port is None or not 0 <= port < design.ports:
        report.error(word.line, f"tenant {tenant} has port {word.text}, which does not exist", values.span(0, design.ports - 1))
        return None
    if port in owners:
        report.error(word.line, f"port {port} belongs to two tenants, {owners[port]} and {tenant}", "A port's traffic belongs to one; match fields in chains.")
        return None
    owners[port] = tenant
    return port


def _check_buffer(
    tenants: tuple[Tenant, ...], scheduler: TileText | None, kinds: Kinds, design: Design, report: Report
) -> None:
    """Checks that the guarantees fit into the packet buffer, if the scheduler's parameters give its size."""
    if scheduler is None:
        return
    size = buffer_bytes(scheduler, kinds[scheduler.name], design.params)
    promised = sum(tenant.guarantee for tenant in tenants)
    if size is not None and promised > size:
        report.error(
            design.scheduling.tenants_line,
            f"the tenants' guarantees are {promised} bytes together; the packet buffer has {size}",
            "Lower them, or give the scheduler more cells.",
        )


def _check_by_tenant(services: tuple[Service, ...], tenants: tuple[Tenant, ...], design: Design, report: Report) -> None:
    """Checks that a service with a class for each tenant has one for all."""
    high = next((tenant for tenant in tenants if tenant.number >= MOST_CLASSES), None)
    for service in services:
        if service.policy.by_tenant and high is not None:
            what = f"service {service.name} has by_tenant, and tenant {high.name} has id {high.number}; there are {MOST_CLASSES} classes"
            report.error(design.scheduling.services_line, what, "Use share, which divides a service between any tenants, or leave by_tenant out.")


def _check_lossless_slots(scheduler: TileText | None, kinds: Kinds, design: Design, report: Report) -> None:
    """Checks that every unit has room for all lossless messages that the scheduler may send it. It must not send one back: the
    scheduler takes back the token of a message that it sends to its last unit."""
    if scheduler is None:
        return
    sent = _lossless_slots(scheduler, kinds, design)
    for tile in design.tiles:
        if is_unit(kinds[tile.name]) and (room := _lossless_slots(tile, kinds, design)) < sent:
            report.error(
                tile.line,
                f"unit {tile.name} has room for {room} lossless messages; {scheduler.name} sends it up to {sent}",
                f"Write {LOSSLESS_SLOTS}: {sent} in {tile.name}, or {LOSSLESS_SLOTS}: {room} in {scheduler.name}.",
            )


def _lossless_slots(tile: TileText, kinds: Kinds, design: Design) -> int:
    kind = kinds[tile.name]
    return (kind and parameter(tile, kind, LOSSLESS_SLOTS, design.params)) or 1


def buffer_bytes(tile: TileText, kind: Kind, params: CardParams) -> int | None:
    """The size of a scheduler's packet buffer: cells of each channel."""
    sizes = [parameter(tile, kind, name, params) for name in ("channels", "cells")]
    cell_flits = parameter(tile, kind, "cell_flits", params) or CELL_FLITS
    return None if None in sizes else sizes[0] * sizes[1] * cell_flits * params.flit_bytes
