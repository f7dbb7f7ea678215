// SPDX-License-Identifier: Apache-2.0
// The node table of a tile whose messages have few keys, by key: entry k is that for key k, so that its sender need not search.
// The search is here, for all keys at once, a cycle after software has written the table.
module key_hops
  import girih_pkg::*;
#(
    parameter int unsigned Entries = 4,
    parameter int unsigned Keys = 4,  // 0 to Keys - 1
    parameter next_hop_t [Entries-1:0] Reset = '0  // the table at reset
) (
    input logic clk_i,
    input logic rst_i,

    input  logic      hold_i,              // what is in force stays as it is
    input  next_hop_t entries_i[Entries],
    output next_hop_t hops_o   [Keys]
);
  if (Entries < 1 || Keys < 1) begin : gen_bad_sizes
    $fatal(1, "key_hops: Entries is %0d and Keys is %0d; each must be at least 1", Entries, Keys);
  end

  // In reset the search is in the table at reset, so there is one search for each key.
  next_hop_t entries[Entries];
  for (genvar i = 0; i < int'(Entries); i++) begin : gen_entry
    assign entries[i] = rst_i ? Reset[i] : entries_i[i];
  end

  for (genvar k = 0; k < int'(Keys); k++) begin : gen_key
    next_hop_t hop_q;
    logic hit, unused_takes;
    node_t node;
    next_hop_table #(
        .Entries(Entries)
    ) u_table (
        .entries_i(entries),
        .key_i(next_key_t'(k)),
        .hit_o(hit),
        .takes_o(unused_takes),
        .node_o(node)
    );
    assign hops_o[k] = hop_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || !hold_i) hop_q <= '{valid: hit, any: 1'b0, node: node, key: next_key_t'(k)};
    end
  end
endmodule
