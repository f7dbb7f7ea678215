// SPDX-License-Identifier: Apache-2.0
// Rotates the bytes of data_i towards byte 0 by places_i: byte i of data_o is byte i + places_i
// (modulo the width) of data_i. Combinational, a multiplexer per bit and level.
module byte_rotator #(
    parameter int unsigned Width = 512,
    localparam int unsigned PlaceWidth = $clog2(Width / 8)
) (
    input  logic [     Width-1:0] data_i,
    input  logic [PlaceWidth-1:0] places_i,
    output logic [     Width-1:0] data_o
);
  always_comb begin
    data_o = data_i;
    for (int unsigned level = 0; level < PlaceWidth; level++) begin
      if (places_i[level]) data_o = (data_o >> (8 << level)) | (data_o << (Width - (8 << level)));
    end
  end
endmodule
