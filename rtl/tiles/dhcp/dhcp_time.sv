// SPDX-License-Identifier: Apache-2.0
// Timer and random bits of a DHCP client: a pulse every eighth of a second and every second, and a random register. Its values depend on the
// card's MAC address and on the arrival of frames, so cards that start together do not ask together, and a card does not repeat itself after each reset.
module dhcp_time
  import net_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input mac_t        mac_i,
    input logic [31:0] seed_i,
    input logic        stir_i,           // a frame has come
    input logic [31:0] second_cycles_i,  // at least 8 are counted

    output logic        tick_o,  // an eighth of a second is over
    output logic        second_o,
    output logic [31:0] random_o
);
  // Another value each cycle, of 2^32 - 1 (x^32 + x^31 + x^30 + x^10 + 1).
  logic [31:0] random_q;
  logic seeded_q;
  always_ff @(posedge clk_i) begin
    seeded_q <= 1'b1;
    random_q <= {1'b0, random_q[31:1]} ^ (random_q[0] ? 32'hE0000200 : '0) ^ (stir_i ? 32'h9E3779B9 : '0);
    if (!seeded_q) random_q <= mac_i[31:0] ^ {mac_i[47:32], 16'd0} ^ seed_i;
    else if (random_q == '0) random_q <= 32'h9E3779B9;
    if (rst_i) seeded_q <= 1'b0;
  end
  assign random_o = random_q;

  logic [31:0] cycles_q;
  logic [2:0] eighth_q;
  logic tick_q, second_q;
  always_ff @(posedge clk_i) begin
    tick_q   <= cycles_q >= second_cycles_i >> 3;
    cycles_q <= cycles_q >= second_cycles_i >> 3 ? 32'd1 : cycles_q + 1'b1;
    eighth_q <= eighth_q + 3'(tick_q);
    second_q <= tick_q && eighth_q == '1;
    if (rst_i) begin
      cycles_q <= 32'd1;
      eighth_q <= '0;
      tick_q   <= 1'b0;
      second_q <= 1'b0;
    end
  end
  assign tick_o   = tick_q;
  assign second_o = second_q;
endmodule
