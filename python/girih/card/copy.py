# SPDX-License-Identifier: Apache-2.0
"""Looks into a copy of a running card: the card itself stays in its cycle."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, NoReturn

from girih.card.account import account
from girih.card.drops import drops_by_key, last_drops, most_accesses
from girih.card.stall import CardStalled
from girih.errors import GirihError

if TYPE_CHECKING:
    from girih.card.virtual import VirtualCard

LOOK_SECONDS = 25
COUNT_SECONDS = 15  # the largest share of it that the counters may take
REST_CYCLES = 50_000


def in_copy(card: VirtualCard, look: Callable[[], dict]) -> dict:
    """The result of `look` (plain JSON values) in a copy of the process, where it may run the card.

    The copy is detached from ports and files. Raises GirihError if `look` does.
    """
    ours, theirs = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _child(card, look, theirs)
    os.close(theirs)
    try:
        answer = _all(ours)
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)  # it has written everything
        os.waitpid(child, 0)
    if "error" in answer:
        raise GirihError(answer["error"])
    return answer["found"]


def _child(card: VirtualCard, look: Callable[[], dict], out: int) -> NoReturn:
    """Never returns: the copy must clean up nothing, because everything belongs to the card."""
    try:
        try:
            card.detach()
            text = json.dumps({"found": look()})
        except Exception as error:  # noqa: BLE001  nobody else can report it
            text = json.dumps({"error": str(error).rstrip(".") if isinstance(error, GirihError) else repr(error)})
        data = text.encode()
        while data:
            data = data[os.write(out, data) :]
    finally:
        os._exit(0)


def _all(descriptor: int) -> dict:
    """All data up to the end, as JSON."""
    data = b""
    while select.select([descriptor], [], [], LOOK_SECONDS)[0]:
        part = os.read(descriptor, 1 << 16)
        if not part:
            break
        data += part
    try:
        return json.loads(data)
    except ValueError:
        return {"error": "the copy of the card did not answer"}


def snapshot(card: VirtualCard) -> dict:
    """Counters of tiles and ports at one moment: those of a copy of the card that gets no more input, once all messages have left it.

    `memory`: the traffic at the card's port for external memory, if it has one. `clocks`: of the card's edges, MHz and cycles, if they have their own. `rested`: whether they left in time. `missing`: messages that are not accounted for.
    """
    cycle, (ports, faults) = card.cycle, card.pins()
    more = {"memory": asdict(card.memory.stats)} if card.memory else {}
    if clocks := card.edge_cycles():
        more["clocks"] = {edge: {"mhz": card.manifest.clocks[edge] / 1e6, "cycles": cycles} for edge, cycles in clocks.items()}

    def look() -> dict:
        seconds = card.registers.seconds_to_count(most_accesses(card.registers))
        if seconds > COUNT_SECONDS:
            raise GirihError(f"it takes this card about {seconds:.0f} s to read its counters", card.manifest.name, "End the run with Ctrl-C, which reads them once.")
        rested = _rests(card)
        tiles = card.registers.counters()
        found = account(card.manifest, tiles, rested)
        return {
            "cycle": cycle,
            "rested": rested,
            "missing": list(found.faults) if rested else [],
            "tiles": tiles,
            "link_stalls": card.registers.link_stalls(tiles),
            "histograms": card.registers.histograms(),
            "drops_by_key": drops_by_key(card.registers),
            "ports": ports,
            "faults": faults,
            **more,
        }

    return in_copy(card, look)


def drops(card: VirtualCard, tiles: list[str]) -> dict:
    """The last drops of tiles at one moment, in a copy that gets no more input, so that none is overwritten while they are read."""

    def look() -> dict:
        _rests(card)
        return {tile: asdict(last_drops(card.registers, tile)) for tile in tiles}

    return in_copy(card, look)


def _rests(card: VirtualCard) -> bool:
    """Runs a copy until it rests; whether it does."""
    try:
        return card.rests_within(REST_CYCLES)
    except CardStalled:
        return False
