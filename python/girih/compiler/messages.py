# SPDX-License-Identifier: Apache-2.0
"""Messages as a state machine: the properties of a message that determine its path, and every step that it can take.

`walk` follows every message of a card from the port where it arrives to its end: by node tables, through the
scheduler and the units of its chain, to its exit and beyond. Everything that the compiler knows about messages
comes from this one walk: paths and kinds of traffic (`girih.compiler.paths`), what waits for what
(`girih.compiler.dependencies`), and the load of each path (`girih.compiler.traffic`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property

from girih.compiler.check.chains import is_scheduler, is_unit
from girih.compiler.model import Card, Hop, Tile, once_per_card
from girih.compiler.scheduling import PUSH, Chain, ChainHop, Service

NEVER = PUSH.index("never")
ALWAYS = PUSH.index("always")
REPLIES = "replies"  # the word in a node table for the messages that a tile makes from replies
REPLY = "reply"  # the label of a path of replies
NO_PORT = -1  # the port of a message that came by no Ethernet port
ETHERNET_PORT = "ethernet_port"  # the setting with the port of the messages that a tile originates


@dataclass(frozen=True, order=True)
class End:
    """A fabric port of a tile, as the start or the end of a path."""

    tile: str
    port: int = 0


@dataclass(frozen=True)
class Path:
    """A direct path of messages from one tile to another; `label` says which messages."""

    src: str
    dst: str
    label: str


@dataclass(frozen=True)
class State:
    """A message in a tile, with all properties that determine where it can go.

    at: the tile, and the fabric port by which it arrived. port: the Ethernet port by which it arrived. new: it has arrived
    by that port and has not been on the fabric. lossless: it is never dropped. chain: its number in
    `chains_of` while services are left to visit, `hop` the next of them. routed: the scheduler's source route brought it
    here. exit: where it goes when its chain is done. asked_by: in a tile that answers, the tile that gets the reply. reply: it is
    a reply. word: in a tile whose node table has words for the messages of one tile
    (`asked_by`), that of this message. labels: what is known of it so far, if `with_labels`.
    """

    at: End
    port: int
    new: bool = False
    lossless: bool = False
    chain: int | None = None
    hop: int = 0
    routed: bool = False
    exit: str | None = None
    asked_by: str | None = None
    reply: bool = False
    word: str | None = None
    labels: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once, because graphs of states ask for it millions of times."""
        return hash(tuple(getattr(self, field.name) for field in fields(self)))


@dataclass(frozen=True)
class Step:
    """A message goes directly from the tile of one state to that of another. start: the fabric port by which it leaves.

    seldom: it is not the usual path: a unit sends it back, or the scheduler found no unit to which to push it.
    """

    before: State
    start: End
    path: Path
    after: State
    seldom: bool = False


@dataclass(frozen=True)
class Walk:
    """All states that messages of a card can be in, from the ports on, and all steps between them. chains: by number."""

    chains: tuple[Chain, ...]
    states: tuple[State, ...]
    steps: tuple[Step, ...]

    @cached_property
    def steps_from(self) -> dict[State, tuple[Step, ...]]:
        """The steps from each state; none from a state in which a message ends."""
        found: dict[State, list[Step]] = {state: [] for state in self.states}
        for step in self.steps:
            found[step.before].append(step)
        return {state: tuple(steps) for state, steps in found.items()}


@once_per_card
def walk(card: Card) -> Walk:
    """Follows the messages of a card, breadth first; ports assign all chains that there are or can be."""
    return _walk(card, chains_of(card))


def usual_walk(card: Card, chains: tuple[Chain, ...], with_labels: bool = False) -> Walk:
    """The same without seldom steps. chains: those that ports assign. with_labels: states distinguish kinds of traffic."""
    return _walk(card, chains, with_labels, usual=True)


def _walk(card: Card, chains: tuple[Chain, ...], with_labels: bool = False, usual: bool = False) -> Walk:
    machine = _Machine(card, chains, with_labels)
    states = dict.fromkeys(state for tile in card.tiles if "axis_in" in tile.kind.uses for state in machine.received(tile))
    states |= dict.fromkeys(State(End(tile.name), _port_of(tile), new=True) for tile in card.tiles if begins_messages(tile))
    steps, queue = [], list(states)
    for state in queue:
        for step in machine.steps(state):
            if usual and step.seldom:
                continue
            steps.append(step)
            if step.after not in states:
                states[step.after] = None
                queue.append(step.after)
    return Walk(machine.chains, tuple(states), tuple(steps))


def chains_of(card: Card) -> tuple[Chain, ...]:
    """The chains of a design, and one for each service that is in no chain, because chains for it can be added while the card runs."""
    visited = {hop.service for chain in card.scheduling.chains for hop in chain.hops}
    alone = (_alone(service) for service in card.scheduling.services if service.name not in visited)
    return (*card.scheduling.chains, *alone)


def asks_by_itself(tile: Tile) -> bool:
    """Whether a tile sends requests that no message from a port has caused."""
    return tile.kind.takes_replies and (bool(tile.kind.requests) or not tile.kind.has_input) and "axis_in" not in tile.kind.uses


def at_host(tile: Tile) -> bool:
    """Whether the host sends and receives messages through a tile."""
    return "host" in tile.kind.uses and tile.kind.has_output


def begins_messages(tile: Tile) -> bool:
    """Whether a tile originates messages, which came by no port of the card."""
    return asks_by_itself(tile) or at_host(tile) or speaks_by_itself(tile)


def speaks_by_itself(tile: Tile) -> bool:
    """Whether a tile sends messages but takes none of any sort."""
    return tile.kind.has_output and not (tile.kind.has_input or tile.kind.takes_replies or {"axis_in", "host"} & {*tile.kind.uses})


def _port_of(tile: Tile) -> int:
    """The Ethernet port of the messages that a tile originates."""
    port = dict(tile.config).get(ETHERNET_PORT, NO_PORT) if speaks_by_itself(tile) else NO_PORT
    return port if isinstance(port, int) else NO_PORT


def ends(tile: Tile, state: State) -> bool:
    """Whether a message is at its end: it arrived from the fabric at a tile that leads out of the card, or it is a reply from which the tile makes no message."""
    if state.reply:
        return not _of_replies(tile)
    if state.asked_by is not None:
        return False
    return not tile.kind.has_output or (not state.new and ("axis_out" in tile.kind.uses or at_host(tile)))


def requests_of(tile: Tile) -> tuple[Hop, ...]:
    """The hops for requests of a tile that takes replies: those of its words for requests, or all but the hop for messages that it makes from replies."""
    names = tile.kind.next.names if tile.kind.next else {}
    if tile.kind.requests:
        return tuple(hop for hop in tile.hops if hop.key in tile.kind.requests.values())
    if REPLIES not in names:
        return tile.hops
    return tuple(dict.fromkeys(hop for name, key in names.items() if name != REPLIES for hop in _of_key(tile, key)))


def passes_on(tile: Tile) -> tuple[Hop, ...]:
    """The hops for messages that pass through a tile which also sends requests of its own."""
    return tuple(hop for hop in tile.hops if hop not in requests_of(tile)) if tile.kind.requests else ()


def makes_lossless(tile: Tile) -> bool:
    """Whether a tile makes messages of its port lossless."""
    return tile.kind.lossless is not None and bool(dict(tile.config)[tile.kind.lossless])


def gives_chains(tile: Tile) -> bool:
    """Whether a tile assigns chains to messages from its port."""
    return tile.kind.gives_chains and "axis_in" in tile.kind.uses


def changes_chains(tile: Tile) -> bool:
    """Whether a tile assigns chains to the messages that come to it from the fabric."""
    return tile.kind.gives_chains and "axis_in" not in tile.kind.uses


def _exit(tile: Tile) -> str | None:
    """The tile to which messages of a tile go without a chain, or when it is done."""
    return tile.ways[0].to if tile.ways else None


def _alone(service: Service) -> Chain:
    return Chain(service.name, service.number, (ChainHop(service.name, 0, 0),), None, None, ())


@dataclass(frozen=True)
class _Machine:
    """The steps of a message, as the RTL takes them: rmt_pipeline, tile_sender, route_maker, traffic_manager, unit_pkg."""

    card: Card
    chains: tuple[Chain, ...]
    with_labels: bool

    @cached_property
    def tiles(self) -> dict[str, Tile]:
        return {tile.name: tile for tile in self.card.tiles}

    @cached_property
    def services(self) -> dict[str, Service]:
        return {service.name: service for service in self.card.scheduling.services}

    def received(self, tile: Tile) -> Iterator[State]:
        """The messages that arrive by the port of a tile: with each of the chains, and without one."""
        assert tile.port is not None, "only a tile at a port receives"
        plain = State(End(tile.name), tile.port, new=True, lossless=makes_lossless(tile))
        yield from self._matched(tile, plain) if gives_chains(tile) else (replace(plain, exit=_exit(tile)),)

    def _matched(self, tile: Tile, state: State) -> Iterator[State]:
        """A message behind the tables of a tile: without a chain, and with each of them."""
        plain = replace(state, chain=None, hop=0, lossless=makes_lossless(tile), exit=_exit(tile))
        yield plain
        for number, chain in enumerate(self.chains):
            known = not self.with_labels or self._label(number) in state.labels
            labels = state.labels if known else (*state.labels, self._label(number))
            yield replace(plain, chain=number, exit=chain.exit or plain.exit, labels=labels)

    def steps(self, state: State) -> Iterator[Step]:
        tile = self.tiles[state.at.tile]
        if ends(tile, state):
            return
        if state.asked_by is not None:
            after = State(End(state.asked_by, int(self.tiles[state.asked_by].kind.request_port)), state.port, reply=True, labels=state.labels)
            yield Step(state, state.at, Path(tile.name, state.asked_by, REPLY), after)
            if tile.kind.takes_replies:  # it may ask others before it answers
                yield from self._by(tile, _possible(tile, state), state, state)
        elif state.reply:
            yield from self._by(tile, _of_replies(tile), state, replace(state, reply=False))
        elif is_scheduler(tile.kind):
            yield from self._dispatched(state)
        elif is_unit(tile.kind):
            yield from self._worked_on(tile, state)
        elif changes_chains(tile):
            for matched in self._matched(tile, state):
                table = tile.ways if matched.chain is None else _possible(tile, matched)
                yield from self._by(tile, table, state, matched, "" if matched.chain is None else self._label(matched.chain))
        elif state.new and gives_chains(tile) and state.chain is None:
            yield from self._by(tile, tile.ways, state, state)
        elif state.new and tile.kind.has_lanes and len(tile.places) > 1:
            label = self._label(state.chain)
            for key in tile.kind.next.names.values():
                yield from self._by(tile, _of_key(tile, key), state, state, label, lane=min(key, len(tile.places) - 1))
        elif tile.kind.applications_apart:
            first = tuple(dict.fromkeys(hop for word in tile.kind.next.first_port for hop in _of_key(tile, tile.kind.next.names[word])))
            others = tuple(hop for hop in tile.hops if hop.key is None or hop not in first)
            for lane, table in enumerate((first, others)):
                yield from self._by(tile, table, state, state, lane=lane)
        else:
            lane = int(tile.kind.request_port and state.new)
            yield from self._by(tile, _possible(tile, state), state, state, "" if state.chain is None else self._label(state.chain), lane=lane)

    def _dispatched(self, state: State) -> Iterator[Step]:
        """Steps to a unit of the next service, through the port by which the message arrived. A message without a chain is dropped."""
        if state.chain is not None:
            for unit in self._service(state).units:
                yield self._step(state, state.at, unit, replace(state, routed=True))

    def _worked_on(self, tile: Tile, state: State) -> Iterator[Step]:
        """Steps out of a unit: it has done its service, or it has no room and sends the message back unchanged. It has room for lossless messages from the scheduler."""
        here, table = End(tile.name), _possible(tile, state)
        done = replace(state, hop=state.hop + 1)
        if state.chain is None or done.hop == len(self.chains[state.chain].hops):
            if state.exit is not None:
                yield self._step(state, here, state.exit, replace(done, chain=None, hop=0, routed=False))
        else:
            pushed = self._pushed(tile, done) if state.routed and not state.lossless else ()
            yield from (self._step(state, here, unit, done) for unit in pushed)
            service = self._service(done)
            if not pushed or service.push != ALWAYS or len(pushed) < len(service.units):
                yield from self._by(tile, table, state, done, self._label(state.chain), seldom=bool(pushed))
        if not (state.lossless and state.routed):
            yield from self._by(tile, table, state, state, seldom=True)

    def _pushed(self, tile: Tile, state: State) -> tuple[str, ...]:
        """The units that the scheduler may have chosen in advance for the next service; a unit has no path to itself."""
        service = self._service(state)
        return () if service.push == NEVER or service.affinity else tuple(unit for unit in service.units if unit != tile.name)

    def _by(
        self, tile: Tile, hops: tuple[Hop, ...], before: State, after: State, label: str = "", seldom: bool = False, lane: int = 0
    ) -> Iterator[Step]:
        """Steps by entries of the node table, or to tiles that the configuration names. label: replaces those of the entries. lane:
        the fabric port by which the message leaves."""
        for hop in hops:
            if self.with_labels and _of_another_application(tile, hop, after.labels):
                continue
            tells = self.with_labels and after.chain is None and _tells(tile, hop) and hop.label not in after.labels
            then = replace(after, routed=False, labels=(*after.labels, hop.label)) if tells else replace(after, routed=False)
            path = Path(tile.name, hop.to, label or hop.label)
            asked_by = tile.name if self.tiles[hop.to].kind.sends_replies else None
            then = replace(then, at=End(hop.to, hop.port), new=False, asked_by=asked_by, word=self._word(tile, hop.to))
            yield Step(before, End(tile.name, lane), path, then, seldom)

    def _step(self, before: State, start: End, to: str, after: State) -> Step:
        """A step by a source route, of the scheduler or to an exit."""
        label = "exit" if before.chain is None else self._label(before.chain)
        return Step(before, start, Path(start.tile, to, label), replace(after, at=End(to), word=self._word(self.tiles[start.tile], to)))

    def _word(self, tile: Tile, to: str) -> str | None:
        """The word of the node table of the tile `to` that a message from this tile takes; None if it has none for it."""
        table, config = self.tiles[to].kind.next, dict(self.tiles[to].config)
        return next((word for word, setting in (table.asked_by if table else {}).items() if config[setting] == tile.node), None)

    def _service(self, state: State) -> Service:
        assert state.chain is not None, "a message without a chain has no service"
        return self.services[self.chains[state.chain].hops[state.hop].service]

    def _label(self, number: int) -> str:
        chain = self.chains[number]
        return f"{'chain' if chain in self.card.scheduling.chains else 'service'} {chain.name}"


def _possible(tile: Tile, state: State) -> tuple[Hop, ...]:
    """The hops that a message can take: of all entries that one key matches, the first."""
    table = tile.kind.next
    if tile.kind.takes_replies:
        return passes_on(tile) if tile.kind.requests and not state.new else requests_of(tile)
    if table is not None and state.word is not None:
        keys = [table.names[state.word]]
    elif table is not None and table.asked_by:
        return tuple(hop for hop in tile.hops if hop.key not in [table.names[word] for word in table.asked_by])
    elif table is not None and table.key == "port":
        keys = [state.port]
    elif table is not None and tile.kind.chained:
        keys = list(table.names.values())
    else:
        return (*tile.ways, *tile.hops)
    return tuple(dict.fromkeys(hop for key in keys for hop in _of_key(tile, key)))


def _of_replies(tile: Tile) -> tuple[Hop, ...]:
    """The hop for messages that a tile makes from replies, or none."""
    key = tile.kind.next.names.get(REPLIES) if tile.kind.takes_replies and tile.kind.next else None
    return () if key is None else _of_key(tile, key)


def _of_key(tile: Tile, key: int) -> tuple[Hop, ...]:
    """The first hop that a key matches, or none."""
    return tuple(hop for hop in tile.hops if hop.key in (key, None))[:1]


def _of_another_application(tile: Tile, hop: Hop, labels: tuple[str, ...]) -> bool:
    """Whether the hop is to an application of an end of byte streams, and the message is already known to belong to another one: a stream has one."""
    if "stream" not in tile.kind.groups or tile.kind.next is None:
        return False
    applications = {each.label for each in tile.hops if each.key not in tile.kind.next.names.values()}
    return hop.label in applications - set(labels) and not applications.isdisjoint(labels)


def _tells(tile: Tile, hop: Hop) -> bool:
    """Whether the hop depends on the kind of message; a choice by port or of a replica does not."""
    table = tile.kind.next
    return hop in tile.ways or (table is not None and hop.key is not None and table.key not in ("port", "replica"))
