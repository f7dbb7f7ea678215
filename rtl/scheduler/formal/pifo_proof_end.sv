// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: one end of a queue (pifo_end). A peek starts with a pop at this end, and with one of the last entry. It is
// pending until its answer arrives or a later pop makes it void. Its answer is the end as it was after its pop.
module pifo_proof_end #(
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    parameter bit Near = 1'b1,
    parameter int unsigned Queue = 0,
    parameter bit Highest = 1'b0
) (
    input logic clk_i,
    input logic check_waits_i,
    input logic check_peeks_i,
    input logic check_ranks_i,
    input logic known_i,
    input logic any_i,
    input logic alone_i,
    input logic lost_i,
    input logic [RankWidth-1:0] rank_i,
    input logic pushed_i,
    input logic [RankWidth-1:0] pushed_rank_i
);
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [Entries-1:0] set_t;

  logic circular;
  assign circular = pifo_proof.circular_i[Queue];

  function automatic logic beyond(rank_t a, rank_t b);
    return Highest ? pifo_proof.below(b, a, circular) : pifo_proof.below(a, b, circular);
  endfunction

  // Whether this is the rank at this end of a set of slots.
  function automatic logic is_end(set_t set, rank_t rank);
    logic here, first;
    here  = 1'b0;
    first = 1'b1;
    for (int unsigned s = 0; s < Entries; s++) begin
      if (set[s] && pifo_proof.rank_q[s] == rank) here = 1'b1;
      if (set[s] && beyond(pifo_proof.rank_q[s], rank)) first = 1'b0;
    end
    return here && first;
  endfunction

  // The tree: index 0 is of this cycle, 1 to 3 of the cycles before. The rank at this end of it, remembered.
  set_t [3:0] tree;
  set_t ends;
  rank_t [3:1] end_rank_q;
  for (genvar k = 0; k < 4; k++) begin : gen_stage
    assign tree[k] = pifo_proof.tree_q[k] & pifo_proof.in_queue[Queue];
  end
  for (genvar s = 0; s < Entries; s++) begin : gen_slot
    assign ends[s] = tree[0][s] && is_end(tree[0], pifo_proof.rank_q[s]);
  end
  always_ff @(posedge clk_i) end_rank_q <= {end_rank_q[2:1], pifo_proof.rank_of(ends)};

  // By the number of cycles since its pop, less one.
  logic [3:0] pending;
  assign pending[0] = pifo_proof.u_dut.pop_root_valid && 32'(pifo_proof.u_dut.pop_root_queue_q) == Queue
      && pifo_proof.u_dut.pop_root_highest_q == Highest;
  assign pending[1] = pifo_proof.u_dut.pop_leaf_valid_q && pifo_proof.u_dut.pop_leaf_some_q && !pifo_proof.u_dut.leaf_void
      && 32'(pifo_proof.u_dut.pop_leaf_queue_q) == Queue && pifo_proof.u_dut.pop_leaf_highest_q == Highest;
  assign pending[2] = pifo_proof.u_dut.peek_valid_q && !pifo_proof.u_dut.peek_void
      && 32'(pifo_proof.u_dut.peek_queue_q) == Queue && pifo_proof.u_dut.peek_highest_q == Highest;
  assign pending[3] = pifo_proof.u_dut.found_valid_q && !lost_i
      && 32'(pifo_proof.u_dut.found_queue_q) == Queue && pifo_proof.u_dut.found_highest_q == Highest;

  pifo_proof_waits u_waits ();
  pifo_proof_peeks #(
      .Entries  (Entries),
      .RankWidth(RankWidth)
  ) u_peeks ();
  pifo_proof_ranks #(
      .Entries(Entries),
      .Near(Near)
  ) u_ranks ();
endmodule
