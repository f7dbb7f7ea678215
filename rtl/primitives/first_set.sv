// SPDX-License-Identifier: Apache-2.0
// Finds the lowest set bit: whether there is one, its index, and the bit of note_i there (both undefined without one).
// Combinational: a tree in which each node has four children, or two at the root if the width is not a power of four.
module first_set #(
    parameter int unsigned IndexWidth = 6,
    localparam int unsigned Width = 1 << IndexWidth
) (
    input  logic [     Width-1:0] bits_i,
    input  logic [     Width-1:0] note_i,
    output logic                  any_o,
    output logic [IndexWidth-1:0] index_o,
    output logic                  note_o
);
  localparam int unsigned Levels = (IndexWidth + 1) / 2;

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned ChildBits = IndexWidth - 2 * l > 1 ? 2 : 1;
    localparam int unsigned Children = 1 << ChildBits;
    localparam int unsigned Nodes = (Width >> (2 * l)) / Children;
    logic [Nodes-1:0] note;
    logic [Nodes-1:0][2*l+ChildBits-1:0] index;
    // Kept, because a mapper that optimizes across the levels makes a longer chain of look-up tables.
    (* keep *) logic [Nodes-1:0] any;
    (* keep *) logic [Nodes-1:0][ChildBits-1:0] child;
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      logic [Children-1:0] any_below, note_below;
      if (l == 0) begin : gen_bits
        assign any_below = bits_i[n*Children+:Children];
        assign note_below = note_i[n*Children+:Children];
        assign index[n] = child[n];
      end else begin : gen_nodes
        logic [Children-1:0][2*l-1:0] index_below;
        assign any_below = gen_level[l-1].any[n*Children+:Children];
        assign note_below = gen_level[l-1].note[n*Children+:Children];
        assign index_below = gen_level[l-1].index[n*Children+:Children];
        assign index[n] = {child[n], index_below[child[n]]};
      end
      always_comb begin
        child[n] = '1;
        for (int unsigned c = Children - 1; c > 0; c--) if (any_below[c-1]) child[n] = ChildBits'(c - 1);
      end
      assign any[n] = |any_below;
      assign note[n] = note_below[child[n]];
    end
  end

  assign any_o = gen_level[Levels-1].any;
  assign index_o = gen_level[Levels-1].index;
  assign note_o = gen_level[Levels-1].note;
endmodule
