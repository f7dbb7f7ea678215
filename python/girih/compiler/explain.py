# SPDX-License-Identifier: Apache-2.0
"""A cycle of waits in words: which messages hold which links, and which tiles take no more."""

from __future__ import annotations

from dataclasses import dataclass

from girih.compiler.dependencies import Because, Buffer, Resource
from girih.compiler.messages import Path
from girih.compiler.model import Card
from girih.compiler.paths import services
from girih.deadlock import Edge
from girih.topology import IN, OUT, Channel

Cycle = tuple[Edge, ...]


@dataclass(frozen=True)
class Step:
    """Consecutive edges of a cycle for one reason: a message that holds links and waits for one, or a tile that waits."""

    reason: Path | Because
    edges: tuple[Edge, ...]


def steps(cycle: Cycle) -> tuple[Step, ...]:
    """The cycle, starting with a message that a tile cannot send; each message's links are one step."""
    starts = (index for index, edge in enumerate(cycle) if _begins(cycle[index - 1], edge))
    start = next(starts, 0)
    left = [*cycle[start:], *cycle[:start]]
    found = []
    while left:
        reasons = left[0].reasons
        length = 1
        while length < len(left) and (both := tuple(reason for reason in reasons if reason in left[length].reasons)):
            reasons, length = both, length + 1
        found.append(Step(reasons[0], tuple(left[:length])))
        left = left[length:]
    return tuple(found)


def tiles_of(cycle: Cycle) -> tuple[str, ...]:
    """The tiles of a cycle, in order: those that send and those that wait."""
    names = []
    for step in steps(cycle):
        if isinstance(step.reason, Path):
            names += [step.reason.src, step.reason.dst]
        names += [edge.holder.tile for edge in step.edges if isinstance(edge.holder, Buffer)]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class Line:
    """A step in words, without a full stop."""

    text: str
    step: Step


def lines_of(card: Card, cycle: Cycle) -> list[Line]:
    """A line for each step, in order: the last waits for the first."""
    sorts = _sorts(card)
    lines = []
    before = None
    for step in steps(cycle):
        if isinstance(step.reason, Path):
            held = ", ".join(name_of(card, edge.holder) for edge in step.edges)
            lines.append(Line(f"{_message(step.reason, sorts)} holds {held} and waits for {name_of(card, step.edges[-1].wanted)}", step))
        elif not (step.reason.plain and _is_tile_that_waits(before)):
            lines.append(Line(step.reason.text, step))  # else the previous line has said that the tile waits to send
        before = step
    return lines


def name_of(card: Card, resource: Resource) -> str:
    """The name of a resource for people: `udp_rx > fabric`, `[1, 0] > [2, 0]`, `tile udp_rx`."""
    if not isinstance(resource, Channel) or resource.side not in (IN, OUT):
        return resource.text
    name = next((tile.name for tile in card.tiles if resource.start in tile.places), str(list(resource.start)))
    tile = next((tile for tile in card.tiles if tile.name == name), None)
    if tile and len(tile.places) > 1:
        name += f".{tile.places.index(resource.start)}"
    return (f"{name} > fabric" if resource.side == IN else f"fabric > {name}") + resource.suffix


def _begins(before: Edge, edge: Edge) -> bool:
    return isinstance(edge.holder, Channel) and not isinstance(before.holder, Channel)


def _is_tile_that_waits(step: Step | None) -> bool:
    return step is not None and isinstance(step.edges[-1].holder, Channel) and isinstance(step.edges[-1].wanted, Buffer)


def _sorts(card: Card) -> dict[Path, list[str]]:
    """The kinds of traffic on each path."""
    found: dict[Path, list[str]] = {}
    for service in services(card):
        for path in service.paths:
            found.setdefault(path, []).append(service.name)
    return found


def _message(path: Path, sorts: dict[Path, list[str]]) -> str:
    """A message by its path and its kind of traffic."""
    names = sorts.get(path, [path.label])
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{path.src} > {path.dst} ({names[0]}{more})"
