# SPDX-License-Identifier: Apache-2.0
"""The crossbar: every port has a way to every other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from girih.topology.base import Channel, Place, Topology


@dataclass(frozen=True)
class Crossbar(Topology):
    """`rtl/fabric/crossbar.sv` with this number of ports."""

    ports: int

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple((port,) for port in range(self.ports))

    def node(self, place: Place) -> int:
        return place[0]

    def links(self) -> Iterator[Channel]:
        return iter(())

    def hops(self, start: Place, end: Place) -> Iterator[Channel]:
        return iter(())
