# SPDX-License-Identifier: Apache-2.0
"""One card for many designs: relays, buffers, balancers and Ethernet tiles whose node tables are written when it runs.

A design whose tiles are of the same kinds as this card's tiles at the same places is this card with other tables. So one
build runs hundreds of designs on the RTL.

    with GenericCard("mesh") as generic:
        generic.load(card)       # a `Card`: writes its node tables, and reads them back
        run = saturate(generic, random.Random(1))
"""

from __future__ import annotations

from dataclasses import dataclass

from girih.build.generate import write_if_changed
from girih.card import VirtualCard
from girih.card.manifest import Watch
from girih.compiler.check.card import check_file
from girih.compiler.check.settings import is_balancer
from girih.compiler.compile import emit
from girih.compiler.emit.watch import watch
from girih.compiler.model import Card, Tile
from girih.paths import BUILD
from girih.topology import Butterfly, Crossbar, Mesh, Place, Topology

WIDTH = 128
MAC = "02:00:00:00:00:01"
PORTS = 3
WATCHDOG_CYCLES = 3000  # longer than any message waits here while wires take all

# What is at the places of each fabric, in the order of its ports. eth_rx and eth_tx are followed by their port.
LAYOUT = """
    buffer relay buffer tx0
    rx0 relay relay relay
    tx1 rx2 balancer tx2
    rx1 relay relay balancer
""".split()
# The same with tiles that ask and tiles that answer, so with two message classes.
REPLIES_LAYOUT = """
    responder relay requester tx0
    rx0 requester balancer responder
    tx1 rx2 balancer tx2
    rx1 relay responder requester
""".split()
SHAPES: dict[str, tuple[str, Topology]] = {
    "mesh": ("{mesh: [4, 4]}", Mesh(4, 4)),
    "crossbar": ("{crossbar: 16}", Crossbar(16)),
    "butterfly": ("{butterfly: [2, 2, 4]}", Butterfly(2, 2, 4)),
    "mesh_replies": ("{mesh: [4, 4]}", Mesh(4, 4)),
    "crossbar_replies": ("{crossbar: 16}", Crossbar(16)),
    "butterfly_replies": ("{butterfly: [2, 2, 4]}", Butterfly(2, 2, 4)),
}


@dataclass(frozen=True)
class Slot:
    """A place of the generic card, and what is there. port: of an Ethernet tile, else None."""

    place: Place
    kind: str
    port: int | None = None


def slots(shape: str) -> tuple[Slot, ...]:
    """The places of the generic card of a shape, in the order of its ports."""
    found = []
    layout = REPLIES_LAYOUT if shape.endswith("_replies") else LAYOUT
    for place, word in zip(SHAPES[shape][1].places, layout, strict=True):
        ethernet = word[:2] in ("rx", "tx")
        found.append(Slot(place, f"eth_{word[:2]}", int(word[2])) if ethernet else Slot(place, word))
    return tuple(found)


def place_text(place: Place) -> str:
    """A place as a design file has it."""
    return str(place[0]) if len(place) == 1 else str(list(place))


def heading(shape: str, ports: int) -> list[str]:
    """The first lines of a design for a generic card."""
    return [f"fabric: {SHAPES[shape][0]}", f"width: {WIDTH}", f"mac: {MAC}", f"ports: {ports}", "tiles:"]


def generic_design(shape: str) -> str:
    """A design that has every tile: all traffic passes through every tile that forwards messages."""
    names = {slot: f"{slot.kind}_{index}" for index, slot in enumerate(slots(shape))}
    middle = [slot for slot in names if slot.kind in ("relay", "buffer", "requester")]
    responders = [names[slot] for slot in names if slot.kind == "responder"]
    asked = {slot: responders[index % len(responders)] for index, slot in enumerate(s for s in middle if s.kind == "requester")}
    balancers = [slot for slot in names if slot.kind == "balancer"]
    tx = [names[slot] for slot in names if slot.kind == "eth_tx"]
    following = dict(zip(middle, [names[slot] for slot in [*middle[1:], balancers[0]]], strict=True))
    lines = heading(shape, PORTS)
    for slot, name in names.items():
        match slot.kind:
            case "eth_tx":
                end = f"port: {slot.port}"
            case "eth_rx":
                end = f"port: {slot.port}, promiscuous: true, next: {names[middle[0]]}"
            case "balancer":
                after = tx[1:] if slot == balancers[-1] else [names[balancers[-1]], tx[0]]
                end = f"next: [{', '.join(after)}]"
            case "requester":
                end = f"next: {{requests: {asked[slot]}, replies: {following[slot]}}}"
            case "responder":
                lines.append(f"  {name}: {{kind: responder, at: {place_text(slot.place)}}}")
                continue
            case _:
                end = f"next: {following[slot]}"
        lines.append(f"  {name}: {{kind: {slot.kind}, at: {place_text(slot.place)}, {end}}}")
    return "\n".join([*lines, ""])


class GenericCard:
    """The running card of a shape. design: the loaded one. ports: for each Ethernet port of the loaded design, the port of
    this card at which its frames arrive."""

    def __init__(self, shape: str):
        path = BUILD / "tests" / "deadlock" / f"generic_{shape}.yaml"
        write_if_changed(path, generic_design(shape))
        self.built = check_file(path, allow_deadlock=True)
        self.card = VirtualCard(emit(self.built), collect=True, watchdog=WATCHDOG_CYCLES)
        self.design: Card | None = None
        self.ports: dict[int, int] = {}

    def __enter__(self) -> GenericCard:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.card.close()

    def fits(self, design: Card) -> bool:
        """Whether this card has the design's kinds at the places where it has them."""
        there = {tile.at: tile.kind for tile in self.built.tiles}
        return design.fabric.shape == self.built.fabric.shape and all(there.get(tile.at) == tile.kind for tile in design.tiles)

    def load(self, design: Card) -> None:
        """Resets the card and writes the design's node tables; tiles that are not in the design send nowhere."""
        assert self.fits(design)
        self.card.reset()
        self.card.watch = Watch.read(watch(design, self.built))
        self.design = design
        tiles = {tile.at: tile for tile in design.tiles}
        receivers = [tile for tile in self.built.tiles if "axis_in" in tile.kind.uses and tile.at in tiles]
        self.ports = {tiles[tile.at].port: tile.port for tile in receivers}
        for tile in self.built.tiles:
            if tile.kind.next:
                entries = self._entries(tiles[tile.at]) if tile.at in tiles else []
                self._write_table(tile, entries)

    def _entries(self, tile: Tile) -> list[int]:
        """The node table of a design's tile, as registers hold it. Keys that are ports are replaced by the ports of this card."""
        words = []
        for hop in tile.hops:
            key = hop.key or 0
            if hop.key is not None and tile.kind.next.key == "port":
                key = self.ports[hop.key]
            words.append(1 << 31 | (hop.key is None) << 24 | self.design.tile(hop.to).node << 16 | key)
        return words

    def _write_table(self, tile: Tile, entries: list[int]) -> None:
        unused = [0] * (tile.kind.next.entries - len(entries))
        for index, entry in enumerate([*entries, *unused]):
            self._write(f"{tile.name}.next_hop[{index}]", entry)
        if is_balancer(tile.kind):
            self._write(f"{tile.name}.replicas", len(entries))

    def _write(self, register: str, value: int) -> None:
        self.card.registers.write(register, value)
        assert self.card.registers.read(register) == value
