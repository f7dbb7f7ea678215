# SPDX-License-Identifier: Apache-2.0
"""Synthesis: what is counted, and that results are kept."""

import pytest

from girih.errors import GirihError
from girih.spec.message import CardParams
from girih.synth import Area, synthesize, total
from girih.synth.area import area_of
from girih.synth.design import module_area


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


@pytest.mark.parametrize("module", ["router", "fifo_block", "credit_meter", "unit_null", "echo"])
def test_any_module_can_be_synthesized_by_its_name(module):
    """Those of cards with services, too, whatever the card."""
    assert module_area(module, CardParams()).lut > 0


@pytest.mark.parametrize("module", ["ruter", "girih_pkg", "x y", ""])
def test_a_module_that_is_not_there(module):
    with pytest.raises(GirihError, match="there is no module"):
        module_area(module, CardParams())
