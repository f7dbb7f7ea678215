// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof: invariants of its model. An operation leads from one set to the next, slots are used again when they have come
// out, and the relations by which slots are ordered are orders.
module pifo_proof_model #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4
) (
    input logic check_i
);
  typedef logic [Entries-1:0] set_t;

  for (genvar k = 1; k < 4; k++) begin : gen_done
    set_t tree, list, pushed, popped;
    assign tree   = pifo_proof.tree_q[k];
    assign list   = pifo_proof.list_q[k];
    assign pushed = pifo_proof.done[k].pushed;
    assign popped = pifo_proof.done[k].popped;
    always_comb begin
      if (check_i) begin
        assert (pifo_proof.tree_q[k-1] == ((tree & ~pifo_proof.tree_popped[k]) | pushed));
        assert (pifo_proof.list_q[k-1] == ((list & ~pifo_proof.list_popped[k]) | pifo_proof.moved[k]));
        assert ($onehot0(pushed) && ((tree | list) & pushed) == '0);
        for (int unsigned s = 0; s < Entries; s++) begin
          if (pushed[s]) assert ((tree & ~pifo_proof.earlier_q[s]) == '0);
          if (pifo_proof.moved[k][s]) assert ((list & ~pifo_proof.older_q[s]) == '0);
        end
        if (pifo_proof.done[k].pop) begin
          assert ($onehot(popped) && popped == pifo_proof.wanted[k]);
          assert (pifo_proof.done[k].tree == pifo_proof.wanted_tree[k]);
          assert (32'(pifo_proof.done[k].queue) < Queues);
          assert (!(pifo_proof.done[k].age && pifo_proof.done[k].highest));
          if (pifo_proof.done[k].circular) assert (pifo_proof.is_narrow(pifo_proof.pop_tree[k]));
        end
        if (!pifo_proof.ready) assert (pushed == '0 && !pifo_proof.done[k].pop);
      end
    end
  end

  for (genvar k = 0; k < 4; k++) begin : gen_order
    set_t tree, list;
    assign tree = pifo_proof.tree_q[k];
    assign list = pifo_proof.list_q[k];
    always_comb begin
      if (check_i) begin
        assert ((tree & list) == '0);
        if (!pifo_proof.ready) assert (tree == '0 && list == '0);
      end
    end
    for (genvar a = 0; a < Entries; a++) begin : gen_slot
      always_comb begin
        if (check_i) begin
          for (int unsigned b = 0; b < Entries; b++) begin
            if (a != b && tree[a] && tree[b]) assert (pifo_proof.earlier_q[a][b] != pifo_proof.earlier_q[b][a]);
            if (a != b && list[a] && list[b]) assert (pifo_proof.older_q[a][b] != pifo_proof.older_q[b][a]);
            if (tree[a] && tree[b] && pifo_proof.earlier_q[a][b]) begin
              assert ((pifo_proof.earlier_q[b] & tree & ~pifo_proof.earlier_q[a]) == '0);
            end
            if (list[a] && list[b] && pifo_proof.older_q[a][b]) begin
              assert ((pifo_proof.older_q[b] & list & ~pifo_proof.older_q[a]) == '0);
            end
          end
        end
      end
    end
  end

  set_t overdue;
  assign overdue = pifo_proof.list_q[0] | pifo_proof.list_q[1] | pifo_proof.list_q[2] | pifo_proof.list_q[3];
  for (genvar s = 0; s < Entries; s++) begin : gen_taken
    logic [3:0] here;
    for (genvar k = 0; k < 4; k++) begin : gen_stage
      assign here[k] = pifo_proof.tree_q[k][s] || pifo_proof.list_q[k][s];
    end
    always_comb begin
      if (check_i && pifo_proof.taken[s]) assert (32'(pifo_proof.queue_q[s]) < Queues && !pifo_proof.earlier_q[s][s]);
      if (check_i && overdue[s]) assert (!pifo_proof.older_q[s][s]);
      if (check_i) assert (!(here inside {4'b1001, 4'b1010, 4'b0101, 4'b1101, 4'b1011}));
    end
  end
endmodule
