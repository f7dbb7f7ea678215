# SPDX-License-Identifier: Apache-2.0
"""Programs that misbehave on a cluster or on a control core, beside another tenant's program on a core (experiments/cards/rogue_tiles.yaml). What both share,
the crossbar and the control network, has room for both, so the neighbour's packets must leave in the very cycles in which they leave without the rogue."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from girih.card import VirtualCard
from girih.errors import GirihError
from girih.experiments.cluster import datagram
from girih.experiments.rogue_core import LONGEST, PROGRAMS, ROGUES, WATCHDOG, rest
from girih.firmware.load import hold, load_program, state
from girih.paths import ROOT

CARD = ROOT / "experiments" / "cards" / "rogue_tiles.yaml"
CLUSTER, MANAGER, MINE = "cluster", "manager", "mine"
PORTS = {CLUSTER: 7, MANAGER: 8}  # UDP port of the packets for each
ROGUE_IP = "10.77.0.3"
START = 100_000  # the cycle of the neighbour's first packet, when all programs have been loaded
COUNT, SIZE, SPACING = 150, 400, 90  # the neighbour's packets, their bytes, and the cycles from one to the next
WARMUP = 10  # packets of the neighbour until its program is in step with them
OFFERED, LEAD = 400, 2000  # the rogue's packets, in turn of the shortest and the longest, back to back, and the cycles by which they start earlier
READS = 100  # of a register of the neighbour's core, by the host, while the rogue's program runs

_LONG = (f"LONGEST={LONGEST}",)
ROGUE_PROGRAMS: dict[str, dict[str, tuple[Path, tuple[str, ...]]]] = {
    CLUSTER: PROGRAMS | {"makes": (ROGUES / "makes.c", _LONG), "mails": (ROGUES / "mails.c", ())},
    MANAGER: {name: PROGRAMS[name] for name in PROGRAMS if name != "good"} | {"makes": (ROGUES / "makes.c", _LONG), "asks": (ROGUES / "asks.c", ())},
}
"""Tile: the programs for it by name, and what they are compiled with."""


@dataclass(frozen=True)
class Beside:
    """What came of the neighbour's packets, and what the other tile did. echoes: cycle of the last beat and bytes of each, in order, from the WARMUP-th on.
    reads: cycles of each access of the host. counters: of the tile, what they have grown by. restarts: of the tile's cores.
    sweep: counters of the neighbour's core."""

    echoes: list[tuple[int, bytes]]
    reads: list[int]
    counters: dict[str, int]
    restarts: int
    sweep: int

    @property
    def latencies(self) -> list[int]:
        """Cycles from the arrival of each of the neighbour's packets to the last beat of its echo."""
        return [cycle - (START + (WARMUP + number) * SPACING) for number, (cycle, _) in enumerate(self.echoes)]


def beside(tile: str | None = None, program: str = "") -> Beside:
    """The neighbour's packets on a card of its own, beside this program on the tile, or without any other tenant's packets. Builds the card (minutes, if it is new). Raises
    GirihError if a packet is not accounted for once the program is held."""
    with VirtualCard.open(CARD) as card:
        registers, other = card.registers, tile or CLUSTER
        for each in (*PORTS, MINE):
            registers.write(f"{each}.watchdog", WATCHDOG)
        if tile:
            source, defines = ROGUE_PROGRAMS[tile][program]
            load_program(registers, tile, source, defines)
        card.keep_output(True)
        for number in range(COUNT):
            card.inject(0, datagram(card, SIZE, number), cycle=START + number * SPACING)
        if tile:
            for number in range(OFFERED):
                card.inject(1, datagram(card, (68, LONGEST)[number & 1], number, to=(card.manifest.port_address(1)[0], ROGUE_IP), dst_port=PORTS[tile]), cycle=START - LEAD)
        card.run(START - 2 * LEAD - card.cycle)
        before, restarts = registers.counters(other)[other], _restarts(card, other)
        card.run(START + COUNT * SPACING + LEAD - card.cycle)
        echoes = [(frame.last_cycle, frame.data) for frame in card.collect(0)]
        reads = [_read(card, number) for number in range(READS)]
        restarts = _restarts(card, other) - restarts
        hold(registers, other)
        rest(card)
        after = registers.counters(other)[other]
        if len(echoes) != COUNT:
            raise GirihError(f"{len(echoes)} of the neighbour's {COUNT} packets came back", f"{tile} {program}", "This is a fault of the card.")
        return Beside(echoes[WARMUP:], reads, {name: after[name] - before[name] for name in after}, restarts, len(registers.counters(MINE)[MINE]))


def _restarts(card: VirtualCard, tile: str) -> int:
    return sum(state(card.registers, tile, core).restarts for core in range(card.manifest.tile(tile).cores))


def _read(card: VirtualCard, number: int) -> int:
    """Reads a register of the neighbour's core: the cycles that this takes, at a phase that depends on the number."""
    card.run(number * 7 % 61)
    before = card.cycle
    card.registers.read(f"{MINE}.watchdog")
    return card.cycle - before
