# SPDX-License-Identifier: Apache-2.0
"""What messages on a card hold, and what they wait for: a `girih.deadlock.Graph`; docs/deadlock.md is its page.

A message holds the link that it is on (with the queue at its end) until the next link, or the tile, takes it. A tile
takes no more until it can send, unless it drops what it has no room for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from girih.compiler.check.chains import is_scheduler, is_unit
from girih.compiler.model import Card, Tile
from girih.compiler.paths import Path, message_paths
from girih.deadlock import Graph
from girih.topology import IN, OUT, Channel, Place

LOSSLESS_SLOTS = "lossless_slots"  # of a unit: messages that it keeps room for; of a scheduler: those that it sends at most
WAITING = ("cut_through", "store_and_forward")  # a finite buffer fills up, so that a tile with one waits as well


@dataclass(frozen=True)
class Buffer:
    """What a tile has taken and not yet sent on."""

    tile: str

    @property
    def text(self) -> str:
        return f"tile {self.tile}"


@dataclass(frozen=True)
class Tokens:
    """What a scheduler has of them; a new lossless message needs one until it leaves for its last service."""

    scheduler: str

    @property
    def text(self) -> str:
        return f"a token of {self.scheduler}"


@dataclass(frozen=True)
class ControlRing:
    """The control network, on which one access at a time is under way."""

    @property
    def text(self) -> str:
        return "the control network"


Resource = Channel | Buffer | Tokens | ControlRing


@dataclass(frozen=True)
class Because:
    """Why a tile waits, as a sentence without a full stop. plain: only because what it has leaves in order."""

    text: str
    plain: bool = False


HOLDS = {
    "cut_through": "takes more only as it sends on (cut-through)",
    "store_and_forward": "takes no more once its buffer is full (store and forward)",
    "drops": "holds lossless messages back, because it must not drop them",
}


def dependencies(card: Card) -> Graph:
    """The graph of a card. Reasons are the `Path` of a message that goes from link to link, or a `Because`."""
    graph = Graph()
    paths = message_paths(card)
    lossless = lossless_tiles(card, paths)
    for path in paths:
        for start, end in _ports(card, path):
            graph.wait_in_turn(card.fabric.shape.route(start, end), path)
    for tile in card.tiles:
        _add_tile(graph, card, tile, paths, tile.name in lossless)
    return graph


def lossless_tiles(card: Card, paths: tuple[Path, ...]) -> frozenset[str]:
    """The tiles that lossless messages can come to."""
    return _reached([tile.name for tile in card.tiles if makes_lossless(tile)], paths)


def _reached(start: list[str], paths: tuple[Path, ...]) -> frozenset[str]:
    """The tiles that messages of some tiles can come to, through others."""
    reached: set[str] = set()
    queue = list(start)
    for name in queue:
        after = {path.dst for path in paths if path.src == name} - reached
        reached |= after
        queue += after
    return frozenset(reached)


def makes_lossless(tile: Tile) -> bool:
    """Whether a tile makes messages of its port lossless."""
    return tile.kind.lossless is not None and bool(dict(tile.config)[tile.kind.lossless])


def _ports(card: Card, path: Path) -> Iterator[tuple[Place, Place]]:
    """The places between which the messages of a path go: of a tile with several it can be more than one."""
    src, dst = card.tile(path.src), card.tile(path.dst)
    ports = dict.fromkeys(hop.port for hop in (*src.hops, *src.ways) if hop.to == dst.name) or {0: None}
    return ((start, dst.places[port]) for start in src.places for port in ports)


def _add_tile(graph: Graph, card: Card, tile: Tile, paths: tuple[Path, ...], lossless: bool) -> None:
    """What the messages in a tile wait for, and which wait for it. lossless: some may be."""
    comes = [path for path in paths if path.dst == tile.name]
    buffer, kind = Buffer(tile.name), tile.kind
    if is_scheduler(kind):
        if lossless:
            _add_tokens(graph, card, tile, comes)
        return
    waits = kind.buffering in WAITING or (kind.buffering == "drops" and lossless)
    if is_unit(kind):
        waits = lossless and not _has_room(card, tile)
    if comes and waits:
        for place in tile.places:
            graph.wait(Channel(OUT, place, place), buffer, Because(f"{tile.name} {HOLDS[kind.buffering]}"))
    if any(path.src == tile.name for path in paths):
        for place in tile.places:
            graph.wait(buffer, Channel(IN, place, place), Because(f"what {tile.name} has leaves in order", plain=True))
    if "reply" in kind.waits:
        answering = _reached([tile.name], paths)
        for path in (path for path in comes if path.src in answering):
            for start, _ in _ports(card, path):
                graph.wait(buffer, Channel(IN, start, start), Because(f"{tile.name} sends no more before {path.src} has answered"))
    if "control" in kind.waits:
        graph.wait(buffer, ControlRing(), Because(f"{tile.name} waits for an answer of the control network"))
    if "data" in kind.waits:
        graph.wait(ControlRing(), buffer, Because(f"an access to {tile.name} waits for the messages in it"))


def _has_room(card: Card, unit: Tile) -> bool:
    """Whether a unit keeps room for all lossless messages that the scheduler may send it."""
    return _slots(unit, 0) >= _slots(card.tile(card.scheduling.scheduler), 1)


def _slots(tile: Tile, otherwise: int) -> int:
    """The slots for lossless messages that the design gives a tile, or its kind."""
    default = next((p.default for p in tile.kind.parameters if p.name == LOSSLESS_SLOTS), otherwise)
    return int(dict(tile.parameters).get(LOSSLESS_SLOTS, default))


def _add_tokens(graph: Graph, card: Card, scheduler: Tile, comes: list[Path]) -> None:
    """A new lossless message waits in its port for a token. Tokens come back when those that have one get on: into
    the fabric, and through the units."""
    tokens = Tokens(scheduler.name)
    for path in comes:
        if makes_lossless(card.tile(path.src)):
            for _, place in _ports(card, path):
                graph.wait(Channel(OUT, place, place), tokens, Because(f"a lossless message of {path.src} waits for a token, before all behind it"))
    for place in scheduler.places:
        graph.wait(tokens, Channel(IN, place, place), Because(f"a token of {scheduler.name} comes back when the message that has it leaves"))
    for unit in card.scheduling.unit_names:
        graph.wait(tokens, Buffer(unit), Because(f"a token of {scheduler.name} comes back when {unit} has taken the message that has it"))
