// SPDX-License-Identifier: Apache-2.0
// Proves that what tcp_scoreboard takes from tcp_facts is the same wherever sequence numbers begin, that is, if all of a connection are greater by `shift_i`.
// tcp_scoreboard compares no numbers itself, it only chooses among those of the ranges and the block. So it is enough to prove the rest for one number, as
// tcp_scoreboard_proof does.
module tcp_scoreboard_shift_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
(
    input logic clk_i,
    input work_t work_i,
    input block_t block_i,
    input record_t record_i,
    input cfg_t cfg_i,
    input seq_t shift_i
);
  work_t [1:0] works;
  block_t [1:0] blocks;
  record_t [1:0] records;
  facts_t [1:0] facts;
  always_comb begin
    works = {2{work_i}};
    works[1].ack = work_i.ack + shift_i;
    blocks = {2{block_i}};
    blocks[1].first = block_i.first + shift_i;
    blocks[1].behind = block_i.behind + shift_i;
    records = {2{record_i}};
    records[1].snd_una = record_i.snd_una + shift_i;
    records[1].snd_max = record_i.snd_max + shift_i;
    for (int unsigned i = 0; i < Sacked; i++) begin
      records[1].sacked[i].first = record_i.sacked[i].first + near_t'(shift_i);
      records[1].sacked[i].behind = record_i.sacked[i].behind + near_t'(shift_i);
    end
  end
  for (genvar i = 0; i < 2; i++) begin : gen_twin
    segment_facts u_facts (
        .work_i(works[i]),
        .block_i(blocks[i]),
        .record_i(records[i]),
        .cfg_i,
        .facts_o(facts[i])
    );
  end

  always_ff @(posedge clk_i) begin
    assert (facts[0].sack_fits == facts[1].sack_fits && facts[0].ack_news == facts[1].ack_news && facts[0].ack_unsent == facts[1].ack_unsent);
    assert (facts[0].sack_before == facts[1].sack_before && facts[0].sack_touches == facts[1].sack_touches && facts[0].sack_acked == facts[1].sack_acked);
    assert (facts[0].sack_starts == facts[1].sack_starts && facts[0].sack_ends == facts[1].sack_ends);
  end
endmodule
