// SPDX-License-Identifier: Apache-2.0
// The decimal digits of a number, 64 cycles after start_i: it is doubled bit by bit in BCD. done_o then stays.
module decimal (
    input logic clk_i,

    input  logic             start_i,
    input  logic [63:0]      number_i,
    output logic             done_o,
    output logic [19:0][3:0] digits_o   // the last one is element 0
);
  logic [63:0] bits_q;
  logic [6:0] left_q;
  logic [19:0][3:0] digits_q, doubled;
  always_comb begin
    doubled = digits_q;
    for (int unsigned i = 0; i < 20; i++) if (digits_q[i] >= 4'd5) doubled[i] = digits_q[i] + 4'd3;
    doubled = {doubled[19][2:0], doubled[18:0], bits_q[63]};
  end
  always_ff @(posedge clk_i) begin
    if (left_q != '0) begin
      left_q   <= left_q - 1'b1;
      bits_q   <= bits_q << 1;
      digits_q <= doubled;
    end
    if (start_i) begin
      left_q   <= 7'd64;
      bits_q   <= number_i;
      digits_q <= '0;
    end
  end
  assign done_o   = left_q == '0;
  assign digits_o = digits_q;
endmodule
