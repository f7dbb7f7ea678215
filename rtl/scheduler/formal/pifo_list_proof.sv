// SPDX-License-Identifier: Apache-2.0
// Proves pifo_list, by induction: the slots of each leaf come out first in first out, whatever is pushed and popped beside
// them, and a pop reports correctly whether it left the leaf empty. For each slot the model says in which leaf it is, and how many
// are before it there. The promises are in pifo_list_facts. Assumed: what pifo_proof shows of pushes and pops, and what
// pifo_leaf_proof shows of the answers about their leaves.
module pifo_list_proof #(
    parameter int unsigned Entries = 4,
    parameter int unsigned LeafWidth = 1,
    parameter int unsigned Late = 1,
    parameter bit Step = 1'b0,  // a step of the induction: two cycles
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic push_valid_i,
    input logic [LeafWidth-1:0] push_leaf_i,
    input logic [SlotWidth-1:0] push_slot_i,
    input logic pop_valid_i,
    input logic [LeafWidth-1:0] pop_leaf_i,
    input logic [LeafWidth-1:0] pop_next_leaf_i,
    input logic [LeafWidth-1:0] any_i
);
  localparam int unsigned Leaves = 1 << LeafWidth;
  typedef logic [LeafWidth-1:0] leaf_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0] count_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // The operations of the cycle before, which are carried out in this one: the pop first.
  logic push_q, pop_q;
  leaf_t push_leaf_q, pop_leaf_q;
  slot_t push_slot_q;
  always_ff @(posedge clk_i) begin
    push_q <= push_valid_i && !rst;
    pop_q <= pop_valid_i && !rst;
    push_leaf_q <= push_leaf_i;
    push_slot_q <= push_slot_i;
    pop_leaf_q <= pop_leaf_i;
  end

  logic [Entries-1:0] here_q;
  leaf_t [Entries-1:0] leaf_q;
  count_t [Entries-1:0] ahead_q;
  count_t [Leaves-1:0] count_q;
  logic [Leaves-1:0] moved_q;  // an entry was popped since a push found the leaf empty

  count_t behind;  // entries that stay before the one that is pushed
  assign behind = count_q[push_leaf_q] - count_t'(pop_q && pop_leaf_q == push_leaf_q);

  logic emptied, unused_popped;
  slot_t unused_slot;
  pifo_list #(
      .Entries(Entries),
      .LeafWidth(LeafWidth),
      .Late(Late)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .push_valid_i,
      .push_leaf_i,
      .push_slot_i,
      .pop_valid_i,
      .pop_leaf_i,
      .pop_next_leaf_i,
      .push_takes_i(count_q[push_leaf_q] == '0),
      .push_begins_i(behind == '0),
      .pop_moved_i(moved_q[pop_leaf_q]),
      .pop_emptied_o(emptied),
      .pop_valid_o(unused_popped),
      .pop_slot_o(unused_slot)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Entries; s++) begin
      if (pop_q && here_q[s] && leaf_q[s] == pop_leaf_q) begin
        ahead_q[s] <= ahead_q[s] - 1'b1;
        if (ahead_q[s] == '0) here_q[s] <= 1'b0;
      end
    end
    if (push_q) begin
      here_q[push_slot_q] <= 1'b1;
      leaf_q[push_slot_q] <= push_leaf_q;
      ahead_q[push_slot_q] <= behind;
    end
    for (int unsigned l = 0; l < Leaves; l++) begin
      count_q[l] <= count_q[l] + count_t'(push_q && push_leaf_q == leaf_t'(l)) - count_t'(pop_q && pop_leaf_q == leaf_t'(l));
      if (pop_q && pop_leaf_q == leaf_t'(l)) moved_q[l] <= 1'b1;
      if (push_q && push_leaf_q == leaf_t'(l) && behind == '0) moved_q[l] <= 1'b0;
      if (rst) count_q[l] <= '0;
    end
    if (rst) here_q <= '0;
  end

  // A pop takes from a leaf with entries, a push puts in a slot that is in no leaf.
  always_comb begin
    if (push_q) assume (!here_q[push_slot_q]);
    if (pop_q) assume (count_q[pop_leaf_q] != '0);
    // The address of a read may be another one only while the entry behind the popped one is being written.
    if (!(pop_q && pop_leaf_q == pop_leaf_i && !emptied)) assume (pop_next_leaf_i == pop_leaf_i);
  end

  // A step asserts the invariants of any leaf and of those of the operations in its first cycle, in which later_q is low, and of that leaf alone in
  // its second one.
  logic later_q, was_later_q;
  leaf_t any_q;
  initial {later_q, was_later_q} = '0;
  always @(posedge clk_i) begin
    later_q <= 1'b1;
    was_later_q <= later_q;
    any_q <= any_i;
  end
  always_comb begin
    if (Step) assume (!later_q || (!was_later_q && any_i == any_q));
  end

  // Invariants for the induction.
  always_comb begin
    if (!rst) begin
      assert (u_dut.push_valid_q == push_q && u_dut.pop_valid_q == pop_q);
      assert (u_dut.push_leaf_q == push_leaf_q && u_dut.push_slot_q == push_slot_q && u_dut.pop_leaf_q == pop_leaf_q);
    end
  end

  bind pifo_list pifo_list_facts #(
      .Entries  (Entries),
      .LeafWidth(LeafWidth)
  ) u_facts (
      .check_i(!pifo_list_proof.rst),
      .any_i(pifo_list_proof.any_i),
      .only_any_i(pifo_list_proof.Step && pifo_list_proof.later_q),
      .here_i (pifo_list_proof.here_q),
      .leaf_i (pifo_list_proof.leaf_q),
      .ahead_i(pifo_list_proof.ahead_q),
      .count_i(pifo_list_proof.count_q),
      .moved_i(pifo_list_proof.moved_q)
  );
endmodule
