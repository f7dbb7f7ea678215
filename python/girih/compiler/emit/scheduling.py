# SPDX-License-Identifier: Apache-2.0
"""The part of the manifest from which programs fill the card's tables: services, tenants and chains by name."""

from __future__ import annotations

from girih.compiler.check.chains import why_no_exit
from girih.compiler.check.scheduling import CELL_FLITS
from girih.compiler.model import Card
from girih.compiler.scheduling import PUSH, Chain, Service, Tenant
from girih.spec.parameters import Parameters


def describe(card: Card) -> dict:
    """`scheduling` of `card.json`. Numbers are those of the hardware; nodes are the fabric's."""
    scheduling = card.scheduling
    return {
        "scheduler": scheduling.scheduler,
        "memory": _memory(card),
        "ports": [{"port": tile.port, "tile": tile.name} for tile in card.tiles if tile.kind.gives_chains],
        "exits": [tile.name for tile in card.tiles if why_no_exit(tile.kind) is None],
        "units": [_unit(card, index, name) for index, name in enumerate(scheduling.unit_names)],
        "services": [_service(service) for service in scheduling.services],
        "tenants": [_tenant(tenant) for tenant in scheduling.tenants],
        "chains": [_chain(card, chain) for chain in scheduling.chains],
    }


def _memory(card: Card) -> dict:
    """The scheduler's packet memory: bytes of a cell, cells of all channels, packets that can be queued."""
    tile = card.tile(card.scheduling.scheduler)
    known = Parameters(tile.kind.parameters, card.params, dict(tile.parameters))

    def parameter(name: str, otherwise: int) -> int:
        return next((known.value(p) for p in tile.kind.parameters if p.name == name), otherwise)

    cells = parameter("channels", 1) * parameter("cells", 0)
    return {"cell_bytes": parameter("cell_flits", CELL_FLITS) * card.params.flit_bytes, "cells": cells, "entries": parameter("entries", 0)}


def _unit(card: Card, index: int, name: str) -> dict:
    service = next(service for service in card.scheduling.services if name in service.units)
    return {"name": name, "number": index, "node": card.tile(name).node, "service": service.name}


def _service(service: Service) -> dict:
    policy = service.policy
    return {
        "name": service.name,
        "number": service.number,
        "units": list(service.units),
        "credits": service.credits,
        "push": PUSH[service.push],
        "affinity": service.affinity,
        "policy": {
            "kind": policy.kind,
            "share": policy.share,
            "by_tenant": policy.by_tenant,
            "given_rank": policy.given_rank,
            "classes": [{"class": entry.number, **dict(entry.values)} for entry in policy.classes],
        },
    }


def _tenant(tenant: Tenant) -> dict:
    return {
        "name": tenant.name,
        "number": tenant.number,
        "weight": tenant.weight,
        "guarantee": tenant.guarantee,
        "limit": tenant.limit,
        "entries": tenant.entries,
        "services": list(tenant.services),
        "ports": list(tenant.ports),
    }


def _chain(card: Card, chain: Chain) -> dict:
    owner = next((tenant.number for tenant in card.scheduling.tenants if tenant.name == chain.tenant), None)
    return {
        "name": chain.name,
        "number": chain.number,
        "tenant": chain.tenant,
        "tenant_number": owner,
        "hops": [
            {
                "service": hop.service,
                "number": card.scheduling.service(hop.service).number,
                "class": hop.rank_class,
                "meta": hop.meta,
            }
            for hop in chain.hops
        ],
        "exit": chain.exit,
        "exit_node": None if chain.exit is None else card.tile(chain.exit).node,
        "match": dict(chain.match),
    }
