# SPDX-License-Identifier: Apache-2.0
"""How much is expected on the ways of messages, and on each link: what comes in by the ports, shared out at every tile.

A message is followed from its port until it leaves the card. What the design does not say is shared evenly: over the
entries of a node table, the chains of a card, the units of a service. Drops, detours and messages that tiles make of
their own are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from girih.compiler.model import Card, Hop, Tile
from girih.compiler.paths import possible_hops
from girih.compiler.scheduling import PUSH, Chain, ChainHop
from girih.topology import Channel

MOST_TILES = 64  # that one message is followed through: some go round for ever
Parts = dict[str, float]  # Gbps at the tiles where messages go on


@dataclass(frozen=True, order=True)
class End:
    """A fabric port of a tile: messages come from there, or go there."""

    tile: str
    port: int = 0


Flows = dict[tuple[End, End], float]  # Gbps from one straight to the other


def link_gbps(card: Card) -> float:
    """What a link carries, all its bytes used."""
    return card.params.data_width * card.clock_mhz / 1000


def expected_flows(card: Card) -> Flows:
    """What goes from tile to tile. A design that gives no Gbps is taken to receive as much as a link carries."""
    flows: Flows = {}
    tiles = {tile.name: tile for tile in card.tiles}
    given = dict(card.traffic.ports)
    for tile in card.tiles:
        if "axis_in" not in tile.kind.uses:
            continue
        gbps = given.get(tile.port, 0.0) if given else link_gbps(card)
        parts = _sent(tile, tile.port, gbps, card, flows)
        for _ in range(MOST_TILES):
            after: Parts = {}
            for name, gbps in parts.items():
                if gbps and tiles[name].kind.has_output and "axis_out" not in tiles[name].kind.uses:
                    _add(after, _sent(tiles[name], tile.port, gbps, card, flows))
            parts = after
    return {way: gbps for way, gbps in flows.items() if gbps}


def link_loads(card: Card) -> dict[Channel, float]:
    """Gbps on each link that is expected to carry any."""
    loads: dict[Channel, float] = {}
    for (start, end), gbps in expected_flows(card).items():
        for channel in card.fabric.shape.route(_place(card, start), _place(card, end)):
            loads[channel] = loads.get(channel, 0.0) + gbps
    return loads


def overloads(card: Card) -> dict[Channel, float]:
    """Gbps on each link that is to carry more than it can; nothing where the design does not say what its ports receive."""
    most = link_gbps(card) * (1 + 1e-9)
    return {channel: gbps for channel, gbps in link_loads(card).items() if gbps > most} if card.traffic.ports else {}


def _place(card: Card, end: End) -> tuple[int, ...]:
    return card.tile(end.tile).places[end.port]


def _add(sums: dict, more: dict) -> None:
    for key, value in more.items():
        sums[key] = sums.get(key, 0.0) + value


def _evenly(things: Iterable, given: dict | None = None) -> Iterator[tuple]:
    """Each thing with its part of the whole: as given, else the same for all."""
    things = list(things)
    shares = [given.get(thing, 0.0) for thing in things] if given else [1.0] * len(things)
    yield from ((thing, share / sum(shares)) for thing, share in zip(things, shares, strict=True) if share)


def _send(start: End, ends: Iterable[tuple[End, float]], gbps: float, flows: Flows) -> Parts:
    """Shares of so many Gbps go from one place to others, and are added to `flows`; they are then at these tiles."""
    parts: Parts = {}
    for end, share in ends:
        _add(flows, {(start, end): gbps * share})
        _add(parts, {end.tile: gbps * share})
    return parts


def _sent(tile: Tile, port: int, gbps: float, card: Card, flows: Flows) -> Parts:
    """What a tile sends of the traffic of an Ethernet port, added to `flows`; what then goes on, and where."""
    queues = [hop for hop in tile.hops if hop.to == card.scheduling.scheduler]
    if not queues:
        return _send(End(tile.name), _shared(tile, possible_hops(tile, port), card), gbps, flows)
    parts: Parts = {}
    for chain, share in _evenly([None, *_chains(card)], _chain_shares(card)):
        if chain is None:
            others = [End(hop.to, hop.port) for hop in (*tile.ways, *tile.hops) if hop not in queues]
            _add(parts, _send(End(tile.name), _evenly(others), gbps * share, flows))
        else:
            for queue, part in _evenly(End(hop.to, hop.port) for hop in queues):
                _add(parts, _along(chain, tile, queue, gbps * share * part, card, flows))
    return parts


def _shared(tile: Tile, hops: Iterable[Hop], card: Card) -> Iterator[tuple[End, float]]:
    """Where a tile sends to, by its node table or as it is configured, and the share of each."""
    given = dict(dict(card.traffic.tiles).get(tile.name, ()))
    ends = [End(hop.to, hop.port) for hop in hops]
    if not given or not any(given.get(end.tile) for end in ends):
        yield from _evenly(ends)
        return
    once = list(dict.fromkeys(ends))  # a tile's share is the same, by however many keys it is reached
    yield from _evenly(once, {end: given.get(end.tile, 0.0) for end in once})


def _chains(card: Card) -> tuple[Chain, ...]:
    """Those of the design, else one to each service: chains are then added while the card runs."""
    services = card.scheduling.services
    alone = (Chain(service.name, service.number, (ChainHop(service.name, 0, 0),), None, None, ()) for service in services)
    return card.scheduling.chains or tuple(alone)


def _chain_shares(card: Card) -> dict[Chain | None, float]:
    by_name = {chain.name: chain for chain in card.scheduling.chains}
    return {by_name.get(name): share for name, share in card.traffic.chains}


def _along(chain: Chain, tile: Tile, queue: End, gbps: float, card: Card, flows: Flows) -> Parts:
    """From a tile to a queue of the scheduler, from unit to unit by push or over the scheduler, and to the exit."""
    _send(End(tile.name), [(queue, 1.0)], gbps, flows)
    at = {queue: gbps}
    for step, hop in enumerate(chain.hops):
        service = card.scheduling.service(hop.service)
        if step and service.push == PUSH.index("never"):
            at = _moved(at, lambda unit: _queue_of(unit, card), flows)
        units = [End(unit) for unit in service.units]
        at = _moved(at, lambda _, units=units: units, flows)
    exits = [chain.exit] if chain.exit else [hop.to for hop in tile.ways]
    parts: Parts = {}
    for unit, part in at.items():
        _add(parts, _send(unit, _evenly(map(End, exits)), part, flows))
    return parts


def _moved(at: dict[End, float], ends: Callable[[End], list[End]], flows: Flows) -> dict[End, float]:
    """What is at some places goes to the `ends` of each, evenly; a unit does not send to itself."""
    after: dict[End, float] = {}
    for start, gbps in at.items():
        for end, share in _evenly(ends(start)):
            if end != start:
                _send(start, [(end, share)], gbps, flows)
            _add(after, {end: gbps * share})
    return after


def _queue_of(unit: End, card: Card) -> list[End]:
    """Where a unit gives packets back to the scheduler."""
    return [End(hop.to, hop.port) for hop in card.tile(unit.tile).hops if hop.to == card.scheduling.scheduler]
