# SPDX-License-Identifier: Apache-2.0
"""stream_memory at a small size, unbounded (induction), and that the proof notices a broken design."""

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# Of blocks with two rows, so that a buffer has several of them.
ABSTRACTION = [("stream_memory", "Rows > 4096 ? 4096 : Rows", "Rows > 2 ? 2 : Rows")]
OPTIONS = {"streams": True, "widths": {"length_t": 14, "offset_t": 14, "tenant_t": 3}, "registers_for_memories": True, "solver": QUICK_ON_QUEUES}


def options(flit_bytes):
    """With flits of so many bytes, instead of two."""
    wide = [] if flit_bytes == 2 else [("girih_pkg", "W = 16;", f"W = {8 * flit_bytes};")]
    return OPTIONS | {"abstraction": ABSTRACTION + wide}


# Bytes of a flit, streams, and bytes of a ring.
@pytest.mark.parametrize(("flit_bytes", "streams", "ring"), [(2, 2, 8), (4, 2, 16), pytest.param(2, 4, 16, marks=pytest.mark.thorough), pytest.param(8, 2, 32, marks=pytest.mark.thorough)])
def test_stream_memory(flit_bytes, streams, ring):
    prove("stream_memory_proof", depth=2, parameters={"Streams": streams, "Ring": ring}, **options(flit_bytes))


BROKEN = [
    ("stream_memory", "where.odd + row_t'(where.starts_odd)", "where.odd"),
    ("stream_memory", "else enable_q <= '0;", ""),
    ("stream_memory", "placed.here : placed.next", "placed.here : '0"),
    ("stream_memory", "else word[k] <= '0;", ""),
    ("stream_memory", "{FlitBytes{read_where_q.starts_odd}} ^ read_behind_q;", "{FlitBytes{read_where_q.starts_odd}};"),
    ("stream_memory", "lower_bits(read_where.place)", "lower_bits(write_where.place)"),
    ("stream_memory", "write_valid_i && (Blocks == 1 ||", "write_valid_i && (1'b1 ||"),
    ("stream_memory", "{stream_t'(read_stream_i), b == 0", "{stream_t'(write_i.connection), b == 0"),
    ("stream_memory", ".places_i(read_where_q.place)", ".places_i(read_where.place)"),
    ("stream_memory", "Blocks == 1 || read_row >> BlockBits == address_t'(k)", "1'b1"),
    ("header_pkg", "+ stop) & ~placed_below((EmptyWidth + 1)'(place) + first);", "+ stop);"),
]


@pytest.mark.parametrize(("module", "old", "new"), some_of(2, BROKEN))
def test_broken_design_is_noticed(module, old, new):
    refute("stream_memory_proof", module=module, old=old, new=new, depth=8, **options(2))
