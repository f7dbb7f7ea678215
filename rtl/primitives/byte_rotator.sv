// SPDX-License-Identifier: Apache-2.0
// Rotates the bytes of data_i by places_i, towards byte 0 or, if Up is set, away from it: byte i of data_o is byte i + places_i
// or i - places_i (modulo the width) of data_i. Combinational; each level is a multiplexer of Radix per bit.
//
// A multiplexer of 4 is one look-up table, and takes the place of two levels of 2, whose first one two bits share. So 4 takes half of the tables, if
// places_i comes from a register. If it comes late, open synthesis makes copies of more than that for the sake of speed, and 2 is smaller.
module byte_rotator #(
    parameter int unsigned Width = 512,
    parameter int unsigned Radix = 2,
    parameter bit Up = 0,
    localparam int unsigned PlaceWidth = $clog2(Width / 8)
) (
    input  logic [     Width-1:0] data_i,
    input  logic [PlaceWidth-1:0] places_i,
    output logic [     Width-1:0] data_o
);
  if (Radix != 2 && Radix != 4) begin : gen_bad_radix
    $fatal(1, "byte_rotator: Radix is %0d; it must be 2 or 4", Radix);
  end

  localparam int unsigned DigitWidth = $clog2(Radix);
  always_comb begin
    data_o = data_i;
    for (int unsigned level = 0; level < PlaceWidth; level += DigitWidth) begin
      logic [Width-1:0] source;
      source = data_o;
      if (Radix == 4) data_o = '0;  // no digit is what remains of the others, so a level is ANDs and an OR
      for (int unsigned digit = Radix == 4 ? 0 : 1; digit < Radix; digit++) begin
        if (digit << level < Width / 8 && DigitWidth'(places_i >> level) == DigitWidth'(digit)) begin
          if (Up) data_o = (source << (8 * (digit << level))) | (source >> (Width - 8 * (digit << level)));
          else data_o = (source >> (8 * (digit << level))) | (source << (Width - 8 * (digit << level)));
        end
      end
    end
  end
endmodule
