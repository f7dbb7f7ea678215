// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: what the proofs of the stages assume, without the answers of stages in the same cycle (pifo_proof_finds).
// Their models are here sets of slots. Such a set changes from one cycle to the next as the model in the stage's own proof does.
module pifo_proof_relies #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned CountWidth = $clog2(Entries + 1),
    localparam int unsigned LeafWidth = RankWidth / 2,
    localparam int unsigned ChildWidth = RankWidth - LeafWidth
) (
    input logic clk_i,
    input logic rst_i,
    input logic [2:0] check_i  // the root, the leaf and the lists, the overdue ones
);
  localparam int unsigned Children = 1 << ChildWidth;
  localparam int unsigned Leaves = 1 << (QueueWidth + RankWidth);
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [ChildWidth-1:0] child_t;
  typedef logic [QueueWidth+RankWidth-1:0] place_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0] number_t;
  typedef logic [CountWidth-1:0] count_t;

  // Inputs of the cycle before.
  logic after_reset_q, clear_q, pop_highest_q;
  logic [QueueWidth+ChildWidth-1:0] clear_word_q, pop_word_q, peek_word_q;
  always_ff @(posedge clk_i) begin
    after_reset_q <= rst_i;
    clear_q <= pifo_proof.u_dut.u_root.clear_i || rst_i;
    clear_word_q <= pifo_proof.u_dut.u_root.clear_word_i;
    pop_highest_q <= pifo_proof.u_dut.u_root.pop_highest_i;
    pop_word_q <= pifo_proof.u_dut.u_leaf.pop_word_i;
    peek_word_q <= pifo_proof.u_dut.u_leaf.peek_word_i;
  end

  // The root: as in pifo_root_proof.
  logic root_push, root_pop;
  queue_t root_push_queue, root_pop_queue;
  child_t root_push_child, root_pop_child;
  logic [Queues-1:0][Children-1:0][CountWidth-1:0] child_count, child_count_q;
  assign root_push = pifo_proof.u_dut.u_root.push_valid_q;
  assign root_pop = pifo_proof.u_dut.u_root.pop_valid_q_i;
  assign {root_push_queue, root_push_child} = pifo_proof.u_dut.u_root.push_word_q;
  assign root_pop_queue = pifo_proof.u_dut.u_root.pop_queue_q;
  assign root_pop_child = pifo_proof.u_dut.u_root.pop_child_o;
  assign child_count = pifo_proof.child_count;
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    for (genvar c = 0; c < Children; c++) begin : gen_child
      logic push, pop;
      assign push = root_push && root_push_queue == queue_t'(q) && root_push_child == child_t'(c);
      assign pop  = root_pop && root_pop_queue == queue_t'(q) && root_pop_child == child_t'(c);
      always_ff @(posedge clk_i) child_count_q[q][c] <= rst_i ? '0 : child_count[q][c] + count_t'(push) - count_t'(pop);
      always_comb if (check_i[0]) assert (child_count[q][c] == child_count_q[q][c]);
    end
  end
  int unsigned root_total;
  always_comb begin
    root_total = 32'(root_push) + 32'(pifo_proof.u_dut.u_root.pop_valid_q);
    for (int unsigned q = 0; q < Queues; q++) begin
      for (int unsigned c = 0; c < Children; c++) root_total += 32'(child_count[q][c]);
    end
    if (check_i[0]) begin
      // Each word is cleared once, before all operations.
      assert (pifo_proof.u_dut.u_root.clear_i == (after_reset_q || (clear_q && clear_word_q != '1)));
      assert (pifo_proof.u_dut.u_root.clear_word_i == (after_reset_q ? '0 : clear_word_q + 1'b1));
      if (pifo_proof.u_dut.u_root.clear_i) assert (!pifo_proof.u_dut.u_root.push_valid_i);
      if (clear_q) assert (!root_push && !root_pop);
      assert (pifo_proof.u_dut.u_root.pop_highest_q_i == pop_highest_q);
      if (root_pop) assert (child_count[root_pop_queue] != '0);
      assert (root_total <= Entries);
    end
  end

  // The leaf and the lists: as in pifo_leaf_proof and pifo_list_proof. In both, the operations that change a list are these.
  logic push, pop;
  place_t push_leaf, pop_leaf;
  slot_t push_slot;
  logic [Entries-1:0] here, here_q;
  place_t [Entries-1:0] leaf, leaf_q;
  number_t [Entries-1:0] ahead, ahead_q;
  number_t [Leaves-1:0] count, count_q;
  logic [Leaves-1:0] moved, moved_q;
  number_t behind;
  assign push = pifo_proof.u_dut.u_list.push_valid_q;
  assign push_leaf = pifo_proof.u_dut.u_list.push_leaf_q;
  assign push_slot = pifo_proof.u_dut.u_list.push_slot_q;
  assign pop = pifo_proof.u_dut.u_list.pop_valid_q;
  assign pop_leaf = pifo_proof.u_dut.u_list.pop_leaf_q;
  assign here = pifo_proof.tree_q[3];
  assign leaf = pifo_proof.place;
  assign ahead = pifo_proof.ahead;
  assign count = pifo_proof.leaf_count;
  assign moved = pifo_proof.leaf_moved_q;
  assign behind = pifo_proof.count_of(push_leaf) - number_t'(pop && pop_leaf == push_leaf);
  always_ff @(posedge clk_i) begin
    here_q  <= here;
    leaf_q  <= leaf;
    ahead_q <= ahead;
    for (int unsigned s = 0; s < Entries; s++) begin
      if (pop && here[s] && leaf[s] == pop_leaf) begin
        ahead_q[s] <= ahead[s] - 1'b1;
        if (ahead[s] == '0) here_q[s] <= 1'b0;
      end
    end
    if (push) begin
      here_q[push_slot]  <= 1'b1;
      leaf_q[push_slot]  <= push_leaf;
      ahead_q[push_slot] <= behind;
    end
    for (int unsigned l = 0; l < Leaves; l++) begin
      count_q[l] <= count[l] + number_t'(push && push_leaf == place_t'(l)) - number_t'(pop && pop_leaf == place_t'(l));
      moved_q[l] <= moved[l];
      if (pop && pop_leaf == place_t'(l)) moved_q[l] <= 1'b1;
      if (push && push_leaf == place_t'(l) && behind == '0) moved_q[l] <= 1'b0;
    end
    if (rst_i) begin
      here_q  <= '0;
      count_q <= '0;
    end
  end

  always_comb begin
    if (check_i[1]) begin
      assert (pifo_proof.u_dut.u_leaf.clear_i == pifo_proof.u_dut.u_root.clear_i);
      assert (pifo_proof.u_dut.u_leaf.clear_word_i == pifo_proof.u_dut.u_root.clear_word_i);
      if (clear_q) assert (!pifo_proof.u_dut.u_leaf.push_valid_i && !pifo_proof.u_dut.u_leaf.pop_valid_i);
      assert (pifo_proof.u_dut.u_leaf.pop_word_q_i == pop_word_q);
      assert (pifo_proof.u_dut.u_leaf.u_facts.peek_word_i == peek_word_q);
      assert (here == here_q && count == count_q);
      if (!after_reset_q) assert (moved == moved_q);
      for (int unsigned s = 0; s < Entries; s++) if (here[s]) assert (leaf[s] == leaf_q[s] && ahead[s] == ahead_q[s]);
      assert (pifo_proof.u_dut.u_leaf.push_valid_q == push && pifo_proof.u_dut.u_leaf.pop_valid_q == pop);
      if (push) begin
        assert ({pifo_proof.u_dut.u_leaf.push_word_q, pifo_proof.u_dut.u_leaf.push_leaf_q} == push_leaf);
        assert (!here[push_slot]);
      end
      if (pop) begin
        assert ({pifo_proof.u_dut.u_leaf.pop_word_q, pifo_proof.u_dut.u_leaf.pop_leaf_q} == pop_leaf);
        assert (pifo_proof.count_of(pop_leaf) != '0);
      end
      assert ($countones(here) + 32'(push) <= Entries);  // each slot is in one leaf
      if (pifo_proof.u_dut.pop_leaf_valid_q) begin
        assert (pifo_proof.u_dut.u_leaf.u_facts.taken_after[pifo_proof.u_dut.u_leaf.pop_word_q_i] != '0);
      end
    end
  end

  // The overdue ones: as in pifo_overdue_proof.
  logic append, take, take_last;
  queue_t queue;
  slot_t append_slot;
  logic [Entries-1:0] aged, aged_q;
  queue_t [Entries-1:0] aged_queue, aged_queue_q;
  number_t [Entries-1:0] older, older_q;
  number_t [Queues-1:0] aged_count, aged_count_q;
  assign append = pifo_proof.u_dut.u_overdue.append_i;
  assign append_slot = pifo_proof.u_dut.u_overdue.append_slot_i;
  assign take = pifo_proof.u_dut.u_overdue.take_i;
  assign take_last = pifo_proof.u_dut.u_overdue.take_last_i;
  assign queue = pifo_proof.u_dut.u_overdue.queue_i;
  assign aged = pifo_proof.list_q[3];
  assign aged_queue = pifo_proof.queue_q;
  assign older = pifo_proof.older;
  assign aged_count = pifo_proof.list_count;
  always_ff @(posedge clk_i) begin
    aged_q <= aged;
    aged_queue_q <= aged_queue;
    older_q <= older;
    for (int unsigned s = 0; s < Entries; s++) begin
      if (take && aged[s] && aged_queue[s] == queue) begin
        if (take_last ? older[s] == aged_count[queue] - 1'b1 : older[s] == '0) aged_q[s] <= 1'b0;
        if (!take_last) older_q[s] <= older[s] - 1'b1;
      end
    end
    if (append) begin
      aged_q[append_slot] <= 1'b1;
      aged_queue_q[append_slot] <= queue;
      older_q[append_slot] <= aged_count[queue];
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      aged_count_q[q] <= aged_count[q] + number_t'(append && queue == queue_t'(q)) - number_t'(take && queue == queue_t'(q));
    end
    if (rst_i) begin
      aged_q <= '0;
      aged_count_q <= '0;
    end
  end

  always_comb begin
    if (check_i[2]) begin
      assert (aged == aged_q && aged_count == aged_count_q);
      for (int unsigned s = 0; s < Entries; s++) if (aged[s]) assert (aged_queue[s] == aged_queue_q[s] && older[s] == older_q[s]);
      assert (!(append && take));
      if (append || take) assert (32'(queue) < Queues);
      if (append) assert (pifo_proof.u_dut.u_overdue.append_alone_i == (aged_count[queue] == '0));
      if (take) assert (aged_count[queue] != '0);
    end
  end
endmodule
