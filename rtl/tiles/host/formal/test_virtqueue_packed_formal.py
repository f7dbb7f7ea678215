# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed, bounded: in the first cycles after reset, every descriptor once, in order, as it was offered; and that this notices broken designs.

The first descriptors come out after twelve cycles. The ring may start at its last slot, so its end lies among these.
"""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 64;"),
    ("virtqueue_packed", "FlitBytes >= 128 ? 8 : 16;", "2;"),
    ("virtqueue_packed_chains", "Waiting = 16;", "Waiting = 2;"),
    ("girih_pkg", "W = 16;", "W = 128;"),
]


def options() -> dict[str, Any]:
    return {"abstraction": SMALL, "solver": QUICK_ON_QUEUES, "registers_for_memories": True, "parameters": {"MostSize": 2}}


@pytest.mark.parametrize("depth", [14, pytest.param(18, marks=pytest.mark.thorough)])
def test_chains_are_those_that_were_offered(depth):
    prove("virtqueue_packed_proof", mode="bmc", depth=depth, **options())


BROKEN = [
    ("one_q.flags[PackedUsed] != wrap_q", "1'b1"),  # takes used ones
    ("      wrap_q <= wrap_q ^ (slot_q == last_slot);\n      links_q", "      links_q"),  # the lap
    ("stale = backed_q || stale_q != '0", "stale = backed_q"),  # takes what was read before the look
    ("ask_slot_q <= head_slot_q;", ""),  # goes on behind what was not available
    ("else if (stale_q != '0 && flit_valid)", "else if (stale_q != '0)"),
    ("if (look_i || told_i) look_q <= 1'b1;", ""),
    ("to_end <= 16'(ring_run);", "to_end < 16'(ring_run);"),
    ("links: links_q + 1'b1", "links: links_q"),
]


@pytest.mark.parametrize(("old", "new"), some_of(0, BROKEN))
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_packed_proof", module="virtqueue_packed", old=old, new=new, depth=18, **options())
