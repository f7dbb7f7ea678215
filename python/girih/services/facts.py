# SPDX-License-Identifier: Apache-2.0
"""The compiler's data about a card's services, tenants and ports, by name and by number."""

from __future__ import annotations

from girih.card.manifest import Manifest
from girih.compiler.values import did_you_mean
from girih.errors import GirihError
from girih.rmt.action import most_hops

OPERATOR = "operator"


class Facts:
    """Names of one card. Looking up an unknown name raises GirihError with the known names."""

    def __init__(self, manifest: Manifest):
        if not manifest.scheduling:
            raise GirihError("the card has no services", manifest.name, "Give the design services.")
        self.manifest = manifest
        self.card = manifest.name
        self.scheduler: str = manifest.scheduling["scheduler"]
        self.services: list[dict] = manifest.scheduling["services"]
        self.units: list[dict] = manifest.scheduling["units"]
        self.chains: list[dict] = manifest.scheduling["chains"]
        self.memory: dict[str, int] = manifest.scheduling["memory"]
        self.exits: list[str] = manifest.scheduling["exits"]
        self.ports: dict[str, int | None] = {port["tile"]: port["port"] for port in manifest.scheduling["ports"]}
        self.tenants: list[dict] = list(manifest.scheduling["tenants"])
        if not any(tenant["number"] == 0 for tenant in self.tenants):
            everything = [service["name"] for service in self.services]
            self.tenants.insert(0, {"name": OPERATOR, "number": 0, "services": everything, "ports": []})

    def chain_fits(self, services: int, what: str) -> None:
        """Raises GirihError if a chain of this many services does not fit into the card's descriptors."""
        most = self.manifest.chain_hops
        if not 1 <= services <= most:
            more = f" For longer ones write chain_hops: {services} in its design, and build it again." if most < services <= most_hops() else ""
            raise GirihError(f"a chain of {services} services", what, f"On this card it may have 1 to {most}.{more}")

    def service(self, name: str) -> dict:
        return self._named("service", name, self.services)

    def tenant(self, name: str) -> dict:
        return self._named("tenant", name, self.tenants)

    def port(self, tile: str) -> str:
        """The name of a tile that has tables."""
        return self._named("port", tile, [{"name": name} for name in self.ports])["name"]

    def exit(self, tile: str) -> int:
        """The node of a tile where a chain can end."""
        node = self.manifest.tile(tile).node
        if tile not in self.exits:
            raise GirihError(f"no chain can end at {tile}", self.card, f"Name a tile that takes finished messages: {', '.join(self.exits)}.")
        return node

    def service_name(self, number: int) -> str:
        return next((service["name"] for service in self.services if service["number"] == number), f"service {number}")

    def tenant_name(self, number: int) -> str:
        return next((tenant["name"] for tenant in self.tenants if tenant["number"] == number), f"tenant {number}")

    def tile_name(self, node: int) -> str:
        return next((tile.name for tile in self.manifest.tiles if tile.node == node), f"node {node}")

    def _named(self, what: str, name: str, entries: list[dict]) -> dict:
        for entry in entries:
            if entry["name"] == name:
                return entry
        names = [entry["name"] for entry in entries]
        raise GirihError(f"{name} is not among the {what}s", self.card, f"{did_you_mean(str(name), names)}There are: {', '.join(names) or 'none'}.")
