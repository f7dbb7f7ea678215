// SPDX-License-Identifier: Apache-2.0
// Proves that pifo_tail says of each queue what pifo_end does, a cycle later; or before it if a pushed entry is the only one after a pop,
// of which pifo_end is sure a cycle after it has its rank.
module pifo_tail_proof #(
    parameter int unsigned Queues = 2,
    parameter int unsigned RankWidth = 4,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic                  clk_i,
    input logic [    Queues-1:0] circular_i,
    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [    Queues-1:0] empty_i,
    input logic [    Queues-1:0] single_i,
    input logic [    Queues-1:0] lost_i,
    input logic                  found_valid_i,
    input logic [QueueWidth-1:0] found_queue_i,
    input logic [ RankWidth-1:0] found_rank_i,
    input logic [QueueWidth-1:0] queue_i
);
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [Queues-1:0] queues_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  queues_t push, known, known_late;
  rank_t ends[Queues];
  rank_t rank;
  assign push = push_valid_i ? queues_t'(1) << push_queue_i : '0;

  always_comb begin
    assume (32'(push_queue_i) < Queues && 32'(found_queue_i) < Queues && 32'(queue_i) < Queues);
    assume ((lost_i & empty_i) == '0);
    assume ((single_i & empty_i) == '0);
  end

  pifo_tail #(
      .Queues(Queues),
      .RankWidth(RankWidth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .circular_i,
      .push_i(push),
      .push_queue_i,
      .push_rank_i,
      .empty_i,
      .single_i,
      .lost_i,
      .found_valid_i,
      .found_queue_i,
      .found_rank_i,
      .known_o(known_late),
      .queue_i,
      .rank_o(rank)
  );

  pifo_end #(
      .Queues(Queues),
      .RankWidth(RankWidth),
      .Highest(1'b1)
  ) u_end (
      .clk_i,
      .rst_i(rst),
      .circular_i,
      .push_i(push),
      .push_queue_i,
      .push_rank_i,
      .empty_i,
      .single_i,
      .lost_i,
      .found_valid_i,
      .found_queue_i,
      .found_rank_i,
      .known_o(known),
      .rank_o(ends)
  );

  // What pifo_end knows of each queue, without its delay after a pop; and in the previous cycle.
  queues_t any, sure, was_any_q, was_sure_q;
  rank_t [Queues-1:0] highest, was_highest_q;
  for (genvar q = 0; q < Queues; q++) begin : gen_end
    assign any[q] = u_end.gen_queue[q].lost_q ? u_end.pushed_q[q] : u_end.gen_queue[q].any_q;
    assign sure[q] = known[q] || u_end.gen_queue[q].alone_q;
    assign highest[q] = u_end.gen_queue[q].lost_q ? u_end.pushed_rank_q : ends[q];
  end
  always_ff @(posedge clk_i) begin
    was_any_q <= any;
    was_sure_q <= sure;
    was_highest_q <= highest;
    if (rst) begin
      was_any_q  <= '0;
      was_sure_q <= '0;
    end
  end

  // The promises.
  always_comb begin
    if (!rst) begin
      assert (known_late == was_sure_q);
      if (known_late[queue_i]) assert (rank == was_highest_q[queue_i]);
    end
  end

  // Invariants for the induction: what pifo_tail will have in the next cycle is what pifo_end has now.
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic push_here, found_here;
    rank_t kept, will;
    assign push_here = u_dut.push_changes && 32'(u_dut.push_queue_q) == q;
    assign found_here = u_dut.found_changes && 32'(u_dut.found_queue_q) == q;
    assign kept = u_dut.found_last_q[q] ? u_dut.of_found[q] : u_dut.of_push[q];
    assign will = push_here ? u_dut.push_rank_q : found_here ? u_dut.found_rank_q : kept;
    always_comb begin
      if (!rst) begin
        assert (u_dut.any_q[q] == was_any_q[q]);
        assert (!was_sure_q[q] || was_any_q[q]);
        assert (!sure[q] || any[q]);
        assert (!known[q] || (u_end.gen_queue[q].any_q && !u_end.gen_queue[q].lost_q));
        if (u_dut.any_q[q]) assert (kept == was_highest_q[q]);
        assert (!(push_here && found_here));
        assert (u_dut.lost_q[q] == u_end.gen_queue[q].lost_q);
        assert (u_dut.pushed_q[q] == u_end.pushed_q[q]);
        assert (u_dut.pushed_q[q] == (u_dut.push_q && 32'(u_dut.push_queue_q) == q));
        if (u_dut.push_q) assert (u_dut.push_rank_q == u_end.pushed_rank_q);
        assert ((u_dut.pushed_q[q] || u_dut.found_here[q] || u_dut.keeps[q]) == any[q]);
        if (any[q]) assert (will == highest[q]);
        assert ((u_dut.alone_q[q] || u_dut.found_here[q] || (u_dut.known_q[q] && !u_dut.lost_q[q])) == sure[q]);
        if (u_end.gen_queue[q].alone_q) assert (u_end.gen_queue[q].lost_q && u_end.pushed_q[q]);
      end
    end
  end
endmodule
