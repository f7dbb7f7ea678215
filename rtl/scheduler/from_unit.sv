// SPDX-License-Identifier: Apache-2.0
// Whether a packet comes from a compute unit, by its source: two levels of look-up tables and a chain of carries. Combinational, and mapped by itself,
// because the packet comes late in the cycle: a mapper that saves area around it compares one bit after another.
(* keep_hierarchy *)
module from_unit
  import girih_pkg::*;
#(
    parameter int unsigned Units = 8
) (
    input  logic  [Units-1:0] enabled_i,
    input  node_t [Units-1:0] node_i,
    input  node_t             src_i,
    output logic              from_unit_o
);
  localparam int unsigned SliceBits = 3;  // of two nodes, whose comparison is one look-up table
  localparam int unsigned Slices = ($bits(node_t) + SliceBits - 1) / SliceBits;
  logic [Units-1:0] from;
  for (genvar u = 0; u < int'(Units); u++) begin : gen_unit
    (* keep *) logic [Slices-1:0] same;
    for (genvar i = 0; i < int'(Slices); i++) begin : gen_slice
      localparam int unsigned Bits = i < int'(Slices) - 1 ? SliceBits : $bits(node_t) - i * SliceBits;
      assign same[i] = node_i[u][i*SliceBits+:Bits] == src_i[i*SliceBits+:Bits];
    end
    assign from[u] = enabled_i[u] && &same;
  end
  any_set #(
      .Width(Units)
  ) u_any (
      .bits_i(from),
      .any_o (from_unit_o)
  );
endmodule
