// SPDX-License-Identifier: Apache-2.0
// One end of each queue of the PIFO: its lowest rank, or with Highest its highest one, with which proofs compare pifo_tail. A pop at this
// end makes it unknown until the answer of the peek into the tree arrives (found_); pushes after the pop are merged into it.
//
// Pops are known late in a cycle. So a pop makes the end unknown at once, and its old rank is discarded one cycle later.
module pifo_end #(
    parameter int unsigned Queues = 8,
    parameter int unsigned RankWidth = 12,
    parameter bit Highest = 1'b0,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Queues-1:0] circular_i,

    input logic [    Queues-1:0] push_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [    Queues-1:0] empty_i,       // its queue has no entry
    input logic [    Queues-1:0] single_i,      // ... or one

    input logic [Queues-1:0] lost_i,  // the entry at this end is popped

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

  // The push of the previous cycle.
  logic [Queues-1:0] pushed_q;
  rank_t pushed_rank_q;
  always_ff @(posedge clk_i) begin
    pushed_q <= push_i;
    pushed_rank_q <= push_rank_i;
    if (rst_i) pushed_q <= '0;
  end

  // A push goes to one queue, and so does what is found, so each is compared once.
  logic push_circular, found_circular, push_beyond, push_beyond_pushed, push_nearer, found_nearer;
  assign push_circular = |(circular_i >> push_queue_i & Queues'(1));
  assign found_circular = |(circular_i >> found_queue_i & Queues'(1));
  assign push_beyond = beyond(push_rank_i, found_rank_i, found_circular);
  assign push_beyond_pushed = beyond(push_rank_i, pushed_rank_q, |(circular_i & pushed_q));
  // What is kept is a multiplexer by itself; a mapper makes other paths longer for its sake.
  (* keep *) rank_t rank_of_pushed;
  (* keep *) rank_t rank_of_found;
  assign rank_of_pushed = rank_o[push_queue_i];
  assign rank_of_found = rank_o[found_queue_i];
  assign push_nearer = beyond(push_rank_i, rank_of_pushed, push_circular);
  assign found_nearer = beyond(found_rank_i, rank_of_found, found_circular);

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic push, found, lost_q;
    assign push  = push_i[q];
    assign found = found_valid_i && found_queue_i == QueueWidth'(q) && !lost_q;  // after a pop there it is void

    // rank_q is the rank of this end if known_q is set; otherwise, if any_q is set, it is the nearest rank pushed since the
    // pop. lost_q: the pop was in the previous cycle, so only that cycle's push has come since. alone_q: that push is the only entry.
    logic known_q, any_q, alone_q, takes_found, changes;
    rank_t rank_q, candidate;
    always_comb begin
      candidate = push_rank_i;
      takes_found = 1'b0;
      if (lost_q) begin
        if (pushed_q[q] && !(push && push_beyond_pushed)) candidate = pushed_rank_q;
        changes = pushed_q[q] || push;
      end else begin
        takes_found = found && !(push && push_beyond);
        if (takes_found) candidate = found_rank_i;
        changes = (push || found) && (!any_q || (takes_found ? found_nearer : push_nearer));
      end
    end

    always_ff @(posedge clk_i) begin
      if (changes) rank_q <= candidate;
      any_q <= push || found || (lost_q ? pushed_q[q] : any_q);
      known_q <= !lost_i[q] && (known_q || found || (push && empty_i[q]) || alone_q);
      alone_q <= lost_i[q] && push && single_i[q];
      lost_q <= lost_i[q];
      if (rst_i) begin
        known_q <= 1'b0;
        any_q   <= 1'b0;
        alone_q <= 1'b0;
        lost_q  <= 1'b0;
      end
    end

    assign known_o[q] = known_q;
    assign rank_o[q]  = rank_q;

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!known_q || any_q);
        assert (!alone_q || lost_q);
        found_too_late : cover (lost_q && found_valid_i && found_queue_i == QueueWidth'(q));
        pushed_again_after_a_pop : cover (lost_q && pushed_q[q] && push);
      end
    end
  end
endmodule
