# SPDX-License-Identifier: Apache-2.0
"""A card idles until its 24-bit count of cycles is about to wrap: traffic across the wrap is treated as before it."""

import random

import pytest

from girih.card import VirtualCard
from girih.testing import SEED
from tests.frames import Traffic
from tests.test_bad_input import CARD, HOSTS, STRANGER, Bench, introductions
from tests.test_panic import SIZES, frame, through

WRAP = 1 << 24  # cycles
pytestmark = pytest.mark.thorough  # one to two minutes of processor time each, most of it idling


def idle_until_the_wrap(card: VirtualCard, before: int = 2500) -> None:
    card.run(WRAP - before - card.cycle)
    assert card.cycle < WRAP


def longest(card: VirtualCard, since: dict[str, list[int]]) -> dict[str, int]:
    """Of each histogram: the number of the last bin that has grown."""
    now = card.registers.histograms()
    return {tile: max((i for i, (old, new) in enumerate(zip(since[tile], bins)) if new > old), default=-1) for tile, bins in now.items()}


def test_a_card_with_services(built):
    random.seed(SEED)
    frames = [frame(1000 + i % 5, random.choice(SIZES)) for i in range(300)]
    with VirtualCard(built("panic_delay"), collect=True) as card:
        at_start = card.registers.histograms()
        assert sorted(through(card, frames)) == sorted(frames)
        usual = longest(card, at_start)
        idle_until_the_wrap(card)
        at_wrap = card.registers.histograms()
        assert sorted(through(card, frames)) == sorted(frames)
        assert card.cycle > WRAP
        assert usual and max(usual.values()) > 0, "there is no histogram to judge by"
        beyond = {tile: (usual[tile], last) for tile, last in longest(card, at_wrap).items() if last > usual[tile] + 1}
        assert not beyond, f"times are longer across the wrap (last bin before, across): {beyond}"
        card.check_conservation()


def test_a_card_that_answers(built):
    with VirtualCard(built("demo"), collect=True) as card:
        bench = Bench(card, resolves=True)
        bench.run(introductions(HOSTS))
        idle_until_the_wrap(card)
        traffic = Traffic(CARD, HOSTS, STRANGER, SEED)
        for _ in range(5):
            bench.run([traffic.next() for _ in range(300)])
        assert card.cycle > WRAP
        card.check_conservation()
