// SPDX-License-Identifier: Apache-2.0
// One end of each queue of the PIFO: its lowest or its highest rank. A pop at this end makes it
// unknown until the answer of the peek into the tree arrives (found_); pushes after the pop are
// merged into it.
module pifo_end #(
    parameter int unsigned Queues = 8,
    parameter int unsigned RankWidth = 12,
    parameter bit Highest = 1'b0,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Queues-1:0] circular_i,

    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic                  push_alone_i,  // its queue has no other entry

    input logic                  lost_valid_i,  // the entry at this end is popped
    input logic [QueueWidth-1:0] lost_queue_i,

    input logic                  found_valid_i,  // the end, without the pushes since the pop
    input logic [QueueWidth-1:0] found_queue_i,
    input logic [ RankWidth-1:0] found_rank_i,

    output logic [   Queues-1:0] known_o,
    output logic [RankWidth-1:0] rank_o[Queues]
);
  typedef logic [RankWidth-1:0] rank_t;

  // Whether a is nearer to this end than b. Circular: the ranks are within half of the range of each other, so if
  // their upper bits differ, the one with the greater offset in its half comes first.
  function automatic logic beyond(rank_t a, rank_t b, logic circular);
    rank_t low, high;
    logic below;
    low = Highest ? b : a;
    high = Highest ? a : b;
    below = low[RankWidth-2:0] < high[RankWidth-2:0];
    if (low[RankWidth-1] != high[RankWidth-1]) below = circular ? !below : high[RankWidth-1];
    return below;
  endfunction

  logic push_beyond;
  assign push_beyond = beyond(push_rank_i, found_rank_i, |(circular_i >> found_queue_i & Queues'(1)));

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic push, lost, found;
    assign push = push_valid_i && push_queue_i == QueueWidth'(q);
    assign lost = lost_valid_i && lost_queue_i == QueueWidth'(q);
    assign found = found_valid_i && found_queue_i == QueueWidth'(q);

    // With known_q the rank of this end; otherwise, if any_q, the nearest among the pushes since the pop.
    logic known_q, any_q;
    rank_t rank_q, candidate;
    assign candidate = found && !(push && push_beyond) ? found_rank_i : push_rank_i;

    always_ff @(posedge clk_i) begin
      if (push || found) begin
        if (lost || !any_q || beyond(candidate, rank_q, circular_i[q])) rank_q <= candidate;
      end
      if (push || found || lost) any_q <= push || found;
      if (lost) known_q <= push && push_alone_i;
      else if (found || (push && push_alone_i)) known_q <= 1'b1;
      if (rst_i) begin
        known_q <= 1'b0;
        any_q   <= 1'b0;
      end
    end

    assign known_o[q] = known_q;
    assign rank_o[q]  = rank_q;

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!(found && lost));
        assert (!known_q || any_q);
      end
    end
  end
endmodule
