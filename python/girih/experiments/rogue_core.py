# SPDX-License-Identifier: Apache-2.0
"""Programs that misbehave on a core, beside another tenant's program on a core of its own (experiments/cards/rogue_core.yaml): both use one scheduler,
one more unit and one crossbar. The other tenant's packets are counted and timed without the rogue, beside a good program, and beside each rogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from girih.card import Flow, FlowResult, VirtualCard
from girih.card.registers import violations
from girih.errors import GirihError
from girih.experiments import Progress
from girih.experiments.panic import HEADERS, packet_rate
from girih.firmware.compile import FIRMWARE
from girih.firmware.load import load_program, state
from girih.paths import ROOT

CARD = ROOT / "experiments" / "cards" / "rogue_core.yaml"
ROGUES = ROOT / "experiments" / "rogues"
NEIGHBOUR, ROGUE = 2001, 2002  # UDP ports of their chains
MINE, THEIRS, EXIT = "mine", "theirs", "host"  # the cores, and the port that the neighbour's packets leave by
COUNT, SIZE, GBPS = 200, 512, 20.0  # of the neighbour's packets
OFFERED, LEAD = 1500, 4000  # the rogue's packets, and the cycles by which they start earlier
LONGEST = 1514  # bytes of a frame
WATCHDOG = 2000  # cycles until a program that takes no packet is restarted
STARTED = 20_000  # cycles in which a program starts
QUIET = 3 * WATCHDOG
RESTS = 400  # restarts by the watchdog after which no packet is left, even if each ends one

PROGRAMS = {
    "good": (FIRMWARE / "programs" / "no_touch.c", ()),
    "loops": (ROGUES / "loops.c", ()),
    "scribbles": (ROGUES / "scribbles.c", ()),
    "scribbles in machine mode": (ROGUES / "scribbles.c", ("MACHINE_MODE",)),
    "floods": (ROGUES / "floods.c", (f"LONGEST={LONGEST}",)),
    "forges": (ROGUES / "forges.c", ()),
}
"""Name: the program and what it is compiled with."""


@dataclass(frozen=True)
class Beside:
    """What came of the neighbour's packets, and what the other program did. offered: packets for it; taken, answered: by its core; restarts: of its core.
    mine: packets that reached the neighbour's core; left: frames that left by the neighbour's exit."""

    neighbour: FlowResult
    offered: int
    taken: int
    answered: int
    restarts: int
    mine: int
    left: int


@contextmanager
def open_card(progress: Progress) -> Iterator[VirtualCard]:
    """Builds the card (minutes, if it is new) and opens it."""
    progress(f"building {CARD.stem}")
    with VirtualCard.open(CARD) as card:
        for tile in (MINE, THEIRS):
            card.registers.write(f"{tile}.watchdog", WATCHDOG)
        yield card


def rest(card: VirtualCard) -> None:
    """Runs the card until its programs have lost what they kept. Raises GirihError if a packet is not accounted for then."""
    for _ in range(RESTS):
        if not violations(card.registers.counters()):
            break
        card.run(WATCHDOG)
    card.check_conservation(QUIET)


def _neighbour() -> Flow:
    return Flow(port=0, payload=SIZE - HEADERS, dst_port=NEIGHBOUR, expect="forward", rate=packet_rate(GBPS, SIZE), count=COUNT, start=LEAD)


def _rogue() -> Flow:
    """The shortest and the longest frames in turn, back to back."""
    return Flow(port=1, payload=(18, LONGEST - HEADERS), dst_port=ROGUE, expect="forward", src_port=50000, seed=2, count=OFFERED)


def beside(card: VirtualCard, program: str | None) -> Beside:
    """The neighbour's packets beside this program, or without any other tenant's packets. Raises GirihError if a packet is not accounted for."""
    if program:
        source, defines = PROGRAMS[program]
        load_program(card.registers, THEIRS, source, defines)
        card.run(STARTED)
    before, left, restarts = card.registers.counters(), card.port_stats(1).tx_frames, state(card.registers, THEIRS).restarts
    card.add_flow(_neighbour())
    if program:
        card.add_flow(_rogue())
    flows = card.run_flows(count=COUNT, quiet=QUIET).flows
    rest(card)
    after = card.registers.counters()
    if program and not flows[1].first_in < flows[0].first_in < flows[0].last_in < flows[1].last_in:
        raise GirihError("the packets of the two tenants did not come at the same time", program, "Raise OFFERED.")

    def grown(tile: str, counter: str) -> int:
        return after[tile][counter] - before[tile][counter]

    return Beside(
        flows[0],
        OFFERED if program else 0,
        grown(THEIRS, "in_messages"),
        grown(THEIRS, "out_messages"),
        state(card.registers, THEIRS).restarts - restarts,
        grown(MINE, "in_messages"),
        card.port_stats(1).tx_frames - left,
    )
