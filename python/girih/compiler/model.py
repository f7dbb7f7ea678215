# SPDX-License-Identifier: Apache-2.0
"""What the passes hand on: the design as it was written, and the card as it will be built."""

from __future__ import annotations

from dataclasses import dataclass

from girih.compiler.parse import Scalar, Tree
from girih.spec.kinds import Kind
from girih.spec.message import CardParams

CARD_NODE = 0xFF  # on the control ring, the card itself
LARGEST_SIDE = 16  # of a mesh: a coordinate has four bits


@dataclass(frozen=True)
class Fabric:
    """A mesh of x by y routers, or a crossbar of x ports (x = 0: one for each tile)."""

    topology: str
    x: int
    y: int = 1
    line: int = 0

    @property
    def ports(self) -> int:
        return self.x * self.y

    def node(self, at: tuple[int, int]) -> int:
        """The number of a place: {y[3:0], x[3:0]} on a mesh, the port on a crossbar."""
        return at[1] << 4 | at[0] if self.topology == "mesh" else at[0]

    def index(self, at: tuple[int, int]) -> int:
        """The fabric port of a place."""
        return at[1] * self.x + at[0]


@dataclass(frozen=True)
class TileText:
    """A tile as it was written: nothing here is known to be right but the types of the fields."""

    name: str
    line: int
    kind: Scalar
    at: tuple[int, ...] | None
    at_line: int
    port: int
    port_line: int | None
    next: Tree | None
    settings: tuple[tuple[Scalar, Scalar], ...]


@dataclass(frozen=True)
class Addresses:
    """The addresses that the card's tiles share; None where the design gives none.

    mac: of port 0; port n has the address n above it. ip, gateway: 32 bits. prefix: bits of the network.
    """

    mac: int | None
    ip: int | None
    prefix: int
    gateway: int | None

    @property
    def netmask(self) -> int:
        return (0xFFFFFFFF << (32 - self.prefix)) & 0xFFFFFFFF


@dataclass(frozen=True)
class Design:
    """A design file as it was read. fabric: None when it could not be."""

    name: str
    params: CardParams
    clock_mhz: int
    ports: int
    fabric: Fabric | None
    addresses: Addresses
    tiles: tuple[TileText, ...]
    tiles_line: int


@dataclass(frozen=True)
class Hop:
    """One entry of a node table: messages with `key` (None: any) go to the tile `to`; `label` names the key."""

    key: int | None
    label: str
    to: str
    line: int


@dataclass(frozen=True)
class Tile:
    """A tile that is known to be right. at: (x, y) of its place, (port, 0) on a crossbar.

    port: its Ethernet port, None for a tile without one. config and parameters: values by name.
    """

    name: str
    kind: Kind
    at: tuple[int, int]
    node: int
    port: int | None
    config: tuple[tuple[str, int], ...]
    parameters: tuple[tuple[str, int], ...]
    hops: tuple[Hop, ...]
    line: int


@dataclass(frozen=True)
class Card:
    """A checked and placed design: all that the emitters read."""

    name: str
    source: str
    params: CardParams
    clock_mhz: int
    ports: int
    fabric: Fabric
    addresses: Addresses
    tiles: tuple[Tile, ...]

    def tile(self, name: str) -> Tile:
        return next(tile for tile in self.tiles if tile.name == name)

    @property
    def links(self) -> tuple[str, ...]:
        """The links that can be captured: `<tile>.in` and `<tile>.out`, where the kind has them."""
        return tuple(
            f"{tile.name}.{side}"
            for tile in self.tiles
            for side, there in (("in", tile.kind.has_input), ("out", tile.kind.has_output))
            if there
        )


