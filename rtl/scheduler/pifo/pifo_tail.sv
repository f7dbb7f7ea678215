// SPDX-License-Identifier: Apache-2.0
// The highest rank of each queue of the PIFO, for a user that asks for one queue at a time: what pifo_end says of all of them, a cycle
// later. So the ranks are in memory. Two write to it in a cycle, a push and the answer of a peek. Each has a memory of its own, and a flag
// of each queue says which of them was written last.
module pifo_tail #(
    parameter int unsigned Queues = 8,
    parameter int unsigned RankWidth = 12,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic clk_i,
    input logic rst_i,

    // As for pifo_end.
    input logic [    Queues-1:0] circular_i,
    input logic [    Queues-1:0] push_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [    Queues-1:0] empty_i,
    input logic [    Queues-1:0] single_i,
    input logic [    Queues-1:0] lost_i,
    input logic                  found_valid_i,
    input logic [QueueWidth-1:0] found_queue_i,
    input logic [ RankWidth-1:0] found_rank_i,

    output logic [    Queues-1:0] known_o,
    input  logic [QueueWidth-1:0] queue_i,
    output logic [ RankWidth-1:0] rank_o    // of this queue, if it is known
);
  localparam int unsigned Places = 1 << QueueWidth;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [Queues-1:0] queues_t;

  // Whether a is higher than b. Circular: the ranks are within half of the range of each other, so if their highest bits differ, the
  // one with the lesser rest is higher.
  function automatic logic higher(rank_t a, rank_t b, logic circular);
    logic above;
    above = a[RankWidth-2:0] > b[RankWidth-2:0];
    if (a[RankWidth-1] != b[RankWidth-1]) above = circular ? !above : a[RankWidth-1];
    return above;
  endfunction

  // The previous cycle. The pop comes before the push, and an answer is void after a pop in its own cycle or in the one before.
  queues_t pushed_q, alone_q, lost_q;  // alone_q: a queue's only entry has been pushed
  logic push_q, push_circular_q, found_q, found_circular_q;
  queue_t push_queue_q, found_queue_q;
  rank_t push_rank_q, found_rank_q;
  always_ff @(posedge clk_i) begin
    pushed_q <= push_i;
    alone_q <= push_i & (empty_i | (lost_i & single_i));
    lost_q <= lost_i;
    push_q <= |push_i;
    push_queue_q <= push_queue_i;
    push_rank_q <= push_rank_i;
    push_circular_q <= |(circular_i >> push_queue_i & queues_t'(1));
    found_q <= found_valid_i && !lost_q[found_queue_i];
    found_queue_q <= found_queue_i;
    found_rank_q <= found_rank_i;
    found_circular_q <= |(circular_i >> found_queue_i & queues_t'(1));
    if (rst_i) begin
      pushed_q <= '0;
      alone_q  <= '0;
      lost_q   <= '0;
      push_q   <= 1'b0;
      found_q  <= 1'b0;
    end
  end

  (* ram_style = "distributed" *) rank_t of_push[Places];
  (* ram_style = "distributed" *) rank_t of_found[Places];
  queues_t known_q, any_q, found_last_q;  // any_q: of_* has the highest rank since the last pop; found_last_q: it is in of_found

  logic found, same, push_first, push_changes, found_changes;
  queues_t found_here, keeps;
  rank_t rank_of_pushed, rank_of_found;
  assign found = found_q && !lost_q[found_queue_q];
  assign found_here = found ? queues_t'(1) << found_queue_q : '0;
  assign keeps = any_q & ~lost_q;
  assign rank_of_pushed = found_last_q[push_queue_q] ? of_found[push_queue_q] : of_push[push_queue_q];
  assign rank_of_found = found_last_q[found_queue_q] ? of_found[found_queue_q] : of_push[found_queue_q];
  assign same = push_q && found && push_queue_q == found_queue_q;
  assign push_first = higher(push_rank_q, found_rank_q, found_circular_q);
  assign push_changes = push_q && !(same && !push_first)
      && (!keeps[push_queue_q] || higher(push_rank_q, rank_of_pushed, push_circular_q));
  assign found_changes = found && !(same && push_first)
      && (!keeps[found_queue_q] || higher(found_rank_q, rank_of_found, found_circular_q));

  always_ff @(posedge clk_i) begin
    if (push_changes) begin
      of_push[push_queue_q] <= push_rank_q;
      found_last_q[push_queue_q] <= 1'b0;
    end
    if (found_changes) begin
      of_found[found_queue_q] <= found_rank_q;
      found_last_q[found_queue_q] <= 1'b1;
    end
    any_q   <= pushed_q | found_here | keeps;
    known_q <= alone_q | found_here | (known_q & ~lost_q);
    if (rst_i) begin
      any_q   <= '0;
      known_q <= '0;
    end
  end

  assign known_o = known_q;
  assign rank_o  = found_last_q[queue_i] ? of_found[queue_i] : of_push[queue_i];

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ((known_q & ~any_q) == '0);
      found_too_late : cover (found_q && lost_q[found_queue_q]);
      pushed_and_found : cover (same);
      popped_and_pushed : cover (push_q && lost_q[push_queue_q]);
    end
  end
endmodule
