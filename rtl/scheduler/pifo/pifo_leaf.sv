// SPDX-License-Identifier: Apache-2.0
// Lower level of the PIFO's tree: one word per {queue, child}, in which a leaf is taken if its list
// has entries. As in pifo_root, a leaf is taken if the bit that pushes toggle differs from the
// bit that pops toggle; the list reports one cycle later whether a pop has emptied it (emptied_i).
//
//   cycle t    the word of the pop, and of the peek, is given
//   cycle t+1  the leaf is found; the word of the push is given
//   cycle t+2  the list is changed: a pop in its cycle t+1 already sees this
//   cycle t+3  the pop's bits are written; words that were read earlier are corrected (late)
//
// Also keeps for each leaf whether its first entry was pushed into an empty list or moved up when a pop took
// the first.
module pifo_leaf #(
    parameter int unsigned WordWidth = 9,
    parameter int unsigned IndexWidth = 6,
    parameter int unsigned Late = 6  // the lower bits of a word are known late in their cycle
) (
    input logic clk_i,
    input logic rst_i,

    // Clears each word once after reset.
    input logic                 clear_i,
    input logic [WordWidth-1:0] clear_word_i,

    // Cycle t.
    input logic [WordWidth-1:0] pop_word_i,
    input logic                 pop_highest_i,
    input logic [WordWidth-1:0] peek_word_i,
    input logic                 peek_highest_i,

    // Cycle t+1; the word of the pop is that of cycle t, registered.
    input  logic                  push_valid_i,
    input  logic [ WordWidth-1:0] push_word_i,
    input  logic [IndexWidth-1:0] push_leaf_i,
    input  logic                  pop_valid_i,
    input  logic [ WordWidth-1:0] pop_word_q_i,
    output logic [IndexWidth-1:0] pop_leaf_o,
    output logic [IndexWidth-1:0] pop_next_leaf_o,  // pop_leaf_o, unless that is the leaf of the previous pop
    output logic [IndexWidth-1:0] peek_leaf_o,

    // Cycle t+2.
    output logic pop_moved_o,    // the first entry of the pop's leaf moved up
    input  logic pop_emptied_i,  // the pop takes the only entry
    output logic push_takes_o,   // the push finds the list empty, before the pop of the same cycle
    output logic push_begins_o   // the push finds the list empty, after the pop of the same cycle
);
  if (IndexWidth < 2) begin : gen_bad_index_width
    $fatal(1, "pifo_leaf: IndexWidth is %0d; it must be at least 2", IndexWidth);
  end

  localparam int unsigned Width = 1 << IndexWidth;
  typedef logic [Width-1:0] taken_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [IndexWidth-1:0] index_t;

  logic push_valid_q, pop_valid_q, same_q;
  word_t push_word_q, pop_word_q;
  index_t push_leaf_q, pop_leaf_q;
  index_t pop_turned_q, peek_turned_q;  // pop_leaf_q, as pifo_find turns the words of the pop and the peek

  word_t taken_addr[3], moved_addr[1];
  taken_t taken[3], left[3], left_again[3], moved[1], unused_taken[3], unused_moved[1];
  assign taken_addr[0] = pop_word_i;
  assign taken_addr[1] = peek_word_i;
  assign taken_addr[2] = push_word_i;
  assign moved_addr[0] = pop_word_i;

  // What a pop changes in its words. Whether it has emptied its leaf is known late, so its words are written in cycle t+3. A word
  // that was read in the cycle before lacks this change; `late` says so, and the change is added. The next pop of the same word
  // (follow) continues from left_q and moved_q.
  taken_t pop_one, pop_one_q, left_q, left_now, left_now_q, moved_q, moved_now, moved_now_q;
  word_t written_word_q;
  logic emptied_q, leaves_q, followed_q, written_q;
  logic [1:0] late, late_again;
  assign pop_one = taken_t'(1) << pop_leaf_q;
  assign left_now = left_q ^ (followed_q && leaves_q ? pop_one_q : '0);
  assign moved_now = (moved_q & ~(followed_q ? pop_one_q : '0)) | (followed_q && !emptied_q ? pop_one_q : '0);

  taken_t push_one, taken_d;
  logic take, push_late_q;
  assign push_one = taken_t'(1) << push_leaf_q;
  assign same_q = push_valid_q && pop_valid_q && push_word_q == pop_word_q && push_leaf_q == pop_leaf_q;
  // The bits of the push's leaf: one look-up table chooses among four leaves.
  localparam int unsigned Fours = Width / 4;
  localparam int unsigned FourWidth = Fours > 1 ? $clog2(Fours) : 1;
  logic [FourWidth-1:0] four;
  (* keep *) logic [Fours-1:0] four_taken;
  (* keep *) logic [Fours-1:0] four_left;
  logic list_taken;
  for (genvar i = 0; i < Fours; i++) begin : gen_four
    assign four_taken[i] = taken[2][4*i+32'(push_leaf_q[1:0])];
    assign four_left[i] = left[2][4*i+32'(push_leaf_q[1:0])];
  end
  assign four = FourWidth'(push_leaf_q >> 2);
  assign list_taken = four_taken[four] ^ four_left[four];
  assign take = push_valid_q && !(list_taken ^ (push_late_q && leaves_q));
  assign taken_d = taken[2] ^ push_one;

  assign push_takes_o = take;
  assign push_begins_o = take || (same_q && pop_emptied_i);

  pifo_ram #(
      .Width(Width),
      .Late(Late),
      .Depth(1 << WordWidth),
      .Readers(3)
  ) u_taken (
      .clk_i,
      .rst_i,
      .write_enable_i(clear_i || take),
      .write_addr_i(clear_i ? clear_word_i : push_word_q),
      .write_data_i(clear_i ? '0 : taken_d),
      .read_addr_i(taken_addr),
      .seen_addr_i(taken_addr),
      .read_data_o(taken),
      .read_again_o(unused_taken)
  );
  pifo_ram #(
      .Width(Width),
      .Late(Late),
      .Depth(1 << WordWidth),
      .Readers(3)
  ) u_left (
      .clk_i,
      .rst_i,
      .write_enable_i(clear_i || written_q),
      .write_addr_i(clear_i ? clear_word_i : written_word_q),
      .write_data_i(clear_i ? '0 : left_now_q ^ (leaves_q ? pop_one_q : '0)),
      .read_addr_i(taken_addr),
      .seen_addr_i(taken_addr),
      .read_data_o(left),
      .read_again_o(left_again)
  );
  pifo_ram #(
      .Width(Width),
      .Late(Late),
      .Depth(1 << WordWidth)
  ) u_moved (
      .clk_i,
      .rst_i,
      .write_enable_i(clear_i || written_q),
      .write_addr_i(clear_i ? clear_word_i : written_word_q),
      .write_data_i(clear_i ? '0 : (moved_now_q & ~pop_one_q) | (emptied_q ? '0 : pop_one_q)),
      .read_addr_i(moved_addr),
      .seen_addr_i(moved_addr),
      .read_data_o(moved),
      .read_again_o(unused_moved)
  );

  (* keep *) taken_t pop_row;
  (* keep *) taken_t peek_row;
  assign pop_row = taken[0] ^ left_again[0];
  assign peek_row = taken[1] ^ left[1];

  // Whether the previous operations change the words that are being read is compared in cycle t, in parallel with the reads.
  // *_one_q are reversed for a search of the highest, as pifo_find wants them.
  logic follow, peek_follow;  // the previous pop is changing the same words as this one will, and those of the peek
  logic set, peek_set;  // the push was into them
  logic highest_q, peek_highest_q;
  taken_t set_one_q, peek_set_one_q, left_one_q, peek_left_one_q;
  always_ff @(posedge clk_i) begin
    push_late_q <= push_leaf_i == pop_leaf_q && pop_valid_q && push_word_i == pop_word_q;
    highest_q <= pop_highest_i;
    peek_highest_q <= peek_highest_i;
    set_one_q <= taken_t'(1) << (push_leaf_i ^ {IndexWidth{pop_highest_i}});
    peek_set_one_q <= taken_t'(1) << (push_leaf_i ^ {IndexWidth{peek_highest_i}});
    left_one_q <= taken_t'(1) << (pop_leaf_q ^ {IndexWidth{pop_highest_i}});
    peek_left_one_q <= taken_t'(1) << (pop_leaf_q ^ {IndexWidth{peek_highest_i}});
  end

  // late: the pop before the previous one was of the same words, and has changed them if leaves_q is set.
  word_t same_word[2];
  assign same_word = '{pop_word_i, peek_word_i};
  logic [1:0] same_follow, same_set;
  logic follow_again;  // follow, for the search alone
  assign {peek_follow, follow} = same_follow;
  assign {peek_set, set} = same_set;
  pifo_same #(
      .Width(WordWidth),
      .Late(Late),
      .Inverted(1'b1)
  ) u_follow_again (
      .clk_i,
      .rst_i,
      .valid_i(pop_valid_i),
      .a_i(pop_word_q_i),
      .b_i(pop_word_i),
      .same_o(follow_again)
  );
  for (genvar i = 0; i < 2; i++) begin : gen_same
    pifo_same #(
        .Width(WordWidth),
        .Late(Late)
    ) u_follow (
        .clk_i,
        .rst_i,
        .valid_i(pop_valid_i),
        .a_i(pop_word_q_i),
        .b_i(same_word[i]),
        .same_o(same_follow[i])
    );
    pifo_same #(
        .Width(WordWidth),
        .Late(Late)
    ) u_set (
        .clk_i,
        .rst_i,
        .valid_i(push_valid_i),
        .a_i(push_word_i),
        .b_i(same_word[i]),
        .same_o(same_set[i])
    );
    pifo_same #(
        .Width(WordWidth),
        .Late(Late)
    ) u_late (
        .clk_i,
        .rst_i,
        .valid_i(pop_valid_q),
        .a_i(pop_word_q),
        .b_i(same_word[i]),
        .same_o(late[i])
    );
    pifo_same #(
        .Width(WordWidth),
        .Late(Late),
        .Inverted(1'b1)
    ) u_late_again (
        .clk_i,
        .rst_i,
        .valid_i(pop_valid_q),
        .a_i(pop_word_q),
        .b_i(same_word[i]),
        .same_o(late_again[i])
    );
  end

  // Whether the first entry of the pop's leaf moved up is found along with the leaf.
  taken_t moved_row;
  assign moved_row = follow ? moved_now : (moved[0] & ~(late[0] ? pop_one_q : '0)) | (late[0] && !emptied_q ? pop_one_q : '0);

  taken_t pop_left[2], peek_left[2];
  assign pop_left = '{late[0] && leaves_q ? left_one_q : '0, late_again[0] && leaves_q ? left_one_q : '0};
  assign peek_left = '{late[1] && leaves_q ? peek_left_one_q : '0, late_again[1] && leaves_q ? peek_left_one_q : '0};

  index_t unused_peek_index;
  logic moved_up, unused_note;
  pifo_find #(
      .IndexWidth(IndexWidth),
      .Circular(1'b0)
  ) u_pop_find (
      .taken_i(pop_row),
      .set_i(set ? set_one_q : '0),
      .left_i(pop_left),
      .clear_i(follow_again),
      .clear_index_i(pop_turned_q),
      .emptied_i(pop_emptied_i),
      .note_i(moved_row),
      .highest_i(highest_q),
      .circular_i(1'b0),
      .index_o(pop_leaf_o),
      .emptied_index_o(pop_next_leaf_o),
      .note_o(moved_up)
  );
  pifo_find #(
      .IndexWidth(IndexWidth),
      .Circular(1'b0)
  ) u_peek_find (
      .taken_i(peek_row),
      .set_i(peek_set ? peek_set_one_q : '0),
      .left_i(peek_left),
      .clear_i(peek_follow),
      .clear_index_i(peek_turned_q),
      .emptied_i(pop_emptied_i),
      .note_i('0),
      .highest_i(peek_highest_q),
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
    pop_turned_q <= pop_leaf_o ^ {IndexWidth{pop_highest_i}};
    peek_turned_q <= pop_leaf_o ^ {IndexWidth{peek_highest_i}};
    pop_one_q <= pop_one;
    left_now_q <= left_now;
    moved_now_q <= moved_now;
    written_word_q <= pop_word_q;
    emptied_q <= pop_emptied_i;
    leaves_q <= pop_emptied_i && !same_q;
    followed_q <= follow;
    pop_moved_o <= moved_up;
    left_q <= follow ? left_now : left[0] ^ (late[0] && leaves_q ? pop_one_q : '0);
    moved_q <= moved_row;
    push_valid_q <= push_valid_i;
    pop_valid_q <= pop_valid_i;
    written_q <= pop_valid_q;
    if (rst_i) begin
      written_q <= 1'b0;
      push_valid_q <= 1'b0;
      pop_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      leaf_pushed_and_popped : cover (same_q);
      leaf_emptied_and_pushed : cover (same_q && pop_emptied_i);
      word_changes_again : cover (pop_valid_i && follow);
      word_changed_before : cover (pop_valid_i && late[0] && leaves_q);
      leaf_emptied_before_a_push : cover (push_valid_q && push_late_q && leaves_q);
    end
  end
endmodule
