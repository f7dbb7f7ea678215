// SPDX-License-Identifier: Apache-2.0
// Proves pifo_leaf, by induction: a pop and a peek go to the lowest (highest) leaf of their word that has entries, and what it tells
// pifo_list about the leaf of a push and of a pop is true. The model counts the entries of each leaf. The promises are in
// pifo_leaf_facts. Assumed: a pop is of a word with entries, as pifo_proof shows, and the list reports the pop's leaf empty
// exactly if it is, as pifo_list_proof shows.
module pifo_leaf_proof #(
    parameter int unsigned Entries = 3,
    parameter int unsigned WordWidth = 1,
    parameter int unsigned IndexWidth = 2,
    parameter int unsigned Late = 1,
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic clk_i,
    input logic push_valid_i,
    input logic [WordWidth-1:0] push_word_i,
    input logic [IndexWidth-1:0] push_leaf_i,
    input logic pop_valid_i,  // a cycle after its word
    input logic [WordWidth-1:0] pop_word_i,
    input logic pop_highest_i,
    input logic [WordWidth-1:0] peek_word_i,
    input logic peek_highest_i,
    input logic emptied_i  // what the list reports without a pop
);
  localparam int unsigned Words = 1 << WordWidth;
  localparam int unsigned Width = 1 << IndexWidth;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [CountWidth-1:0] count_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic ready_q, active_q;
  word_t clear_word_q;
  always_ff @(posedge clk_i) begin
    clear_word_q <= clear_word_q + 1'b1;
    if (clear_word_q == '1) ready_q <= 1'b1;
    active_q <= ready_q;
    if (rst) begin
      clear_word_q <= '0;
      ready_q <= 1'b0;
      active_q <= 1'b0;
    end
  end

  logic push, pop;
  assign push = push_valid_i && active_q;
  assign pop  = pop_valid_i && active_q;

  // The operations of the cycle before, and what was given in it.
  logic push_q, pop_q, pop_highest_q, peek_highest_q;
  word_t push_word_q, pop_word_q, popped_word_q, peek_word_q;
  index_t push_leaf_q, pop_leaf, popped_leaf_q;
  always_ff @(posedge clk_i) begin
    push_q <= push && !rst;
    pop_q <= pop && !rst;
    push_word_q <= push_word_i;
    push_leaf_q <= push_leaf_i;
    pop_word_q <= pop_word_i;
    pop_highest_q <= pop_highest_i;
    peek_word_q <= peek_word_i;
    peek_highest_q <= peek_highest_i;
    popped_word_q <= pop_word_q;
    popped_leaf_q <= pop_leaf;
  end

  logic [Words-1:0][Width-1:0][CountWidth-1:0] count_q;
  logic [Words-1:0][Width-1:0] taken, single, moved_q;

  logic unused_moved, unused_takes, unused_begins;
  index_t unused_next_leaf, unused_peek_leaf;
  pifo_leaf #(
      .WordWidth (WordWidth),
      .IndexWidth(IndexWidth),
      .Late(Late)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .clear_i(!ready_q),
      .clear_word_i(clear_word_q),
      .pop_word_i,
      .pop_highest_i,
      .peek_word_i,
      .peek_highest_i,
      .push_valid_i(push),
      .push_word_i,
      .push_leaf_i,
      .pop_valid_i(pop),
      .pop_word_q_i(pop_word_q),
      .pop_leaf_o(pop_leaf),
      .pop_next_leaf_o(unused_next_leaf),
      .peek_leaf_o(unused_peek_leaf),
      .pop_moved_o(unused_moved),
      .pop_emptied_i(pop_q ? single[popped_word_q][popped_leaf_q] : emptied_i),
      .push_takes_o(unused_takes),
      .push_begins_o(unused_begins)
  );

  for (genvar w = 0; w < Words; w++) begin : gen_word
    for (genvar l = 0; l < Width; l++) begin : gen_leaf
      logic pushed_here, popped_here;
      assign pushed_here = push_q && push_word_q == word_t'(w) && push_leaf_q == index_t'(l);
      assign popped_here = pop_q && popped_word_q == word_t'(w) && popped_leaf_q == index_t'(l);
      assign taken[w][l] = count_q[w][l] != '0;
      assign single[w][l] = count_q[w][l] == count_t'(1);
      always_ff @(posedge clk_i) begin
        count_q[w][l] <= count_q[w][l] + count_t'(pushed_here) - count_t'(popped_here);
        if (popped_here) moved_q[w][l] <= 1'b1;
        if (pushed_here && count_q[w][l] == count_t'(popped_here)) moved_q[w][l] <= 1'b0;
        if (rst) count_q[w][l] <= '0;
      end
    end
  end

  // A pop is of a word with entries, and no more entries are pushed than there are slots.
  int unsigned total;
  always_comb begin
    total = 32'(push_q);
    for (int unsigned w = 0; w < Words; w++) begin
      for (int unsigned l = 0; l < Width; l++) total += 32'(count_q[w][l]);
    end
    if (!rst) assume (total <= Entries);
    if (pop) assume (u_dut.u_facts.taken_after[pop_word_q] != '0);
  end

  // Invariants for the induction.
  always_comb begin
    if (!rst) begin
      if (!ready_q) assert (!active_q);
      if (!active_q) assert (count_q == '0 && !push_q && !pop_q);
      assert (u_dut.push_valid_q == push_q && u_dut.push_word_q == push_word_q && u_dut.push_leaf_q == push_leaf_q);
      assert (u_dut.pop_valid_q == pop_q && u_dut.pop_word_q == popped_word_q && u_dut.pop_leaf_q == popped_leaf_q);
      assert (u_dut.highest_q == pop_highest_q && u_dut.peek_highest_q == peek_highest_q);
    end
  end

  bind pifo_leaf pifo_leaf_facts #(
      .WordWidth (WordWidth),
      .IndexWidth(IndexWidth)
  ) u_facts (
      .check_i(!pifo_leaf_proof.rst),
      .taken_i(pifo_leaf_proof.taken),
      .single_i(pifo_leaf_proof.single),
      .moved_i(pifo_leaf_proof.moved_q),
      .peek_valid_i(pifo_leaf_proof.active_q),
      .peek_word_i(pifo_leaf_proof.peek_word_q)
  );
endmodule
