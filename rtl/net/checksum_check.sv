// SPDX-License-Identifier: Apache-2.0
// Tells whether a sum is that of data with a correct checksum, as is_right does, in two levels of look-up tables: four quarters,
// each kept as one table, and their conjunction. A mapper by itself makes a chain of tables behind the adders. Combinational.
module checksum_check
  import checksum_pkg::*;
(
    input  wide_t total_i,
    output logic  right_o
);
  (* keep *) logic [3:0] quarter;
  for (genvar q = 0; q < 4; q++) begin : gen_quarter
    assign quarter[q] = total_i[2*q+:2] == ~total_i[16+2*q+:2] && total_i[8+2*q+:2] == '1;
  end
  assign right_o = &quarter;
endmodule
