# SPDX-License-Identifier: Apache-2.0
"""The `next` of a tile: which keys lead to which tiles."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler import values
from girih.compiler.check.settings import is_balancer
from girih.compiler.model import Hop, TileText
from girih.compiler.read.parse import Map, Report, Scalar, Seq
from girih.spec.kinds import Kind

ANY = "any"
# Words for the keys of messages to the scheduler; a kind with both spreads them over two fabric ports.
SCHEDULER = ("scheduler", "scheduler_odd")


def resolve(
    tile: TileText,
    kind: Kind,
    kinds: Mapping[str, Kind | None],
    ports: int,
    report: Report,
    scheduler: tuple[str, tuple[int, ...]] | None = None,
) -> tuple[Hop, ...]:
    """The node table of a tile, `any` last because the first match wins.

    kinds: the kind of every tile by its name, None if it is unknown. scheduler: the scheduler tile,
    and its fabric ports in the order in which this tile uses them.
    """
    if tile.next is None and kind.next is not None and SCHEDULER[0] in kind.next.names:
        return tuple(_filled(kind, [], scheduler))
    if not _wanted(tile, kind, report):
        return ()
    if isinstance(tile.next, Seq):
        hops = _replicas(tile, kind, tile.next, report)
    elif isinstance(tile.next, Map):
        hops = _keyed(tile, kind, tile.next, ports, report)
    elif is_balancer(kind):
        report.error(tile.next.line, f"balancer {tile.name} has one replica", _replicas_remedy(tile.next.text))
        return ()
    else:
        hops = [Hop(None, ANY, tile.next.text, tile.next.line)]
    if len(hops) > kind.next.entries:
        report.error(
            tile.next.line,
            f"next of tile {tile.name} has {len(hops)} entries; the node table of {kind.name} holds {kind.next.entries}",
            "Send several keys to one tile with any, or split the traffic over two tiles.",
        )
    good = [hop for hop in hops if _target_is_good(hop, tile, kinds, report)]
    for hop in good:
        _check_contract(hop, tile, kind, kinds, report)
    good += _filled(kind, good, scheduler)
    return tuple(sorted(good, key=lambda hop: hop.key is None))


def _filled(kind: Kind, hops: list[Hop], scheduler: tuple[str, tuple[int, ...]] | None) -> list[Hop]:
    """The entries for the card's scheduler, if the kind needs them and the design gives none."""
    keys = [kind.next.names[word] for word in SCHEDULER if word in kind.next.names]
    if scheduler is None or any(hop.key in (*keys, None) for hop in hops):
        return []
    name, ports = scheduler
    return [Hop(key, SCHEDULER[0], name, 0, ports[turn % len(ports)]) for turn, key in enumerate(keys)]


def _wanted(tile: TileText, kind: Kind, report: Report) -> bool:
    if kind.next is None:
        if tile.next is not None:
            report.error(
                tile.next.line,
                f"tile {tile.name} of kind {kind.name} has no next hop: its messages leave the fabric",
                "Remove next.",
            )
        return False
    if tile.next is None or (isinstance(tile.next, Scalar) and tile.next.value is None):
        report.error(tile.line, f"tile {tile.name} of kind {kind.name} has no next", f"Add one: {_example(kind)}")
        return False
    if not isinstance(tile.next, Scalar) and not (tile.next.items if isinstance(tile.next, Seq) else tile.next.entries):
        report.error(tile.next.line, f"next of tile {tile.name} is empty", f"Write {_example(kind)}")
        return False
    return True


def _example(kind: Kind) -> str:
    if is_balancer(kind):
        return "next: [first, second]"
    word = next(iter(kind.next.names), "0" if kind.next.key == "port" else "7")
    return f"next: tile, or by {kind.next.key}, next: {{{word}: tile}}"


def _replicas_remedy(first: str) -> str:
    return f"Give at least two, next: [{first}, another], or send straight to {first} without a balancer."


def _replicas(tile: TileText, kind: Kind, tree: Seq, report: Report) -> list[Hop]:
    if not is_balancer(kind):
        report.error(
            tree.line,
            f"next of tile {tile.name} is a list, which only a balancer takes",
            f"Write {_example(kind)}, or send to a balancer.",
        )
        return []
    names = [item.text if isinstance(item, Scalar) else "" for item in tree.items]
    for index, (name, item) in enumerate(zip(names, tree.items, strict=True)):
        if not name:
            report.error(item.line, f"a replica of tile {tile.name} is {values.what_it_is(item)}", "Name a tile.")
            return []
        if name in names[:index]:
            report.error(item.line, f"{name} is twice a replica of tile {tile.name}", "Name each replica once.")
            return []
    if len(names) < 2:
        report.error(tree.line, f"balancer {tile.name} has one replica", _replicas_remedy(names[0]))
        return []
    return [Hop(index, f"replica {index}", name, item.line) for index, (name, item) in enumerate(zip(names, tree.items, strict=True))]


def _keyed(tile: TileText, kind: Kind, tree: Map, ports: int, report: Report) -> list[Hop]:
    if is_balancer(kind):
        report.error(tree.line, f"next of balancer {tile.name} is a mapping", f"Write {_example(kind)}")
        return []
    hops: list[Hop] = []
    for key, value in tree.entries:
        number = _key(tile, kind, key, ports, report)
        if isinstance(number, str):
            continue
        if not isinstance(value, Scalar) or value.value is None:
            report.error(key.line, f"next of tile {tile.name} for {key.text} is {values.what_it_is(value)}", "Name a tile.")
            continue
        for hop in hops:
            if hop.key == number:
                report.error(
                    key.line,
                    f"{kind.next.key} {key.text} of tile {tile.name} is used twice: for {hop.to} and for {value.text}",
                    "Send it to one tile; a balancer spreads it over several.",
                )
                break
        else:
            hops.append(Hop(number, _label(kind, number), value.text, key.line))
    return hops


def _key(tile: TileText, kind: Kind, key: Scalar, ports: int, report: Report) -> int | str | None:
    """The number of a key, None for `any`, "bad" after an error."""
    table = kind.next
    if key.text == ANY:
        return None
    number = table.names.get(key.text, values.number(key))
    if number is None:
        hint = values.did_you_mean(key.text, [*table.names, ANY])
        words = values.listing([*table.names, "a number", ANY])
        report.error(key.line, f"{key.text} in next of tile {tile.name} is not a valid {table.key}", f"{hint}It may be {words}.")
        return "bad"
    highest = ports - 1 if table.key == "port" else table.most
    if key.text not in table.names and not 0 <= number <= highest:
        what = f"{table.key} {number} in next of tile {tile.name} is out of range"
        report.error(key.line, what, values.span(0, highest))
        return "bad"
    return number


def _label(kind: Kind, number: int | None) -> str:
    """The name of a key in tables and drawings: its word, if it has one."""
    if number is None:
        return ANY
    word = next((name for name, value in kind.next.names.items() if value == number), None)
    return word or f"{kind.next.key} {number}"


def _target_is_good(hop: Hop, tile: TileText, kinds: Mapping[str, Kind | None], report: Report) -> bool:
    if hop.to not in kinds:
        hint = values.did_you_mean(hop.to, kinds)
        report.error(
            hop.line, f"next of tile {tile.name} leads to {hop.to}, which is not a tile", f"{hint}Name one of: {', '.join(kinds)}."
        )
        return False
    if hop.to == tile.name:
        report.error(hop.line, f"next of tile {tile.name} leads back to itself", "Name another tile.")
        return False
    target = kinds[hop.to]
    if target is not None and not target.has_input:
        report.error(
            hop.line,
            f"next of tile {tile.name} leads to {hop.to}, which takes no messages from the fabric",
            f"A tile of kind {target.name} only receives from its port; name another tile.",
        )
        return False
    return True


def _check_contract(hop: Hop, tile: TileText, kind: Kind, kinds: Mapping[str, Kind | None], report: Report) -> None:
    """Reports a word that leads to a tile of another kind than it may: that tile would take the messages, and do something else with them."""
    target = kinds[hop.to]
    word = _label(kind, hop.key)
    allowed = kind.next.leads_to.get(word)
    if target is None or allowed is None or target.name in allowed:
        return
    fitting = [name for name, other in kinds.items() if other is not None and other.name in allowed]
    which = values.listing(list(allowed))
    report.error(
        hop.line,
        f"{word} in next of tile {tile.name} leads to {hop.to} of kind {target.name}; it must lead to a tile of kind {which}",
        f"Write {word}: {values.listing(fitting)}" if fitting else f"Add a tile of kind {which} and name it, {word}: a_tile",
    )
