# SPDX-License-Identifier: Apache-2.0
"""The interface of every topology."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

Place = tuple[int, ...]  # of a tile: [x, y] on a mesh, [port] on a crossbar, [x, y, tile] on a butterfly

IN, OUT, BETWEEN = "in", "out", "between"


@dataclass(frozen=True, order=True)
class Channel:
    """A link of a fabric, with the queue at its end: what a message holds, and waits for, on its way.

    side: "in" from the tile at a place into the fabric; "out" from the fabric to the tile there; "between" two routers.
    start, end: the place, twice; or the routers. message_class: 1 for the queue of replies beside it.
    """

    side: str
    start: Place
    end: Place
    message_class: int = 0

    @property
    def text(self) -> str:
        """The name of a link between routers in messages and counters: `[0, 0] > [1, 0]`."""
        if self.side == BETWEEN:
            return f"{list(self.start)} > {list(self.end)}{self.suffix}"
        return f"{'into' if self.side == IN else 'out of'} the fabric at {list(self.start)}{self.suffix}"

    @property
    def suffix(self) -> str:
        return " (replies)" if self.message_class else ""

    @property
    def of_replies(self) -> Channel:
        """The same link's queue of replies."""
        return replace(self, message_class=1)


def between(start: Place, end: Place) -> Channel:
    """The link from one router to another."""
    return Channel(BETWEEN, start, end)


class Topology(ABC):
    """A fabric of one shape and size."""

    @property
    @abstractmethod
    def places(self) -> tuple[Place, ...]:
        """Where a tile can be, in the order of the fabric's ports."""

    @abstractmethod
    def node(self, place: Place) -> int:
        """The number of a place in `desc.dst`."""

    @abstractmethod
    def links(self) -> Iterator[Channel]:
        """The links between routers, in the order of the RTL's `stall_o`."""

    @abstractmethod
    def hops(self, start: Place, end: Place) -> Iterator[Channel]:
        """The links between routers that a message takes from a tile at `start` to another at `end`."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """All links: into the fabric and out of it, each in the order of the ports, then those between routers."""
        ports = [Channel(side, place, place) for side in (IN, OUT) for place in self.places]
        return (*ports, *self.links())

    def route(self, start: Place, end: Place) -> tuple[Channel, ...]:
        """All links of the way from one tile to another."""
        return (Channel(IN, start, start), *self.hops(start, end), Channel(OUT, end, end))
