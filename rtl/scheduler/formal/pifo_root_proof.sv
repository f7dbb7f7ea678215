// SPDX-License-Identifier: Apache-2.0
// Proves pifo_root, by induction: a pop goes to the lowest (highest) child of its queue that has entries, and its peek to the
// one that has entries after it, in circular order too if the children are close enough together. The model counts the
// entries below each child. The promises are in pifo_root_facts. Assumed: a pop is of a queue with entries, and entries that were not
// popped some cycles ago fit into the slots. pifo_proof shows both.
module pifo_root_proof #(
    parameter int unsigned Queues = 2,
    parameter int unsigned Entries = 3,
    parameter int unsigned IndexWidth = 2,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned WordWidth = QueueWidth + IndexWidth,
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic clk_i,
    input logic push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [IndexWidth-1:0] push_child_i,
    input logic pop_valid_i,
    input logic [QueueWidth-1:0] pop_queue_i,
    input logic pop_highest_i,
    input logic pop_circular_q_i
);
  localparam int unsigned Width = 1 << IndexWidth;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [CountWidth-1:0] count_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic  ready_q;
  word_t clear_word_q;
  always_ff @(posedge clk_i) begin
    clear_word_q <= clear_word_q + 1'b1;
    if (clear_word_q == '1) ready_q <= 1'b1;
    if (rst) begin
      clear_word_q <= '0;
      ready_q <= 1'b0;
    end
  end

  // The operations of the cycle before.
  logic push_q, pop_q, pop_highest_q;
  queue_t push_queue_q, pop_queue_q;
  index_t push_child_q, pop_child;
  always_ff @(posedge clk_i) begin
    push_q <= push_valid_i && ready_q && !rst;
    pop_q <= pop_valid_i && ready_q && !rst;
    push_queue_q <= push_queue_i;
    push_child_q <= push_child_i;
    pop_queue_q <= pop_queue_i;
    pop_highest_q <= pop_highest_i;
  end

  index_t unused_peek_child;
  pifo_root #(
      .Queues(Queues),
      .Entries(Entries),
      .IndexWidth(IndexWidth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .clear_i(!ready_q),
      .clear_word_i(clear_word_q),
      .push_valid_i(push_valid_i && ready_q),
      .push_queue_i,
      .push_child_i,
      .pop_queue_i,
      .pop_highest_i,
      .pop_valid_q_i(pop_q),
      .pop_highest_q_i(pop_highest_q),
      .pop_circular_q_i,
      .pop_child_o(pop_child),
      .peek_child_o(unused_peek_child)
  );

  logic [Queues-1:0][Width-1:0][CountWidth-1:0] count_q;
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    for (genvar c = 0; c < Width; c++) begin : gen_child
      logic push, pop;
      assign push = push_q && push_queue_q == queue_t'(q) && push_child_q == index_t'(c);
      assign pop  = pop_q && pop_queue_q == queue_t'(q) && pop_child == index_t'(c);
      always_ff @(posedge clk_i) begin
        count_q[q][c] <= count_q[q][c] + count_t'(push) - count_t'(pop);
        if (rst) count_q[q][c] <= '0;
      end
    end
  end

  // A pop is of a queue with entries. A slot is not used again before its entry has come out, some cycles after the pop.
  int unsigned total;
  always_comb begin
    total = 32'(push_q) + 32'(u_dut.pop_valid_q);
    for (int unsigned q = 0; q < Queues; q++) begin
      for (int unsigned c = 0; c < Width; c++) total += 32'(count_q[q][c]);
    end
    assume (32'(push_queue_i) < Queues && 32'(pop_queue_i) < Queues);
    if (pop_q) assume (count_q[pop_queue_q] != '0);
    if (!rst) assume (total <= Entries);
  end

  // Invariants for the induction.
  always_comb begin
    if (!rst) begin
      if (!ready_q) assert (count_q == '0 && !push_q && !pop_q);
      assert (u_dut.push_valid_q == push_q && u_dut.push_word_q == {push_queue_q, push_child_q});
      assert (u_dut.pop_queue_q == pop_queue_q);
      assert (32'(push_queue_q) < Queues && 32'(pop_queue_q) < Queues && (!u_dut.pop_valid_q || 32'(u_dut.pop_queue) < Queues));
    end
  end

  bind pifo_root pifo_root_facts #(
      .Queues(Queues),
      .Entries(Entries),
      .IndexWidth(IndexWidth)
  ) u_facts (
      .check_i(!pifo_root_proof.rst),
      .count_i(pifo_root_proof.count_q)
  );
endmodule
