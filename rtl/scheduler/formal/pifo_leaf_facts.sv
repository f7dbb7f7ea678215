// SPDX-License-Identifier: Apache-2.0
// For proofs, bound into pifo_leaf: its promises, and invariants from which they follow by induction over one cycle.
// taken_i says which leaves of each word have entries, single_i which have one, and moved_i where one was popped since a push found
// the leaf empty: all without the operations that change the list in this cycle. While the memories are being cleared, no leaf has any.
//
// Relies on: a pop only of a word with entries; pop_emptied_i is exact (pifo_list promises it).
module pifo_leaf_facts #(
    parameter int unsigned WordWidth = 1,
    parameter int unsigned IndexWidth = 2,
    parameter bit Invariants = 1'b1,  // not only the promises
    localparam int unsigned Words = 1 << WordWidth,
    localparam int unsigned Width = 1 << IndexWidth
) (
    input logic check_i,  // they hold now
    input logic [Words-1:0][Width-1:0] taken_i,
    input logic [Words-1:0][Width-1:0] single_i,
    input logic [Words-1:0][Width-1:0] moved_i,
    input logic peek_valid_i,  // a leaf for a peek is found in this cycle, in this word
    input logic [WordWidth-1:0] peek_word_i
);
  typedef logic [Width-1:0] taken_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [IndexWidth-1:0] index_t;

  // Whether a leaf is taken and no other taken one comes before it.
  function automatic logic is_end(taken_t taken, index_t leaf, logic highest);
    is_end = taken[leaf];
    for (int unsigned l = 0; l < Width; l++) begin
      if (taken[l] && (highest ? index_t'(l) > leaf : index_t'(l) < leaf)) is_end = 1'b0;
    end
  endfunction

  function automatic taken_t turned(taken_t word, logic highest);
    return highest ? {<<{word}} : word;
  endfunction

  // Operations that change the list in this cycle, and the pop that changed it in the previous one.
  logic push, pop, popped;
  word_t push_word, pop_word, popped_word, find_word;
  index_t push_leaf, pop_leaf;
  taken_t popped_one;
  assign push = pifo_leaf.push_valid_q;
  assign push_word = pifo_leaf.push_word_q;
  assign push_leaf = pifo_leaf.push_leaf_q;
  assign pop = pifo_leaf.pop_valid_q;
  assign pop_word = pifo_leaf.pop_word_q;
  assign pop_leaf = pifo_leaf.pop_leaf_q;
  assign popped = pifo_leaf.written_q;
  assign popped_word = pifo_leaf.written_word_q;
  assign popped_one = pifo_leaf.pop_one_q;
  assign find_word = pifo_leaf.pop_word_q_i;

  taken_t [Words-1:0] taken_after;  // with the operations of this cycle
  for (genvar w = 0; w < Words; w++) begin : gen_word
    for (genvar l = 0; l < Width; l++) begin : gen_leaf
      logic pushed_here, popped_here;
      assign pushed_here = push && push_word == word_t'(w) && push_leaf == index_t'(l);
      assign popped_here = pop && pop_word == word_t'(w) && pop_leaf == index_t'(l);
      assign taken_after[w][l] = pushed_here || (taken_i[w][l] && !(popped_here && single_i[w][l]));
    end
  end

  // The promises.
  always_comb begin
    if (check_i) begin
      if (pifo_leaf.pop_valid_i) assert (is_end(taken_after[find_word], pifo_leaf.pop_leaf_o, pifo_leaf.highest_q));
      if (peek_valid_i && taken_after[peek_word_i] != '0) begin
        assert (is_end(taken_after[peek_word_i], pifo_leaf.peek_leaf_o, pifo_leaf.peek_highest_q));
      end
      if (!(pop && pop_word == find_word && pop_leaf == pifo_leaf.pop_leaf_o && !pifo_leaf.pop_emptied_i)) begin
        assert (pifo_leaf.pop_next_leaf_o == pifo_leaf.pop_leaf_o);
      end
      if (pop) assert (taken_i[pop_word][pop_leaf] && pifo_leaf.pop_moved_o == moved_i[pop_word][pop_leaf]);
      if (push) begin
        assert (pifo_leaf.push_takes_o == !taken_i[push_word][push_leaf]);
        assert (pifo_leaf.push_begins_o
            == (!taken_i[push_word][push_leaf]
                || (single_i[push_word][push_leaf] && pop && pop_word == push_word && pop_leaf == push_leaf)));
      end
    end
  end

  if (Invariants) begin : gen_invariants
    // What is in the memories, in which the pop of the previous cycle is still missing.
    taken_t [Words-1:0] left, marked, moved_before;
    for (genvar w = 0; w < Words; w++) begin : gen_marked
      logic cleared, leaving;
      assign cleared = !pifo_leaf.clear_i || word_t'(w) < pifo_leaf.clear_word_i;
      assign leaving = popped && popped_word == word_t'(w);
      assign left[w] = pifo_leaf.u_left.gen_reader[0].u_ram.mem[w];
      assign marked[w] = pifo_leaf.u_taken.gen_reader[0].u_ram.mem[w] ^ left[w];
      assign moved_before[w] = pifo_leaf.u_moved.gen_reader[0].u_ram.mem[w];
      always_comb begin
        if (check_i && cleared) begin
          assert (pifo_leaf.u_taken.gen_reader[1].u_ram.mem[w] == pifo_leaf.u_taken.gen_reader[0].u_ram.mem[w]);
          assert (pifo_leaf.u_taken.gen_reader[2].u_ram.mem[w] == pifo_leaf.u_taken.gen_reader[0].u_ram.mem[w]);
          assert (pifo_leaf.u_left.gen_reader[1].u_ram.mem[w] == left[w]);
          assert (pifo_leaf.u_left.gen_reader[2].u_ram.mem[w] == left[w]);
        end
      end
      for (genvar l = 0; l < Width; l++) begin : gen_leaf
        always_comb begin
          if (check_i && cleared) begin
            assert (marked[w][l] == (taken_i[w][l] || (leaving && popped_one[l] && pifo_leaf.leaves_q)));
            assert ((leaving && popped_one[l] ? !pifo_leaf.emptied_q : moved_before[w][l]) == (taken_i[w][l] && moved_i[w][l]));
            if (leaving && popped_one[l] && pifo_leaf.leaves_q) assert (!taken_i[w][l]);
          end
        end
      end
    end

    // Invariants: what was read is what the memories hold, and what is to be added to it is that of the pipeline.
    always_comb begin
      if (check_i) begin
        if (pifo_leaf.pop_valid_i) begin
          assert (pifo_leaf.pop_row == marked[find_word] && pifo_leaf.left[0] == left[find_word]);
          assert (pifo_leaf.moved[0] == moved_before[find_word]);
        end
        if (peek_valid_i) assert (pifo_leaf.peek_row == marked[peek_word_i]);
        if (push) begin
          assert (pifo_leaf.taken[2] == (marked[push_word] ^ left[push_word]) && pifo_leaf.left[2] == left[push_word]);
          assert (pifo_leaf.push_late_q == (popped && popped_word == push_word && popped_one[push_leaf]));
        end
        if (pop) begin
          assert (pifo_leaf.left_q == left[pop_word] && pifo_leaf.moved_q == moved_before[pop_word]);
          assert (pifo_leaf.followed_q == (popped && popped_word == pop_word));
        end
        if (popped) begin
          assert (pifo_leaf.left_now_q == left[popped_word] && pifo_leaf.moved_now_q == moved_before[popped_word]);
          assert ($onehot(popped_one) && (!pifo_leaf.leaves_q || pifo_leaf.emptied_q));
        end
        assert (pifo_leaf.follow == (pop && pop_word == find_word) && pifo_leaf.follow_again == pifo_leaf.follow);
        assert (pifo_leaf.set == (push && push_word == find_word));
        assert (pifo_leaf.late[0] == (popped && popped_word == find_word) && pifo_leaf.late_again[0] == pifo_leaf.late[0]);
        assert (pifo_leaf.set_one_q == taken_t'(1) << (push_leaf ^ {IndexWidth{pifo_leaf.highest_q}}));
        assert (pifo_leaf.left_one_q == turned(popped_one, pifo_leaf.highest_q));
        assert (pifo_leaf.pop_turned_q == (pop_leaf ^ {IndexWidth{pifo_leaf.highest_q}}));
        if (peek_valid_i) begin
          assert (pifo_leaf.peek_follow == (pop && pop_word == peek_word_i));
          assert (pifo_leaf.peek_set == (push && push_word == peek_word_i));
          assert (pifo_leaf.late[1] == (popped && popped_word == peek_word_i) && pifo_leaf.late_again[1] == pifo_leaf.late[1]);
          assert (pifo_leaf.peek_set_one_q == taken_t'(1) << (push_leaf ^ {IndexWidth{pifo_leaf.peek_highest_q}}));
          assert (pifo_leaf.peek_left_one_q == turned(popped_one, pifo_leaf.peek_highest_q));
          assert (pifo_leaf.peek_turned_q == (pop_leaf ^ {IndexWidth{pifo_leaf.peek_highest_q}}));
        end
        if (pifo_leaf.clear_i) assert (!push && !pop && !popped);
      end
    end
  end
endmodule
