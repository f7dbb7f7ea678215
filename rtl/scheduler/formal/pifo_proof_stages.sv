// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: the registers of the pipeline hold the operations of the model.
module pifo_proof_stages #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic check_i
);
  localparam int unsigned LeafWidth = RankWidth / 2;
  localparam int unsigned ChildWidth = RankWidth - LeafWidth;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [QueueWidth+RankWidth-1:0] place_t;
  typedef logic [Entries-1:0] set_t;

  logic [3:1] push, pop, take, move, alone;
  place_t [3:1] pushed, popped;
  rank_t [3:1] popped_rank;
  for (genvar k = 1; k < 4; k++) begin : gen_stage
    assign push[k] = pifo_proof.done[k].pushed != '0;
    assign pop[k] = pifo_proof.from_tree[k];
    assign take[k] = pifo_proof.from_list[k];
    assign move[k] = pifo_proof.moves[k];
    assign alone[k] = pifo_proof.pop_list[k] == '0;
    assign pushed[k] = pifo_proof.place_of(pifo_proof.done[k].pushed);
    assign popped[k] = pifo_proof.place_of(pifo_proof.done[k].popped);
    assign popped_rank[k] = popped[k][RankWidth-1:0];
  end

  function automatic set_t set_of(logic [SlotWidth-1:0] slot);
    return set_t'(1) << slot;
  endfunction

  always_comb begin
    if (check_i) begin
      assert (pifo_proof.u_dut.push_root_valid_q == push[1] && pifo_proof.u_dut.pop_root_valid == pop[1]);
      assert (pifo_proof.u_dut.overdue_root.take == take[1] && pifo_proof.u_dut.overdue_root.append == move[1]);
      if (move[1]) assert (pifo_proof.u_dut.overdue_root.alone == alone[1]);
      assert (pifo_proof.u_dut.pop_root_last == (pop[1] && $onehot(pifo_proof.pop_tree[1])));
      if (push[1]) begin
        assert (set_of(pifo_proof.u_dut.push_root_slot_q) == pifo_proof.done[1].pushed);
        assert ({pifo_proof.u_dut.push_root_queue_q, pifo_proof.u_dut.push_root_rank_q} == pushed[1]);
        assert (pifo_proof.u_dut.u_root.push_word_q == pushed[1] >> LeafWidth);
      end
      assert (pifo_proof.u_dut.u_root.push_valid_q == push[1]);
      assert (pifo_proof.u_dut.u_root.pop_queue_q == pifo_proof.u_dut.pop_root_queue_q);
      if (pifo_proof.done[1].pop) begin
        assert (pifo_proof.u_dut.pop_root_queue_q == pifo_proof.done[1].queue);
        assert (pifo_proof.u_dut.pop_root_highest_q == pifo_proof.done[1].highest);
        assert (pifo_proof.u_dut.pop_root_circular_q == pifo_proof.done[1].circular);
      end

      assert (pifo_proof.u_dut.push_leaf_valid_q == push[2] && pifo_proof.u_dut.pop_leaf_valid_q == pop[2]);
      assert (pifo_proof.u_dut.overdue_leaf_q.take == take[2] && pifo_proof.u_dut.overdue_leaf_q.append == move[2]);
      if (move[2]) assert (pifo_proof.u_dut.overdue_leaf_q.alone == alone[2]);
      if (push[2]) begin
        assert (set_of(pifo_proof.u_dut.push_leaf_slot_q) == pifo_proof.done[2].pushed);
        assert ({pifo_proof.u_dut.push_leaf_queue_q, pifo_proof.u_dut.push_leaf_rank_q} == pushed[2]);
      end
      assert (pifo_proof.u_dut.u_leaf.highest_q == pifo_proof.u_dut.pop_leaf_highest_q);
      assert (pifo_proof.u_dut.u_leaf.peek_highest_q == pifo_proof.u_dut.peek_highest_q);
      assert (pifo_proof.u_dut.u_root.pop_valid_q == pop[2]);
      if (pifo_proof.done[2].pop) begin
        assert (pifo_proof.u_dut.pop_leaf_queue_q == pifo_proof.done[2].queue);
        assert (pifo_proof.u_dut.pop_leaf_highest_q == pifo_proof.done[2].highest);
      end
      if (pop[2]) begin
        assert (pifo_proof.u_dut.pop_leaf_child_q == popped_rank[2][RankWidth-1-:ChildWidth]);
        assert (pifo_proof.u_dut.u_root.pop_word_q == popped[2] >> LeafWidth);
        assert (pifo_proof.u_dut.u_root.pop_highest_q == pifo_proof.done[2].highest);
        assert (pifo_proof.u_dut.u_root.pop_circular_q == pifo_proof.done[2].circular);
        assert (pifo_proof.u_dut.pop_leaf_some_q == ((pifo_proof.tree_q[1] & pifo_proof.in_queue[pifo_proof.done[2].queue]) != '0));
      end

      assert (pifo_proof.u_dut.u_leaf.push_valid_q == push[3] && pifo_proof.u_dut.u_leaf.pop_valid_q == pop[3]);
      assert (pifo_proof.u_dut.u_list.push_valid_q == push[3] && pifo_proof.u_dut.u_list.pop_valid_q == pop[3]);
      assert (pifo_proof.u_dut.overdue_list_q.take == take[3] && pifo_proof.u_dut.overdue_list_q.append == move[3]);
      if (move[3]) assert (pifo_proof.u_dut.overdue_list_q.alone == alone[3]);
      if (push[3]) begin
        assert ({pifo_proof.u_dut.u_leaf.push_word_q, pifo_proof.u_dut.u_leaf.push_leaf_q} == pushed[3]);
        assert (pifo_proof.u_dut.u_list.push_leaf_q == pushed[3]);
        assert (set_of(pifo_proof.u_dut.u_list.push_slot_q) == pifo_proof.done[3].pushed);
      end
      if (pifo_proof.done[3].pop) begin
        assert (pifo_proof.u_dut.pop_list_queue_q == pifo_proof.done[3].queue);
        assert (pifo_proof.u_dut.pop_list_highest_q == pifo_proof.done[3].highest);
      end
      if (pop[3]) begin
        assert ({pifo_proof.u_dut.u_leaf.pop_word_q, pifo_proof.u_dut.u_leaf.pop_leaf_q} == popped[3]);
        assert (pifo_proof.u_dut.u_list.pop_leaf_q == popped[3] && pifo_proof.u_dut.pop_list_rank_q == popped_rank[3]);
      end

      // What pifo checks of its user.
      assert (pifo_proof.u_dut.queued_q == pifo_proof.taken);
      assert (32'(pifo_proof.u_dut.total_q) == $countones(pifo_proof.tree_q[0] | pifo_proof.list_q[0]));
    end
  end
endmodule
