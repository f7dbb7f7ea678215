# SPDX-License-Identifier: Apache-2.0
"""A card that runs in real time: slices of cycles, and between them the control socket.

While nothing is in flight the card sleeps until a TAP device or a client has data, so an idle
card costs almost no processor time. The first SIGINT, SIGTERM or SIGHUP ends `serve`; a second SIGINT or SIGTERM ends the program at once.
"""

from __future__ import annotations

import select
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

from girih import interrupts
from girih.card.account import Account, account
from girih.card.control import ControlServer
from girih.card.progress import Progress
from girih.card.registers import ENDS, ON_THE_FABRIC, SOURCES
from girih.card.vhost_user import VhostUser
from girih.card.virtual import VirtualCard
from girih.errors import GirihError

SLICE_SECONDS = 0.02
SHORT_SLICE_SECONDS = 0.001
"""While a client asks: it makes its next request when it has the answer, and would wait for the end of a slice each time."""
ASKED_SECONDS = 0.1
"""How long after a request the next one is expected."""
BUSY_CYCLES = 2048
"""If a port moved within this many cycles, the card may still have work inside."""
IDLE_CYCLES = 256
"""How far the clock of an idle card advances each time it is polled."""
REST_SECONDS = 2.5
"""How long a card may take to come to rest at the end of a run."""
LONG_SECONDS = 5
"""If reading the counters takes longer, a message says why the end takes so long."""
REST_CYCLES = 2048
"""How far the card then runs between two checks of the time."""
COUNTED = (*SOURCES, *ENDS, *(name for names in ON_THE_FABRIC.values() for name in names))
"""Prefixes of the counters that change only when a message moves."""


class Session(Progress):
    """Runs a card and serves its control socket until it is told to stop."""

    def __init__(self, card: VirtualCard, *, control: bool = True, say: Callable[[str], None] | None = None):
        """say: called with the explanation whenever the card stalls."""
        super().__init__(card)
        self._say = say
        self._taps: dict[int, int] = {}
        self._handlers: dict[int, Any] = {}
        self.cable_gone: int | None = None
        """The port whose TAP device has been deleted."""
        self._control = control
        self._asked = 0.0  # when the last request came
        self.server: ControlServer | None = None
        """The control socket, while the session is entered."""
        self.guest: VhostUser | None = None
        """The back end of the card's host, which the session also serves."""

    def __enter__(self) -> Session:
        try:
            with interrupts.held_back():
                interrupts.check()
                self._handlers = {number: signal.signal(number, self._stop) for number in interrupts.taken()}
                if self._control:
                    self.server = ControlServer(self)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        with interrupts.held_back():
            if self.server:
                self.server.close()
            for number, handler in self._handlers.items():
                signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if not self.stopped:
            self.stopped = True
            self._handlers.pop(signal.SIGHUP, None)
            interrupts.ignore_hangups()
            return
        for number in self._handlers:  # nothing must interrupt the clean-up
            signal.signal(number, signal.SIG_IGN)
        self._handlers = {}
        raise KeyboardInterrupt

    def watch(self, port: int, descriptor: int) -> None:
        """Wakes an idle card when the TAP device of a port has a frame; notices when it is deleted."""
        self._taps[descriptor] = port

    def check_cables(self) -> None:
        """Raises GirihError if a TAP device has been deleted."""
        if self.cable_gone is not None:
            raise GirihError(f"the TAP device of port {self.cable_gone} has been deleted", self.card.manifest.name, "Start the card again.")

    def disconnect(self) -> None:
        """Ends the back end of the host; a second call does nothing."""
        guest, self.guest = self.guest, None
        if guest:
            guest.close()

    def serve(
        self, *, seconds: float | None = None, cycles: int | None = None, until: Callable[[], bool] | None = None
    ) -> None:
        """Runs for `seconds`, or `cycles`, or until `until()` or the card has stalled, or until it is stopped or a TAP device
        is gone."""
        deadline = None if seconds is None else time.monotonic() + seconds
        end = None if cycles is None else self.card.cycle + cycles
        while not self.stopped and self.cable_gone is None:
            if deadline is not None and time.monotonic() >= deadline:
                return
            left = None if end is None else end - self.card.cycle
            if left == 0 or (until is not None and (until() or self.stall)):
                return
            self._step(left)

    def finish(self, seconds: float = REST_SECONDS) -> Account:
        """Shuts the ports and runs until the card rests and no tile holds a message, `seconds` at most; its account.
        Raises CardStalled."""
        self.disconnect()
        self.card.shut_ports()
        deadline = time.monotonic() + seconds
        counting = self.card.registers.seconds_to_count()
        if counting > LONG_SECONDS and self._say:
            self._say(f"Reading the counters of a card of this size takes about {counting:.0f} s; Ctrl-C ends the run without them.")
        while True:
            rested = self.card.rests_within(REST_CYCLES)
            if rested or time.monotonic() >= deadline:
                found = self._account(rested)
                if (found.rested and not found.held) or time.monotonic() >= deadline:
                    return found
                self.card.run_slice(1 << 30, min(0.2, max(deadline - time.monotonic(), 0.01)))

    def _account(self, rested: bool) -> Account:
        """The account of now. A card at rest with a message in a tile may move again while its counters are read, which takes cycles: then it does not rest."""
        counters = self.card.registers.counters()
        found = account(self.card.manifest, counters, rested)
        if not rested or not (found.held or found.faults):
            return found
        again = self.card.registers.counters()
        moved = any(counters[tile][name] != value for tile, values in again.items() for name, value in values.items() if name.startswith(COUNTED))
        return replace(found, rested=not moved)

    def _step(self, left: int | None) -> None:
        busy = not self.paused and (left is not None or self.card.quiet_cycles < BUSY_CYCLES)
        self._wait(0 if busy else SLICE_SECONDS)
        if self.paused or self.stopped:
            return
        before, start = self.card.cycle, time.monotonic()
        wanted = (1 << 30) if busy else IDLE_CYCLES
        seconds = SHORT_SLICE_SECONDS if start - self._asked < ASKED_SECONDS else SLICE_SECONDS
        self.card.run_slice(wanted if left is None else min(wanted, left), seconds)
        self._look_for_a_stall()
        self.cable_gone = next((port for port in self._taps.values() if self.card.cable_gone(port)), None)
        if busy:
            self.busy_seconds += time.monotonic() - start
            self.busy_cycles += self.card.cycle - before

    def _look_for_a_stall(self) -> None:
        before, self.stall = self.stall, self.card.stall()
        if self.stall and not before and self._say:
            self._say(self.stall.text)

    def _wait(self, seconds: float) -> None:
        descriptors = list(self._taps) if not self.paused else []
        if self.server:
            descriptors += self.server.descriptors()
        if self.guest:
            descriptors += self.guest.descriptors()
        try:
            ready, _, _ = select.select(descriptors, [], [], seconds)
        except InterruptedError:
            return
        if self.server:
            asking = set(ready).intersection(self.server.descriptors())
            if asking:
                self._asked = time.monotonic()
            self.server.serve(asking)
        if self.guest:
            self.guest.serve(set(ready))
