# SPDX-License-Identifier: Apache-2.0
"""packet_buffer with four cells: it is correct in the first cycles after reset, whatever happens in them."""

import pytest

from girih.formal import prove, refute

WIDTHS = {"length_t": 4}


@pytest.mark.parametrize(("cell_flits", "depth"), [(1, 7), (2, 6)])
def test_packet_buffer(cell_flits, depth):
    prove("packet_buffer_proof", mode="bmc", depth=depth, parameters={"CellFlits": cell_flits}, widths=WIDTHS)


def test_broken_design_is_noticed():
    old, new = "back_o = fire && open_q && !lost &&", "back_o = fire && !lost &&"
    refute("packet_buffer_proof", module="cell_writer", old=old, new=new, depth=6, widths=WIDTHS)
