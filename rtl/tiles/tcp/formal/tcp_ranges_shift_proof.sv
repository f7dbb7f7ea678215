// SPDX-License-Identifier: Apache-2.0
// Proves that tcp_ranges, with tcp_facts, does the same wherever sequence numbers begin: if all of a connection are greater by `shift_i`, so are its results.
// So it is enough to prove the rest for one number, as tcp_ranges_proof does.
module tcp_ranges_shift_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
(
    input logic clk_i,
    input work_t work_i,
    input record_t record_i,
    input cfg_t cfg_i,
    input seq_t shift_i
);
  work_t [1:0] works;
  record_t [1:0] records;
  facts_t [1:0] facts;
  seq_t [1:0] nxt;
  range_t [1:0][Ranges-1:0] ranges;
  logic [1:0] keeps, newer;
  always_comb begin
    works = {2{work_i}};
    works[1].seq = work_i.seq + shift_i;
    records = {2{record_i}};
    records[1].rcv_nxt = record_i.rcv_nxt + shift_i;
    records[1].rcv_edge = record_i.rcv_edge + shift_i;
    for (int unsigned i = 0; i < Ranges; i++) begin
      records[1].ranges[i].first = record_i.ranges[i].first + shift_i;
      records[1].ranges[i].behind = record_i.ranges[i].behind + shift_i;
    end
  end
  for (genvar i = 0; i < 2; i++) begin : gen_twin
    segment_facts u_facts (
        .work_i(works[i]),
        .block_i('0),
        .record_i(records[i]),
        .cfg_i,
        .facts_o(facts[i])
    );
    tcp_ranges u_dut (
        .work_i(works[i]),
        .record_i(records[i]),
        .facts_i(facts[i]),
        .nxt_o(nxt[i]),
        .ranges_o(ranges[i]),
        .keeps_o(keeps[i]),
        .newer_o(newer[i])
    );
  end

  always_ff @(posedge clk_i) begin
    assert (facts[0].acceptable == facts[1].acceptable && facts[0].in_order == facts[1].in_order && facts[0].takes_all == facts[1].takes_all);
    assert (facts[0].skip == facts[1].skip && facts[0].take == facts[1].take);
    assert (nxt[1] == nxt[0] + shift_i);
    assert (keeps[0] == keeps[1] && newer[0] == newer[1]);
    for (int unsigned i = 0; i < Ranges; i++) begin
      assert (ranges[0][i].valid == ranges[1][i].valid);
      assert (ranges[1][i].first == ranges[0][i].first + shift_i && ranges[1][i].behind == ranges[0][i].behind + shift_i);
    end
  end
endmodule
