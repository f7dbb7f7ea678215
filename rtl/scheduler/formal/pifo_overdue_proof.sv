// SPDX-License-Identifier: Apache-2.0
// Proves pifo_overdue, by induction: what is taken from a queue's list is its oldest entry, or its newest if that is
// asked for. For each slot the model says in which queue's list it is, and how many older ones are there.
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
  queue_t queue_q[Entries];
  count_t older_q[Entries];
  count_t count_q[Queues];

  slot_t slot;
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
      .slot_o(slot)
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
      for (int unsigned q = 0; q < Queues; q++) count_q[q] <= '0;
    end
  end

  // The promises.
  always_comb begin
    if (!rst && take_i) begin
      assert (here_q[slot] && queue_q[slot] == queue_i);
      assert (older_q[slot] == (take_last_i ? count_q[queue_i] - 1'b1 : '0));
    end
  end

  // Invariants for the induction: the ends of each list, and the links between its slots.
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    always_comb begin
      if (!rst) begin
        assert (32'(count_q[q]) <= $countones(here_q));
        if (count_q[q] != '0) begin
          assert (here_q[u_dut.oldest[q]] && queue_q[u_dut.oldest[q]] == queue_t'(q) && older_q[u_dut.oldest[q]] == '0);
          assert (here_q[u_dut.newest[q]] && queue_q[u_dut.newest[q]] == queue_t'(q));
          assert (older_q[u_dut.newest[q]] == count_q[q] - 1'b1);
        end
      end
    end
  end

  for (genvar s = 0; s < Entries; s++) begin : gen_slot
    slot_t newer, older;
    assign newer = u_dut.newer[s];
    assign older = u_dut.older[s];
    always_comb begin
      if (!rst && here_q[s]) begin
        assert (older_q[s] < count_q[queue_q[s]]);
        if (older_q[s] != '0) begin
          assert (here_q[older] && queue_q[older] == queue_q[s] && older_q[older] == older_q[s] - 1'b1);
        end
        if (older_q[s] != count_q[queue_q[s]] - 1'b1) begin
          assert (here_q[newer] && queue_q[newer] == queue_q[s] && older_q[newer] == older_q[s] + 1'b1);
        end
        for (int unsigned o = 0; o < s; o++) begin
          if (here_q[o] && queue_q[o] == queue_q[s]) assert (older_q[o] != older_q[s]);
        end
      end
    end
  end
endmodule
