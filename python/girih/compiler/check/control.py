# SPDX-License-Identifier: Apache-2.0
"""The tiles that are masters of the control network, and their rights."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler import values
from girih.compiler.model import MOST_INTERRUPTING, Card, Control, ControlRight, TileText
from girih.compiler.read.keys import mapping, names, number
from girih.compiler.read.parse import Map, Report
from girih.spec.kinds import Kind
from girih.spec.message import CardParams

MOST_MASTERS = 3  # besides the host: `ctrl_master_t` has two bits
EXAMPLE = "control: {read: [echo], write: [echo]}"


def check_control(text: TileText, kind: Kind, nodes: Mapping[str, int], params: CardParams, report: Report) -> Control | None:
    """The rights of a tile whose kind makes requests on the control network; None for all others."""
    if not kind.is_master:
        if text.control is not None:
            what = f"tile {text.name} of kind {kind.name} makes no requests on the control network"
            report.error(text.control.line, what, "Remove control.")
        return None
    if not isinstance(text.control, Map):
        line = text.line if text.control is None else text.control.line
        report.error(line, f"the design does not say which tiles {text.name} may reach on the control network", f"Write {EXAMPLE}")
        return None
    keys = mapping(text.control, ("tenant", "read", "write"), f"control of tile {text.name}", report)
    owner = f"control of tile {text.name}"
    tenant = number(keys, "tenant", 0, (1 << params.tenant_bits) - 1, 0, report, owner)
    given: dict[str, set[str]] = {}
    for right in ("read", "write"):
        for name in names(keys, right, report, owner, "[echo]"):
            if name.text in nodes:
                given.setdefault(name.text, set()).add(right)
            else:
                hint = values.did_you_mean(name.text, nodes)
                what = f"{right} of {owner} names {name.text}, which is not a tile"
                report.error(name.line, what, f"{hint}The tiles are {values.listing(nodes, 'and')}.")
    if len(given) > kind.rights:
        what = f"{owner} names {len(given)} tiles; kind {kind.name} can have rights for {kind.rights}"
        report.error(text.control.line, what, "Name fewer.")
    rights = (ControlRight(tile, nodes[tile], "read" in may, "write" in may) for tile, may in given.items())
    return Control(tenant, tuple(rights))


def written_tiles(text: TileText) -> tuple[str, ...]:
    """The tiles listed under `write` in a tile's `control`; check_control reports mistakes in them."""
    if not isinstance(text.control, Map):
        return ()
    trees = {key.text: value for key, value in text.control.entries}
    return tuple(name.text for name in names(trees, "write", Report(""), "", ""))


def read_counters(text: TileText, kind: Kind, nodes: Mapping[str, int], kinds: Mapping[str, Kind | None], params: CardParams) -> dict[str, int]:
    """The counters that a tile may read, by `tile.counter`: the node from bit 16 up, the offset below it."""
    control = check_control(text, kind, nodes, params, Report("")) if kind.is_master else None
    return {
        f"{right.tile}.{counter.name}": right.node << 16 | counter.offset
        for right in (control.rights if control else ())
        if right.read and (other := kinds[right.tile]) is not None
        for counter in other.counters
    }


def check_masters(card: Card, report: Report) -> None:
    """Checks that there is a number for every master, and that only the host writes the secrets of a master."""
    secret = {tile.name for tile in card.tiles if tile.kind.is_master and "window" in tile.kind.uses}
    for tile in card.tiles:
        for right in tile.control.rights if tile.control else ():
            if right.write and right.tile in secret:
                what = f"control of tile {tile.name} names {right.tile} in write, whose window only the host may write"
                report.error(tile.line, what, "Leave it out of write.")
    if len(card.masters) > MOST_MASTERS:
        line = card.tile(card.masters[MOST_MASTERS]).line
        what = f"the card has {len(card.masters)} tiles that make requests on the control network"
        report.error(line, what, f"It may have {MOST_MASTERS}.")


def check_leases(card: Card, report: Report) -> None:
    """Checks that no two tiles set the address of the same tile."""
    given: dict[str, str] = {}
    for tile in card.tiles:
        for right in tile.control.rights if tile.control and tile.kind.leases else ():
            first = given.setdefault(right.tile, tile.name) if right.write else tile.name
            if first != tile.name:
                what = f"{first} and {tile.name} would both give {right.tile} its address"
                report.error(tile.line, what, f"Name {right.tile} in write of one of them; each port has its own tiles for IPv4 and ARP.")


def check_interrupts(card: Card, report: Report) -> None:
    """Checks that every tile with interrupts has a pin for them."""
    if len(card.interrupting) > MOST_INTERRUPTING:
        line = card.tile(card.interrupting[MOST_INTERRUPTING]).line
        report.error(line, f"the card has {len(card.interrupting)} tiles with interrupts", f"It may have {MOST_INTERRUPTING}.")
