# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed_chains, unbounded (induction): each complete chain once, in order, with what its tables hold; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

# What is proved depends on no number of bits of addresses, or of descriptors that wait.
SMALL = [
    ("host_access_pkg", "HostAddrBits = 64;", "HostAddrBits = 8;"),
    ("virtqueue_packed_chains", "Waiting = 16;", "Waiting = 2;"),
    ("virtqueue_packed_chains", "Parts = 4 * Links;", "Parts = 2 * Links;"),
]
READS: dict[str, object] = {}
WRITES: dict[str, object] = {"Writes": 1}
ANSWERS: dict[str, object] = {"Answers": 1}


def options(width: int, parameters: dict[str, object]) -> dict[str, Any]:
    """For flits of one descriptor or of two."""
    return {
        "abstraction": [*SMALL, ("girih_pkg", "W = 16;", f"W = {width};")],
        "parameters": {"Parts": 4, **parameters},
        "solver": QUICK_ON_QUEUES,
        "registers_for_memories": True,
    }


@pytest.mark.thorough  # half a minute and more
@pytest.mark.parametrize(("width", "parameters"), [(128, READS), (128, WRITES), (128, ANSWERS), (256, READS)])
def test_complete_chains_come_out(width, parameters):
    prove("virtqueue_packed_chains_proof", **options(width, parameters), timeout=1200)


BROKEN = [
    ("      write_q <= start_q;\n", "", 128, READS),  # keeps what is forgotten
    ("table_ends ? '0 : entry_q + 1'b1", "entry_q + 1'b1", 128, READS),
    ("entry.flags &= EntryFlags;", "", 128, READS),
]
BROKEN_LATER = [
    ("(table_ends || lane == lane_t'(FlitBytes - DescriptorBytes))", "table_ends", 128, READS),  # keeps a flit
    ("part_ptr_t'(write_q - read_q) != part_ptr_t'(Parts)", "1'b1", 128, READS),
    ("links_q <= one_q.more ? links_q + 1'b1 : '0;", "links_q <= links_q + 1'b1;", 128, READS),
    ("longest: links_q == links_t'(Links - 1)", "longest: 1'b0", 128, READS),
    ("gives_last = give_q + 1'b1 == chain.links", "gives_last = 1'b1", 128, READS),
    ("      read_q <= read_q + 1'b1;", "      if (!gives_last) read_q <= read_q + 1'b1;", 128, READS),  # gives a descriptor twice
    ("total_q <= one_q.more ? total[16:0] : '0;", "total_q <= total[16:0];", 128, READS),
    ("if (!one_q.more) start_q <= write_q + 1'b1;", "", 128, READS),
    ("      write_q <= start_q;\n      links_q <= '0;\n      total_q <= '0;", "      write_q <= start_q;\n      links_q <= '0;", 128, READS),
    ("found.indirect ? !table_ends : found.descriptor.flags[PackedNext]", "!found.indirect && found.descriptor.flags[PackedNext]", 128, READS),
    ("give = part_move && chain_valid && !stopped_i", "give = part_move && chain_valid", 128, READS),
    ("|| (checked_q.ends && checked_q.total < 33'(LeastBytes))", "", 128, READS),
    ("stop_q == StopNone && !stopped_i;", "!stopped_i;", 128, WRITES),  # goes on behind a mistake
    ("(chain_ready && (size_ready_i || !Writes))", "chain_ready", 128, WRITES),  # loses a size
    ("slots: checked_q.name.links", "slots: checked_q.links", 128, WRITES),
    ("(writes_q && links_q != '0) || !one_q.more", "writes_q || !one_q.more", 128, ANSWERS),
    ("found.descriptor.addr[EmptyWidth-1:0] + lane_t'({entry_q, 4'd0})", "lane_t'({entry_q, 4'd0})", 256, READS),
]


@pytest.mark.parametrize(("old", "new", "width", "parameters"), [*some_of(1, BROKEN), *some_of(0, BROKEN_LATER)])
def test_broken_design_is_noticed(old, new, width, parameters):
    refute("virtqueue_packed_chains_proof", module="virtqueue_packed_chains", old=old, new=new, depth=14, **options(width, parameters))
