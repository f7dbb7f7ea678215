// SPDX-License-Identifier: Apache-2.0
// Upper level of the PIFO's tree: one word per queue, in which a child is taken if it has entries.
// Finds in the same cycle the child to which a pop and a peek go.
//
// Pushes and pops both write, and a memory has one write port: a push toggles a child's bit in one memory when it
// takes the child, a pop in another when it empties the child. The child is taken if the two bits differ. Its
// entries are counted in the same way, as pushes so far and pops so far.
//
//   cycle t    push and pop are given; the pop's child is found; the counts are read
//   cycle t+1  they are written, and the bits with them: a pop of cycle t+1 already sees this
module pifo_root #(
    parameter int unsigned Queues = 8,
    parameter int unsigned Entries = 1024,
    parameter int unsigned IndexWidth = 6,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned WordWidth = QueueWidth + IndexWidth
) (
    input logic clk_i,
    input logic rst_i,

    // Clears each {queue, child} once after reset.
    input logic                 clear_i,
    input logic [WordWidth-1:0] clear_word_i,

    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [IndexWidth-1:0] push_child_i,

    input  logic                  pop_valid_i,
    input  logic [QueueWidth-1:0] pop_queue_i,
    input  logic                  pop_highest_i,
    input  logic                  pop_circular_i,
    output logic [IndexWidth-1:0] pop_child_o,

    input  logic [QueueWidth-1:0] peek_queue_i,
    input  logic                  peek_highest_i,
    input  logic                  peek_circular_i,
    output logic [IndexWidth-1:0] peek_child_o
);
  localparam int unsigned Width = 1 << IndexWidth;
  localparam int unsigned CountWidth = $clog2(Entries + 1);

  typedef logic [Width-1:0] taken_t;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [CountWidth-1:0] count_t;

  (* ram_style = "distributed" *) taken_t taken_by_push[1<<QueueWidth];
  (* ram_style = "distributed" *) taken_t left_by_pop[1<<QueueWidth];

  // The operations of the previous cycle, whose changes are written in this one.
  logic push_valid_q, pop_valid_q, same_q;
  word_t push_word_q, pop_word_q;
  queue_t push_queue, pop_queue;
  index_t push_child, pop_child;
  assign {push_queue, push_child} = push_word_q;
  assign {pop_queue, pop_child} = pop_word_q;

  always_ff @(posedge clk_i) begin
    push_word_q <= {push_queue_i, push_child_i};
    pop_word_q <= {pop_queue_i, pop_child_o};
    push_valid_q <= push_valid_i;
    pop_valid_q <= pop_valid_i;
    if (rst_i) begin
      push_valid_q <= 1'b0;
      pop_valid_q <= 1'b0;
    end
  end
  assign same_q = push_valid_q && pop_valid_q && push_word_q == pop_word_q;

  // Entries below each child.
  word_t pushes_addr[2], pops_addr[1];
  count_t pushes[2], pops[1];
  assign pushes_addr[0] = {pop_queue_i, pop_child_o};
  assign pushes_addr[1] = {push_queue_i, push_child_i};
  assign pops_addr[0] = {pop_queue_i, pop_child_o};

  pifo_ram #(
      .Width(CountWidth),
      .Depth(1 << WordWidth),
      .Readers(2)
  ) u_pushes (
      .clk_i,
      .write_enable_i(clear_i || push_valid_q),
      .write_addr_i(clear_i ? clear_word_i : push_word_q),
      .write_data_i(clear_i ? '0 : pushes[1] + 1'b1),
      .read_addr_i(pushes_addr),
      .read_data_o(pushes)
  );
  pifo_ram #(
      .Width(CountWidth),
      .Depth(1 << WordWidth)
  ) u_pops (
      .clk_i,
      .write_enable_i(clear_i || pop_valid_q),
      .write_addr_i(clear_i ? clear_word_i : pop_word_q),
      .write_data_i(clear_i ? '0 : pops[0] + 1'b1),
      .read_addr_i(pops_addr),
      .read_data_o(pops)
  );

  logic emptied;
  count_t pops_now;
  assign pops_now = pops[0] + 1'b1;
  assign emptied = pushes[0] == pops_now;

  // The words that the two operations change, before the change.
  taken_t push_word, pop_left;
  assign push_word = taken_by_push[push_queue] ^ left_by_pop[push_queue];
  assign pop_left = left_by_pop[pop_queue];

  // A pop that empties a child and a push to it in one cycle leave it taken.
  logic take, leave;
  assign take = push_valid_q && !push_word[push_child];
  assign leave = pop_valid_q && emptied && !same_q;

  queue_t clear_queue;
  assign clear_queue = clear_word_i[WordWidth-1:IndexWidth];

  always_ff @(posedge clk_i) begin
    if (clear_i || take) begin
      taken_by_push[clear_i ? clear_queue : push_queue] <=
          clear_i ? '0 : taken_by_push[push_queue] ^ taken_t'(1) << push_child;
    end
    if (clear_i || leave) begin
      left_by_pop[clear_i ? clear_queue : pop_queue] <= clear_i ? '0 : pop_left ^ taken_t'(1) << pop_child;
    end
  end

  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_pop_find (
      .taken_i(taken_by_push[pop_queue_i] ^ left_by_pop[pop_queue_i]),
      .set_i(push_valid_q && push_queue == pop_queue_i),
      .set_index_i(push_child),
      .clear_i(pop_valid_q && pop_queue == pop_queue_i && !same_q),
      .clear_index_i(pop_child),
      .emptied_i(emptied),
      .highest_i(pop_highest_i),
      .circular_i(pop_circular_i),
      .index_o(pop_child_o)
  );

  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_peek_find (
      .taken_i(taken_by_push[peek_queue_i] ^ left_by_pop[peek_queue_i]),
      .set_i(push_valid_q && push_queue == peek_queue_i),
      .set_index_i(push_child),
      .clear_i(pop_valid_q && pop_queue == peek_queue_i && !same_q),
      .clear_index_i(pop_child),
      .emptied_i(emptied),
      .highest_i(peek_highest_i),
      .circular_i(peek_circular_i),
      .index_o(peek_child_o)
  );

  // A child that a pop goes to has entries.
  always_ff @(posedge clk_i) begin
    if (!rst_i && pop_valid_q) assert (pushes[0] != pops[0]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      child_pushed_and_popped : cover (same_q);
      child_emptied_and_pushed : cover (same_q && emptied);
      count_wraps : cover (push_valid_q && pushes[1] == '1);
    end
  end
endmodule
