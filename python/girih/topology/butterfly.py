# SPDX-License-Identifier: Apache-2.0
"""The flattened butterfly (Kim, Dally, Abts; ISCA 2007): several tiles at each router, and each router joined to
all others of its row and of its column, so that a message crosses two links between routers at most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from girih.topology.base import Channel, Place, Topology, between


@dataclass(frozen=True)
class Butterfly(Topology):
    """`rtl/fabric/butterfly.sv` of x by y routers with `tiles` tiles at each."""

    x: int
    y: int
    tiles: int

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple((x, y, tile) for y in range(self.y) for x in range(self.x) for tile in range(self.tiles))

    def node(self, place: Place) -> int:
        """{y[2:0], x[2:0], tile[1:0]}"""
        return place[1] << 5 | place[0] << 2 | place[2]

    def links(self) -> Iterator[Channel]:
        for y in range(self.y):
            for x in range(self.x):
                yield from (between((x, y), (other, y)) for other in range(self.x) if other != x)
                yield from (between((x, y), (x, other)) for other in range(self.y) if other != y)

    def hops(self, start: Place, end: Place) -> Iterator[Channel]:
        if start[0] != end[0]:
            yield between((start[0], start[1]), (end[0], start[1]))
        if start[1] != end[1]:
            yield between((end[0], start[1]), (end[0], end[1]))
