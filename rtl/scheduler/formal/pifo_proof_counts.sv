// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: what pifo_counts keeps is what the model has in the tree and in the list of each queue.
module pifo_proof_counts #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4
) (
    input logic check_i
);
  typedef logic [Entries-1:0] set_t;

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    set_t [1:0] tree, list;
    logic here, pushed, popped, moved;
    for (genvar k = 0; k < 2; k++) begin : gen_cycle
      assign tree[k] = pifo_proof.tree_q[k] & pifo_proof.in_queue[q];
      assign list[k] = pifo_proof.list_q[k] & pifo_proof.in_queue[q];
    end
    assign here = 32'(pifo_proof.done[1].queue) == q;
    assign pushed = (pifo_proof.done[1].pushed & pifo_proof.in_queue[q]) != '0;
    assign popped = pifo_proof.from_tree[1] && here;
    assign moved = pifo_proof.moves[1] && here;
    always_comb begin
      if (check_i) begin
        assert (pifo_proof.u_dut.nonempty[q] == (tree[0] != '0));
        assert (pifo_proof.u_dut.overdue_o[q] == (list[0] != '0));
        assert (pifo_proof.u_dut.single[q] == $onehot(tree[0]));
        assert (pifo_proof.u_dut.u_counts.gen_queue[q].list_single_q == $onehot(list[0]));
        assert (pifo_proof.u_dut.u_counts.push_q[q] == pushed);
        assert (pifo_proof.u_dut.u_counts.pop_q[q] == popped);
        assert (pifo_proof.u_dut.u_counts.take_q[q] == (pifo_proof.from_list[1] && here));
        assert (pifo_proof.u_dut.u_counts.append_q[q] == moved);
        assert (pifo_proof.u_dut.u_counts.last_q[q] == (popped && $onehot(tree[1])));
        assert (pifo_proof.u_dut.u_counts.alone_q[q] == (moved && list[1] == '0));
        assert (32'(pifo_proof.u_dut.u_counts.gen_queue[q].tree_q) == $countones(tree[1]));
        assert (32'(pifo_proof.u_dut.u_counts.gen_queue[q].list_q) == $countones(list[1]));
      end
    end
  end
endmodule
