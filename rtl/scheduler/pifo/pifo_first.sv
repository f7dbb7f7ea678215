// SPDX-License-Identifier: Apache-2.0
// Index of the lowest bit that is set (zero if none is), and whether any is; combinational. A carry chain
// isolates the bit.
module pifo_first #(
    parameter int unsigned IndexWidth = 6,
    localparam int unsigned Width = 1 << IndexWidth
) (
    input  logic [     Width-1:0] bits_i,
    output logic                  any_o,
    output logic [IndexWidth-1:0] index_o
);
  logic [Width-1:0] lowest;
  assign lowest = bits_i & (~bits_i + 1'b1);
  assign any_o  = |bits_i;

  // Bit k of the index is set if the isolated bit is at a position whose number has bit k.
  for (genvar k = 0; k < IndexWidth; k++) begin : gen_bit
    logic [Width-1:0] positions;
    for (genvar i = 0; i < Width; i++) begin : gen_position
      assign positions[i] = i[k];
    end
    assign index_o[k] = |(lowest & positions);
  end
endmodule
