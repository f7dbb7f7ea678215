// SPDX-License-Identifier: Apache-2.0
// Finds the node for a key: that of the lowest valid entry with this key, or with `any`. It also says whether
// that node takes messages, which it computes for every entry in parallel with the search. With Direct, entry k is that
// for key k (key_hops), and there is no search. Combinational.
module next_hop_table
  import girih_pkg::*;
#(
    parameter int unsigned Entries = 4,
    parameter logic [255:0] Nodes = '1,  // bit n: node n takes messages
    parameter bit Direct = 1'b0
) (
    input next_hop_t entries_i[Entries],

    input  next_key_t key_i,
    output logic      hit_o,
    output logic      takes_o,  // 0 without a hit
    output node_t     node_o
);
  if (Entries < 1) begin : gen_bad_entries
    $fatal(1, "next_hop_table: Entries is %0d; there must be at least one", Entries);
  end

  localparam int unsigned SliceBits = 3;  // of a key and of an entry's, whose comparison is one look-up table
  localparam int unsigned Slices = ($bits(next_key_t) + SliceBits - 1) / SliceBits;

  // Entries in pairs, then a tree over the pairs: node n chooses between nodes 2n and 2n + 1, and the lower entry wins.
  // Each step is one look-up table, and what is below the root is kept, because a mapper that optimizes across these steps makes a longer chain,
  // and the path of a message from its engine into the fabric leads through this search. Hence an entry for any key, which
  // is known early, joins at the pairs, so that no step has more inputs.
  localparam int unsigned Pairs = 1 << $clog2((Entries + 1) / 2);
  localparam int unsigned Top = Pairs > 1 ? 2 : 1;
  logic [2*Pairs-1:0] sure, takes;  // of the entries: for any key; its node takes messages
  node_t [2*Pairs-1:0] nodes;
  (* keep *) logic [2*Pairs-1:0] match;  // it has the key
  (* keep *) logic [2*Pairs-1:Top] hit, take;  // of the tree: the choice takes messages, which has a meaning with a hit; so has its node
  (* keep *) node_t [2*Pairs-1:Top] node;

  for (genvar i = 0; i < int'(2 * Pairs); i++) begin : gen_entry
    if (i < int'(Entries) && !Direct) begin : gen_there
      (* keep *) logic [Slices-1:0] same;
      for (genvar s = 0; s < int'(Slices); s++) begin : gen_slice
        localparam int unsigned Bits = s < int'(Slices) - 1 ? SliceBits : $bits(next_key_t) - s * SliceBits;
        assign same[s] = entries_i[i].key[s*SliceBits+:Bits] == key_i[s*SliceBits+:Bits] && (s < int'(Slices) - 1 || entries_i[i].valid);
      end
      assign match[i] = &same;
      assign sure[i] = entries_i[i].valid && entries_i[i].any;
      assign takes[i] = Nodes[entries_i[i].node];
      assign nodes[i] = entries_i[i].node;
    end else begin : gen_none
      assign match[i] = 1'b0;
      assign sure[i] = 1'b0;
      assign takes[i] = 1'b0;
      assign nodes[i] = '0;
    end
  end

  always_comb begin
    for (int unsigned j = 0; j < Pairs; j++) begin
      hit[Pairs+j] = sure[2*j] || match[2*j] || sure[2*j+1] || match[2*j+1];
      take[Pairs+j] = sure[2*j] || match[2*j] ? takes[2*j] : takes[2*j+1];
      node[Pairs+j] = sure[2*j] || match[2*j] ? nodes[2*j] : nodes[2*j+1];
    end
    for (int unsigned n = Pairs - 1; n >= 2; n--) begin
      hit[n] = hit[2*n] || hit[2*n+1];
      take[n] = hit[2*n] ? take[2*n] : take[2*n+1];
      node[n] = hit[2*n] ? node[2*n] : node[2*n+1];
    end
  end

  if (Direct) begin : gen_direct
    always_comb begin
      hit_o = 1'b0;
      takes_o = 1'b0;
      node_o = '0;
      for (int unsigned k = 0; k < Entries; k++) begin
        if (key_i == next_key_t'(k)) begin
          hit_o |= entries_i[k].valid;
          takes_o |= entries_i[k].valid && Nodes[entries_i[k].node];
          node_o |= entries_i[k].node;
        end
      end
    end
    for (genvar k = 0; k < int'(Entries); k++) begin : gen_unused
      logic unused;
      assign unused = &{1'b0, entries_i[k].any, entries_i[k].key};
    end
    logic unused_search;
    assign unused_search = &{1'b0, hit, take, node};
  end else if (Pairs == 1) begin : gen_root
    assign hit_o = hit[1];
    assign takes_o = hit[1] && take[1];
    assign node_o = node[1];
  end else begin : gen_root
    assign hit_o = hit[2] || hit[3];
    assign takes_o = hit[2] ? take[2] : hit[3] && take[3];
    assign node_o = hit[2] ? node[2] : node[3];
  end
endmodule
