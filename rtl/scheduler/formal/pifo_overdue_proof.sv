// SPDX-License-Identifier: Apache-2.0
// Proves pifo_overdue, by induction: what is taken from a queue's list is its oldest entry, or its newest if that is
// asked for. For each slot the model says in which queue's list it is, and how many older ones are there.
// The promises are in pifo_overdue_facts.
module pifo_overdue_proof #(
    parameter int unsigned Queues = 2,
    parameter int unsigned Entries = 4,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic [QueueWidth-1:0] queue_i,
    input logic append_i,
    input logic [SlotWidth-1:0] append_slot_i,
    input logic take_i,
    input logic take_last_i
);
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0] count_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic [Entries-1:0] here_q;
  queue_t [Entries-1:0] queue_q;
  count_t [Entries-1:0] older_q;
  count_t [Queues-1:0] count_q;

  slot_t unused_slot;
  pifo_overdue #(
      .Queues(Queues),
      .Entries(Entries)
  ) u_dut (
      .clk_i,
      .queue_i,
      .append_i,
      .append_alone_i(count_q[queue_i] == '0),
      .append_slot_i,
      .take_i,
      .take_last_i,
      .slot_o(unused_slot)
  );

  // One operation in a cycle, on what is there.
  always_comb begin
    assume (!(append_i && take_i) && 32'(queue_i) < Queues);
    if (rst) assume (!append_i && !take_i);
    if (append_i) assume (!here_q[append_slot_i]);
    if (take_i) assume (count_q[queue_i] != '0);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Entries; s++) begin
      if (take_i && here_q[s] && queue_q[s] == queue_i) begin
        if (take_last_i ? older_q[s] == count_q[queue_i] - 1'b1 : older_q[s] == '0) here_q[s] <= 1'b0;
        if (!take_last_i) older_q[s] <= older_q[s] - 1'b1;
      end
    end
    if (append_i) begin
      here_q[append_slot_i]  <= 1'b1;
      queue_q[append_slot_i] <= queue_i;
      older_q[append_slot_i] <= count_q[queue_i];
    end
    count_q[queue_i] <= count_q[queue_i] + count_t'(append_i) - count_t'(take_i);
    if (rst) begin
      here_q <= '0;
      count_q <= '0;
    end
  end

  // Invariant for the induction.
  always_comb begin
    for (int unsigned s = 0; s < Entries; s++) if (!rst && here_q[s]) assert (32'(queue_q[s]) < Queues);
  end

  bind pifo_overdue pifo_overdue_facts #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_facts (
      .check_i(!pifo_overdue_proof.rst),
      .here_i (pifo_overdue_proof.here_q),
      .queue_i(pifo_overdue_proof.queue_q),
      .older_i(pifo_overdue_proof.older_q),
      .count_i(pifo_overdue_proof.count_q)
  );
endmodule
