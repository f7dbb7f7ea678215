# SPDX-License-Identifier: Apache-2.0
"""The windows of tiles: reads `spec/windows.yaml`, gives offsets to software and places to the RTL.

    offset("scheduler_window", "queues", service=1, tenant=2)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from girih.spec.files import read_spec
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "window_pkg.sv.j2"
ADDRESS_BITS = 14  # of a window that is accessed directly; larger ones are accessed by an index (docs/contracts.md)


@dataclass(frozen=True)
class Part:
    """A part of a window. at, size: in bytes. strides: the bytes between elements, by index, the outermost first."""

    at: int
    size: int
    strides: dict[str, int]
    doc: str

    @property
    def lsb(self) -> int:
        """The lowest address bit that selects this part."""
        return self.size.bit_length() - 1

    def slices(self) -> dict[str, tuple[int, int]]:
        """The highest and the lowest address bit of each index."""
        ends = [self.size, *self.strides.values()]
        return {name: (end.bit_length() - 2, stride.bit_length() - 1) for (name, stride), end in zip(self.strides.items(), ends)}


@cache
def windows() -> dict[str, dict[str, Part]]:
    """The parts of each window."""
    return {
        name: {part: Part(p["at"], p["bytes"], p.get("each", {}), p["doc"]) for part, p in window["parts"].items()}
        for name, window in read_spec("windows").items()
    }


def offset(window: str, name: str, **indices: int) -> int:
    """The offset of an element in bytes. Indices that are not given are 0. Raises KeyError for an unknown name, ValueError
    for an index out of range."""
    part = windows()[window][name]
    total = part.at
    for index, number in indices.items():
        high, low = part.slices()[index]
        if not 0 <= number < 1 << (high - low + 1):
            raise ValueError(f"{window}: {name} has no {index} {number}")
        total += number << low
    return total


def package(window: str) -> str:
    """The text of `<window>_pkg.sv`."""
    parts = windows()[window]
    bits = max(ADDRESS_BITS, *((part.at + part.size - 1).bit_length() for part in parts.values()))
    return render(TEMPLATE, window=window, parts=parts, bits=bits)
