# SPDX-License-Identifier: Apache-2.0
"""Random designs with services on the RTL: those that the compiler accepts run to completion, those that it refuses can hang.

All of them are one card, whose tables, exits, chains and rates are written before each run.
"""

from __future__ import annotations

import random

import pytest

from girih.card.stall import Stall
from girih.compiler.dependencies import dependencies
from girih.compiler.explain import name_of, steps
from girih.compiler.messages import Path, State, walk
from girih.compiler.model import Card
from girih.compiler.paths import endless
from girih.errors import GirihError, GirihErrors
from tests.deadlock.random_services import random_services
from tests.deadlock.services_card import (
    FIRST_PORT,
    SCHEDULER,
    SERVICES,
    UNITS,
    Frames,
    ServicesCard,
    all_chains,
    heading,
    port_line,
    tile_line,
)
from tests.deadlock.test_random_designs import card_of
from tests.deadlock.traffic import LONG, SIZES, saturate

TRIES = 80  # most attempts to make it hang, each with other frames; most designs take a few, some take thirty
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def generic():
    with ServicesCard() as card:
        yield card


@pytest.mark.parametrize(("accepted", "hang"), [(300, 30)])
def test_accepted_designs_run_and_refused_ones_hang(accepted, hang, generic, record_property):
    least = -(-accepted // 10)  # of them with lossless ports
    runs = hung = tries = lossless = seed = frames = 0
    while runs < accepted or hung < hang:
        seed += 1
        rng = random.Random(seed)
        text = random_services(rng)
        try:
            card = card_of(text)
        except (GirihError, GirihErrors):
            continue  # it has other mistakes
        if endless(walk(card)):
            continue
        if dependencies(card).order() is not None:
            if runs < accepted and ("lossless" in text or runs - lossless < accepted - least):
                generic.load(card)
                run = saturate(generic, rng, make=Frames(all_chains(card)))
                assert run.stall is None, f"accepted, and yet it hangs (seed {seed}):\n{text}\n{run.stall.text}"
                runs, frames, lossless = runs + 1, frames + run.received, lossless + ("lossless" in text)
        elif hung < hang and "lossless" not in text and all(senders(card)):
            tries += _hangs(generic, card, rng, f"refused, and yet it does not hang (seed {seed}):\n{text}")[1]
            hung += 1
    record_property("designs", f"{runs} accepted, {lossless} with lossless ports, {hung} refused, which hung in {tries} tries, {frames} frames")
    assert lossless >= least


def test_a_circle_behind_the_exit_of_a_chain_is_named(generic):
    """The tiles behind the exit hold a link that the chain needs, and only messages of the chain get there."""
    text = "\n".join(
        [
            *heading(),
            port_line("wire", "relay_5"),
            port_line("host", "relay_6"),
            f"  {SCHEDULER}}}",
            *(tile_line(name, kind) for name, kind in UNITS.items()),
            tile_line("relay_5", "relay", "next: host"),
            tile_line("relay_6", "relay", "next: {0: relay_5, 1: wire}"),
            "services:",
            *(f"  {name}: [{', '.join(units)}]" for name, units in SERVICES.items()),
            f"chains: {{c: {{services: [second], exit: EXIT, match: {{udp.dst: {FIRST_PORT}}}}}}}",
            "",
        ]
    )
    card = card_of(text.replace("EXIT", "relay_6"))
    circle = [name_of(card, edge.holder) for edge in dependencies(card).shortest_cycle()]
    stall, _ = _hangs(generic, card, random.Random(1), "it does not hang")
    assert set(stall.chain) == set(circle)
    repaired = card_of(text.replace("EXIT", "wire"))
    assert dependencies(repaired).order() is not None
    for seed in range(4):
        generic.load(repaired)
        assert saturate(generic, random.Random(seed), LONG, Frames(all_chains(repaired))).stall is None


def senders(card: Card) -> list[list[tuple[int, int]]]:
    """For each message of the circle that the compiler names: the Ethernet ports and chains that it can be of. Empty: it is of
    a chain that the design does not have yet."""
    messages = walk(card)
    before: dict[State, list[State]] = {}
    for step in messages.steps:
        before.setdefault(step.after, []).append(step.before)
    found = []
    for part in steps(dependencies(card).shortest_cycle()):
        if not isinstance(part.reason, Path):
            continue
        states = list(dict.fromkeys(step.before for step in messages.steps if step.path == part.reason))
        for state in states:
            states += [other for other in before.get(state, ()) if other not in states]
        none = len(card.scheduling.chains)
        known = (state for state in states if state.new and (state.chain is None or state.chain < none))
        found.append(sorted({(state.port, none if state.chain is None else state.chain) for state in known}))
    return found


def _hangs(generic: ServicesCard, card: Card, rng: random.Random, complaint: str) -> tuple[Stall, int]:
    """How it hangs, and in which try. The frames of a try are of chains that messages of the named circle can have."""
    circle = senders(card)
    for turn in range(TRIES):
        chosen = [rng.choice(each) for each in circle]
        chains = {port: [chain for at, chain in chosen if at == port] or every for port, every in all_chains(card).items()}
        generic.load(card)
        stall = saturate(generic, rng, LONG if turn % 2 else SIZES, Frames(chains)).stall
        if stall:
            tangled = {name_of(card, resource) for resource in dependencies(card).tangled()}
            assert tangled.issuperset(stall.chain), f"this circle is none of the graph's:\n{stall.text}"
            return stall, turn + 1
    raise AssertionError(complaint)
