// SPDX-License-Identifier: Apache-2.0
// Lower level of the PIFO's tree: one word per {queue, child}, in which a leaf is taken if its list
// has entries. As in pifo_root, a leaf is taken if the bit that pushes toggle differs from the
// bit that pops toggle; the list reports one cycle later whether a pop has emptied it (emptied_i).
//
//   cycle t    the word of the pop, and of the peek, is given
//   cycle t+1  the leaf is found; the word of the push is given
//   cycle t+2  the list is changed, and the bits with it: a pop in its cycle t+1 already sees this
//
// Also keeps for each leaf whether its first entry was pushed into an empty list or moved up when a pop took
// the first.
module pifo_leaf #(
    parameter int unsigned WordWidth = 9,
    parameter int unsigned IndexWidth = 6
) (
    input logic clk_i,
    input logic rst_i,

    // Clears each word once after reset.
    input logic                 clear_i,
    input logic [WordWidth-1:0] clear_word_i,

    // Cycle t.
    input logic [WordWidth-1:0] pop_word_i,
    input logic [WordWidth-1:0] peek_word_i,

    // Cycle t+1; the word of the pop is that of cycle t, registered.
    input  logic                  push_valid_i,
    input  logic [ WordWidth-1:0] push_word_i,
    input  logic [IndexWidth-1:0] push_leaf_i,
    input  logic                  pop_valid_i,
    input  logic [ WordWidth-1:0] pop_word_q_i,
    input  logic                  pop_highest_i,
    output logic [IndexWidth-1:0] pop_leaf_o,
    output logic [IndexWidth-1:0] pop_next_leaf_o,  // pop_leaf_o, unless that is the leaf of the previous pop
    input  logic                  peek_highest_i,
    output logic [IndexWidth-1:0] peek_leaf_o,

    // Cycle t+2.
    output logic pop_moved_o,    // the first entry of the pop's leaf moved up
    input  logic pop_emptied_i,  // the pop takes the only entry
    output logic push_takes_o,   // the push finds the list empty, before the pop of the same cycle
    output logic push_begins_o   // the push finds the list empty, after the pop of the same cycle
);
  localparam int unsigned Width = 1 << IndexWidth;
  typedef logic [Width-1:0] taken_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [IndexWidth-1:0] index_t;

  logic push_valid_q, pop_valid_q, same_q;
  word_t push_word_q, pop_word_q;
  index_t push_leaf_q, pop_leaf_q;
  taken_t left_q, moved_q;  // the words that the pop changes

  word_t taken_addr[3], left_addr[3], moved_addr[1];
  taken_t taken[3], left[3], moved[1];
  assign taken_addr[0] = pop_word_i;
  assign taken_addr[1] = peek_word_i;
  assign taken_addr[2] = push_word_i;
  assign left_addr = taken_addr;
  assign moved_addr[0] = pop_word_i;

  taken_t push_one, pop_one, taken_d, left_d, moved_d;
  logic take;
  assign push_one = taken_t'(1) << push_leaf_q;
  assign pop_one = taken_t'(1) << pop_leaf_q;
  assign same_q = push_valid_q && pop_valid_q && push_word_q == pop_word_q && push_leaf_q == pop_leaf_q;
  assign take = push_valid_q && !(taken[2][push_leaf_q] ^ left[2][push_leaf_q]);
  assign taken_d = taken[2] ^ push_one;
  assign left_d = pop_emptied_i && !same_q ? left_q ^ pop_one : left_q;
  assign moved_d = pop_emptied_i ? moved_q & ~pop_one : moved_q | pop_one;

  assign push_takes_o = take;
  assign push_begins_o = take || (same_q && pop_emptied_i);

  pifo_ram #(
      .Width(Width),
      .Depth(1 << WordWidth),
      .Readers(3)
  ) u_taken (
      .clk_i,
      .write_enable_i(clear_i || take),
      .write_addr_i(clear_i ? clear_word_i : push_word_q),
      .write_data_i(clear_i ? '0 : taken_d),
      .read_addr_i(taken_addr),
      .seen_addr_i(taken_addr),
      .read_data_o(taken)
  );
  pifo_ram #(
      .Width(Width),
      .Depth(1 << WordWidth),
      .Readers(3)
  ) u_left (
      .clk_i,
      .write_enable_i(clear_i || pop_valid_q),
      .write_addr_i(clear_i ? clear_word_i : pop_word_q),
      .write_data_i(clear_i ? '0 : left_d),
      .read_addr_i(left_addr),
      .seen_addr_i(left_addr),
      .read_data_o(left)
  );
  pifo_ram #(
      .Width(Width),
      .Depth(1 << WordWidth)
  ) u_moved (
      .clk_i,
      .write_enable_i(clear_i || pop_valid_q),
      .write_addr_i(clear_i ? clear_word_i : pop_word_q),
      .write_data_i(clear_i ? '0 : moved_d),
      .read_addr_i(moved_addr),
      .seen_addr_i(moved_addr),
      .read_data_o(moved)
  );

  (* keep *) taken_t pop_row;
  (* keep *) taken_t peek_row;
  assign pop_row = taken[0] ^ left[0];
  assign peek_row = taken[1] ^ left[1];

  // What the previous operations are changing: whether it is in these words is compared in cycle t, beside the addresses.
  logic follow, peek_follow;  // the previous pop is changing the same words as this one will, and those of the peek
  logic set, peek_set;  // the push was into them
  always_ff @(posedge clk_i) begin
    follow <= pop_valid_i && pop_word_q_i == pop_word_i;
    peek_follow <= pop_valid_i && pop_word_q_i == peek_word_i;
    set <= push_valid_i && push_word_i == pop_word_i;
    peek_set <= push_valid_i && push_word_i == peek_word_i;
    if (rst_i) {follow, peek_follow, set, peek_set} <= '0;
  end

  // Whether the first entry of the pop's leaf moved up is found along with the leaf.
  taken_t moved_row, moved_before[2], no_notes[2];
  assign moved_row = follow ? moved_q : moved[0];
  assign moved_before[0] = moved_row | (follow ? pop_one : '0);
  assign moved_before[1] = moved_row & ~(follow ? pop_one : '0);
  assign no_notes = '{default: '0};

  index_t unused_peek_index;
  logic moved_up, unused_note;
  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_pop_find (
      .taken_i(pop_row),
      .set_i(set),
      .set_index_i(push_leaf_q),
      .clear_i(follow),
      .clear_index_i(pop_leaf_q),
      .emptied_i(pop_emptied_i),
      .note_i(moved_before),
      .highest_i(pop_highest_i),
      .circular_i(1'b0),
      .index_o(pop_leaf_o),
      .emptied_index_o(pop_next_leaf_o),
      .note_o(moved_up)
  );
  pifo_find #(
      .IndexWidth(IndexWidth)
  ) u_peek_find (
      .taken_i(peek_row),
      .set_i(peek_set),
      .set_index_i(push_leaf_q),
      .clear_i(peek_follow),
      .clear_index_i(pop_leaf_q),
      .emptied_i(pop_emptied_i),
      .note_i(no_notes),
      .highest_i(peek_highest_i),
      .circular_i(1'b0),
      .index_o(peek_leaf_o),
      .emptied_index_o(unused_peek_index),
      .note_o(unused_note)
  );

  always_ff @(posedge clk_i) begin
    push_word_q <= push_word_i;
    push_leaf_q <= push_leaf_i;
    pop_word_q <= pop_word_q_i;
    pop_leaf_q <= pop_leaf_o;
    pop_moved_o <= moved_up;
    if (pop_valid_i) begin
      left_q <= follow ? left_d : left[0];
      moved_q <= follow ? moved_d : moved[0];
    end
    push_valid_q <= push_valid_i;
    pop_valid_q <= pop_valid_i;
    if (rst_i) begin
      push_valid_q <= 1'b0;
      pop_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      leaf_pushed_and_popped : cover (same_q);
      leaf_emptied_and_pushed : cover (same_q && pop_emptied_i);
      word_changes_again : cover (pop_valid_i && follow);
    end
  end
endmodule
