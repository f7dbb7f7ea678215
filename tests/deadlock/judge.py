# SPDX-License-Identifier: Apache-2.0
"""An independent judge of whether a small design hangs: it plays messages and looks whether all of them get out.

It shares nothing with the compiler: a `Plan` says what a design is, `text` writes it as a design file, and `Play` moves flits.
A link holds one flit and belongs to one message from its head to its tail. A tile that stores messages stores one. Play is random
and hard on the design: while ports send, wires and engines stop for a while; then the ports stop sending, and everything else
continues until nothing moves any more. A message that is then left hangs. So a hang that `hangs` reports is one; a design
that it does not see hang in many rounds most likely never does.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

LONGEST = 14  # flits of a message: more than most paths have links
TOKENS = 2  # of the scheduler, for lossless messages on their way through chains; it drops new ones that find no token
SENT = 2  # lossless messages that the scheduler may send to a unit before it releases one; the unit has room for as many
MEMORY = 3  # messages that the scheduler stores, besides those with a token
FILL, DRAIN = 120, 5000  # cycles


@dataclass(frozen=True)
class Place:
    """A tile of a plan. kind: port, eth_rx, eth_tx, relay, buffer, balancer, icmp, unit or scheduler. next: the next tile by
    Ethernet port, 0 for a kind that has one; of a balancer, all replicas. at: the position of each of its fabric ports."""

    kind: str
    at: tuple[tuple[int, ...], ...]
    port: int = 0
    next: tuple[str, ...] = ()
    exit: str | None = None
    lossless: bool = False


@dataclass(frozen=True)
class Plan:
    """mesh: its size, None for a crossbar. services: units and push ("never", "credit", "always"). chains: services and exit."""

    mesh: tuple[int, int] | None
    tiles: dict[str, Place]
    services: tuple[tuple[tuple[str, ...], str], ...] = ()
    chains: tuple[tuple[tuple[int, ...], str | None], ...] = ()

    @property
    def ports(self) -> int:
        return sum(tile.kind in ("port", "eth_rx") for tile in self.tiles.values())


def text(plan: Plan) -> str:
    """The plan as a design file; kinds for cards with services are the stubs from the tests of the compiler."""
    fabric = f"{{mesh: [{plan.mesh[0]}, {plan.mesh[1]}]}}" if plan.mesh else f"{{crossbar: {1 + max(tile.at[-1][0] for tile in plan.tiles.values())}}}"
    lines = ["name: card_1", "mac: 02:67:69:72:69:68", "ip: 10.77.0.2/24", f"fabric: {fabric}", f"ports: {plan.ports}", "tiles:"]
    for name, tile in plan.tiles.items():
        keys: dict[str, object] = {"kind": {"port": "stub_port", "scheduler": "stub_scheduler", "unit": "stub_unit"}.get(tile.kind, tile.kind)}
        places = [list(place) if plan.mesh else place[0] for place in tile.at]
        keys["at"] = places[0] if len(places) == 1 or not plan.mesh else places
        if tile.kind in ("port", "eth_rx", "eth_tx"):
            keys["port"] = tile.port
        if tile.kind == "port":
            keys |= {"exit": tile.exit, "lossless": str(tile.lossless).lower()}
        if tile.kind == "scheduler":
            keys["channels"] = len(tile.at)
        if tile.kind == "balancer":
            keys["next"] = f"[{', '.join(tile.next)}]"
        elif tile.kind == "eth_rx":
            keys["next"] = f"{{{', '.join(f'{key}: {to}' for key, to in zip(('ipv4', 'arp', 'any'), tile.next))}}}"
        elif tile.next:
            keys["next"] = f"{{{', '.join(f'{port}: {to}' for port, to in enumerate(tile.next) if to)}}}" if len(tile.next) > 1 else tile.next[0]
        lines.append(f"  {name}: {{{', '.join(f'{key}: {value}' for key, value in keys.items())}}}")
    if plan.services:
        lines.append("services:")
        lines += [f"  s{n}: {{units: [{', '.join(units)}], push: {push}}}" for n, (units, push) in enumerate(plan.services)]
    if plan.chains:
        lines.append("chains:")
        for number, (services, exit) in enumerate(plan.chains):
            more = f", exit: {exit}" if exit else ""
            lines.append(f"  c{number}: {{services: [{', '.join(f's{n}' for n in services)}]{more}}}")
    return "\n".join([*lines, ""])


@dataclass
class Message:
    """chain: the services that are left. exit: where it goes after them. route: the units to which it will be pushed. src: the tile
    that sent it last. lane: the fabric port of the scheduler at which it is stored. token: it holds a token of the scheduler."""

    port: int
    lossless: bool
    length: int
    chain: tuple[int, ...]
    exit: str | None
    src: str
    route: tuple[str, ...] = ()
    lane: int = 0
    token: bool = False


Link = tuple  # ("in", place), (place, place) or ("out", place)


class Worm:
    """A message between two tiles. entered: how many of its flits have entered each link of its path, and last the tile.
    there: how many can enter the first link; all of a message that was stored, otherwise those that have arrived so far."""

    def __init__(self, message: Message, to: str, links: list[Link], there: int):
        self.message, self.to, self.links, self.there = message, to, links, there
        self.entered = [0] * (len(links) + 1)
        self.child: Worm | None = None  # the same message behind a cut-through tile
        self.verdict: str | None = None  # its fate in the tile, once decided


class Play:
    """A card in play. led: by tile, the fabric port of the scheduler to which it sends."""

    def __init__(self, plan: Plan, led: Mapping[str, int], rng: random.Random):
        self.plan, self.led, self.rng = plan, led, rng
        self.units = {unit: number for number, (units, _) in enumerate(plan.services) for unit in units}
        visited = {service for services, _ in plan.chains for service in services}
        alone = (((service,), None) for service in range(len(plan.services)) if service not in visited)
        self.chains = (*plan.chains, *alone)
        self.owner: dict[Link, Worm] = {}
        self.worms: list[Worm] = []
        self.stored: dict[str, list[Message]] = {name: [] for name in plan.tiles}
        self.back: dict[str, list[Message]] = {name: [] for name in plan.tiles}  # what units send back
        self.coming: dict[str, list[tuple[str, Message]]] = {name: [] for name in plan.tiles}  # messages for which they have reserved room
        self.sent_to = dict.fromkeys(plan.tiles, 0)  # lossless messages sent to a unit that it has not released
        self.tokens = TOKENS
        self.decided: dict[int, list[tuple[Message, str]]] = {lane: [] for lane in range(4)}  # what the scheduler sends next
        self.moved = False

    def hangs(self) -> bool:
        """Plays once; whether messages are left that no longer move, or that circulate for ever."""
        tiles = self.plan.tiles
        lengths = self.rng.choice(((1,), (2, LONGEST), (LONGEST,), (1, 5, LONGEST)))
        for _ in range(self.rng.randint(1, 4)):
            shut = {name for name, tile in tiles.items() if tile.kind in ("port", "eth_tx", "unit") and self.rng.random() < 0.6}
            quiet = {name for name, tile in tiles.items() if tile.kind in ("port", "eth_rx") and self.rng.random() < 0.2}
            for _ in range(FILL):
                for name, tile in tiles.items():
                    if tile.kind in ("port", "eth_rx") and name not in quiet:
                        self._receive(name, tile, self.rng.choice(lengths))
                self._cycle(shut)
        for _ in range(DRAIN):
            self.moved = False
            self._cycle(set())
            if not self.moved:
                return bool(self.worms) or any(self.stored.values())
        return True

    def _cycle(self, shut: set[str]) -> None:
        for name, tile in self.plan.tiles.items():
            if tile.kind == "scheduler":
                self._dispatch(name)
            elif name not in shut:
                self._send(name)
        self.rng.shuffle(self.worms)
        for worm in list(self.worms):
            self._advance(worm, shut)

    # Links.

    def _way(self, start: tuple[int, ...], end: tuple[int, ...]) -> list[Link]:
        links: list[Link] = [("in", start)]
        at = start
        while self.plan.mesh and at != end:
            axis = 0 if at[0] != end[0] else 1
            step = 1 if end[axis] > at[axis] else -1
            after = (at[0] + step, at[1]) if axis == 0 else (at[0], at[1] + step)
            links.append((at, after))
            at = after
        return [*links, ("out", end)]

    def _launch(self, name: str, message: Message, to: str, lane: int = 0, there: int | None = None) -> Worm:
        """A message begins to leave a tile; it owns its first link as soon as that is free."""
        tiles = self.plan.tiles
        end = tiles[to].at[self.led.get(name, 0) if tiles[to].kind == "scheduler" else 0]
        message.src = name
        worm = Worm(message, to, self._way(tiles[name].at[lane], end), message.length if there is None else there)
        self.worms.append(worm)
        self.moved = True
        return worm

    def _free(self, name: str, lane: int = 0) -> bool:
        """Whether no message of a tile is on its first link or waits for it."""
        link = ("in", self.plan.tiles[name].at[lane])
        return link not in self.owner and not any(worm.links[0] == link and worm.entered[0] == 0 for worm in self.worms)

    def _advance(self, worm: Worm, shut: set[str]) -> None:
        """Moves each flit by at most one link, the foremost first."""
        last = len(worm.links)
        for place in range(last, -1, -1):
            behind = worm.there if place == 0 else worm.entered[place - 1]
            if behind == worm.entered[place]:
                continue
            if place == last:
                if not self._taken(worm, shut):
                    continue
            else:
                link = worm.links[place]
                if worm.entered[place] > worm.entered[place + 1] or self.owner.setdefault(link, worm) is not worm:
                    continue
            worm.entered[place] += 1
            self.moved = True
            if place > 0 and worm.entered[place] == worm.message.length:
                del self.owner[worm.links[place - 1]]
        if worm.entered[last] == worm.message.length:
            self.worms.remove(worm)

    # Tiles.

    def _receive(self, name: str, tile: Place, length: int) -> None:
        if not self._free(name):
            return
        if tile.kind == "eth_rx":
            self._launch(name, Message(tile.port, False, length, (), None, name), self.rng.choice(tile.next))
            return
        services, exit = self.rng.choice((((), None), *self.chains))
        message = Message(tile.port, tile.lossless, length, tuple(services), exit or tile.exit, name)
        to = self._scheduler(name) if services else tile.exit
        self._launch(name, message, to)

    def _scheduler(self, name: str) -> str:
        """The tile to which the node table of a port or a unit sends messages whose chain is not done."""
        own = self.plan.tiles[name].next
        return own[0] if own else next(name for name, tile in self.plan.tiles.items() if tile.kind == "scheduler")

    def _taken(self, worm: Worm, shut: set[str]) -> bool:
        """Whether the tile at the end of a path takes the next flit."""
        tile, message = self.plan.tiles[worm.to], worm.message
        if tile.kind in ("port", "eth_tx"):
            return worm.to not in shut
        if tile.kind in ("relay", "balancer"):
            return self._passed_on(worm, tile)
        if worm.verdict is None:
            worm.verdict = self._verdict(worm.to, tile, message)
            if worm.verdict is None:
                return False
            if worm.verdict != "drop":
                self.coming[worm.to].append((worm.verdict, message))
        if worm.entered[-1] + 1 == message.length and worm.verdict != "drop":
            self.coming[worm.to].remove((worm.verdict, message))
            (self.back if worm.verdict == "back" else self.stored)[worm.to].append(message)
        return True

    def _passed_on(self, worm: Worm, tile: Place) -> bool:
        """Whether a cut-through tile takes a flit: it does when it can send one."""
        if worm.child is None:
            to = tile.next[worm.message.port] if tile.kind == "relay" and len(tile.next) > 1 else self.rng.choice(tile.next)
            worm.child = self._launch(worm.to, replace(worm.message), to, there=0)
        child = worm.child
        first = child.links[0]
        if child.entered[0] > child.entered[1] or child.there > child.entered[0] or self.owner.setdefault(first, child) is not child:
            return False
        child.there += 1
        return True

    def _verdict(self, name: str, tile: Place, message: Message) -> str | None:
        """The fate of a message at a tile: store, back (to the scheduler), drop, or None while it waits."""
        if tile.kind == "scheduler":
            return self._admitted(name, message)
        here = [("store", other) for other in self.stored[name]] + [("back", other) for other in self.back[name]] + self.coming[name]
        if tile.kind == "unit":
            same = sum(verdict == "store" and other.lossless == message.lossless for verdict, other in here)
            if same < (SENT if message.lossless else 1):
                return "store"
            if not any(verdict == "back" for verdict, _ in here):
                if message.lossless:
                    self.sent_to[name] -= 1
                return "back"
        elif not here:
            return "store"
        return None if message.lossless or tile.kind == "icmp" else "drop"

    def _admitted(self, name: str, message: Message) -> str | None:
        """The fate of a message at the scheduler, where none waits: a new lossless one without a token is dropped, too."""
        message.lane = self.led.get(message.src, 0)
        if message.lossless:
            new = message.src not in self.units
            if new and self.tokens == 0:
                return "drop"
            if message.chain and new:
                self.tokens -= 1
                message.token = True
            return "store" if message.chain else "drop"
        here = [*self.stored[name], *(other for _, other in self.coming[name])]
        return "store" if message.chain and sum(not other.lossless for other in here) < MEMORY else "drop"

    def _dispatch(self, name: str) -> None:
        """Messages that have been scheduled leave by their lanes. The next one is chosen for all lanes together, and only while
        each lane has little left to send."""
        for lane, waiting in self.decided.items():
            if waiting and self._free(name, lane):
                message, unit = waiting.pop(0)
                self._launch(name, message, unit, lane)
        if any(len(waiting) > 1 for waiting in self.decided.values()):
            return
        ready = []
        for message in self.stored[name]:
            unit = self.rng.choice(self.plan.services[message.chain[0]][0])
            if not (message.lossless and self.sent_to[unit] >= SENT):
                ready.append((message, unit))
        if not ready:
            return
        message, unit = self.rng.choice(ready)
        self.stored[name] = [other for other in self.stored[name] if other is not message]
        message.route = self._route(message, unit)
        if message.lossless:
            self.sent_to[unit] += 1
            if message.token and len(message.chain) == 1:
                self.tokens, message.token = self.tokens + 1, False
        self.decided[message.lane].append((message, unit))
        self.moved = True

    def _route(self, message: Message, unit: str) -> tuple[str, ...]:
        """The units to which it will be pushed, from the first one on; a unit cannot send to itself."""
        route = [unit]
        for service in message.chain[1:]:
            units, push = self.plan.services[service]
            after = self.rng.choice(units)
            if message.lossless or push == "never" or after == route[-1] or (push == "credit" and self.rng.random() < 0.5):
                break
            route.append(after)
        return tuple(route[1:])

    def _send(self, name: str) -> None:
        """The messages that a tile has stored begin to leave."""
        tile = self.plan.tiles[name]
        if not self._free(name) or not (self.stored[name] or self.back[name]):
            return
        if self.back[name] and (not self.stored[name] or self.rng.random() < 0.5):
            message = self.back[name].pop(0)
            message.route = ()
            self._launch(name, message, self._scheduler(name))
            return
        message = self.stored[name].pop(0)
        if tile.kind != "unit":
            to = tile.next[message.port] if len(tile.next) > 1 else tile.next[0]
        else:
            if message.lossless:
                self.sent_to[name] -= 1
            message.chain = message.chain[1:]
            to = message.exit if not message.chain else message.route[0] if message.route else self._scheduler(name)
            message.route = message.route[1:]
        self._launch(name, message, to)


def hangs(plan: Plan, led: Mapping[str, int], rng: random.Random, rounds: int) -> bool:
    """Whether one of this many rounds ends with messages that cannot leave."""
    return any(Play(plan, led, rng).hangs() for _ in range(rounds))
