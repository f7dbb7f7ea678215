# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed_used, unbounded (induction): each element once, in its slot and lap, groups as one; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute

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
