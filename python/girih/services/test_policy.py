# SPDX-License-Identifier: Apache-2.0
"""Policies as words of the scheduler's tables."""

import pytest

from girih.services.policy import CLASSES, LEAST_SHIFT, REACH, class_values, class_words, shift_of

CLOCK = 250


def cost(words) -> float:
    """Units of time for a byte."""
    return words.scale * 16**words.exponent / 65536


def test_strict_levels():
    words = class_words("strict", {1: {"level": 40}}, CLOCK)
    assert [w.offset for w in words[:3]] == [0, 40, 2] and len(words) == CLASSES


def test_weights_are_exact_ratios():
    words = class_words("fair", {0: {"weight": 2}, 1: {"weight": 1}, 2: {"weight": 8}}, CLOCK)
    assert cost(words[1]) == 2 * cost(words[0]) == 8 * cost(words[2]) == 15 / 16
    assert cost(words[5]) == cost(words[1])  # not named: as the least


@pytest.mark.parametrize("mbps", [1, 10, 100, 1000, 10_000, 40_000, 100_000])
def test_a_rate_is_right_to_a_thousandth(mbps):
    words = class_words("shaped", {3: {"mbps": mbps, "burst": 3000}}, CLOCK)
    rate = 8 * CLOCK / cost(words[3])
    assert rate == pytest.approx(mbps, rel=1e-3)
    assert words[3].offset == pytest.approx(min(3000 * 8 * CLOCK / mbps, (1 << 24) - 1), abs=1)
    assert (words[0].scale, words[0].offset) == (0, 0)


@pytest.mark.parametrize("cycles", [0, 100, 8191, 8192, 10_000, 1_000_000])
def test_slack_is_within_reach(cycles):
    shift = shift_of("slack", {0: {"cycles": cycles}}, CLOCK)
    assert LEAST_SHIFT <= shift <= 13 and cycles < REACH << shift
    assert shift == LEAST_SHIFT or cycles * 2 >= REACH << shift, "coarser than it must be"


def test_a_backlog_of_a_shaped_class_fits():
    shift = shift_of("shaped", {0: {"mbps": 1000}, 1: {"mbps": 10_000}}, CLOCK)
    assert REACH << shift >= 65536 * 2 and shift < 10


@pytest.mark.parametrize(
    "kind, classes",
    [
        ("strict", {0: {"level": 3}, 2: {"level": 1023}}),
        ("slack", {0: {"cycles": 100}, 15: {"cycles": (1 << 22) - 1}}),
        ("shaped", {0: {"mbps": 1000, "burst": 3000}, 1: {"mbps": 40, "burst": 0}}),
    ],
)
def test_what_was_written_is_read(kind, classes):
    assert class_values(kind, class_words(kind, classes, CLOCK), CLOCK) == classes


def test_weights_are_read_as_ratios_to_the_least():
    words = class_words("fair", {0: {"weight": 2}, 1: {"weight": 2}, 3: {"weight": 255}}, CLOCK)
    assert class_values("fair", words, CLOCK) == {3: {"weight": 127.5}}
