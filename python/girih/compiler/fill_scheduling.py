# SPDX-License-Identifier: Apache-2.0
"""What tiles have in their configuration and parameters because of the design's services and tenants."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler.check_chains import is_scheduler
from girih.compiler.check_scheduling import parameter
from girih.compiler.model import Design, TileText, Value
from girih.compiler.parse import Report
from girih.compiler.scheduling import POLICIES, Scheduling, Service
from girih.compiler.settings import is_balancer
from girih.spec.kinds import CREDIT_UNITS, Kind

CELL_FLITS = 2
WEIGHT_ONE = 2048  # the inverse of weight 1


def filled(
    tile: TileText,
    kind: Kind,
    design: Design,
    scheduling: Scheduling,
    nodes: Mapping[str, int],
    replicas: int,
    report: Report,
) -> dict[str, Value]:
    """Values by the names of fields and parameters; a kind takes those that it has. nodes: of the tiles."""
    if is_balancer(kind):
        return {"replicas": replicas}
    if is_scheduler(kind):
        return _of_scheduler(tile, kind, design, scheduling, nodes, report)
    if "axis_in" in kind.uses:
        owner = next((tenant.number for tenant in scheduling.tenants if tile.port in tenant.ports), None)
        return {} if owner is None else {"tenant": owner}
    return {}


def _of_scheduler(
    tile: TileText, kind: Kind, design: Design, scheduling: Scheduling, nodes: Mapping[str, int], report: Report
) -> dict[str, Value]:
    units = [(unit, service) for service in scheduling.services for unit in service.units]
    tenants = {tenant.number: tenant for tenant in scheduling.tenants}
    cell_bytes = (parameter(tile, kind, "cell_flits") or CELL_FLITS) * design.params.flit_bytes
    everything = (1 << len(scheduling.services)) - 1
    numbers = {service.name: service.number for service in scheduling.services}

    def of_tenants(value, otherwise: int) -> list[int]:
        return [value(tenants[n]) if n in tenants else otherwise for n in range(max(tenants, default=-1) + 1)]

    arrays = {
        "unit_enabled": [1 for _ in units],
        "unit_node": [nodes.get(unit, 0) for unit, _ in units],
        "unit_service": [service.number for _, service in units],
        "unit_credits": [service.credits for _, service in units],
        "affinity": [int(service.affinity) for service in scheduling.services],
        "push": [service.push for service in scheduling.services],
        "policy": [policy_word(service) for service in scheduling.services],
        # A tenant that the design does not name has no rights where it names some.
        "tenant_rights": of_tenants(lambda tenant: sum(1 << numbers[name] for name in tenant.services), 0)
        if tenants
        else [everything] * 16,
        "tenant_cells": of_tenants(lambda tenant: -(-tenant.guarantee // cell_bytes), 0),
        "tenant_entries": of_tenants(lambda tenant: -(-tenant.guarantee // cell_bytes), 0),
        "tenant_limit": of_tenants(lambda tenant: -(-tenant.limit // cell_bytes), 0),
        "tenant_weight": of_tenants(lambda tenant: WEIGHT_ONE // tenant.weight, WEIGHT_ONE),
    }
    found: dict[str, Value] = {}
    for field in kind.config:
        if field.name in arrays and field.count:
            values = arrays[field.name][: field.count]
            found[field.name] = (*values, *[0] * (field.count - len(values)))
    needs = {
        CREDIT_UNITS: len(units),
        "services": len(scheduling.services),
        "tenants": max([parameter(tile, kind, "tenants") or 1, *[number + 1 for number in tenants]]),
    }
    needs["tenants"] = 1 << (needs["tenants"] - 1).bit_length()
    for item in kind.parameters:
        if item.name in needs:
            value = max(needs[item.name], item.min)
            if value > item.max:
                report.error(
                    tile.line, f"the card has {value} {item.name}; a {kind.name} takes {item.max}", "Leave some out."
                )
            found[item.name] = value
    return found


def policy_word(service: Service) -> int:
    """`policy_pkg::service_policy_t`; the shift comes with the classes, from the program that fills them in."""
    policy = service.policy
    flags = policy.share << 2 | policy.by_tenant << 1 | policy.given_rank
    return flags << 6 | POLICIES.index(policy.kind)
