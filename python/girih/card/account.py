# SPDX-License-Identifier: Apache-2.0
"""The account of a card at the end of its run: messages that tiles still hold, and messages that are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from girih.card.manifest import Manifest
from girih.card.registers import ENDS, SOURCES, total, violations
from girih.errors import GirihError, GirihErrors


@dataclass(frozen=True)
class Account:
    """held: by tile, the messages that it keeps and its kind may hold. faults: sentences on all other imbalances.
    rested: whether the card came to rest; if it did not, messages in flight are no fault."""

    name: str
    held: Mapping[str, tuple[int, str]]
    faults: tuple[str, ...]
    rested: bool

    @property
    def text(self) -> str:
        """The summary when nothing is missing."""
        if not self.rested:
            return "The card did not come to rest in time: messages were still under way, so it was not checked whether all are accounted for."
        if not self.held:
            return "Every message is accounted for in every tile."
        waiting = [f"{tile} holds {count}, waiting for {reason}" for tile, (count, reason) in self.held.items()]
        return f"Every other message is accounted for: {'; '.join(waiting)}."

    def judge(self) -> None:
        """Raises GirihError if a tile lost a message without counting it."""
        if self.faults and self.rested:
            remedy = "This is a fault of the card: record the run and replay it with waves."
            raise GirihErrors([GirihError(text, self.name, remedy) for text in self.faults])

    def judge_all(self) -> None:
        """Raises GirihError also if a tile still holds messages, as its kind may."""
        self.judge()
        if self.held:
            remedy = "Let the card run until they have left or are dropped."
            raise GirihErrors([GirihError(f"tile {tile} still holds {count} messages, waiting for {reason}", self.name, remedy) for tile, (count, reason) in self.held.items()])


def account(manifest: Manifest, counters: Mapping[str, Mapping[str, int]], rested: bool = True) -> Account:
    """The account of a card by its counters (tile to counter to value)."""
    held = {}
    for tile in manifest.tiles:
        inside = total(counters[tile.name], SOURCES) - total(counters[tile.name], ENDS)
        if inside > 0 and tile.holds:
            held[tile.name] = (inside, tile.holds)
    return Account(manifest.name, held, tuple(violations(counters, held)), rested)
