# SPDX-License-Identifier: Apache-2.0
"""A program that misbehaves on a core takes nothing from another tenant, who has a core of its own behind the same scheduler and uses one more unit with it."""

import pytest

from girih.experiments.rogue_core import COUNT, LONGEST, PROGRAMS, beside, open_card

LINK_CYCLES = -(-LONGEST // 64)  # of the longest packet on a link
LATER = 3 * LINK_CYCLES  # one such packet at each link that both use: into the scheduler, out of it, and into the unit


@pytest.fixture(scope="module")
def card():
    with open_card(lambda text: None) as card:
        yield card


@pytest.fixture(scope="module")
def alone(card):
    return beside(card, None)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_takes_nothing_from_another_tenant(card, alone, program):
    """The neighbour loses nothing, is as fast, and waits for no more than what is on the links that it shares; and what the program makes of its packets,
    whose headers it changes, reaches neither the neighbour's core nor its exit."""
    found = beside(card, program)
    mine = found.neighbour
    assert mine.received == mine.sent == COUNT and not mine.reordered + mine.corrupted + mine.duplicated
    assert mine.packets_per_cycle >= 0.99 * alone.neighbour.packets_per_cycle
    assert mine.last_beat.max <= alone.neighbour.last_beat.max + LATER, (alone.neighbour.last_beat, mine.last_beat)
    assert found.mine == found.left == COUNT
    # The program has done what it is here for.
    assert found.restarts > 20 if program not in ("good", "floods") else found.restarts == 0
    assert found.answered > 100 if program != "loops" else found.answered < 10
