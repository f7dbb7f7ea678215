// SPDX-License-Identifier: Apache-2.0
// Finds the node that a key leads to: the lowest valid entry with that key, or with `any`; and whether that node takes
// messages, which is known of each entry before the search ends.
// Combinational.
module next_hop_table
  import girih_pkg::*;
#(
    parameter int unsigned Entries = 4,
    parameter logic [255:0] Nodes = '1  // bit n: node n takes messages
) (
    input next_hop_t entries_i[Entries],

    input  next_key_t key_i,
    output logic      hit_o,
    output logic      takes_o,  // not without a hit
    output node_t     node_o
);
  if (Entries < 1) begin : gen_bad_entries
    $fatal(1, "next_hop_table: Entries is %0d; there must be at least one", Entries);
  end

  logic [Entries-1:0] hits, first, takes;

  for (genvar i = 0; i < Entries; i++) begin : gen_match
    assign hits[i] = entries_i[i].valid && (entries_i[i].any || entries_i[i].key == key_i);
    assign takes[i] = Nodes[entries_i[i].node];
  end

  assign first = hits & ~(hits - 1'b1);  // the lowest one of hits
  assign hit_o = |hits;
  assign takes_o = |(first & takes);

  always_comb begin
    node_o = '0;
    for (int unsigned i = 0; i < Entries; i++) node_o |= {$bits(node_t) {first[i]}} & entries_i[i].node;
  end
endmodule
