# SPDX-License-Identifier: Apache-2.0
"""Services, tenants and chains of a design: as written, and as checked."""

from __future__ import annotations

from dataclasses import dataclass

from girih.compiler.read.parse import Scalar

PUSH = ("never", "credit", "always")  # in the order of their numbers in the scheduler's configuration
POLICIES = ("strict", "fair", "slack", "shaped")  # as policy_pkg::policy_e


@dataclass(frozen=True)
class ClassText:
    """A policy's parameters of one traffic class by name, such as weight."""

    number: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Policy:
    """How a service orders its messages.

    kind: one of POLICIES. classes: those that the design names. share: tenants share the
    service by their weights. by_tenant: the tenant is used as the class. given_rank: a rank set by an
    earlier hop takes precedence.
    """

    kind: str
    classes: tuple[ClassText, ...]
    share: bool
    by_tenant: bool
    given_rank: bool


@dataclass(frozen=True)
class ServiceText:
    name: Scalar
    units: tuple[Scalar, ...]
    policy: Policy
    push: int
    affinity: bool
    credits: int


@dataclass(frozen=True)
class TenantText:
    """number: None if the design gives none. services: None for all. guarantee, limit: bytes, limit 0: none. entries: of each
    table of each port."""

    name: Scalar
    number: int | None
    number_line: int
    weight: int
    guarantee: int
    limit: int
    entries: int
    entries_line: int
    services: tuple[Scalar, ...] | None
    ports: tuple[Scalar, ...]


@dataclass(frozen=True)
class ChainHopText:
    service: Scalar
    rank_class: int
    meta: int


@dataclass(frozen=True)
class ChainText:
    name: Scalar
    hops: tuple[ChainHopText, ...]
    tenant: Scalar | None
    exit: Scalar | None
    match: tuple[tuple[Scalar, Scalar], ...]


@dataclass(frozen=True)
class SchedulingText:
    """The sections `services`, `tenants` and `chains` of a design file. there: whether any of them exists."""

    services: tuple[ServiceText, ...] = ()
    tenants: tuple[TenantText, ...] = ()
    chains: tuple[ChainText, ...] = ()
    there: bool = False
    services_line: int = 1
    tenants_line: int = 1


@dataclass(frozen=True)
class Service:
    """A service by its number, which a hop of a chain names. units: tiles. credits: of each unit."""

    name: str
    number: int
    units: tuple[str, ...]
    policy: Policy
    push: int
    affinity: bool
    credits: int


@dataclass(frozen=True)
class Tenant:
    """services: those to which it has a right. ports: Ethernet ports whose traffic belongs to it. guarantee, limit: bytes. entries: of its
    own, of each table of each port."""

    name: str
    number: int
    weight: int
    guarantee: int
    limit: int
    entries: int
    services: tuple[str, ...]
    ports: tuple[int, ...]


@dataclass(frozen=True)
class ChainHop:
    service: str
    rank_class: int
    meta: int


@dataclass(frozen=True)
class Chain:
    """Matching messages go through the hops, then to the tile `exit` (None: the exit of their port).

    match: values by field of a packet, such as ("udp.dst", 4500). tenant: their owner, None: the port's.
    """

    name: str
    number: int
    hops: tuple[ChainHop, ...]
    tenant: str | None
    exit: str | None
    match: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Scheduling:
    """The services of a card; empty on a card without services. scheduler: the scheduler tile."""

    scheduler: str | None = None
    services: tuple[Service, ...] = ()
    tenants: tuple[Tenant, ...] = ()
    chains: tuple[Chain, ...] = ()

    @property
    def unit_names(self) -> tuple[str, ...]:
        """All units; a unit's index in this order is its number in the scheduler."""
        return tuple(unit for service in self.services for unit in service.units)

    def service(self, name: str) -> Service:
        return next(service for service in self.services if service.name == name)
