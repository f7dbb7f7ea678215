# SPDX-License-Identifier: Apache-2.0
"""The windows' parts do not overlap, and software and RTL find the same element at an address."""

import re
from itertools import pairwise

import pytest

from girih.spec.kinds import load_kinds
from girih.spec.windows import ADDRESS_BITS, offset, package, windows


@pytest.mark.parametrize("window", windows())
def test_parts_are_aligned_and_apart(window):
    parts = sorted(windows()[window].values(), key=lambda part: part.at)
    most = max([kind.window_bits for kind in load_kinds().values() if f"{kind.name}_window" == window], default=ADDRESS_BITS)
    for part in parts:
        assert part.size & part.size - 1 == 0 and part.at % part.size == 0 and part.at + part.size <= 1 << most
        assert all(high >= low for high, low in part.slices().values())
    assert all(before.at + before.size <= after.at for before, after in pairwise(parts))


def test_an_offset_has_its_indices_in_the_bits_that_the_package_names():
    text = package("scheduler_window")
    numbers = {name: int(value) for name, value in re.findall(r"(\w+[LM]sb) = (\d+)", text)}
    at = offset("scheduler_window", "fates", tenant=5, service=3, fate=6, half=1)
    for index, wanted in (("Tenant", 5), ("Service", 3), ("Fate", 6), ("Half", 1)):
        high, low = numbers[f"Fates{index}Msb"], numbers[f"Fates{index}Lsb"]
        assert at >> low & (1 << high - low + 1) - 1 == wanted
    assert at >> numbers["FatesLsb"] == 1
    assert "FatesPart = 1'h1;" in text


def test_an_index_out_of_range_is_refused():
    assert offset("scheduler_window", "queues", service=31, tenant=63) == 0x4000 + 31 * 0x100 + 63 * 4
    with pytest.raises(ValueError, match="queues has no tenant 64"):
        offset("scheduler_window", "queues", tenant=64)
