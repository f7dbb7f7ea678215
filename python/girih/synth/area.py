# SPDX-License-Identifier: Apache-2.0
"""The area of a netlist of UltraScale+ cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

# Look-up-table sites that a memory cell takes.
LUTRAM_SITES = {
    "RAM32M16": 8,
    "RAM64M8": 8,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM512X1S": 8,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM256X1D": 8,
    "SRL16E": 1,
    "SRLC32E": 1,
}
FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE", "LDCE", "LDPE")
BRAM_BLOCKS = {"RAMB36E2": 1.0, "RAMB18E2": 0.5}


@dataclass(frozen=True)
class Area:
    """Resources of a module.

    lut: logic look-up tables, LUT1 to LUT6. Not counted: INV (it merges into the table that reads
    it), CARRY4, MUXF7 … MUXF9 and BUFG, which have sites of their own; `cells` shows them.
    lutram: sites used as memory or shift register. bram: blocks of 36 Kb, a half for one of 18 Kb.
    """

    lut: int = 0
    lutram: int = 0
    ff: int = 0
    bram: float = 0
    uram: int = 0
    dsp: int = 0
    cells: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Area) -> Area:
        names = sorted({*self.cells, *other.cells})
        return area_of({name: self.cells.get(name, 0) + other.cells.get(name, 0) for name in names})


def area_of(cells: dict[str, int]) -> Area:
    """The area of a netlist from how many cells of each type it has."""
    return Area(
        lut=sum(cells.get(f"LUT{inputs}", 0) for inputs in range(1, 7)),
        lutram=sum(sites * cells.get(name, 0) for name, sites in LUTRAM_SITES.items()),
        ff=sum(cells.get(name, 0) for name in FLIP_FLOPS),
        bram=sum(blocks * cells.get(name, 0) for name, blocks in BRAM_BLOCKS.items()),
        uram=cells.get("URAM288", 0),
        dsp=cells.get("DSP48E2", 0),
        cells=dict(sorted(cells.items())),
    )


def total(areas: Iterable[Area]) -> Area:
    """The sum of several modules."""
    result = Area()
    for area in areas:
        result += area
    return result
