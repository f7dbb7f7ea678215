# SPDX-License-Identifier: Apache-2.0
"""The last check: no messages of the card can wait for each other for ever."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler.check.repair import Proposal, Recheck, proposals
from girih.compiler.dependencies import dependencies
from girih.compiler.explain import Cycle, lines_of, tiles_of
from girih.compiler.messages import walk
from girih.compiler.model import Card, Design
from girih.compiler.paths import endless
from girih.errors import GirihError
from girih.spec.kinds import Kind

NO_PROPOSAL = "No change was found that helps; ./girih place searches all positions together."


class DeadlockError(GirihError):
    """A card that can hang. card: of the design. cycle: the shortest one, as edges of `dependencies(card)`. proposals:
    changes, each with a card that cannot hang."""

    def __init__(self, what: str, where: str, card: Card, cycle: Cycle, found: tuple[Proposal, ...]):
        helps = "Each of these changes removes it" if len(found) > 1 else "This change removes it"
        listed = "".join(f"\n  - {proposal.text}" for proposal in found)
        super().__init__(what, where, f"{helps}, as the compiler has checked:{listed}" if found else NO_PROPOSAL)
        self.card, self.cycle, self.proposals = card, cycle, found


def check_deadlock(card: Card, design: Design, kinds: Mapping[str, Kind], file: str, recheck: Recheck) -> None:
    """Raises DeadlockError if a card can hang, with the reason in words and changes that help; GirihError if
    messages circulate for ever.

    file: the design file. recheck: the card of a changed design, None if that has other errors.
    """
    _check_endless(card, file)
    cycle = dependencies(card).shortest_cycle()
    if cycle is None:
        return
    lines = [f"  {number}. {line.text}" for number, line in enumerate(lines_of(card, cycle), 1)]
    what = "\n".join(["this card can hang: its messages can wait for each other in a circle", *lines, "  and so on from 1"])
    line = card.tile(tiles_of(cycle)[0]).line
    raise DeadlockError(what, f"{file}:{line}", card, cycle, proposals(design, card, cycle, kinds, recheck))


def _check_endless(card: Card, file: str) -> None:
    circle = endless(walk(card))
    if circle:
        ways = " > ".join(state.at.tile for state in (*circle, circle[0]))
        what = f"messages of port {circle[0].port} that reach {circle[0].at.tile} go round for ever: {ways}"
        raise GirihError(what, f"{file}:{card.tile(circle[0].at.tile).line}", "Send them to a tile at a port.")
