# SPDX-License-Identifier: Apache-2.0
"""Second pass, for the section `clocks`: the edges of the card that have a clock of their own."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from math import isfinite

from girih.compiler import values
from girih.compiler.model import Clocks
from girih.compiler.read import keys as read
from girih.compiler.read.parse import Map, Report, Scalar, Tree

EDGES = tuple(field.name for field in fields(Clocks))
EXAMPLE = "Write clocks: {ports: 322.265625, memory: 300, host: 250}"
LEAST_MHZ, MOST_MHZ = 1, 1000
MOST_RATIO = 16
"""Between the card's clock and another: the virtual card counts the edges within one cycle of the card, and resets for some edges of each clock."""


def read_clocks(tree: Tree | None, card_mhz: int, report: Report) -> Clocks:
    """The section of a design; an edge that it does not name, or whose clock is wrong, has the card's."""
    if tree is None:
        return Clocks()
    if not isinstance(tree, Map):
        report.error(tree.line, f"clocks is {values.what_it_is(tree)}", EXAMPLE)
        return Clocks()
    found = read.mapping(tree, EDGES, "clocks", report)
    return Clocks(**{edge: _hertz(edge, found[edge], card_mhz, report) for edge in EDGES if edge in found})


def clock_lines(tree: Tree | None) -> tuple[tuple[str, int], ...]:
    """The lines of the edges that the section names."""
    return tuple((key.text, key.line) for key, _ in tree.entries) if isinstance(tree, Map) else ()


def _hertz(edge: str, tree: Tree, card_mhz: int, report: Report) -> int | None:
    """A clock in Hz, exact as it was written; None after an error."""
    number = tree.value if isinstance(tree, Scalar) else None
    if not isinstance(number, int | float) or isinstance(number, bool) or not isfinite(number) or not isinstance(tree, Scalar):
        report.error(tree.line, f"{edge} of clocks is {values.what_it_is(tree)}; it must be a number of MHz", f"Write {edge}: 322.265625")
        return None
    if not LEAST_MHZ <= number <= MOST_MHZ:
        report.error(tree.line, f"{edge} of clocks is {tree.text} MHz, out of range", values.span(LEAST_MHZ, MOST_MHZ))
        return None
    hertz = Decimal(repr(number)) * 1_000_000
    if hertz != int(hertz):
        report.error(tree.line, f"{edge} of clocks is {tree.text} MHz, which is not a whole number of Hz", f"Write at most six decimals, such as {edge}: 322.265625")
        return None
    card = card_mhz * 1_000_000
    if not card <= hertz * MOST_RATIO <= card * MOST_RATIO**2:
        what = f"{edge} of clocks is {tree.text} MHz, and the card's clock {card_mhz} MHz; neither may be more than {MOST_RATIO} times the other"
        report.error(tree.line, what, f"It may be {max(LEAST_MHZ, card_mhz / MOST_RATIO):g} to {min(MOST_MHZ, card_mhz * MOST_RATIO)} MHz; or change clock_mhz.")
        return None
    return int(hertz)
