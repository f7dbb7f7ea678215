# SPDX-License-Identifier: Apache-2.0
"""The expected load of each path and each link: the traffic of the ports, divided at every tile.

A message is followed from its port until it leaves the card, by the steps of `girih.compiler.messages`. By default traffic
is shared evenly: over the entries of a node table, the chains of a card, the units of a service. Drops,
detours and messages that tiles originate are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from girih.compiler.messages import End, State, Step, chains_of, gives_chains, usual_walk
from girih.compiler.model import Card
from girih.topology import Channel

MOST_TILES = 64  # that one message is followed through: some circulate for ever
Flows = dict[tuple[End, End], float]  # Gbps directly from one to the other


def link_gbps(card: Card) -> float:
    """The capacity of a link, with all its bytes used."""
    return card.params.data_width * card.clock_mhz / 1000


def expected_flows(card: Card) -> Flows:
    """The load from tile to tile. If the design gives no Gbps, every port receives as much as a link carries."""
    chains = card.scheduling.chains or chains_of(card)
    found = usual_walk(card, chains)
    given = dict(card.traffic.ports)
    names: dict[str | None, float] = dict(card.traffic.chains)
    flows: Flows = {}
    at: dict[State, float] = {}
    for tile in card.tiles:
        new = [state for state in found.states if state.new and state.at.tile == tile.name]
        gbps = given.get(tile.port, 0.0) if given else link_gbps(card)
        by_chain = {state: names.get(None if state.chain is None else chains[state.chain].name, 0.0) for state in new}
        for state, share in _shared(new, by_chain if names and gives_chains(tile) else None):
            at[state] = gbps * share
    for _ in range(MOST_TILES):
        after: dict[State, float] = {}
        for state, gbps in at.items():
            for step, share in _shared(found.steps_from[state], _given(card, state, found.steps_from[state])):
                _add(flows, (step.start, step.after.at), gbps * share)
                _add(after, step.after, gbps * share)
        at = after
    return {way: gbps for way, gbps in flows.items() if gbps}


def link_loads(card: Card) -> dict[Channel, float]:
    """Gbps on each link that is expected to carry any."""
    loads: dict[Channel, float] = {}
    for (start, end), gbps in expected_flows(card).items():
        for channel in card.fabric.shape.route(_place(card, start), _place(card, end)):
            loads[channel] = loads.get(channel, 0.0) + gbps
    return loads


def overloads(card: Card) -> dict[Channel, float]:
    """Gbps on each overloaded link; empty if the design does not give the load of its ports."""
    most = link_gbps(card) * (1 + 1e-9)
    return {channel: gbps for channel, gbps in link_loads(card).items() if gbps > most} if card.traffic.ports else {}


def _place(card: Card, end: End) -> tuple[int, ...]:
    return card.tile(end.tile).places[end.port]


def _given(card: Card, state: State, steps: tuple[Step, ...]) -> dict[Step, float] | None:
    """The shares of the steps of a state in the design, None if it gives none. A tile's share is the same, by
    however many entries it is reached."""
    shares = dict(dict(card.traffic.tiles).get(state.at.tile, ()))
    ends = [step.after.at for step in steps]
    given = {step: shares.get(step.after.at.tile, 0.0) / ends.count(step.after.at) for step in steps}
    return given if any(given.values()) else None


def _shared(things: Iterable, given: dict | None) -> Iterator[tuple]:
    """Each item with its part of the whole: as given, else equal parts."""
    things = list(things)
    shares = [given[thing] for thing in things] if given else [1.0] * len(things)
    yield from ((thing, share / sum(shares)) for thing, share in zip(things, shares, strict=True) if share)


def _add(sums: dict, key: object, value: float) -> None:
    sums[key] = sums.get(key, 0.0) + value
