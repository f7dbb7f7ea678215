// SPDX-License-Identifier: Apache-2.0
// For proofs, bound into pifo_list: its promises, and invariants from which they follow by induction over one cycle. The leaves differ in
// nothing but their numbers: what a step shows of any one of them, after a cycle in which the invariants hold of it and of those of the operations,
// holds of all.
// Inputs say for each slot whether it is in a leaf, in which one, and how many are before it there; for each leaf how many it has,
// and whether one was popped since a push found it empty: all without the operations that are carried out in this cycle.
//
// Relies on: a pop of a leaf with entries, a push of a slot that is in no leaf, and true answers about their leaves.
module pifo_list_facts #(
    parameter int unsigned Entries = 4,
    parameter int unsigned LeafWidth = 1,
    parameter bit Invariants = 1'b1,  // not only the promises
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned Leaves = 1 << LeafWidth
) (
    input logic check_i,  // they hold now
    input logic [LeafWidth-1:0] any_i,  // the invariants hold of this leaf, and of those of the push and of the pop
    input logic only_any_i,  // those of any_i alone are asserted, also of the promises
    input logic [Entries-1:0] here_i,
    input logic [Entries-1:0][LeafWidth-1:0] leaf_i,
    input logic [Entries-1:0][SlotWidth:0] ahead_i,
    input logic [Leaves-1:0][SlotWidth:0] count_i,
    input logic [Leaves-1:0] moved_i
);
  typedef logic [LeafWidth-1:0] leaf_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0] count_t;

  logic push, pop;
  leaf_t push_leaf, pop_leaf;
  slot_t slot;
  assign push = pifo_list.push_valid_q;
  assign push_leaf = pifo_list.push_leaf_q;
  assign pop = pifo_list.pop_valid_q;
  assign pop_leaf = pifo_list.pop_leaf_q;
  assign slot = pifo_list.pop_slot_o;

  // The promises.
  always_comb begin
    if (check_i) begin
      assert (pifo_list.pop_valid_o == pop);
      if (pop && (!only_any_i || pop_leaf == any_i)) begin
        assert (here_i[slot] && leaf_i[slot] == pop_leaf && ahead_i[slot] == '0);
        assert (pifo_list.pop_emptied_o == (count_i[pop_leaf] == count_t'(1)));
      end
    end
  end

  if (Invariants) begin : gen_invariants
    // What is in the memory of pushes into an empty list, or on its way there.
    function automatic slot_t begun_of(leaf_t leaf);
      return pifo_list.u_begun.posted_q && pifo_list.u_begun.posted_addr_q == leaf ? pifo_list.u_begun.written_q : pifo_list.u_begun.gen_reader[0].u_ram.mem[leaf];
    endfunction

    // Invariants: what was read is what the memories hold.
    always_comb begin
      if (check_i) begin
        assert (pifo_list.begun[0] == begun_of(pop_leaf) || !pop || moved_i[pop_leaf]);
        assert (pifo_list.moved[0] == pifo_list.u_moved.gen_reader[0].u_ram.mem[pop_leaf] || !pop || !moved_i[pop_leaf]);
        assert (pifo_list.last[0] == pifo_list.u_last.gen_reader[0].u_ram.mem[push_leaf] || !push);
      end
    end

    // First and last slot of a leaf, and the links between its slots: of any leaf, and of those of the push and of the pop.
    leaf_t [2:0] watched;
    assign watched = {pop_leaf, push_leaf, any_i};
    for (genvar w = 0; w < 3; w++) begin : gen_leaf
      slot_t  first, last;
      count_t count;
      logic   check;
      assign first = moved_i[watched[w]] ? pifo_list.u_moved.gen_reader[0].u_ram.mem[watched[w]] : begun_of(watched[w]);
      assign last = pifo_list.u_last.gen_reader[0].u_ram.mem[watched[w]];
      assign count = count_i[watched[w]];
      assign check = check_i && (w == 0 || !only_any_i);
      always_comb begin
        if (check) begin
          assert (count <= count_t'(Entries));
          if (count != '0) begin
            assert (here_i[first] && leaf_i[first] == watched[w] && ahead_i[first] == '0);
            assert (here_i[last] && leaf_i[last] == watched[w] && ahead_i[last] == count - 1'b1);
          end
        end
      end

      for (genvar s = 0; s < Entries; s++) begin : gen_slot
        slot_t next;
        logic  linked;
        assign next = pifo_list.next[s];
        assign linked = pifo_list.link_linked[s] != pifo_list.link_pushed[s];
        always_comb begin
          if (check && here_i[s] && leaf_i[s] == watched[w]) begin
            assert (ahead_i[s] < count);
            assert (linked == (ahead_i[s] != count - 1'b1));
            if (linked) assert (here_i[next] && leaf_i[next] == watched[w] && ahead_i[next] == ahead_i[s] + 1'b1);
            for (int unsigned o = 0; o < s; o++) begin
              if (here_i[o] && leaf_i[o] == watched[w]) assert (ahead_i[o] != ahead_i[s]);
            end
          end
        end
      end
    end
  end
endmodule
