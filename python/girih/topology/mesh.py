# SPDX-License-Identifier: Apache-2.0
"""The 2D mesh: along X to the right column, then along Y."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from girih.topology.base import Channel, Place, Topology, between


@dataclass(frozen=True)
class Mesh(Topology):
    """`rtl/fabric/mesh.sv` of x by y routers, a tile at each."""

    x: int
    y: int

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple((x, y) for y in range(self.y) for x in range(self.x))

    def node(self, place: Place) -> int:
        return place[1] << 4 | place[0]

    def links(self) -> Iterator[Channel]:
        for x, y in self.places:
            for neighbour in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):  # north, east, south, west
                if 0 <= neighbour[0] < self.x and 0 <= neighbour[1] < self.y:
                    yield between((x, y), neighbour)

    def hops(self, start: Place, end: Place) -> Iterator[Channel]:
        x, y = start
        while x != end[0]:
            there = x + (1 if end[0] > x else -1)
            yield between((x, y), (there, y))
            x = there
        while y != end[1]:
            there = y + (1 if end[1] > y else -1)
            yield between((x, y), (x, there))
            y = there
