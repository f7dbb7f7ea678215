# SPDX-License-Identifier: Apache-2.0
"""The last check: no messages of the card can wait for each other for ever."""

from __future__ import annotations

from girih.compiler.dependencies import dependencies
from girih.compiler.explain import Cycle, explain, tiles_of
from girih.compiler.model import Card
from girih.errors import GirihError


class DeadlockError(GirihError):
    """A card that can hang. card: as the design has it. cycle: the shortest, edges of `dependencies(card)`."""

    def __init__(self, what: str, where: str, remedy: str, card: Card, cycle: Cycle):
        super().__init__(what, where, remedy)
        self.card, self.cycle = card, cycle


def check_deadlock(card: Card, file: str) -> None:
    """Raises DeadlockError where a card can hang, with the reason in words. file: where the design is written."""
    cycle = dependencies(card).shortest_cycle()
    if cycle is None:
        return
    tiles = tiles_of(cycle)
    line = card.tile(tiles[0]).line
    lines = [f"  {number}. {text}" for number, text in enumerate(explain(card, cycle), 1)]
    what = "\n".join(["this card can hang, because messages can wait for each other in a circle:", *lines, "  and so on from 1"])
    raise DeadlockError(what, f"{file}:{line}", "Move a tile.", card, cycle)
