# SPDX-License-Identifier: Apache-2.0
"""packet_buffer with four cells, unbounded (induction), and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

OPTIONS = {"solver": QUICK_ON_QUEUES, "registers_for_memories": True}


@pytest.mark.thorough  # minutes
@pytest.mark.parametrize("cell_flits", [1, 2])  # two is the default
def test_packet_buffer(cell_flits):
    prove("packet_buffer_proof", depth=1, parameters={"CellFlits": cell_flits}, widths={"length_t": 4}, **OPTIONS)


# Flits of a cell, module, old text and new text.
BROKEN = [
    (1, "cell_admission", "abandons_o = open_i && !lost_i &&", "abandons_o = !lost_i &&"),
    (1, "cell_admission", "(void_end || too_long_o || (may_need_i && !open_has && !waits_i))", "(void_end || too_long_o)"),
    (1, "cell_writer", "length_q >= limit_q)", "length_q > limit_q)"),
    (1, "cell_writer", "trim && limit < length ? limit", "trim ? limit"),
    (1, "cell_writer", "free_i > reserve_i)", "free_i >= reserve_i)"),
    (1, "cell_admission", "admitted = reports_ready_i &&", "admitted ="),
    (1, "cell_admission", "open_ready : ready[in_which_i];", "open_ready : ready[0];"),
    (1, "cell_admission", "takes[in_which_i];", "takes[1];"),
    (1, "cell_writer", "(take_o && open_q) || (back_o && cell_valid_i)", "take_o && open_q"),
    (1, "cell_writer", "last: take_o ? cell_i : cell_q,", "last: cell_q,"),
    (1, "cell_writer", "if (in_valid_i && !open_q && reports_ready) desc", "if (in_valid_i && !open_q) desc"),
    (1, "cell_writer", "if (in_valid_i && !open_q && reports_ready) desc", "if (in_valid_i && reports_ready) desc"),
    (2, "cell_writer", "(starts_cell ? cell_valid_i : !lost_q)", "(starts_cell ? cell_valid_i : 1'b1)"),
    (2, "cell_writer", "addr_q <= write_addr_o + 1'b1;", "addr_q <= addr_q + 1'b1;"),
    (1, "cell_reader", "if (advance) valid_q <= fetch_o;", "valid_q <= fetch_o;"),
    (1, "cell_reader", "(read_length_i - 1'b1) >> EmptyWidth", "read_length_i >> EmptyWidth"),
    (2, "cell_reader", "(last || offset == offset_in_cell_t'(CellFlits - 1));", "offset == offset_in_cell_t'(CellFlits - 1);"),
    (2, "cell_reader", "offset_q == '0 ? next_cell : cell_q;", "next_cell;"),
    (1, "packet_buffer", ".write_enable_i(write),", ".write_enable_i(write && !fetch),"),
    (1, "packet_buffer", ".out_flit_o,\n      .link_i(link),", ".out_flit_o,\n      .link_i(link && !fetch),"),
]
BROKEN_LATE = [  # the counterexample takes longer to find
    (1, "cell_writer", "lost || starved || too_long;", "lost || starved;"),
    (1, "cell_reader", "fetch_o = advance && (more || read_valid_i)", "fetch_o = more || (advance && read_valid_i)"),
    (1, "cell_reader", "if (start) desc_q", "desc_q"),
    (1, "cell_reader", "last_q ? empty_q : '0;", "empty_q;"),
    (1, "packet_buffer", ".read_i(free),", ".read_i(free && !discard_valid_i),"),
    (1, "packet_buffer", ".read_enable_i(fetch),", ".read_enable_i(fetch || write),"),
]


@pytest.mark.parametrize(("cell_flits", "module", "old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATE)])
def test_broken_design_is_noticed(cell_flits, module, old, new):
    refute(
        "packet_buffer_proof",
        module=module,
        old=old,
        new=new,
        depth=12,
        parameters={"CellFlits": cell_flits},
        widths={"length_t": 3},
        **OPTIONS,
    )
