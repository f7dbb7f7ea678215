# SPDX-License-Identifier: Apache-2.0
"""Synthesis: what is counted, and that results are kept."""

from girih.synth import Area, synthesize, total
from girih.synth.area import area_of


def test_counts_tables_and_memory_apart():
    area = area_of({"LUT6": 3, "LUT2": 1, "INV": 5, "CARRY4": 2, "RAM32M16": 2, "FDRE": 7, "RAMB18E2": 1})
    assert (area.lut, area.lutram, area.ff, area.bram) == (4, 16, 7, 0.5)
    assert total([area, area]).cells["INV"] == 10
    assert total([]) == Area()


def test_fifo_is_small_and_kept():
    area = synthesize("fifo", parameters={"Depth": 16})
    assert area.lutram == 8  # 16 x 8 bits: one RAM32M16
    assert 10 <= area.ff <= 14  # two pointers of five bits; Yosys may copy the read address
    assert 0 < area.lut < 40
    assert synthesize("fifo", parameters={"Depth": 16}) == area
