# SPDX-License-Identifier: Apache-2.0
"""virtqueue_split_ring, unbounded (induction): every head once, in order, as it was offered; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits of addresses, or of heads that wait.
SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 16;"),
    ("virtqueue_split_ring", "Heads = 64;", "Heads = 4;"),
]


def options(width: int) -> dict[str, Any]:
    """For flits of two entries or of four, and rings of up to two flits."""
    return {
        "abstraction": [*SMALL, ("girih_pkg", "W = 16;", f"W = {width};")],
        "parameters": {"MostSize": width // 8},
        "solver": QUICK_ON_QUEUES,
        "registers_for_memories": True,
    }


@pytest.mark.thorough  # minutes
@pytest.mark.parametrize("width", [32, 64])
def test_heads_are_those_that_were_offered(width):
    prove("virtqueue_split_ring_proof", **options(width), timeout=1200)


BROKEN = [
    ("available_q - next_q : '0", "available_q - next_q + 1'b1 : '0"),  # one more than is offered
    ("if (what_o == ReadIndex) look_q <= 1'b0;", "look_q <= 1'b0;"),  # forgets a look
    ("checked_o = got_i && got_what_i != ReadEntries && report_q", "checked_o = got_i && got_what_i != ReadEntries"),
]
BROKEN_LATER = [
    ("next_q & (place_i.size - 1'b1))", "next_q & place_i.size)"),  # where the ring ends
    ("assign offered = guessed_q && open_q < index_t'(asked_q)", "assign offered = guessed_q && open_q == '0"),
    ("if (guessed_q) next_q <=", "next_q <="),  # skips entries
    ("if (!none_q) next_q <= next_q + index_t'(run_q);", "next_q <= next_q + index_t'(run_q);"),
    ("open_q == '0 || open_q > index_t'(most)", "1'b1"),  # reads beyond the index
    ("(asks_ring && !none_q)", "1'b0"),
    ("&& &fresh_q && (!none_q", "&& (!none_q"),
    ("if (look_i || told_i) look_q", "if (look_i) look_q"),
    ("|| !known_told_q", ""),
    ("apart ? 2 : 0", "0"),
]


@pytest.mark.parametrize(("old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_split_ring_proof", module="virtqueue_split_ring", old=old, new=new, depth=20, **options(32))
