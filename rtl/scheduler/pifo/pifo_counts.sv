// SPDX-License-Identifier: Apache-2.0
// Counts the entries of each queue of the PIFO, in the tree and in its list of overdue entries, and decides from
// which of the two a pop takes. The list comes before the tree, so a pop takes from the list, unless it is a pop of
// the highest and the tree has entries, or it moves an entry from the tree to the list (pop_age_i).
module pifo_counts #(
    parameter int unsigned Queues = 8,
    parameter int unsigned Entries = 1024,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  push_valid_i,
    input  logic [QueueWidth-1:0] push_queue_i,
    output logic                  push_alone_o,   // the pushed entry is the only one in the tree

    input  logic                  pop_valid_i,
    input  logic [QueueWidth-1:0] pop_queue_i,
    input  logic                  pop_highest_i,
    input  logic                  pop_age_i,
    output logic                  pop_tree_o,     // it takes from the tree
    output logic                  pop_last_o,     // it takes the only entry of the tree
    output logic                  pop_overdue_o,  // it takes from the list
    output logic                  list_empty_o,   // the list of the pop's queue is empty

    output logic [CountWidth-1:0] count_o  [Queues],
    output logic [    Queues-1:0] overdue_o,
    output logic [    Queues-1:0] treed_o
);
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [CountWidth-1:0] count_t;

  count_t tree_q[Queues];
  count_t list_q[Queues];
  assign list_empty_o = !overdue_o[pop_queue_i];
  assign pop_overdue_o = pop_valid_i && !pop_age_i && !list_empty_o && !(pop_highest_i && treed_o[pop_queue_i]);
  assign pop_tree_o = pop_valid_i && !pop_overdue_o;
  assign pop_last_o = tree_q[pop_queue_i] == count_t'(1);
  assign push_alone_o = !treed_o[push_queue_i] || (pop_tree_o && pop_queue_i == push_queue_i && pop_last_o);

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic push, pop, append, take;
    assign push = push_valid_i && push_queue_i == queue_t'(q);
    assign pop = pop_tree_o && pop_queue_i == queue_t'(q);
    assign append = pop && pop_age_i;
    assign take = pop_overdue_o && pop_queue_i == queue_t'(q);

    always_ff @(posedge clk_i) begin
      if (push && !pop) tree_q[q] <= tree_q[q] + 1'b1;
      if (pop && !push) tree_q[q] <= tree_q[q] - 1'b1;
      if (append) list_q[q] <= list_q[q] + 1'b1;
      if (take) list_q[q] <= list_q[q] - 1'b1;
      if (append || take) overdue_o[q] <= append || list_q[q] != count_t'(1);
      if (rst_i) begin
        tree_q[q] <= '0;
        list_q[q] <= '0;
        overdue_o[q] <= 1'b0;
      end
    end
    assign count_o[q] = tree_q[q] + list_q[q];
    assign treed_o[q] = tree_q[q] != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (pop_tree_o) assert (tree_q[pop_queue_i] != '0);
      if (pop_valid_i && pop_age_i) assert (!pop_highest_i);
    end
  end
endmodule
