# SPDX-License-Identifier: Apache-2.0
"""Changes that make a design free of deadlock. Each is checked before it is proposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from girih.compiler.check import edits
from girih.compiler.dependencies import dependencies, lossless_tiles
from girih.compiler.explain import Cycle, steps, tiles_of
from girih.compiler.messages import Path, walk
from girih.compiler.model import CARD_NODE, Card, Design, Fabric, TileText
from girih.compiler.paths import endless
from girih.compiler.values import listing
from girih.spec.kinds import Kind
from girih.topology import Place

MOST_MOVES = 4  # in one proposal
MOST_CHANGES = 6  # in a proposal of several changes
# So that the search ends in seconds, however large the card: in steps of messages that are looked at, those of the whole card for each position tried.
MOST_EFFORT = 100_000
RECHECK = 20  # a check of a whole design takes as long as so many positions
Recheck = Callable[[Design], Card | None]  # the card of a changed design, None if it has errors
Occupant = tuple[str, int]  # a tile and one of its fabric ports


@dataclass(frozen=True)
class Proposal:
    """A change, as an instruction without a full stop; the resulting design and card."""

    text: str
    design: Design
    card: Card


def proposals(design: Design, card: Card, cycle: Cycle, kinds: Mapping[str, Kind], recheck: Recheck) -> tuple[Proposal, ...]:
    """The least change of each kind that leaves no cycle: other positions, a buffer, a second tile of a kind. If none
    is enough by itself, several changes together."""
    search = _Search(design, card, cycle, kinds, recheck, _Effort(MOST_EFFORT))
    sorts = (search.buffers, search.copies) if _is_of_tiles(card) else (search.positions, search.buffers)
    found = [next((proposal for proposal in sort() if is_free(proposal.card)), None) for sort in sorts]
    return tuple(proposal for proposal in found if proposal) or tuple(search.several())


def is_free(card: Card) -> bool:
    """Whether every message of a card terminates: no deadlock, and no endless loop."""
    return not endless(walk(card)) and dependencies(card).order() is not None


def _is_of_tiles(card: Card) -> bool:
    """Whether the deadlock is independent of positions: it remains on a crossbar, which shares no links."""
    apart: list[Place] = []
    tiles = []
    for tile in card.tiles:
        first = len(apart)
        apart += [(first + port,) for port in range(len(tile.places))]
        tiles.append(replace(tile, places=tuple(apart[first:])))
    return not is_free(replace(card, fabric=Fabric("crossbar", len(apart)), tiles=tuple(tiles)))


def _moved(card: Card, places: edits.Places) -> Card:
    """A card with tiles in other places; only what `dependencies` reads is updated."""
    return replace(card, tiles=tuple(replace(tile, places=places[tile.name]) for tile in card.tiles))


@dataclass
class _Effort:
    """What a search may still do."""

    left: int

    def spend(self, amount: int) -> bool:
        """Whether there was so much left."""
        self.left -= amount
        return self.left >= 0


@dataclass(frozen=True)
class _Search:
    design: Design
    card: Card
    cycle: Cycle
    kinds: Mapping[str, Kind]
    recheck: Recheck
    effort: _Effort

    def _may_try(self, positions: int = 1) -> bool:
        return self.effort.spend(positions * len(walk(self.card).steps))

    def _tried(self, text: str, design: Design) -> Iterator[Proposal]:
        """A change, if the resulting card has no errors except deadlock."""
        card = self.recheck(design) if self._may_try(RECHECK) else None
        if card is not None:
            yield Proposal(text, design, card)

    def several(self) -> Iterator[Proposal]:
        """Buffers, each where it untangles most, until positions alone can remove the rest; then positions."""
        search = self
        texts: list[str] = []
        for _ in range(MOST_CHANGES):
            options = search.buffers() if _is_of_tiles(search.card) else search.positions()
            best = min(options, key=lambda option: len(dependencies(option.card).tangled()), default=None)
            if best is None:
                return
            texts.append(best.text[0].lower() + best.text[1:] if texts else best.text)
            cycle = dependencies(best.card).shortest_cycle()
            if cycle is None:
                yield replace(best, text="; ".join(texts))
                return
            search = replace(search, design=best.design, card=best.card, cycle=cycle)

    # Other positions.

    def positions(self) -> Iterator[Proposal]:
        """Moves one tile, or swaps two; if that is not enough, one such move after another."""
        if self.card.fabric.topology == "crossbar":
            return
        places: Mapping[str, tuple[Place, ...]] = edits.where(self.card)
        about = tiles_of(self.cycle)
        for _ in range(MOST_MOVES):
            after = min(self._moves(places, about), key=self._cost, default=None)
            if after is None:
                return
            places = after
            cycle = dependencies(_moved(self.card, places), walk(self.card)).shortest_cycle()
            if cycle is None:
                yield from self._tried(self._moves_text(places), edits.placed(self.design, self._to_write(places)))
                return
            about = tiles_of(cycle)

    def _moves(self, places: edits.Places, about: tuple[str, ...]) -> Iterator[edits.Places]:
        """Moves of one place of the given tiles to a free place, and swaps with another tile's place: all that may be tried."""
        at: dict[Occupant, Place] = {(name, port): place for name, of in places.items() for port, place in enumerate(of)}
        for occupant, place in at.items():
            if occupant[0] not in about:
                continue
            moves = [{occupant: free} for free in self._free_in(places)]
            moves += [{occupant: its, other: place} for other, its in at.items() if other[0] != occupant[0]]
            for move in moves:
                if not self._may_try():
                    return
                yield _put(places, move)

    def _free_in(self, places: edits.Places) -> list[Place]:
        taken = {place for of in places.values() for place in of}
        fabric = self.card.fabric
        return [place for place in fabric.shape.places if place not in taken and fabric.node(place) != CARD_NODE]

    def _cost(self, places: edits.Places) -> tuple[int, int, int]:
        """The number of tangled resources, then of moved tiles, then of links on all paths."""
        card = _moved(self.card, places)
        moved = sum(places[tile.name] != tile.places for tile in self.card.tiles)
        tiles = {tile.name: tile for tile in card.tiles}
        paths = {step.path for step in walk(self.card).steps}
        links = sum(len(list(card.fabric.shape.hops(tiles[path.src].at, tiles[path.dst].at))) for path in paths)
        return len(dependencies(card, walk(self.card)).tangled()), moved, links

    def _to_write(self, places: edits.Places) -> edits.Places:
        """The places that must be written to the file: of moved tiles, and of all tiles that the compiler has placed."""
        return {
            tile.name: places[tile.name]
            for tile in self.design.tiles
            if tile.at is None or places[tile.name] != self.card.tile(tile.name).places
        }

    def _moves_text(self, places: edits.Places) -> str:
        written = self._to_write(places)
        return "Put " + listing([f"{name} at {_at(of)}" for name, of in written.items()], "and")

    # A buffer between two tiles.

    def buffers(self) -> Iterator[Proposal]:
        """A tile between two others that takes or drops, and so never waits."""
        kind = next((k.name for k in self.kinds.values() if _is_buffer(k)), None)
        lossless = lossless_tiles(walk(self.card))
        for path in self._sent():
            sender = self._text(path.src)
            if kind is None or sender.next is None or path.dst in lossless:
                continue
            name = edits.new_name(self.design, "buffer")
            redirected = edits.redirected(sender.next, path.dst, name)
            design = edits.with_next(self.design, path.src, redirected)
            tile = replace(_plain(name, kind, sender.line), next=edits.word(sender.line, path.dst))
            for at, fabric, on in self._rooms():
                text = (
                    f"Put a {kind} between {path.src} and {path.dst}, which drops messages for which it has no room: "
                    f"{name}: {{kind: {kind}{_at_key(at)}, next: {path.dst}}}, with next: {edits.written(redirected)} in {path.src}{on}"
                )
                yield from self._tried(text, edits.with_tile(design, replace(tile, at=at), fabric))

    # A second tile of a kind.

    def copies(self) -> Iterator[Proposal]:
        """A second tile of a kind that messages visit twice: for the second visit, and without the hops that lead round again."""
        paths = self._sent()
        for path, after in zip(paths, [*paths[1:], *paths[:1]], strict=True):
            sender, twice = self._text(path.src), self._text(path.dst)
            rest = None if twice.next is None else edits.without(twice.next, after.dst)
            if rest is None or sender.next is None or after.src != path.dst:
                continue
            name = edits.new_name(self.design, path.dst)
            redirected = edits.redirected(sender.next, path.dst, name)
            design = edits.with_next(self.design, path.src, redirected)
            for at, fabric, on in self._rooms():
                text = (
                    f"Send the messages of {path.src} to a second {path.dst}: "
                    f"{name}: {{kind: {twice.kind.text}{_at_key(at)}, next: {edits.written(rest)}}}, "
                    f"with next: {edits.written(redirected)} in {path.src}{on}"
                )
                yield from self._tried(text, edits.with_tile(design, replace(twice, name=name, at=at, next=rest), fabric))

    def _rooms(self) -> Iterator[tuple[tuple[Place, ...] | None, Fabric | None, str]]:
        """Places for one more tile (None: the compiler places it), the fabric if it must change, and both in words."""
        places, written = edits.where(self.card), self.design.fabric
        on_crossbar = self.card.fabric.topology == "crossbar"
        if on_crossbar and (written.x == 0 or self._free_in(places)):
            yield None, None, ""
        elif not on_crossbar and self._free_in(places):
            yield from (((place,), None, "") for place in self._free_in(places))
        elif more := edits.larger(self.card.fabric):
            new = [None] if on_crossbar else [(place,) for place in more.shape.places if place not in self.card.fabric.shape.places]
            yield from ((at, replace(more, line=written.line), f", on fabric: {edits.fabric_written(more)}") for at in new)

    def _sent(self) -> list[Path]:
        """The paths of the cycle that a `next` leads along, in order."""
        paths = dict.fromkeys(step.reason for step in steps(self.cycle) if isinstance(step.reason, Path))
        return [path for path in paths if any(hop.to == path.dst for hop in self.card.tile(path.src).hops)]

    def _text(self, name: str) -> TileText:
        return next(tile for tile in self.design.tiles if tile.name == name)


def _is_buffer(kind: Kind) -> bool:
    passes_on = kind.fabric == "both" and kind.next is not None and kind.tenant == "keeps" and not kind.uses
    return passes_on and kind.buffering == "drops" and not kind.chained


def _plain(name: str, kind: str, line: int) -> TileText:
    return TileText(name, line, edits.word(line, kind), None, line, 0, None, None, ())


def _put(places: edits.Places, moves: Mapping[Occupant, Place]) -> edits.Places:
    after = {name: list(of) for name, of in places.items()}
    for (name, port), place in moves.items():
        after[name][port] = place
    return {name: tuple(of) for name, of in after.items()}


def _at(places: tuple[Place, ...]) -> str:
    """As `at` is written in a file."""
    return str(list(places[0])) if len(places) == 1 else str([list(place) for place in places])


def _at_key(places: tuple[Place, ...] | None) -> str:
    return f", at: {_at(places)}" if places else ""
