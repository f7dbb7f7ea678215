# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed_used, unbounded (induction): each element once, in its slot and lap, groups as one; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits of addresses, or of writes that wait.
SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 64;"),
    ("virtqueue_packed_used", "MostWaiting = 6'd31;", "MostWaiting = 6'd3;"),
    ("virtqueue_packed_used", ".Depth(32)", ".Depth(4)"),
]


def options(width: int) -> dict[str, Any]:
    """For flits of one element or of two."""
    return {
        "abstraction": [*SMALL, ("girih_pkg", "W = 16;", f"W = {width};")],
        "solver": QUICK_ON_QUEUES,
        "registers_for_memories": True,
    }


@pytest.mark.thorough  # minutes
@pytest.mark.parametrize("width", [128, 256])
def test_used_chains_are_written_once(width):
    prove("virtqueue_packed_used_proof", **options(width), timeout=1200)


BROKEN = [
    ("{!coming_q[15], 15'(following", "{coming_q[15], 15'(following"),  # the wrap counter of the next lap
    ("16'(coming_q[14:0]) + 16'(used_i.chain.links)", "16'(coming_q[14:0]) + 1'b1"),
    ("fits && (group_q || !used.more)", "fits"),  # the first of several is not held back
    ("following >= place_i.size ? {!coming_q[15]", "following > place_i.size ? {!coming_q[15]"),  # where the ring ends
    ("used.bytes != '0, 1'b0", "1'b1, 1'b0"),
    ("placed_taken = put || (takes && !group_q && used.more)", "placed_taken = put"),
    ("group_whole_q && state_q == Elements ? First : Gather", "Gather"),
    ("group_whole_q <= group_q && !used.more;", "group_whole_q <= group_q;"),
    ("(said_i[15] != asked_from_q[15] ? place_i.size : '0)", "(said_i[15] ? place_i.size : '0)"),
    ("event_at < ends_at", "event_at <= ends_at"),
    ("if (order.index != known_q) due_q <= 1'b1;", ""),
]


@pytest.mark.parametrize(("old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_packed_used_proof", module="virtqueue_packed_used", old=old, new=new, depth=18, **options(128))
