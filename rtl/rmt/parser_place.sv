// SPDX-License-Identifier: Apache-2.0
// Where a place of a parser program is in a frame. Combinational.
module parser_place
  import rmt_pkg::*, parser_pkg::*;
(
    input  place_t    place_i,
    input  halfword_t shift_l3_i,
    input  halfword_t shift_l4_i,
    output halfword_t halfword_o
);
  halfword_t shift;
  always_comb begin
    unique case (place_i.base)
      BaseL3:  shift = shift_l3_i;
      BaseL4:  shift = shift_l4_i;
      default: shift = '0;
    endcase
  end
  assign halfword_o = place_i.halfword + shift;
endmodule
