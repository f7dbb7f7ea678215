# SPDX-License-Identifier: Apache-2.0
"""The graph of what messages on a card hold and wait for: a `girih.deadlock.Graph`, described in docs/deadlock.md.

A message holds the link that it is on (with the queue at its end) until the next link, or the tile, takes it. A tile
takes no more until it can send, unless it drops messages for which it has no room.
"""

from __future__ import annotations

from dataclasses import dataclass

from girih.compiler.check.chains import is_scheduler, is_unit
from girih.compiler.messages import State, Step, Walk, walk
from girih.compiler.model import Card, Tile
from girih.compiler.paths import in_order
from girih.deadlock import Graph
from girih.topology import IN, OUT, Channel

WAITING = ("cut_through", "store_and_forward")  # a finite buffer fills up, so a tile with one waits as well


@dataclass(frozen=True)
class Buffer:
    """A tile's storage for messages taken and not yet sent on."""

    tile: str

    @property
    def text(self) -> str:
        return f"tile {self.tile}"


@dataclass(frozen=True)
class Requests(Buffer):
    """What a tile whose requests have a fabric port of their own stores for them; its other messages wait elsewhere."""

    @property
    def text(self) -> str:
        return f"the requests of tile {self.tile}"


@dataclass(frozen=True)
class ControlRing:
    """The control network as one resource: an access may wait for other accesses, to any tile."""

    @property
    def text(self) -> str:
        return "the control network"


Resource = Channel | Buffer | ControlRing


@dataclass(frozen=True)
class Because:
    """Why a tile waits, as a sentence without a full stop. plain: only because its messages leave in order."""

    text: str
    plain: bool = False


HOLDS = {
    "cut_through": "takes more only as it sends on (cut-through)",
    "store_and_forward": "takes no more once its buffer is full (store and forward)",
    "drops": "holds lossless messages back, because it must not drop them",
}


def dependencies(card: Card, messages: Walk | None = None) -> Graph:
    """The graph of a card. Reasons are the `Path` of a message that goes from link to link, or a `Because`.

    messages: the result of `walk`, if it is known of a card that differs in positions alone.
    """
    graph = Graph()
    steps = in_order(card, (messages or walk(card)).steps)
    tiles = {tile.name: tile for tile in card.tiles}
    for start, end, path, reply in dict.fromkeys((step.start, step.after.at, step.path, step.after.reply) for step in steps):
        way = card.fabric.shape.route(tiles[start.tile].places[start.port], tiles[end.tile].places[end.port])
        graph.wait_in_turn([link.of_replies for link in way] if reply else way, path)
    for tile in card.tiles:
        comes = [step for step in steps if step.after.at.tile == tile.name and not step.after.reply]  # replies are always taken
        leaves = [step for step in steps if step.start.tile == tile.name]
        _add_tile(graph, card, tile, comes, leaves)
        if "reply" in tile.kind.waits:
            _add_replies(graph, card, tile, Buffer(tile.name), leaves, steps)
        if "request" in tile.kind.waits:
            _add_requests(graph, card, tile, comes, [step for step in leaves if step.start.port], steps)
    return graph


def _add_tile(graph: Graph, card: Card, tile: Tile, comes: list[Step], leaves: list[Step]) -> None:
    """Adds what the messages in a tile wait for, and what waits for the tile. comes, leaves: the steps into and out of the tile."""
    buffer, kind = Buffer(tile.name), tile.kind
    if is_scheduler(kind):  # it takes or drops new messages, and has room reserved for lossless ones that come back
        return
    lossless = [step for step in comes if step.after.lossless]
    if is_unit(kind):  # it has room for those
        lossless = [step for step in lossless if step.start.tile != card.scheduling.scheduler]
    if (comes and kind.buffering in WAITING) or (lossless and kind.buffering == "drops"):
        for place in tile.places:
            graph.wait(Channel(OUT, place, place), buffer, Because(f"{tile.name} {HOLDS[kind.buffering]}"))
    for message_class in sorted({int(step.after.reply) for step in leaves}):
        for place in tile.places[: 1 if kind.request_port else None]:
            graph.wait(buffer, Channel(IN, place, place, message_class), Because(f"what {tile.name} has leaves in order", plain=True))
    if "control" in kind.waits:
        graph.wait(buffer, ControlRing(), Because(f"{tile.name} waits for an answer of the control network"))
    if "data" in kind.waits:
        graph.wait(ControlRing(), buffer, Because(f"an access to {tile.name} waits for the messages in it"))


def _add_requests(graph: Graph, card: Card, tile: Tile, comes: list[Step], leaves: list[Step], steps: list[Step]) -> None:
    """A tile that takes no more until its requests, which leave by a port of their own, have left and been answered. leaves: these requests."""
    requests = Requests(tile.name)
    if comes:
        graph.wait(Channel(OUT, tile.at, tile.at), requests, Because(f"{tile.name} takes no more until its requests have left"))
    for place in sorted({tile.places[step.start.port] for step in leaves}):
        graph.wait(requests, Channel(IN, place, place), Because(f"the requests of {tile.name} leave in order", plain=True))
    _add_replies(graph, card, tile, requests, leaves, steps)


def _add_replies(graph: Graph, card: Card, tile: Tile, holder: Resource, leaves: list[Step], steps: list[Step]) -> None:
    """A tile that waits for replies waits for the whole path of each reply to its messages: only replies of class 1, if it takes those."""
    after: dict[State, list[State]] = {}
    for step in steps:
        after.setdefault(step.before, []).append(step.after)
    asked = dict.fromkeys(step.after for step in leaves)
    queue = list(asked)
    for state in queue:
        more = [other for other in after.get(state, ()) if other not in asked]
        asked |= dict.fromkeys(more)
        queue += more
    for step in steps:
        if step.after.at.tile == tile.name and step.after.reply == tile.kind.takes_replies and step.before in asked:
            place = card.tile(step.start.tile).places[step.start.port]
            because = Because(f"{tile.name} sends no more before {step.start.tile} has answered")
            graph.wait(holder, Channel(IN, place, place, int(step.after.reply)), because)


def lossless_tiles(messages: Walk) -> frozenset[str]:
    """The tiles that lossless messages can reach."""
    return frozenset(step.after.at.tile for step in messages.steps if step.after.lossless)
