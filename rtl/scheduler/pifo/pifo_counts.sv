// SPDX-License-Identifier: Apache-2.0
// Counts the entries of each queue of the PIFO, in the tree and in its list of overdue entries, and decides from
// which of the two a pop takes. The list comes before the tree, so a pop takes from the list, unless it is a pop of
// the highest and the tree has entries, or it moves an entry from the tree to the list (pop_age_i).
//
// The operations of a cycle are known late in it. So they are given one-hot by queue, flags of each queue say whether it has no
// entry or one, and the counts change a cycle later.
module pifo_counts #(
    parameter int unsigned Queues = 8,
    parameter int unsigned Entries = 1024,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [    Queues-1:0] pop_i,         // one-hot
    input logic                  pop_highest_i,
    input logic                  pop_age_i,

    output logic [Queues-1:0] push_o,    // of this queue
    output logic [Queues-1:0] pop_o,     // from the tree of this queue
    output logic [Queues-1:0] single_o,  // the tree has one entry
    output logic [Queues-1:0] only_o,    // tree and list have one entry together

    // The pop of the previous cycle.
    output logic popped_tree_o,     // it takes from the tree
    output logic popped_last_o,     // ... its only entry
    output logic popped_overdue_o,  // it takes from the list
    output logic popped_append_o,   // it moves an entry to the list
    output logic popped_alone_o,    // ... which was empty

    output logic [Queues-1:0] overdue_o,
    output logic [Queues-1:0] treed_o
);
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [CountWidth-1:0] count_t;

  logic [Queues-1:0] push_q, pop_q, last_q, take_q, append_q, alone_q;
  assign popped_tree_o = |pop_q;
  assign popped_last_o = |last_q;
  assign popped_overdue_o = |take_q;
  assign popped_append_o = |append_q;
  assign popped_alone_o = |alone_q;

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic here, push, pop, append, take, two, list_two, list_single_q;
    count_t tree_q, list_q;
    assign here = pop_i[q];
    assign push = push_valid_i && push_queue_i == queue_t'(q);
    assign take = here && !pop_age_i && overdue_o[q] && !(pop_highest_i && treed_o[q]);
    assign pop = here && (pop_age_i || !overdue_o[q] || (pop_highest_i && treed_o[q]));
    assign append = here && pop_age_i;
    assign push_o[q] = push;
    assign pop_o[q] = pop;
    assign only_o[q] = overdue_o[q] ? list_single_q && !treed_o[q] : single_o[q];

    // tree_q and list_q are without the operations of the previous cycle.
    always_comb begin
      two = tree_q == count_t'(2);
      if (push_q[q] && !pop_q[q]) two = tree_q == count_t'(1);
      if (pop_q[q] && !push_q[q]) two = tree_q == count_t'(3);
      list_two = list_q == count_t'(2);
      if (append_q[q]) list_two = list_q == count_t'(1);
      if (take_q[q]) list_two = list_q == count_t'(3);
    end

    always_ff @(posedge clk_i) begin
      push_q[q] <= push;
      pop_q[q] <= pop;
      last_q[q] <= pop && single_o[q];
      take_q[q] <= take;
      append_q[q] <= append;
      alone_q[q] <= append && !overdue_o[q];
      if (push_q[q] != pop_q[q]) tree_q <= tree_q + (pop_q[q] ? '1 : count_t'(1));
      if (append_q[q] || take_q[q]) list_q <= list_q + (take_q[q] ? '1 : count_t'(1));

      treed_o[q] <= push || (treed_o[q] && !(pop && single_o[q]));
      if (push && !treed_o[q]) single_o[q] <= 1'b1;
      else if (push && !pop) single_o[q] <= 1'b0;
      else if (pop && !push) single_o[q] <= two;
      overdue_o[q] <= append || (overdue_o[q] && !(take && list_single_q));
      if (append) list_single_q <= !overdue_o[q];
      else if (take) list_single_q <= list_two;
      if (rst_i) begin
        push_q[q] <= 1'b0;
        pop_q[q] <= 1'b0;
        last_q[q] <= 1'b0;
        take_q[q] <= 1'b0;
        append_q[q] <= 1'b0;
        alone_q[q] <= 1'b0;
        tree_q <= '0;
        list_q <= '0;
        treed_o[q] <= 1'b0;
        single_o[q] <= 1'b0;
        overdue_o[q] <= 1'b0;
        list_single_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        if (pop) assert (treed_o[q]);
        assert (!single_o[q] || treed_o[q]);
        assert (!list_single_q || overdue_o[q]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && pop_i != '0 && pop_age_i) assert (!pop_highest_i);
  end
endmodule
