# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed with a driver, unbounded (induction): every descriptor once, in order, as it was offered; and that the proof notices broken designs.

It assumes what virtqueue_packed_walk_proof shows, which is the half of its own invariants. Those that break the design do not.
"""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute

SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 64;"),
    ("virtqueue_packed", "FlitBytes >= 128 ? 8 : 16;", "2;"),
    ("virtqueue_packed", ".Depth(4 * Ahead)", ".Depth(4)"),
    ("virtqueue_packed_chains", "Waiting = 16;", "Waiting = 2;"),
    ("girih_pkg", "W = 16;", "W = 128;"),
]
SHOWN = ["virtqueue_packed_walk_proof", "virtqueue_packed", "virtqueue_packed_chains", "fifo"]


def options() -> dict[str, Any]:
    return {"abstraction": SMALL, "parameters": {"MostSize": 2}, "solver": QUICK_ON_QUEUES, "registers_for_memories": True}


@pytest.mark.thorough  # a minute and more
def test_descriptors_are_those_that_were_offered():
    prove("virtqueue_packed_driver_proof", assumed=SHOWN, **options(), timeout=1200)


BROKEN = [
    ("one_q.flags[PackedUsed] != wrap_q", "1'b1"),  # takes used ones
    ("stale = backed_q || stale_q != '0", "stale = backed_q"),  # takes what was read before the look
    ("    if (look_i || told_i) look_q <= 1'b1;\n", ""),
    ("if (live_q == '0) look_q <= 1'b0;", "look_q <= 1'b0;"),  # forgets a look while it reads on
]


@pytest.mark.thorough  # those of the walk's proof are in the default run
@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_packed_driver_proof", module="virtqueue_packed", old=old, new=new, depth=16, **options())
