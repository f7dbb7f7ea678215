# SPDX-License-Identifier: Apache-2.0
"""tcp_ranges with tcp_facts, for any segment and record; and that the proof notices broken designs.

By default with short sequence numbers, in the thorough tests also at their full size, except that a segment behind a gap adds exactly its own bytes,
which takes too long.
"""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.tcp_sizes import FULL, SHORT, sizes

# Parts of the promise, which a solver finds one by one.
PARTS = range(8)
HARD = 5


@pytest.mark.parametrize(
    ("part", "size"),
    [*((part, SHORT) for part in PARTS), *(pytest.param(part, FULL, marks=pytest.mark.thorough) for part in PARTS if part != HARD)],
)
def test_tcp_ranges(part, size):
    prove("tcp_ranges_proof", depth=1, parameters={"Part": part}, **sizes(size))


@pytest.mark.thorough
def test_it_does_not_matter_where_numbers_begin():
    prove("tcp_ranges_shift_proof", depth=1, **sizes(FULL, solver="z3"))


# Part, module, old text and new text.
BROKEN = [
    (0, "tcp_facts", "facts_o.in_order = facts_o.exact || facts_o.early;", "facts_o.in_order = facts_o.exact;"),
    (0, "tcp_facts", "!precedes(record_i.rcv_edge, segment_end)", "precedes(segment_end, record_i.rcv_edge)"),
    (0, "tcp_ranges", "!record_i.ranges[0].valid || !record_i.ranges[1].valid);", "!record_i.ranges[0].valid);"),
    (1, "tcp_facts", "? window : record_i.rcv_edge - work_i.seq);", "? window : window);"),
    (2, "tcp_ranges", "if (touches[i] || fin)", "if (touches[i])"),
    (2, "tcp_ranges", "fin = work_i.flags.fin && facts_i.takes_all;", "fin = work_i.flags.fin && facts_i.exact;"),
    (3, "tcp_ranges", "&& !facts_i.ends_behind[i] && !fin)", "&& !fin)"),
    (3, "tcp_ranges", "if (touches[i] && !facts_i.ends_behind[i] && !fin) nxt_o", "if (!facts_i.ends_behind[i] && !fin) nxt_o"),
    (4, "tcp_ranges", "if (touches[i] || fin)", "if (fin)"),
    (6, "tcp_ranges", "if (&touches) kept[1].valid = 1'b0;", ""),
    (6, "tcp_facts", "!precedes(record_i.ranges[i].behind, work_i.seq)", "precedes(work_i.seq, record_i.ranges[i].behind)"),
    (5, "tcp_ranges", "touches == '0 || facts_i.ends_behind[highest]", "1'b1"),
    (5, "tcp_ranges", "lowest = &touches ? !facts_i.first_before", "lowest = &touches ? facts_i.first_before"),
    (5, "tcp_ranges", "touches == '0 ? record_i.ranges[0].valid : touches == 2'b10", "touches == 2'b10"),
]


@pytest.mark.parametrize(("part", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(part, module, old, new):
    refute("tcp_ranges_proof", module=module, old=old, new=new, depth=2, parameters={"Part": part}, **sizes(SHORT))
