// SPDX-License-Identifier: Apache-2.0
// Upper level of the PIFO's tree: one word per queue, in which a child is taken if it has entries.
// Finds the child to which a pop goes, and a cycle later the one to which its peek goes.
//
// Pushes and pops both write, and a memory has one write port: a push toggles a child's bit in one memory when it
// takes the child, a pop in another when it empties the child. The child is taken if the two bits differ. Its
// entries are counted in the same way, as pushes so far and pops so far.
//
//   cycle t    push and pop are given; the word of the pop's queue is read
//   cycle t+1  the pop's child is found; the push is written
//   cycle t+2  the pop's count says whether the child is empty now, which is written; the peek's child is found
//
// The word that a pop reads lacks the push of the previous cycle and the pops of the previous two cycles. They are added to it;
// the previous pop is added after the word has been read, in the cycle in which it is known whether its child is empty.
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

    input logic [QueueWidth-1:0] pop_queue_i,
    input logic                  pop_highest_i,

    // Cycle t+1.
    input  logic                  pop_valid_q_i,
    input  logic                  pop_highest_q_i,
    input  logic                  pop_circular_q_i,
    output logic [IndexWidth-1:0] pop_child_o,

    // Cycle t+2.
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

  // Cycle t+1.
  logic push_valid_q, set_q, left_q, follows_q;
  word_t push_word_q;
  queue_t push_queue, pop_queue_q;
  index_t push_child;
  taken_t word_q;  // without the push of cycle t-1, and the pops of t-2 and t-1
  taken_t set_one_q, left_one_q;  // those of t-1 and t-2; set_q, left_q: they are in this word
  taken_t set_turned_q, left_turned_q;  // the same, as pifo_find turns the word
  // follows_q: the pop of t-1 was of this queue.
  taken_t word, word_after;
  assign {push_queue, push_child} = push_word_q;

  // Cycle t+2.
  logic pop_valid_q, pop_highest_q, pop_circular_q, leave;
  word_t pop_word_q;
  queue_t pop_queue;
  index_t pop_child;
  taken_t peek_word_q;  // without the pop
  logic straight_q, peek_straight_q;  // !pop_highest_q_i, !pop_highest_q: copies with few readers
  assign {pop_queue, pop_child} = pop_word_q;

  always_ff @(posedge clk_i) begin
    push_word_q <= {push_queue_i, push_child_i};
    pop_queue_q <= pop_queue_i;
    word_q <= taken_by_push[pop_queue_i] ^ left_by_pop[pop_queue_i];
    set_q <= push_valid_q && push_queue == pop_queue_i;
    set_one_q <= taken_t'(1) << push_child;
    left_q <= leave && pop_queue == pop_queue_i;
    left_one_q <= taken_t'(1) << pop_child;
    set_turned_q <= push_valid_q && push_queue == pop_queue_i ? taken_t'(1) << (push_child ^ {IndexWidth{pop_highest_i}}) : '0;
    left_turned_q <= leave && pop_queue == pop_queue_i ? taken_t'(1) << (pop_child ^ {IndexWidth{pop_highest_i}}) : '0;
    follows_q <= pop_valid_q_i && pop_queue_q == pop_queue_i;

    pop_word_q <= {pop_queue_q, pop_child_o};
    straight_q <= !pop_highest_i;
    peek_straight_q <= !pop_highest_q_i;
    pop_highest_q <= pop_highest_q_i;
    pop_circular_q <= pop_circular_q_i;
    peek_word_q <= word_after | (push_valid_q && push_queue == pop_queue_q ? taken_t'(1) << push_child : '0);

    push_valid_q <= push_valid_i;
    pop_valid_q <= pop_valid_q_i;
    if (rst_i) begin
      push_valid_q <= 1'b0;
      pop_valid_q <= 1'b0;
    end
  end

  // Entries below each child: the pushes so far, and the number that the next pop will have. They are equal when that pop takes the
  // only entry, which is known after one comparison.
  word_t pushes_addr[2], pops_addr[1];
  count_t pushes[2], pops[1], unused_pushes[2], unused_pops[1];
  assign pushes_addr[0] = {pop_queue_q, pop_child_o};
  assign pushes_addr[1] = {push_queue_i, push_child_i};
  assign pops_addr[0] = {pop_queue_q, pop_child_o};

  pifo_ram #(
      .Width(CountWidth),
      .Late(IndexWidth),
      .Depth(1 << WordWidth),
      .Readers(2)
  ) u_pushes (
      .clk_i,
      .rst_i,
      .write_enable_i(clear_i || push_valid_q),
      .write_addr_i(clear_i ? clear_word_i : push_word_q),
      .write_data_i(clear_i ? '0 : pushes[1] + 1'b1),
      .read_addr_i(pushes_addr),
      .seen_addr_i(pushes_addr),
      .read_data_o(pushes),
      .read_again_o(unused_pushes)
  );
  pifo_ram #(
      .Width(CountWidth),
      .Late(IndexWidth),
      .Depth(1 << WordWidth)
  ) u_pops (
      .clk_i,
      .rst_i,
      .write_enable_i(clear_i || pop_valid_q),
      .write_addr_i(clear_i ? clear_word_i : pop_word_q),
      .write_data_i(clear_i ? count_t'(1) : pops[0] + 1'b1),
      .read_addr_i(pops_addr),
      .seen_addr_i(pops_addr),
      .read_data_o(pops),
      .read_again_o(unused_pops)
  );

  // The counts have the push of the pop's own cycle, so a pop that takes the only entry while another one comes leaves
  // the child taken.
  logic emptied;
  // Three bits in one look-up table; a mapper by itself makes a chain.
  localparam int unsigned Threes = (CountWidth + 2) / 3;
  logic [3*Threes-1:0] differs;
  (* keep *) logic [Threes-1:0] alike;
  assign differs = (3 * Threes)'(pushes[0] ^ pops[0]);
  for (genvar t = 0; t < Threes; t++) begin : gen_alike
    assign alike[t] = differs[3*t+:3] == '0;
  end
  assign emptied = &alike;
  assign leave = pop_valid_q && emptied;

  // A push takes a child that has no entry, or is being left by the pop of the cycle before.
  logic take, left_now;
  taken_t push_word;
  assign push_word = taken_by_push[push_queue] ^ left_by_pop[push_queue];
  assign left_now = leave && pop_word_q == push_word_q;
  assign take = push_valid_q && (!push_word[push_child] || left_now);

  queue_t clear_queue;
  assign clear_queue = clear_word_i[WordWidth-1:IndexWidth];

  always_ff @(posedge clk_i) begin
    if (clear_i || take) begin
      taken_by_push[clear_i ? clear_queue : push_queue] <=
          clear_i ? '0 : taken_by_push[push_queue] ^ taken_t'(1) << push_child;
    end
    if (clear_i || leave) begin
      left_by_pop[clear_i ? clear_queue : pop_queue] <= clear_i ? '0 : left_by_pop[pop_queue] ^ taken_t'(1) << pop_child;
    end
  end

  assign word = (word_q & ~(left_q ? left_one_q : '0)) | (set_q ? set_one_q : '0);
  assign word_after = word & ~(follows_q && emptied ? taken_t'(1) << pop_child : '0);

  index_t unused_pop_index, unused_peek_index;
  logic unused_pop_note, unused_peek_note;
  taken_t none_left[2];
  assign none_left = '{default: '0};
  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_pop_find (
      .taken_i(word_q),
      .set_i(set_turned_q),
      .left_i('{left_turned_q, left_turned_q}),
      .clear_i(follows_q),
      .clear_index_i(pop_child ^ {IndexWidth{!straight_q}}),
      .emptied_i(emptied),
      .note_i('0),
      .highest_i(pop_highest_q_i),
      .circular_i(pop_circular_q_i),
      .index_o(pop_child_o),
      .emptied_index_o(unused_pop_index),
      .note_o(unused_pop_note)
  );

  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_peek_find (
      .taken_i(peek_word_q),
      .set_i('0),
      .left_i(none_left),
      .clear_i(1'b1),
      .clear_index_i(pop_child ^ {IndexWidth{!peek_straight_q}}),
      .emptied_i(emptied),
      .note_i('0),
      .highest_i(pop_highest_q),
      .circular_i(pop_circular_q),
      .index_o(peek_child_o),
      .emptied_index_o(unused_peek_index),
      .note_o(unused_peek_note)
  );

  // A child that a pop goes to has entries.
  always_ff @(posedge clk_i) begin
    if (!rst_i && pop_valid_q) assert (pushes[0] != pops[0] - 1'b1);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      child_left_and_taken : cover (push_valid_q && left_now);
      child_pushed_and_popped : cover (pop_valid_q_i && push_valid_q && push_word_q == {pop_queue_q, pop_child_o});
      count_wraps : cover (push_valid_q && pushes[1] == '1);
    end
  end
endmodule
