# SPDX-License-Identifier: Apache-2.0
"""The compiler's description of a built design: `card.json`."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from girih.errors import GirihError
from girih.paths import ROOT
from girih.spec.message import CardParams


@dataclass(frozen=True)
class Register:
    """One register of a tile; offset in bytes from the tile's base, width in bits."""

    offset: int
    width: int
    access: str
    doc: str


@dataclass(frozen=True)
class Histogram:
    """Bins of a tile's histogram; offset in bytes, one 32-bit word each."""

    offset: int
    bins: int


@dataclass(frozen=True)
class DropLog:
    """The log of a tile's last drops. entries: its records; reasons: counters by the bit of a record; key: what the key of a message without a next hop says, None if nothing; keys: how many of these are counted separately."""

    entries: int
    keys: int
    reasons: tuple[str, ...]
    key: str | None


@dataclass(frozen=True)
class Tile:
    """One tile. base: its AXI4-Lite byte address; counters: name to offset, 64 bits each; window: offset, if there is one, of a window of window_bytes;
    holds: what messages in it may wait for while the card rests, None: nothing; program: the initial program of a processor core; memory_bytes: of a processor core, for programs and data; card_header: the text of card.h for programs; cores: how many run the program; interrupts: their names, bit 0 first;
    nodes: of its fabric ports; keys, settings: of its node table, and the values of its configuration registers in the design; drop_log: None if it keeps none;
    rights: at other tiles by the design, as girih.compiler.emit.manifest.rights_text writes them."""

    name: str
    kind: str
    node: int
    base: int
    registers: dict[str, Register]
    counters: dict[str, int]
    histogram: Histogram | None
    window: int | None
    window_bytes: int = 0
    holds: str | None = None
    program: bytes | None = None
    card_header: str = ""
    memory_bytes: int = 0
    cores: int = 1
    interrupts: tuple[str, ...] = ()
    keys: frozenset[int] = frozenset()
    settings: dict[str, int | list[int]] = field(default_factory=dict)
    drop_log: DropLog | None = None
    rights: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Watch:
    """The data to explain a stall. links: names in the order in which the card shows them; nodes: tiles by number;
    wires: Ethernet ports by the tile that sends there; waits: what waits for what, and why: messages
    `src > dst`, or a sentence. girih.compiler.emit.watch is the author."""

    links: list[str]
    nodes: dict[int, str]
    wires: dict[str, int]
    waits: dict[str, dict[str, list[str]]]

    @staticmethod
    def read(data: dict) -> Watch:
        """From the output of `girih.compiler.emit.watch.watch`."""
        return Watch(data["links"], {int(node): name for node, name in data["nodes"].items()}, data["wires"], data["waits"])


@dataclass(frozen=True)
class Manifest:
    """A design's folder, read.

    design: the design file, as named to the compiler, or None. links: names by the number of
    their probe. addresses: of the card on the wire (`mac`, `ip`, `prefix`, `udp`), as the compiler gives them.
    scheduling: tenants, services and chains by name, and their tiles; empty on a card without services.
    start: registers that are written when the card starts, by name. stalls: byte address of the stall counter of each link between routers, by link name.
    interrupts: the tiles that have interrupts, in the order of their lines. snapshots: the counters of a tile can be read as they were in one cycle.
    clocks: those of the card's edges and of its cores in Hz, by edge; an edge that is not there uses the card's.
    memory: settings of the external memory behind the card's port, None if it has none.
    watch: what the watchdog needs, None if the card cannot be watched.
    """

    folder: Path
    name: str
    digest: str
    data_width: int
    ports: int
    clock_mhz: int
    max_frame: int
    sources: list[Path]
    tiles: list[Tile]
    links: list[str]
    design: str | None
    route_hops: int
    chain_hops: int
    addresses: dict
    scheduling: dict
    stalls: dict[str, int] = field(default_factory=dict)
    start: dict[str, int] = field(default_factory=dict)
    watch: Watch | None = None
    service_bits: int = CardParams.service_bits
    address_bits: int = CardParams.address_bits
    time_bits: int = CardParams.time_bits
    groups: tuple[str, ...] = CardParams.groups
    tenants: int = CardParams.tenants
    memory: dict[str, int] | None = None
    interrupts: tuple[str, ...] = ()
    snapshots: bool = False
    clocks: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def load(folder: Path) -> Manifest:
        """Reads `folder`/card.json. Raises GirihError if it is missing or unreadable."""
        path = Path(folder) / "card.json"
        try:
            data = json.loads(path.read_text())
            return Manifest(
                folder=Path(folder),
                name=data["name"],
                digest=data["digest"],
                data_width=data["data_width"],
                ports=data["ports"],
                clock_mhz=data["clock_mhz"],
                max_frame=data["max_frame"],
                sources=[ROOT / source for source in data["sources"]],
                tiles=[_tile(tile) for tile in data["tiles"]],
                links=list(data["links"]),
                design=data.get("design"),
                route_hops=data.get("route_hops", CardParams.route_hops),
                chain_hops=data.get("chain_hops", 0),
                service_bits=data.get("service_bits", CardParams.service_bits),
                address_bits=data.get("address_bits", CardParams.address_bits),
                time_bits=data.get("time_bits", CardParams.time_bits),
                groups=tuple(data.get("groups", CardParams.groups)),
                tenants=data.get("tenants", CardParams.tenants),
                addresses=data.get("addresses", {}),
                scheduling=data.get("scheduling", {}),
                stalls=data.get("stalls", {}),
                start=data.get("start", {}),
                memory=data.get("memory"),
                interrupts=tuple(data.get("interrupts", ())),
                snapshots=data.get("snapshots", False),
                clocks=data.get("clocks", {}),
                watch=Watch.read(data["watch"]) if "watch" in data else None,
            )
        except OSError as error:
            raise GirihError(f"no built design ({error.strerror})", str(path), "Build it: ./girih build DESIGN") from error
        except (ValueError, KeyError, TypeError) as error:
            raise GirihError(f"the manifest cannot be used ({error!r})", str(path), "Remove the folder and build again.") from error

    @property
    def params(self) -> CardParams:
        """The parameters of the card's descriptor."""
        return CardParams(self.data_width, self.max_frame, self.route_hops, self.chain_hops, self.service_bits, self.address_bits, self.time_bits, groups=self.groups, tenants=self.tenants)

    def tile(self, name: str) -> Tile:
        """The tile called `name`. Raises GirihError with a list of the tiles that exist."""
        for tile in self.tiles:
            if tile.name == name:
                return tile
        raise GirihError(f"the card has no tile {name!r}", self.name, f"It has: {', '.join(t.name for t in self.tiles)}.")

    def ratio(self, tile: Tile) -> Fraction:
        """Cycles of the card to one of a tile, which may have a clock of its own."""
        own = self.clocks.get("cores") if tile.program is not None else None
        return Fraction(self.clock_mhz * 1_000_000, own) if own else Fraction(1)

    def port_address(self, port: int) -> tuple[str, str]:
        """MAC and IPv4 address of the card at a port. A card without addresses accepts any, so examples are returned."""
        macs = self.addresses.get("port_macs") or [self.addresses.get("mac") or "02:00:00:00:00:02"]
        return macs[port] if port < len(macs) else macs[0], self.addresses.get("ip") or "10.77.0.2"

    def link_number(self, name: str) -> int:
        """The number of a link for captures; after the probes come `port0.rx`, `port0.tx`, `port1.rx` …"""
        names = self.link_names()
        if name not in names:
            raise GirihError(f"the card has no link {name!r}", self.name, f"It has: {', '.join(names)}.")
        return names.index(name)

    def link_names(self) -> list[str]:
        """All links that can be captured."""
        return [*self.links, *(f"port{p}.{way}" for p in range(self.ports) for way in ("rx", "tx"))]


def _tile(data: dict) -> Tile:
    histogram, drops = data.get("histogram"), data.get("drop_log")
    return Tile(
        name=data["name"],
        kind=data["kind"],
        node=data["node"],
        nodes=tuple(data.get("nodes", ())),
        base=data["base"],
        registers={
            name: Register(r["offset"], r["width"], r["access"], r["doc"]) for name, r in data["registers"].items()
        },
        counters=dict(data["counters"]),
        histogram=Histogram(histogram["offset"], histogram["bins"]) if histogram else None,
        window=data.get("window"),
        window_bytes=data.get("window_bytes", 0),
        holds=data.get("holds"),
        program=base64.b64decode(data["program"]) if "program" in data else None,
        card_header=data.get("card_header", ""),
        memory_bytes=data.get("memory_bytes", 0),
        cores=data.get("cores", 1),
        interrupts=tuple(data.get("interrupts", ())),
        keys=frozenset(entry["key"] for entry in data.get("next", ()) if entry["key"] is not None),
        settings=data.get("config", {}),
        drop_log=DropLog(drops["entries"], drops["keys"], tuple(drops["reasons"]), drops["key"]) if drops else None,
        rights=tuple(data.get("rights", ())),
    )
