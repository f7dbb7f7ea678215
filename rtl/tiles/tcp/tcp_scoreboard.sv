// SPDX-License-Identifier: Apache-2.0
// The ranges of bytes that the peer has reported by SACK (RFC 2018), in ascending order. A block is merged with the ranges that it touches, or becomes a
// range of its own; an acknowledgement removes the ranges that it covers. If all places are taken, the highest range is dropped: the peer
// will report it again. Combinational.
module tcp_scoreboard
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input record_t record_i,
    input facts_t  facts_i,
    input block_t  block_i,

    output sacked_t [Sacked-1:0] with_block_o,
    output logic                 news_o,        // the block reports bytes that no range has
    output sacked_t [Sacked-1:0] behind_ack_o
);
  typedef logic [$clog2(Sacked+1)-1:0] count_t;

  sacked_t [Sacked-1:0] had;
  sacked_t [2*Sacked:0] around;  // with places before and behind them
  sacked_t joined;
  count_t earlier, touched, acked;
  always_comb begin
    had = record_i.sacked;
    around = '0;
    for (int unsigned i = 0; i < Sacked; i++) around[i+1] = had[i];

    earlier = '0;
    touched = '0;
    acked = '0;
    news_o = 1'b1;
    joined = '{valid: 1'b1, first: near_t'(block_i.first), behind: near_t'(block_i.behind)};
    for (int unsigned i = 0; i < Sacked; i++) begin
      earlier = earlier + count_t'(facts_i.sack_before[i]);
      touched = touched + count_t'(facts_i.sack_touches[i]);
      acked = acked + count_t'(facts_i.sack_acked[i]);
      // Of the ranges that the block touches, only the first can begin before it, and only the last can end behind it.
      if (facts_i.sack_touches[i] && !facts_i.sack_starts[i]) joined.first = had[i].first;
      if (facts_i.sack_touches[i] && !facts_i.sack_ends[i]) joined.behind = had[i].behind;
      if (facts_i.sack_touches[i] && !facts_i.sack_starts[i] && !facts_i.sack_ends[i]) news_o = 1'b0;
    end
    for (int unsigned i = 0; i < Sacked; i++) begin
      if (count_t'(i) < earlier) with_block_o[i] = had[i];
      else if (count_t'(i) == earlier) with_block_o[i] = joined;
      else with_block_o[i] = around[i+32'(touched)];
      behind_ack_o[i] = around[i+1+32'(acked)];
    end
  end

  logic unused;
  assign unused = &{1'b0, record_i, facts_i, block_i};
endmodule
