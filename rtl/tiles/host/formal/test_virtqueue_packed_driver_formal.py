# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed with a driver, unbounded (induction): every descriptor once, in order, as it was offered.

It assumes what virtqueue_packed_walk_proof shows, which has the invariants of the walk, and the broken designs.
"""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove

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
