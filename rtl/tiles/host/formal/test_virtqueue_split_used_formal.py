# SPDX-License-Identifier: Apache-2.0
"""virtqueue_split_used, unbounded (induction): each element once, in its slot, before the index that covers it; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits of addresses, or of writes that wait.
SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("host_access_pkg", "HostPageBytes = 4096;", "HostPageBytes = 32;"),
    ("virtqueue_split_used", "MostWaiting = 6'd28;", "MostWaiting = 6'd2;"),
    ("virtqueue_split_used", ".Depth(32)", ".Depth(4)"),
]


def options(width: int) -> dict[str, Any]:
    """For flits of one element or of two."""
    return {
        "abstraction": [*SMALL, ("girih_pkg", "W = 16;", f"W = {width};")],
        "solver": QUICK_ON_QUEUES,
        "registers_for_memories": True,
    }

@pytest.mark.thorough  # minutes
@pytest.mark.parametrize("width", [64, 128])
def test_used_chains_are_written_before_the_index(width):
    prove("virtqueue_split_used_proof", **options(width), timeout=1200)


BROKEN = [
    ("(~index_q & mask_q) == '0", "1'b0"),  # writes behind the ring's end
    ("if (!used_i.more) begin", "begin"),
    ("{place_i.size, 3'd0}", "{place_i.size, 2'd0}"),
]
BROKEN_LATER = [
    ("at_q <= elements_q;", "at_q <= elements_q + ElementBytes;"),
    ("state_q  <= index_due ? Index : Gather;", "state_q  <= Gather;"),
    ("(!apart_q && lane != '0)", "lane != '0"),
    ("used_ready_o = put && (whole || half_q)", "used_ready_o = put"),
    ("half_q ? element[HalfBits+:HalfBits] : element[0+:HalfBits]", "element[0+:HalfBits]"),
    ("wanted = place_i.event_index ? passes : !said_i[0]", "wanted = !said_i[0]"),
    ("16'(asked_to_q - said_i - 1'b1) < 16'(asked_to_q - asked_from_q)", "16'(asked_to_q - said_i) < 16'(asked_to_q - asked_from_q)"),
    ("asked_from_q <= asked_to_q;", ""),  # those of the question before count again
    ("order.what == Index", "order.what != Tell"),
    ("due_q   <= 1'b1;", ""),
    ("tell_i && !telling_q", "tell_i"),
    ("shown_q != written_q && !half_q", "shown_q != written_q"),
    ("|| (bytes_q != '0 && 32'(held_q) == Hold)", ""),  # keeps an element to itself
]


@pytest.mark.parametrize(("old", "new"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(old, new):
    refute("virtqueue_split_used_proof", module="virtqueue_split_used", old=old, new=new, depth=20, **options(64))
