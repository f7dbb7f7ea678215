// SPDX-License-Identifier: Apache-2.0
// Tells whether a sum is that of data with a correct checksum, as is_right does, in two levels of look-up tables: parts of up to three bits of
// each half, each kept as one table, and their conjunction. A mapper by itself makes a chain of tables behind the adders. Combinational.
module checksum_check
  import checksum_pkg::*;
(
    input  wide_t total_i,
    output logic  right_o
);
  localparam int unsigned PartBits = 3;
  localparam int unsigned Parts = 16 / PartBits;  // the last one has the bit that is left, too: the upper half is shorter than 16 bits
  logic [15:0] uneven;
  (* keep *) logic [Parts-1:0] part;
  assign uneven = total_i[15:0] ^ ~16'(total_i >> 16);
  for (genvar p = 0; p < int'(Parts); p++) begin : gen_part
    localparam int unsigned First = PartBits * p;
    assign part[p] = p == int'(Parts) - 1 ? |uneven[15:First] : |uneven[First+:PartBits];
  end
  assign right_o = part == '0;
endmodule
