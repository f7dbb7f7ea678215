# SPDX-License-Identifier: Apache-2.0
"""Third pass, for the section `traffic`: the names exist, and shares are given only where a tile has a choice."""

from __future__ import annotations

from collections.abc import Iterable

from girih.compiler import values
from girih.compiler.check.hops import ANY
from girih.compiler.model import Design, Shares, Tile, Traffic
from girih.compiler.read.parse import Report, Scalar
from girih.compiler.scheduling import Scheduling


def check_traffic(design: Design, tiles: tuple[Tile, ...], scheduling: Scheduling, report: Report) -> Traffic:
    """The traffic that a design expects. tiles: the checked ones."""
    text = design.traffic
    ports = _known(text.ports, map(str, range(design.ports)), "ports of traffic", "port of the card", report)
    chains = _known(text.chains, [*(chain.name for chain in scheduling.chains), ANY], "chains of traffic", "chain", report)
    known = {tile.name: tile for tile in tiles}
    shares = [
        (name.text, _to(known[name.text], given, scheduling, report))
        for name, given in text.tiles
        if name.text in known or _is_written(name, design, report)
    ]
    return Traffic(
        ports=tuple((int(port), gbps) for port, gbps in ports),
        tiles=tuple(shares),
        chains=tuple((None if chain == ANY else chain, share) for chain, share in chains),
    )


def _known(given: Shares, names: Iterable[str], owner: str, what: str, report: Report) -> list[tuple[str, float]]:
    names = list(names)
    for key, _ in given:
        if key.text not in names:
            hint = values.did_you_mean(key.text, names)
            report.error(key.line, f"{owner} names {key.text}, which is not a {what}", f"{hint}It may name {values.listing(names)}.")
    return [(key.text, share) for key, share in given if key.text in names]


def _is_written(name: Scalar, design: Design, report: Report) -> bool:
    """Reports a name that is not a tile. Always False: errors in a tile of that name were reported before."""
    names = [tile.name for tile in design.tiles]
    _known(((name, 0.0),), names, "tiles of traffic", "tile", report)
    return False


def _to(tile: Tile, given: Shares, scheduling: Scheduling, report: Report) -> tuple[tuple[str, float], ...]:
    """The shares of the tiles that a tile sends to."""
    targets = list(dict.fromkeys(hop.to for hop in (*tile.hops, *tile.ways)))
    if scheduling.scheduler in (tile.name, *targets):
        for key, _ in given[:1]:
            report.error(key.line, f"the messages of tile {tile.name} are divided by chains", "Write chains: {decrypt: 2, any: 1} in traffic.")
        return ()
    return tuple(_known(given, targets, f"{tile.name} in traffic", f"next hop of {tile.name}", report))
