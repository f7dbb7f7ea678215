// SPDX-License-Identifier: Apache-2.0
// Selects a half of the sources of keys and operands, or its low Bits; other_i can replace any of these bits. Three steps of 4:1
// multiplexers, each kept as one look-up table per bit: a mapper that optimizes across the steps takes more levels. Combinational.
module match_half
  import match_pkg::*;
#(
    parameter int unsigned Bits = 16
) (
    input  logic            valid_i,    // 0: the output is undefined
    /* verilator lint_off UNUSEDSIGNAL */  // with fewer bits
    input  sources_t        sources_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  half_t           number_i,
    input  logic [Bits-1:0] take_i,     // the bits taken from the half
    input  logic [Bits-1:0] other_i,    // gives the other bits, and all bits if there is no such half
    output logic [Bits-1:0] half_o
);
  if (Sources != 20) begin : gen_bad_sources
    $fatal(1, "match_half: there are %0d sources; the steps are those of 20", Sources);
  end

  logic [39:0][15:0] all;
  assign all = sources_i;

  (* keep *) logic [9:0][Bits-1:0] quarter;
  (* keep *) logic [2:0][Bits-1:0] sixteenth;
  always_comb begin
    quarter = 'x;
    sixteenth = 'x;
    half_o = 'x;
    if (valid_i) begin
      unique case (number_i[1:0])
        2'd0: for (int unsigned q = 0; q < 10; q++) quarter[q] = all[4*q][Bits-1:0];
        2'd1: for (int unsigned q = 0; q < 10; q++) quarter[q] = all[4*q+1][Bits-1:0];
        2'd2: for (int unsigned q = 0; q < 10; q++) quarter[q] = all[4*q+2][Bits-1:0];
        default: for (int unsigned q = 0; q < 10; q++) quarter[q] = all[4*q+3][Bits-1:0];
      endcase
      unique case (number_i[3:2])
        2'd0: sixteenth = {quarter[8], quarter[4], quarter[0]};
        2'd1: sixteenth = {quarter[9], quarter[5], quarter[1]};
        2'd2: sixteenth = {Bits'(0), quarter[6], quarter[2]};
        default: sixteenth = {Bits'(0), quarter[7], quarter[3]};
      endcase
      unique case (number_i[5:4])
        2'd0: half_o = take_i & sixteenth[0] | ~take_i & other_i;
        2'd1: half_o = take_i & sixteenth[1] | ~take_i & other_i;
        2'd2: half_o = take_i & sixteenth[2] | ~take_i & other_i;
        default: half_o = other_i;
      endcase
    end
  end
endmodule
