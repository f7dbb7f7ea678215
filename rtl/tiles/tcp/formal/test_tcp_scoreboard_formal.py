# SPDX-License-Identifier: Apache-2.0
"""tcp_scoreboard with tcp_facts, for any block, acknowledgement and record; and that the proof notices broken designs.

With short sequence numbers, in the thorough tests also at their full size where a solver finds it in minutes.
"""

import pytest

from girih.formal import prove, refute
from girih.testing import some_of
from rtl.tiles.tcp.formal.tcp_sizes import FULL, SHORT, sizes

# Parts of the promise, which a solver finds one by one.
ORDER = 0
NEWS = 1
BYTES = 2
REST = 3
ORDER_OF_REST = 4


@pytest.mark.parametrize(
    ("part", "size"),
    [*((part, SHORT) for part in (ORDER, NEWS, BYTES, REST, ORDER_OF_REST)), *(pytest.param(part, FULL, marks=pytest.mark.thorough) for part in (ORDER, NEWS))],
)
def test_tcp_scoreboard(part, size):
    prove("tcp_scoreboard_proof", depth=1, parameters={"Part": part}, **sizes(size))


@pytest.mark.thorough
def test_it_does_not_matter_where_numbers_begin():
    prove("tcp_scoreboard_shift_proof", depth=1, **sizes(FULL, solver="z3"))


# Part, module, old text and new text.
BROKEN = [
    (NEWS, "tcp_scoreboard", "!facts_i.sack_starts[i] && !facts_i.sack_ends[i]) news_o", "!facts_i.sack_starts[i]) news_o"),
    (NEWS, "tcp_facts", "&& block_i.first != record_i.snd_una\n", "\n"),
    (NEWS, "tcp_facts", "&& !precedes_near(near_t'(record_i.snd_max), near_t'(block_i.behind));", ";"),
    (NEWS, "tcp_facts", "facts_o.sack_starts[i] = precedes_near(near_t'(block_i.first), record_i.sacked[i].first);", "facts_o.sack_starts[i] = 1'b0;"),
    (ORDER, "tcp_scoreboard", "else with_block_o[i] = around[i+32'(touched)];", "else with_block_o[i] = around[i];"),
    (ORDER, "tcp_facts", "!precedes_near(record_i.sacked[i].behind, near_t'(block_i.first))", "precedes_near(near_t'(block_i.first), record_i.sacked[i].behind)"),
    (ORDER, "tcp_facts", "record_i.sacked[i].valid && precedes_near(record_i.sacked[i].behind, near_t'(block_i.first))", "record_i.sacked[i].valid"),
    (BYTES, "tcp_scoreboard", "joined.first = had[i].first;", "joined.first = near_t'(block_i.first);"),
    (BYTES, "tcp_scoreboard", "&& !facts_i.sack_ends[i]) joined.behind", ") joined.behind"),
    (BYTES, "tcp_scoreboard", "else with_block_o[i] = around[i+32'(touched)];", "else with_block_o[i] = around[i+1];"),
    (REST, "tcp_scoreboard", "around[i+1+32'(acked)]", "around[i+1+32'(touched)]"),
    (REST, "tcp_facts", "record_i.sacked[i].valid && !precedes_near(ack, record_i.sacked[i].first)", "record_i.sacked[i].valid && precedes_near(record_i.sacked[i].first, ack)"),
    (ORDER_OF_REST, "tcp_facts", "record_i.sacked[i].valid && !precedes_near(ack, record_i.sacked[i].first)", "record_i.sacked[i].valid && !precedes_near(ack, record_i.sacked[i].behind)"),
]


@pytest.mark.parametrize(("part", "module", "old", "new"), some_of(1, BROKEN))
def test_broken_design_is_noticed(part, module, old, new):
    size = FULL if part in (ORDER, NEWS) else SHORT
    refute("tcp_scoreboard_proof", module=module, old=old, new=new, depth=2, parameters={"Part": part}, **sizes(size))


@pytest.mark.thorough
def test_a_number_that_matters_is_noticed():
    old = "block_first = block_i.first - record_i.snd_una;"
    refute("tcp_scoreboard_shift_proof", module="tcp_facts", old=old, new="block_first = block_i.first;", depth=2, **sizes(FULL, solver="z3"))
