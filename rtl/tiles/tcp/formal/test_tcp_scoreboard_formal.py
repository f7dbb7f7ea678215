# SPDX-License-Identifier: Apache-2.0
"""tcp_scoreboard with tcp_facts, for any block and any record whose snd_una is 0, at full size; and that the proof notices broken designs.

What a solver does not find in minutes is not proved here: that the ranges have exactly the bytes of before and of the block, and what an acknowledgement leaves.
"""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.tcp_sizes import FULL, sizes

# Parts of the promise, which a solver finds one by one.
ORDER = 0
NEWS = 1


@pytest.mark.parametrize("part", [pytest.param(ORDER, marks=pytest.mark.thorough), NEWS])
def test_tcp_scoreboard(part):
    prove("tcp_scoreboard_proof", depth=1, parameters={"Part": part}, **sizes(FULL))


# Part, module, old text and new text.
BROKEN = [
    (NEWS, "tcp_scoreboard", "!facts_i.sack_starts[i] && !facts_i.sack_ends[i]) news_o", "!facts_i.sack_starts[i]) news_o"),
    (NEWS, "tcp_facts", "&& block_i.first != record_i.snd_una\n", "\n"),
    (NEWS, "tcp_facts", "&& !precedes_near(near_t'(record_i.snd_max), near_t'(block_i.behind));", ";"),
    (NEWS, "tcp_facts", "facts_o.sack_starts[i] = precedes_near(near_t'(block_i.first), record_i.sacked[i].first);", "facts_o.sack_starts[i] = 1'b0;"),
    (ORDER, "tcp_scoreboard", "else with_block_o[i] = around[i+32'(touched)];", "else with_block_o[i] = around[i];"),
    (ORDER, "tcp_facts", "!precedes_near(record_i.sacked[i].behind, near_t'(block_i.first))", "precedes_near(near_t'(block_i.first), record_i.sacked[i].behind)"),
    (ORDER, "tcp_facts", "record_i.sacked[i].valid && precedes_near(record_i.sacked[i].behind, near_t'(block_i.first))", "record_i.sacked[i].valid"),
]


@pytest.mark.parametrize(("part", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(part, module, old, new):
    refute("tcp_scoreboard_proof", module=module, old=old, new=new, depth=2, parameters={"Part": part}, **sizes(FULL))
