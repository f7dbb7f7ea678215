// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: what the stages find in a cycle, by their promises, is what the model wants.
module pifo_proof_finds #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic check_i
);
  localparam int unsigned LeafWidth = RankWidth / 2;
  typedef logic [Entries-1:0] set_t;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [QueueWidth+RankWidth-1:0] place_t;
  typedef logic [$clog2(Entries):0] number_t;

  rank_t [3:1] rank;  // of the pops
  for (genvar k = 1; k < 4; k++) begin : gen_stage
    assign rank[k] = pifo_proof.rank_of(pifo_proof.done[k].popped);
  end

  always_comb begin
    if (check_i) begin
      if (pifo_proof.from_tree[1]) assert (pifo_proof.u_dut.pop_child == rank[1] >> LeafWidth);
      if (pifo_proof.from_tree[2]) assert (pifo_proof.u_dut.pop_leaf == rank[2][LeafWidth-1:0]);
      if (pifo_proof.from_tree[3]) assert (set_t'(1) << pifo_proof.u_dut.list_slot == pifo_proof.done[3].popped);
      if (pifo_proof.from_list[3]) assert (set_t'(1) << pifo_proof.u_dut.overdue_slot == pifo_proof.done[3].popped);
    end
  end

  // What the leaf and the lists rely on, and learn from each other in the same cycle. There is no circle: a list's answer follows from
  // whether its first entry moved up, and that from registers of the leaf. What a push finds follows from them and that answer.
  logic push, pop;
  place_t push_leaf, pop_leaf;
  number_t behind;
  assign push = pifo_proof.u_dut.u_list.push_valid_q;
  assign pop = pifo_proof.u_dut.u_list.pop_valid_q;
  assign push_leaf = pifo_proof.u_dut.u_list.push_leaf_q;
  assign pop_leaf = pifo_proof.u_dut.u_list.pop_leaf_q;
  assign behind = pifo_proof.leaf_count[push_leaf] - number_t'(pop && pop_leaf == push_leaf);
  always_comb begin
    if (check_i) begin
      if (push) begin
        assert (pifo_proof.u_dut.u_list.push_takes_i == (pifo_proof.leaf_count[push_leaf] == '0));
        assert (pifo_proof.u_dut.u_list.push_begins_i == (behind == '0));
      end
      if (pop) begin
        assert (pifo_proof.u_dut.u_list.pop_moved_i == pifo_proof.leaf_moved_q[pop_leaf]);
        assert (pifo_proof.u_dut.u_leaf.pop_emptied_i == pifo_proof.leaf_single[pop_leaf]);
      end
      if (!(pop && pop_leaf == pifo_proof.u_dut.u_list.pop_leaf_i && !pifo_proof.u_dut.u_list.pop_emptied_o)) begin
        assert (pifo_proof.u_dut.u_list.pop_next_leaf_i == pifo_proof.u_dut.u_list.pop_leaf_i);
      end
      if (pifo_proof.u_dut.u_overdue.append_i) assert (!pifo_proof.list_q[3][pifo_proof.u_dut.u_overdue.append_slot_i]);
    end
  end
endmodule
