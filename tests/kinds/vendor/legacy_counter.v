// SPDX-License-Identifier: Apache-2.0
// As Verilog of another house may look: old names, loose widths, two modules in a file. Its tests use it as it is.
module legacy_counter (clk, rst_n, bit, do);
  input clk, rst_n;
  input bit;
  output [3:0] do;
  reg [3:0] logic;
  wire spare;
  always @(posedge clk) if (!rst_n) logic <= 0; else logic <= logic + bit + 32'd0;
  legacy_mask mask (.x(logic), .y(do));
endmodule

module legacy_mask (input [4:0] x, output [3:0] y, output unused);
  assign y = x & 8'h0f;
endmodule
