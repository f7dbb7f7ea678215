# SPDX-License-Identifier: Apache-2.0
"""virtqueue_split_chains, unbounded (induction): each head is one chain or a reason to stop, from descriptors that lie in their table; and that the proof notices broken designs."""

from typing import Any

import pytest

from girih.formal import QUICK_ON_QUEUES, prove, refute
from girih.testing import some_of

READS = {"Chains": 2, "Links": 4}
WRITES = {"Chains": 2, "Links": 2, "Writes": 1}
ANSWERS = {"Chains": 2, "Links": 2, "Answers": 1}


def options(address: int, parameters: dict[str, object]) -> dict[str, Any]:
    """address: bits of an address. At 64, a descriptor has its place in the driver's memory; a narrower one saves the solver minutes."""
    return {
        "abstraction": [("host_access_pkg", "HostAddrBits = 64;", f"HostAddrBits = {address};")] if address != 64 else [],
        "parameters": parameters,
        "solver": QUICK_ON_QUEUES,
        "registers_for_memories": True,
    }


THOROUGH = [(8, ANSWERS), (8, WRITES), (8, {"Chains": 4, "Links": 2}), (64, {"Chains": 2, "Links": 2})]


@pytest.mark.parametrize(("address", "parameters"), [(8, READS), *(pytest.param(*case, marks=pytest.mark.thorough) for case in THOROUGH)])
def test_chains_are_what_memory_has_answered(address, parameters):
    prove("virtqueue_split_chains_proof", **options(address, parameters), timeout=1200)


BROKEN = [
    ("next_index_q >= table_q.entries", "next_index_q > table_q.entries", READS),  # where a table ends
    ("beyond: head_i >= place_i.size", "beyond: head_i > place_i.size", READS),
    ("own_q[got_chain_i] || follows ||", "follows ||", READS),  # a table that a table names
    ("own_q[got_chain_i] ? tables_q[got_chain_i] : '{addr: place_i.descriptors, entries: place_i.size}", "'{addr: place_i.descriptors, entries: place_i.size}", READS),
    ("      own_q[in_q] <= 1'b0;\n", "", READS),  # the table of the chain before
    ("        links_q[out_q] <= '0;  // for the next chain here\n", "", READS),
    ("full_q  <= 32'(taken_q) == Chains || (begins && 32'(taken_q) == Chains - 1);", "full_q <= 32'(taken_q) == Chains;", READS),
    ("33'(links == '0 ? 17'd0 : totals_q[got_chain_i])", "33'(totals_q[got_chain_i])", READS),
    ("else if (!ends_q && longest_q) stop_o = StopChain;", "", READS),  # follows a loop for ever
    ("give_q <= gives_last ? '0 : give_q + 1'b1;", "give_q <= give_q + 1'b1;", READS),
    ("link_valid ? link.chain : in_q", "in_q", READS),
    ("|descriptor.bytes[31:20] ? '1 : descriptor.bytes[19:4]", "descriptor.bytes[19:4]", READS),  # tables of a megabyte
    ("&& whole_q[out_q] && !stopped_i", "&& whole_q[out_q]", READS),
    ("if (beyond && !halt_i) stop_o = StopIndex;", "", READS),
    ("assign part_move = part_ready_i || !part_valid_q;", "assign part_move = 1'b1;", READS),
    ("total_q < 33'(LeastBytes)", "total_q <= 33'(LeastBytes)", READS),
    ("wrong_way || descriptor.flags[15:2] != '0", "wrong_way", READS),
    ("        whole_q[out_q] <= 1'b0;\n", "", READS),  # gives a chain twice
    ("      sizing_q[size_q] <= 1'b0;\n", "", WRITES),  # reports a size twice
    ("sizing_q[size_q] && !stopped_i", "sizing_q[size_q]", WRITES),
    ("if (!own_q[got_chain_i]) slots_q", "slots_q", WRITES),
    ("writes_q[got_chain_i] || !follows", "writes_q[got_chain_i]", ANSWERS),
]


@pytest.mark.parametrize(("old", "new", "parameters"), some_of(0, BROKEN))
def test_broken_design_is_noticed(old, new, parameters):
    refute("virtqueue_split_chains_proof", module="virtqueue_split_chains", old=old, new=new, depth=14, **options(8, {**parameters, "Links": 2}))
