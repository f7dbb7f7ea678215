# SPDX-License-Identifier: Apache-2.0
"""A service's policy in the format of the scheduler's registers and class table (rtl/scheduler/rank/policy_pkg.sv)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CLASSES = 16
HALF_CIRCLE = 1024  # levels by which ranks can differ
REACH = 512  # levels that a rank by the clock can be ahead of now
LEAST_SHIFT = 4  # of a rank by the clock, in a scheduler with 1,024 entries
MOST_SHIFT = 13
DEFAULT_SHIFT = 4
FRACTION = 16  # bits of a unit of time
SCALE_BITS = 16
MOST_OFFSET = (1 << 24) - 1
LEAST_WEIGHT_COST = 15 / 16  # units of virtual time for a byte of the class with the least weight
FAIR_SHIFT = 8  # so that a full buffer is less than half the range of ranks
BACKLOG = 65536  # bytes of a shaped class that can wait

# The parameters of a class by policy: first the one that a plain number sets; (least, most).
CLASS_VALUES = {
    "strict": {"level": (0, HALF_CIRCLE - 1)},
    "fair": {"weight": (1, 255)},
    "slack": {"cycles": (0, (REACH << MOST_SHIFT) - 1)},
    "shaped": {"mbps": (1, 400_000), "burst": (0, 1 << 20)},
}

Classes = Mapping[int, Mapping[str, int]]
"""Values by class, such as {0: {"weight": 2}}; what is missing has its default."""


@dataclass(frozen=True)
class ClassWords:
    """Two words of the table. scale, exponent: a byte costs scale * 16^exponent / 2^16 units of time."""

    scale: int
    exponent: int
    offset: int

    @property
    def words(self) -> tuple[int, int]:
        return self.exponent << SCALE_BITS | self.scale, self.offset


def shift_of(kind: str, classes: Classes, clock_mhz: float) -> int:
    """The resolution of ranks, as a power of two of a unit, with which the largest differences are in range."""
    if kind == "slack":
        reach = max([values.get("cycles", 0) for values in classes.values()], default=0)
    elif kind == "shaped":
        slowest = max([_cycles_of_a_byte(values, clock_mhz) for values in classes.values()], default=0)
        bursts = [_burst(values, clock_mhz) for values in classes.values()]
        reach = int(BACKLOG * slowest) + max(bursts, default=0)
    else:
        return FAIR_SHIFT if kind == "fair" else DEFAULT_SHIFT
    return min(max((reach // REACH).bit_length(), LEAST_SHIFT), MOST_SHIFT)


def class_words(kind: str, classes: Classes, clock_mhz: float) -> list[ClassWords]:
    """The words of all classes of a service."""
    return [_words(kind, classes, number, clock_mhz) for number in range(CLASSES)]


def class_values(kind: str, words: list[ClassWords], clock_mhz: float) -> dict[int, dict[str, float]]:
    """The inverse of `class_words`, as precise as the card's words: weights are relative to the least, rates are rounded."""
    costs = [entry.scale * 16**entry.exponent / (1 << FRACTION) for entry in words]
    if kind == "strict":
        return {number: {"level": entry.offset} for number, entry in enumerate(words) if entry.offset != number}
    if kind == "slack":
        return {number: {"cycles": entry.offset} for number, entry in enumerate(words) if entry.offset}
    if kind == "fair":
        weights = [round(max(costs) / cost, 1) if cost else 1 for cost in costs]
        return {number: {"weight": weight} for number, weight in enumerate(weights) if weight != 1}
    rates = {number: 8 * clock_mhz / cost for number, cost in enumerate(costs) if cost}
    return {
        number: {"mbps": round(rate), "burst": round(words[number].offset * rate / 8 / clock_mhz)} for number, rate in rates.items()
    }


def _words(kind: str, classes: Classes, number: int, clock_mhz: float) -> ClassWords:
    values = classes.get(number, {})
    if kind == "strict":  # classes without values are in the order of their numbers
        return ClassWords(0, 0, min(values.get("level", number), HALF_CIRCLE - 1))
    if kind == "slack":
        return ClassWords(0, 0, values.get("cycles", 0))
    if kind == "fair":
        least = min([v.get("weight", 1) for v in classes.values()], default=1)
        return ClassWords(*_cost(LEAST_WEIGHT_COST * min(least / values.get("weight", least), 1)), 0)
    if "mbps" not in values:  # it is not shaped
        return ClassWords(0, 0, 0)
    return ClassWords(*_cost(_cycles_of_a_byte(values, clock_mhz)), min(_burst(values, clock_mhz), MOST_OFFSET))


def _cycles_of_a_byte(values: Mapping[str, int], clock_mhz: float) -> float:
    return 8 * clock_mhz / values["mbps"] if "mbps" in values else 0.0


def _burst(values: Mapping[str, int], clock_mhz: float) -> int:
    """The burst as cycles at the class's rate."""
    return int(values.get("burst", 0) * _cycles_of_a_byte(values, clock_mhz))


def _cost(units: float) -> tuple[int, int]:
    """scale and exponent of a byte's cost, as exact as possible."""
    for exponent in range(4):
        scale = round(units * (1 << FRACTION) / 16**exponent)
        if scale < 1 << SCALE_BITS:
            return max(scale, 1), exponent
    return (1 << SCALE_BITS) - 1, 3
