// SPDX-License-Identifier: Apache-2.0
// Draws the service time of the next message: a time per message and one per byte, both multiplied by the
// same random factor of mean 1 (fixed, uniform) or of two values (bimodal). The sequence depends only on
// the configuration and restarts when that changes.
//
//   xorshift -> factor -> the two products -> out      advances by one message at a time
module service_time
  import compute_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input service_cfg_t cfg_i,

    output logic         valid_o,
    input  logic         taken_i,
    output logic [35:0]  message_time_o,  // 20.16 cycles
    output logic [21:0]  byte_time_o  // 6.16 cycles
);
  typedef logic [31:0] random_t;
  typedef logic [19:0] factor_t;  // 4.16

  function automatic random_t xorshift(random_t x);
    x = x ^ (x << 13);
    x = x ^ (x >> 17);
    xorshift = x ^ (x << 5);
  endfunction

  service_cfg_t cfg_q;
  logic restart_q, move_out, move_factor, factor_valid_q, out_valid_q;
  random_t random_q;
  factor_t factor_d, factor_q;
  logic [35:0] message_q;
  logic [21:0] byte_q;

  // 1 + spread * (2 r - 1), r from 0 to 1.
  logic [16:0] swing;
  assign swing = 17'((33'(cfg_q.spread) * 33'(random_q[31:16])) >> 15);
  always_comb begin
    unique case (cfg_q.distribution)
      Uniform: factor_d = factor_t'(20'h10000 - 20'(cfg_q.spread) + 20'(swing));
      Bimodal: factor_d = random_q[31:16] < cfg_q.slow_share ? {cfg_q.slow_factor, 8'b0} : 20'h10000;
      default: factor_d = 20'h10000;
    endcase
  end

  assign move_out = taken_i || !out_valid_q;
  assign move_factor = move_out || !factor_valid_q;
  assign valid_o = out_valid_q;
  assign message_time_o = message_q;
  assign byte_time_o = byte_q;

  always_ff @(posedge clk_i) begin
    cfg_q <= cfg_i;
    restart_q <= cfg_q != cfg_i;
    if (move_out) begin
      out_valid_q <= factor_valid_q;
      message_q <= 36'((52'(cfg_q.message_time) * 52'(factor_q)) >> 16);
      byte_q <= 22'((38'(cfg_q.byte_time) * 38'(factor_q)) >> 16);
    end
    if (move_factor) begin
      factor_valid_q <= 1'b1;
      factor_q <= factor_d;
      random_q <= xorshift(random_q);
    end
    if (rst_i || restart_q) begin
      out_valid_q <= 1'b0;
      factor_valid_q <= 1'b0;
      random_q <= cfg_q.seed == '0 ? 32'd1 : cfg_q.seed;
    end
    if (rst_i) restart_q <= 1'b1;
  end
endmodule
