# SPDX-License-Identifier: Apache-2.0
"""A rack file: cards by name, and the links that join their ports.

    cards:
      nic: {design: panic, hosts: [10.77.0.9/24]}
      server: {design: demo}
    links:
      - {ends: [nic.1, server.0], delay: 500, loss: 0.01}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from girih.card.rack import DELAY, Port
from girih.compiler import values
from girih.compiler.read.keys import mapping, names, number
from girih.compiler.read.parse import FileSort, Map, Report, Scalar, Seq, Tree, parse, read_text
from girih.paths import DESIGNS

LONGEST = 1_000_000  # cycles of a link
RACK_FILE = FileSort(
    thing="rack",
    example="racks/server_behind_nic.yaml",
    find="racks/server_behind_nic.yaml is an example.",
    needs="A rack needs at least cards; racks/server_behind_nic.yaml is an example.",
    start="Write cards: and below it lines such as nic: {design: panic}",
)
EXAMPLE = "links: [{ends: [nic.1, server.0], delay: 500}]"


@dataclass(frozen=True)
class RackCard:
    """A card of a rack. hosts: the addresses of the hosts at its TAP devices, from port 0 on; ip, mac: override those of the design. lines: of its keys in
    the file."""

    name: str
    design: Path
    hosts: tuple[str, ...] = ()
    ip: str | None = None
    mac: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RackLink:
    """A link between two ports. loss: the probability that a frame is lost, in each direction. line: in the file."""

    one: Port
    other: Port
    delay: int
    loss: float
    seed: int
    line: int


@dataclass(frozen=True)
class RackFile:
    cards: tuple[RackCard, ...]
    links: tuple[RackLink, ...]


def read_rack(path: Path) -> RackFile:
    """The rack that a file describes. Raises GirihError, or GirihErrors with all mistakes in the file."""
    report = Report(str(path))
    keys = mapping(parse(read_text(path, RACK_FILE), report, RACK_FILE), ("cards", "links"), "a rack", report)
    cards = _cards(keys.get("cards"), path, report)
    links = _links(keys.get("links"), {card.name for card in cards}, report)
    report.raise_if_any()
    return RackFile(cards, links)


def _cards(tree: Tree | None, path: Path, report: Report) -> tuple[RackCard, ...]:
    if not isinstance(tree, Map) or not tree.entries:
        report.error(tree.line if tree else 1, "the rack has no cards", "Write cards: and below it lines such as nic: {design: panic}")
        return ()
    return tuple(card for name, value in tree.entries if (card := _card(name, value, path, report)))


def _card(name: Scalar, tree: Tree, path: Path, report: Report) -> RackCard | None:
    remedy = f"Write {name.text}: {{design: demo}}"
    if fault := values.name_fault(name.text, reserved=()):
        report.error(name.line, f"the card's name {name.text} {fault}", "Rename it, such as nic or server_1.")
    if not isinstance(tree, Map):
        report.error(name.line, f"card {name.text} is {values.what_it_is(tree)}", remedy)
        return None
    owner = f"card {name.text}"
    keys = mapping(tree, ("design", "hosts", "ip", "mac"), owner, report)
    text = {key: str(value.text) for key in ("design", "ip", "mac") if isinstance(value := keys.get(key), Scalar)}
    for key in ("design", "ip", "mac"):
        if key in keys and key not in text:
            report.error(keys[key].line, f"{key} of {owner} is {values.what_it_is(keys[key])}", remedy)
    hosts = names(keys, "hosts", report, owner, "[10.77.0.1/24]")
    if "design" not in text:
        report.error(name.line, f"card {name.text} has no design", remedy)
        return None
    lines = {key: value.line for key, value in keys.items()}
    return RackCard(name.text, _design(text["design"], path), tuple(host.text for host in hosts), text.get("ip"), text.get("mac"), lines)


def _design(text: str, path: Path) -> Path:
    """A design by its name in designs/, or by its path from the rack's file."""
    named = DESIGNS / f"{text}.yaml"
    return named if "/" not in text and not text.endswith(".yaml") and named.exists() else path.parent / text


def _links(tree: Tree | None, cards: set[str], report: Report) -> tuple[RackLink, ...]:
    if tree is None:
        return ()
    if not isinstance(tree, Seq):
        report.error(tree.line, f"links is {values.what_it_is(tree)}", f"Write {EXAMPLE}")
        return ()
    links = tuple(link for item in tree.items if (link := _link(item, cards, report)))
    joined: dict[Port, RackLink] = {}
    for link in links:
        card, port = link.one
        if link.one == link.other:
            report.error(link.line, f"a link joins {card}.{port} to itself", "Join it to another port.")
            continue
        for card, port in (link.one, link.other):
            if (first := joined.setdefault((card, port), link)) is not link:
                report.error(link.line, f"{card}.{port} has a link already, of line {first.line}", "Join another port.")
    return links


def _loss(tree: Tree | None, report: Report) -> float:
    """A probability, 0 if it is missing or wrong."""
    value = tree.value if isinstance(tree, Scalar) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    if tree is not None:
        report.error(tree.line, f"loss of a link is {values.what_it_is(tree)}", "Give a probability, such as loss: 0.01")
    return 0.0


def _link(tree: Tree, cards: set[str], report: Report) -> RackLink | None:
    if not isinstance(tree, Map):
        report.error(tree.line, f"a link is {values.what_it_is(tree)}", f"Write {EXAMPLE}")
        return None
    keys = mapping(tree, ("ends", "delay", "loss", "seed"), "a link", report)
    ends = names(keys, "ends", report, "a link", "[nic.1, server.0]")
    places = [place for end in ends if (place := _end(end, cards, report))]
    if len(ends) != 2:
        report.error(tree.line, f"a link has {len(ends)} ends", f"Write {EXAMPLE}")
    loss = _loss(keys.get("loss"), report)
    delay = number(keys, "delay", 1, LONGEST, DELAY, report, "a link")
    seed = number(keys, "seed", 0, (1 << 31) - 1, 1, report, "a link")
    return RackLink(places[0], places[1], delay, loss, seed, tree.line) if len(places) == 2 else None


def _end(end: Scalar, cards: set[str], report: Report) -> Port | None:
    card, dot, port = end.text.partition(".")
    if not dot or not port.isascii() or not port.isdecimal():
        report.error(end.line, f"the end {end.text} of a link is not a port of a card", "Write the card's name and the port's number, such as nic.1")
    elif card not in cards:
        report.error(end.line, f"the end {end.text} of a link names no card", f"{values.did_you_mean(card, sorted(cards))}The cards are {values.listing(sorted(cards), 'and')}.")
    else:
        return card, int(port)
    return None
