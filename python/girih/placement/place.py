# SPDX-License-Identifier: Apache-2.0
"""Finds positions for the tiles of a design file, and describes their gain."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from pathlib import Path

from girih.compiler import values
from girih.compiler.check.card import check, check_file, source_name
from girih.compiler.dependencies import dependencies
from girih.compiler.model import Card
from girih.compiler.read.design import read
from girih.compiler.read.parse import Report, parse, read_text
from girih.errors import GirihError
from girih.placement.problem import Problem, placed, problem_of
from girih.placement.search import Found, Progress, search
from girih.placement.write import first_alias, with_places
from girih.spec.kinds import load_kinds
from girih.topology import Crossbar

CROSSBAR = "on a crossbar positions make no difference, neither to hops nor to deadlock; nothing was changed"


def place_design(
    path: Path, seed: int = 0, steps: int | None = None, keep: Collection[str] = (), progress: Progress | None = None
) -> tuple[str, str]:
    """The text of a design with the positions found, and a sentence on their worth.

    Raises GirihError if the design has mistakes other than its positions, or if no positions without deadlock are found.
    """
    path = Path(path)
    text = read_text(path)
    card = check_file(path, allow_deadlock=True)
    _check_kept(card, keep, path)
    if alias := first_alias(text):
        line, name = alias
        raise GirihError(f"positions cannot be written into a file that uses a text twice (*{name})", f"{path}:{line}", "Write it out.")
    if isinstance(card.fabric.shape, Crossbar):
        if dependencies(card).order() is None:
            raise _everywhere(path)
        return text, CROSSBAR
    problem = problem_of(card, keep)
    found = search(problem, seed, steps, progress)
    if not found.after.good:
        raise _no_place(problem, found, path)
    assert dependencies(placed(card, found.places)).order() is not None, "the search and the proof disagree"
    written = with_places(text, _by_tile(card, found))
    report = Report(str(path))
    again = check(read(parse(written, report), card.name, report), source_name(path), load_kinds(), report)
    assert tuple(place for tile in again.tiles for place in tile.places) == found.places, "what was written is read as something else"
    return written, said(found)


def said(found: Found) -> str:
    """A sentence that compares the result with the initial places."""
    before, after = found.before, found.after
    now = f"{after.hops:.2f} links between routers per packet"
    if after.overload:
        now += f", some with more than they can carry ({after.overload:.0%} of what the card receives)"
    if not before.good:
        return f"{now}, and no deadlock; the positions before can deadlock"
    if before.hops > after.hops:
        return f"{now}, {1 - after.hops / before.hops:.1%} fewer than the {before.hops:.2f} before"
    if after < before:
        return f"{now}, as before, but better spread"
    return f"{now}, as before; nothing better was found"


def _by_tile(card: Card, found: Found) -> dict[str, tuple[tuple[int, ...], ...]]:
    left = iter(found.places)
    return {tile.name: tuple(islice(left, len(tile.places))) for tile in card.tiles}


def _check_kept(card: Card, keep: Collection[str], path: Path) -> None:
    names = [tile.name for tile in card.tiles]
    for name in keep:
        if name not in names:
            remedy = f"{values.did_you_mean(name, names)}The tiles are {values.listing(names, 'and')}."
            raise GirihError(f"{name} is to be kept, but is not a tile", str(path), remedy)


def _everywhere(path: Path) -> GirihError:
    return GirihError(
        "this card can hang wherever its tiles are", str(path), f"./girih check {path} shows why; break the circle with a buffer or a second tile."
    )


def _no_place(problem: Problem, found: Found, path: Path) -> GirihError:
    if not problem.can_be_placed:
        return _everywhere(path)
    kept = ", or keep fewer tiles" if problem.kept else ""
    return GirihError(
        f"no positions without deadlock were found in {found.steps} steps", str(path), f"Try another --seed, more --steps, a larger fabric{kept}."
    )
