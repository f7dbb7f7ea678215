# SPDX-License-Identifier: Apache-2.0
"""Several cards in one process, joined by links.

    with VirtualCard.open("designs/udp_echo.yaml") as a, VirtualCard.open("designs/shout.yaml") as b:
        rack = Rack({"a": a, "b": b})
        rack.join(("a", 0), ("b", 0), delay=500, loss=0.01)
        rack.run(100_000)

A link's least delay is how far a card may run ahead of the others, so the cards run side by side, each in a thread of its own,
and a run is the same in every repetition. What crosses a link depends neither on the number of threads nor on the length of a call to `run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from girih.card.virtual import QUIET_CYCLES, VirtualCard
from girih.errors import GirihError

DELAY = 250
"""Cycles of a link unless it is given another delay: a microsecond at 250 MHz, as a short cable and two MACs have."""

STEP = 10_000
"""Cycles at a time if there are no links; Ctrl-C waits as long."""

Port = tuple[str, int]
"""A card by its name in the rack, and the number of its Ethernet port."""


@dataclass
class Link:
    """One direction of a link. delay: in cycles. frames: that have left the sender so far."""

    source: Port
    target: Port
    delay: int
    frames: int = 0


class Rack:
    """Cards, and the links between their ports. Everything raises GirihError.

    Ports without a link keep what they had: a TAP device, a capture file, `inject` and `collect`.
    """

    def __init__(self, cards: Mapping[str, VirtualCard]):
        """cards: by their names, at least one; each of them may have run before. The caller closes them."""
        if not cards:
            raise GirihError("a rack needs a card", "Rack", "Give it at least one.")
        if len({id(card) for card in cards.values()}) < len(cards):
            raise GirihError("a card is in the rack twice", "Rack", "Open a second card of the same design.")
        self.cards = dict(cards)
        self.links: list[Link] = []
        self.cycle = 0
        """Cycles for which the rack has run."""
        self._starts = {name: card.cycle for name, card in self.cards.items()}

    def join(self, one: Port, other: Port, *, delay: int = DELAY, **faults: float) -> None:
        """Joins two ports by a link of both directions.

        A frame begins to enter `delay` cycles after its last beat has left, as behind a store-and-forward switch; a frame that
        is marked bad stays marked. faults: those of `VirtualCard.set_faults`, such as loss, applied where frames enter; `seed`
        is used at `one`, and the next number at `other`.
        """
        for name, port in (one, other):
            self._check(name, port)
        if one == other:
            raise GirihError("a link joins a port to itself", _place(one), "Join it to another one.")
        if delay < 1:
            raise GirihError(f"a link has a delay of {delay} cycles", _place(one), "Give it at least one cycle.")
        seed = int(faults.pop("seed", 1))
        for number, (name, port) in enumerate((one, other)):
            if faults:
                self.cards[name].set_faults(port, "in", **faults, seed=seed + number)
            self.cards[name].keep_output(True, port)
        self.links += [Link(one, other, delay), Link(other, one, delay)]

    def run(self, cycles: int) -> None:
        """Runs all cards for `cycles`. The first error of a card ends the run; its place starts with the card's name."""
        step = min((link.delay for link in self.links), default=STEP)
        with ThreadPoolExecutor(len(self.cards)) as pool:
            while cycles > 0:
                now = min(step, cycles)
                running = {name: pool.submit(card.run, now) for name, card in self.cards.items()}
                try:
                    _judge(running)
                except KeyboardInterrupt:  # the next call goes on from here
                    wait(running.values())
                    self._advance(now)
                    raise
                self._advance(now)
                cycles -= now

    def _advance(self, cycles: int) -> None:
        self.cycle += cycles
        self._carry()

    def run_until_quiet(self, quiet: int = QUIET_CYCLES, limit: int = 10_000_000) -> None:
        """Runs until every card has come to rest (`VirtualCard.run_until_quiet`) and no frame is on a link; an error after
        `limit`, and CardStalled when a card stalls."""
        if not self.rests_within(limit, quiet):
            raise GirihError(f"the rack has not come to rest in {limit} cycles", remedy="Give it more, or see what keeps sending.")

    def rests_within(self, cycles: int, quiet: int = QUIET_CYCLES) -> bool:
        """The same, and whether the rack has come to rest."""
        end = self.cycle + cycles
        while not all(card.rests_within(0, quiet) for card in self.cards.values()):
            if self.cycle >= end:
                return False
            self.run(min(quiet, end - self.cycle))
        return True

    def _carry(self) -> None:
        """Hands every frame that has left a card to the card at the other end, where it waits for its cycle."""
        for link in self.links:
            (source, port), (target, other) = link.source, link.target
            shift = self._starts[target] - self._starts[source] + link.delay
            for frame in self.cards[source].collect(port):
                self.cards[target].inject(other, frame.data, cycle=frame.last_cycle + shift, bad=frame.bad)
                link.frames += 1

    def _check(self, name: str, port: int) -> None:
        if name not in self.cards:
            raise GirihError(f"no card is called {name!r}", "Rack", f"There are: {', '.join(self.cards)}.")
        ports = self.cards[name].manifest.ports
        if not 0 <= port < ports:
            raise GirihError(f"the card has no port {port}", _place((name, port)), f"It has {ports}: 0 to {ports - 1}.")
        if any((name, port) in (link.source, link.target) for link in self.links):
            raise GirihError("the port has a link already", _place((name, port)), "Join another one.")


def _judge(running: Mapping[str, Future[None]]) -> None:
    """Waits for all cards. Raises the first error, with the card's name in its place."""
    for name, run in running.items():
        try:
            run.result()
        except GirihError as error:
            place = f"card {name}, {error.where}" if error.where else f"card {name}"
            raise GirihError(error.what, place, error.remedy) from error


def _place(port: Port) -> str:
    return f"{port[0]}, port {port[1]}"
