# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed, unbounded (induction): the ring is read slot behind slot, each table once, and what is found is what memory has answered with; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits of addresses, or of reads or descriptors that wait.
SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 64;"),
    ("virtqueue_packed", "FlitBytes >= 128 ? 8 : 16;", "2;"),
    ("virtqueue_packed", ".Depth(4 * Ahead)", ".Depth(4)"),
    ("virtqueue_packed_chains", "Waiting = 16;", "Waiting = 2;"),
    ("girih_pkg", "W = 16;", "W = 128;"),
]


def options() -> dict[str, Any]:
    """For flits of one descriptor, and rings of one or two."""
    return {"abstraction": SMALL, "parameters": {"MostSize": 2}, "solver": QUICK_ON_QUEUES, "registers_for_memories": True}


@pytest.mark.thorough  # a minute and more
def test_what_is_found_is_what_memory_holds():
    prove("virtqueue_packed_walk_proof", **options(), timeout=1200)


BROKEN = [
    ("indirect: indirect && available, name:", "indirect: indirect, name:"),  # waits for a table of what is not available
    ("&& !(indirect && reads_table)", ""),  # forgets the rest of a table
    ("one_q.flags[PackedUsed] != wrap_q", "1'b1"),  # takes used ones
    ("      wrap_q <= wrap_q ^ (slot_q == last_slot);\n      links_q", "      links_q"),  # the lap
    ("stale = backed_q || stale_q != '0", "stale = backed_q"),  # takes what was read before the look
    ("stale = backed_q || stale_q != '0", "stale = stale_q != '0"),
    ("      ask_slot_q <= head_slot_q;\n", ""),  # goes on behind what was not available
    ("else if (stale_q != '0 && flit_valid)", "else if (stale_q != '0)"),
    ("to_end <= 16'(ring_run);", "to_end < 16'(ring_run);"),
    ("links: links_q + 1'b1", "links: links_q"),
    ("ring_known_q <= !asks_ring && !back;", "ring_known_q <= !asks_ring;"),
    ("table_flits_q < flits_t'(Ahead)", "1'b1"),  # more flits of tables than there is room for
    ("out_q < flits_t'(Ahead) && (", "("),
    ("indirect && one_q.bytes > long_t'(Links * DescriptorBytes)", "1'b0"),
    ("    if (look_i || told_i) look_q <= 1'b1;\n", ""),
    ("      walk_q <= 1'b0;\n      live_q", "      live_q"),
    ("if (!follows) begin\n        head_slot_q", "begin\n        head_slot_q"),
]


@pytest.mark.parametrize(("old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_packed_walk_proof", module="virtqueue_packed", old=old, new=new, depth=14, **options())
