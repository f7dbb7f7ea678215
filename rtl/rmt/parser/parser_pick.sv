// SPDX-License-Identifier: Apache-2.0
// Selects a halfword of the parser's window and the one after it. Three steps of 4:1 multiplexers: a quarter of the
// window, a quarter of that, then the place, each time with the halfword after it. Each step is kept as one look-up
// table per bit; a mapper that optimizes across the steps takes twice as many. Combinational.
module parser_pick
  import rmt_pkg::*, parser_pkg::*;
(
    input logic                           valid_i,  // 0: the output is undefined
    input logic [HeaderBytes/2-1:0][15:0] window_i,
    input halfword_t                      at_i,

    output logic [1:0][15:0] pair_o  // [1]: at at_i, [0]: behind it, 0 past the window
);
  localparam int unsigned All = HeaderBytes / 2;
  if (All != 64) begin : gen_bad_header
    $fatal(1, "parser_pick: the window has %0d halfwords; three steps can select one of at most 64", All);
  end

  logic [All:0][15:0] all;
  assign all = {16'h0, window_i};

  (* keep *) logic [All/4:0][15:0] quarter;
  (* keep *) logic [All/16:0][15:0] sixteenth;
  always_comb begin
    quarter = 'x;
    sixteenth = 'x;
    pair_o = 'x;
    if (valid_i) begin
      unique case (at_i[5:4])
        2'd0: quarter = all[16:0];
        2'd1: quarter = all[32:16];
        2'd2: quarter = all[48:32];
        default: quarter = all[64:48];
      endcase
      unique case (at_i[3:2])
        2'd0: sixteenth = quarter[4:0];
        2'd1: sixteenth = quarter[8:4];
        2'd2: sixteenth = quarter[12:8];
        default: sixteenth = quarter[16:12];
      endcase
      unique case (at_i[1:0])
        2'd0: pair_o = {sixteenth[0], sixteenth[1]};
        2'd1: pair_o = {sixteenth[1], sixteenth[2]};
        2'd2: pair_o = {sixteenth[2], sixteenth[3]};
        default: pair_o = {sixteenth[3], sixteenth[4]};
      endcase
    end
  end
endmodule
