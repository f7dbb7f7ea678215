# SPDX-License-Identifier: Apache-2.0
"""The data between the passes: the design as it was written, and the card as it will be built."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TypeVar

from girih.compiler.read.parse import Scalar, Seq, Tree
from girih.compiler.scheduling import Scheduling, SchedulingText
from girih.spec import axi
from girih.spec.kinds import Kind
from girih.spec.message import CardParams
from girih.topology import Butterfly, Crossbar, Mesh, Place, Topology

Found = TypeVar("Found")

MOST_INTERRUPTING = 64  # tiles of a card that have interrupts
CARD_NODE = 0xFF  # the card itself, on the control ring
LARGEST_SIDE = 16  # routers along a side of a mesh: a coordinate has four bits
LARGEST_BUTTERFLY = (8, 8, 4)  # a coordinate has three bits, a tile of a router two


@dataclass(frozen=True)
class Fabric:
    """The fabric with its size from the design: x by y routers, on a butterfly with `tiles` tiles at each; or a
    crossbar of x ports (x = 0: one for each tile)."""

    topology: str
    x: int
    y: int = 1
    tiles: int = 1
    line: int = 0

    @property
    def shape(self) -> Topology:
        match self.topology:
            case "mesh":
                return Mesh(self.x, self.y)
            case "butterfly":
                return Butterfly(self.x, self.y, self.tiles)
            case _:
                return Crossbar(self.x)

    @property
    def ports(self) -> int:
        return self.x * self.y * self.tiles

    @property
    def room(self) -> int:
        """The number of tiles that fit. On the largest fabrics the node number of one place is the card's own, so no tile fits there."""
        return self.ports - sum(not self.is_free(at) for at in self.shape.places)

    def is_free(self, at: Place) -> bool:
        """Whether a tile can be at a place."""
        return self.node(at) != CARD_NODE

    @property
    def text(self) -> str:
        match self.topology:
            case "mesh":
                return f"a mesh of {self.x} x {self.y}"
            case "butterfly":
                return f"a butterfly of {self.x} x {self.y} routers of {self.tiles} tile{'s' if self.tiles > 1 else ''}"
            case _:
                return f"a crossbar of {self.x} port{'s' if self.x > 1 else ''}"

    def node(self, at: Place) -> int:
        """The number of a place in descriptors."""
        return self.shape.node(at)

    @property
    def address_bits(self) -> int:
        """Bits of a node in a descriptor. No tile has the greatest number that fits, just as none has CARD_NODE."""
        return min((max((self.node(at) for at in self.shape.places), default=0) + 1).bit_length(), CARD_NODE.bit_length())

    def index(self, at: Place) -> int:
        """The fabric port of a place."""
        return self.shape.places.index(at)


@dataclass(frozen=True)
class TileText:
    """A tile as it was written: only the types of the fields have been checked.

    at: its places, more than one for a tile with several fabric ports; a setting is a value or a list of them. drop_log: as in Tile.
    """

    name: str
    line: int
    kind: Scalar
    at: tuple[tuple[int, ...], ...] | None
    at_line: int
    port: int
    port_line: int | None
    next: Tree | None
    settings: tuple[tuple[Scalar, Scalar | Seq], ...]
    drop_log: int = 0
    control: Tree | None = None
    program: Tree | None = None


@dataclass(frozen=True)
class Addresses:
    """The addresses that the card's tiles share; None where the design gives none.

    mac: of port 0; port n's is n higher. ip, gateway: 32 bits. prefix: bits of the network.
    """

    mac: int | None
    ip: int | None
    prefix: int
    gateway: int | None

    @property
    def netmask(self) -> int:
        return (0xFFFFFFFF << (32 - self.prefix)) & 0xFFFFFFFF


Shares = tuple[tuple[Scalar, float], ...]  # by name, as it was written


@dataclass(frozen=True)
class TrafficText:
    """The section `traffic` of a design file: Gbps by Ethernet port, shares by tile and next tile, and by chain."""

    ports: Shares = ()
    tiles: tuple[tuple[Scalar, Shares], ...] = ()
    chains: Shares = ()


@dataclass(frozen=True)
class Traffic:
    """The traffic that a design expects: Gbps received by each Ethernet port, and shares of the next hops.

    tiles: by tile, the shares of its next hops. chains: None is traffic without a chain. An empty field is shared
    evenly; in one that is not empty, names that are missing get nothing.
    """

    ports: tuple[tuple[int, float], ...] = ()
    tiles: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    chains: tuple[tuple[str | None, float], ...] = ()


@dataclass(frozen=True)
class ExternalMemory:
    """The memory behind the AXI4 port of the virtual card. megabytes: of 2^20 bytes. latency, jitter, refresh_every, refresh_for: cycles."""

    megabytes: int = 4096
    latency: int = 100
    jitter: int = 0
    bytes_per_cycle: int = 64
    refresh_every: int = 0
    refresh_for: int = 0


@dataclass(frozen=True)
class Clocks:
    """The clocks of the card's edges in Hz; None where one uses the card's own. ports: of the Ethernet ports, memory: of the external memory,
    host: of the port to the host, cores: of the tiles with cores."""

    ports: int | None = None
    memory: int | None = None
    host: int | None = None
    cores: int | None = None

    @property
    def own(self) -> dict[str, int]:
        """The edges that have a clock of their own, in the order of the card's pins."""
        return {edge: hertz for edge, hertz in vars(self).items() if hertz is not None}


@dataclass(frozen=True)
class Design:
    """A design file as it was read. fabric: None if it could not be read."""

    name: str
    params: CardParams
    clock_mhz: int
    ports: int
    fabric: Fabric | None
    addresses: Addresses
    tiles: tuple[TileText, ...]
    tiles_line: int
    scheduling: SchedulingText
    traffic: TrafficText = TrafficText()
    memory: ExternalMemory = ExternalMemory()
    memory_line: int | None = None
    snapshots: bool = False
    clocks: Clocks = Clocks()
    clock_lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Hop:
    """One entry of a node table: messages with `key` (None: any) go to the tile `to`; `label` names the key.

    port: the fabric port of that tile, where it has several.
    """

    key: int | None
    label: str
    to: str
    line: int
    port: int = 0


Value = int | tuple[int, ...]


@dataclass(frozen=True)
class ControlRight:
    """What a master of the control network may ask of a tile."""

    tile: str
    node: int
    read: bool
    write: bool


@dataclass(frozen=True)
class Control:
    """Of a tile that is a master of the control network: the tenant whose requests it makes (0: the operator), its rights."""

    tenant: int
    rights: tuple[ControlRight, ...]


DROP_KEYS = 16


@dataclass(frozen=True)
class Tile:
    """A checked tile. places, nodes: of each of its fabric ports.

    port: its Ethernet port, None for a tile without one. config and parameters: values by name. ways: where it
    sends messages, besides its node table, because its configuration says so. drop_log: how many of its last drops it keeps.
    program: the C file that it runs.
    """

    name: str
    kind: Kind
    places: tuple[Place, ...]
    nodes: tuple[int, ...]
    port: int | None
    config: tuple[tuple[str, Value], ...]
    parameters: tuple[tuple[str, int], ...]
    hops: tuple[Hop, ...]
    ways: tuple[Hop, ...]
    line: int
    drop_log: int = 0
    control: Control | None = None
    program: Path | None = None

    @property
    def at(self) -> Place:
        """The place of its first fabric port."""
        return self.places[0]

    @property
    def drop_keys(self) -> int:
        """The number of keys without a next hop that it counts separately; 0 with several fabric ports, which may drop in the same cycle, and
        if its keys say nothing about a message."""
        return DROP_KEYS if self.drop_log and self.kind.next and self.kind.next.meaning and not self.kind.many_ports else 0

    @property
    def node(self) -> int:
        """Its number on the control ring, and that of its first fabric port."""
        return self.nodes[0]

    @property
    def request_node(self) -> int:
        """The node from which its requests come, and to which replies go."""
        return self.nodes[int(self.kind.request_port)]


def nets(tile: Tile, side: str) -> str:
    """The prefix of the card's nets for a tile's link. Replies: `copy_in_reply`, because `copy_reply_in` belongs to a tile `copy_reply`."""
    return "_".join((tile.name, *reversed(side.split("_"))))


@dataclass(frozen=True)
class Link:
    """A link between a tile and the fabric. index: of its fabric port, None for a tile that has only one."""

    tile: Tile
    side: str
    index: int | None

    @property
    def message_class(self) -> int:
        return int(self.side.startswith("reply"))

    @property
    def port(self) -> int:
        """The tile's fabric port."""
        own = self.tile.kind.request_port and self.side in ("request_out", "reply_in")
        return int(own) if self.index is None else self.index

    @property
    def into_tile(self) -> bool:
        return self.side.endswith("in")

    @property
    def name(self) -> str:
        """Its name in captures: `echo.in`, `scheduler.out_1`."""
        return f"{self.tile.name}.{self.side}" + (f"_{self.index}" if self.index else "")

    def net(self, signal: str) -> str:
        """The card's net of a signal of the link."""
        element = "" if self.index is None else f"[{self.index}]"
        return f"{nets(self.tile, self.side)}_{signal}{element}"


@dataclass(frozen=True)
class Card:
    """A checked and placed design: the input of the emitters. snapshots: the counters of its tiles can be copied."""

    name: str
    source: str
    params: CardParams
    clock_mhz: int
    ports: int
    fabric: Fabric
    addresses: Addresses
    tiles: tuple[Tile, ...]
    scheduling: Scheduling
    traffic: Traffic = Traffic()
    memory: ExternalMemory | None = None
    snapshots: bool = False
    clocks: Clocks = Clocks()

    def tile(self, name: str) -> Tile:
        return next(tile for tile in self.tiles if tile.name == name)

    @property
    def tenants(self) -> int:
        """The number of tenants that the scheduler knows; 1 without a scheduler, because everything is tenant 0's."""
        if self.scheduling.scheduler is None:
            return 1
        scheduler = self.tile(self.scheduling.scheduler)
        default = next(p.default for p in scheduler.kind.parameters if p.name == "tenants")
        return int(dict(scheduler.parameters).get("tenants", default))

    @property
    def classes(self) -> int:
        """The number of message classes: 2 if any tile sends replies, else 1."""
        return 2 if any(tile.kind.sends_replies for tile in self.tiles) else 1

    @property
    def axi_masters(self) -> tuple[str, ...]:
        """The pins of AXI4 master ports that the card has, of `axi.PINS`."""
        uses = {use for tile in self.tiles for use in tile.kind.uses} | ({"host_interrupt"} if self.at_host else set())
        return tuple(use for use in axi.PINS if use in uses)

    @property
    def at_host(self) -> tuple[Tile, ...]:
        """The tiles that use the card's port to the host."""
        return tuple(tile for tile in self.tiles if "host" in tile.kind.uses)

    @property
    def apart(self) -> tuple[Tile, ...]:
        """The tiles that have a clock of their own: those with cores, if the design says so."""
        return tuple(tile for tile in self.tiles if tile.kind.programs) if "cores" in self.clocks.own else ()

    @property
    def masters(self) -> tuple[str, ...]:
        """The tiles that are masters of the control network; the first one has the number 1, as the host has 0."""
        return tuple(tile.name for tile in self.tiles if tile.control is not None)

    @property
    def interrupting(self) -> tuple[str, ...]:
        """The tiles that have interrupts, in the order of the card's pins for them."""
        return tuple(tile.name for tile in self.tiles if tile.kind.interrupts)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that can be captured: `in`, `out`, `request_out`, `reply_in` and `reply_out` of each tile, those that its kind has."""
        return tuple(
            Link(tile, side, port if tile.kind.many_ports else None)
            for tile in self.tiles
            for side in tile.kind.sides
            for port in range(len(tile.nodes) if tile.kind.many_ports else 1)
        )


def once_per_card(find: Callable[[Card], Found]) -> Callable[[Card], Found]:
    """The same function, which looks at a card once: several passes ask for the same, and a card is never changed."""
    found: dict[int, Found] = {}  # by the identity of a card that exists

    @wraps(find)
    def once(card: Card) -> Found:
        if id(card) not in found:
            found[id(card)] = find(card)
            weakref.finalize(card, found.pop, id(card))
        return found[id(card)]

    return once
