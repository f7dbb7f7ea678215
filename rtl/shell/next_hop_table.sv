// SPDX-License-Identifier: Apache-2.0
// Finds the node for a key: that of the lowest valid entry with this key, or with `any`. It also says whether
// that node takes messages, which it computes for every entry in parallel with the search. Combinational.
module next_hop_table
  import girih_pkg::*;
#(
    parameter int unsigned Entries = 4,
    parameter logic [255:0] Nodes = '1  // bit n: node n takes messages
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

  logic [Entries-1:0] hits, takes;

  for (genvar i = 0; i < Entries; i++) begin : gen_match
    assign hits[i] = entries_i[i].valid && (entries_i[i].any || entries_i[i].key == key_i);
    assign takes[i] = Nodes[entries_i[i].node];
  end
  assign hit_o = |hits;

  if (Entries <= 4) begin : gen_few
    logic [Entries-1:0] first;  // the lowest hit, one-hot, without the carry chain of a subtraction
    always_comb begin
      first = hits;
      for (int unsigned i = 1; i < Entries; i++) first[i] = hits[i] && (hits & ((Entries)'(1 << i) - 1'b1)) == '0;
      node_o = '0;
      for (int unsigned i = 0; i < Entries; i++) node_o |= {$bits(node_t) {first[i]}} & entries_i[i].node;
    end
    assign takes_o = |(first & takes);
  end else begin : gen_many
    // A binary tree whose leaves are the entries: node n chooses between nodes 2n and 2n + 1, and the lower entry wins.
    localparam int unsigned Leaves = 1 << $clog2(Entries);
    logic [2*Leaves-1:1] hit, take;
    node_t node[2*Leaves];
    always_comb begin
      hit = '0;
      take = '0;
      for (int unsigned i = 0; i < 2 * Leaves; i++) node[i] = '0;
      for (int unsigned i = 0; i < Entries; i++) begin
        hit[Leaves+i] = hits[i];
        take[Leaves+i] = hits[i] && takes[i];
        node[Leaves+i] = hits[i] ? entries_i[i].node : '0;
      end
      for (int unsigned n = Leaves - 1; n > 0; n--) begin
        hit[n] = hit[2*n] || hit[2*n+1];
        take[n] = hit[2*n] ? take[2*n] : take[2*n+1];
        node[n] = hit[2*n] ? node[2*n] : node[2*n+1];
      end
    end
    assign takes_o = take[1];
    assign node_o = node[1];
  end
endmodule
