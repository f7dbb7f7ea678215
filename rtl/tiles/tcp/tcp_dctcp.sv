// SPDX-License-Identifier: Apache-2.0
// DCTCP's estimate of the share of bytes that are marked (RFC 8257, 3.3): alpha (1 - g) + g M, with g = 1/16, at the end of an observation window in which
// marked_i of acked_i bytes were marked. M is divided bit by bit, so the result becomes an event of the connection 15 cycles after the visit of the
// timer, and the visits of meanwhile find ready_o low. M is rounded down to a multiple of 2^-12, and alpha to one of 2^-16 in each step.
module tcp_dctcp
  import tcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        visit_i,   // only with ready_o
    output logic        ready_o,
    input  connection_t id_i,
    input  alpha_t      alpha_i,
    input  span_t       acked_i,   // not 0
    input  span_t       marked_i,  // at most acked_i

    output logic        alpha_valid_o,
    input  logic        alpha_ready_i,
    output connection_t alpha_id_o,
    output alpha_t      alpha_o
);
  localparam int unsigned GainShift = 4;  // g = 2^-4
  localparam int unsigned Bits = AlphaFraction - GainShift + 1;  // of M: one before the binary point
  typedef logic [$bits(span_t):0] rest_t;

  logic busy_q, alpha_valid_q, bit_here;
  logic [$clog2(Bits)-1:0] step_q;
  logic [Bits-1:0] share;
  logic [Bits-2:0] share_q;
  rest_t rest_q;
  span_t acked_q;
  alpha_t kept_q, alpha_q;
  connection_t id_q;
  assign bit_here = rest_q >= rest_t'(acked_q);
  assign share = {share_q, bit_here};
  assign ready_o = !busy_q && !alpha_valid_q;
  always_ff @(posedge clk_i) begin
    if (alpha_ready_i) alpha_valid_q <= 1'b0;
    if (busy_q) begin
      rest_q <= (bit_here ? rest_q - rest_t'(acked_q) : rest_q) << 1;
      share_q <= share[Bits-2:0];
      step_q <= step_q + 1'b1;
      if (step_q == ($clog2(Bits))'(Bits - 1)) begin
        busy_q <= 1'b0;
        alpha_valid_q <= 1'b1;
        alpha_q <= kept_q + alpha_t'(share);  // g M, in units of alpha
      end
    end
    if (visit_i) begin
      busy_q <= 1'b1;
      step_q <= '0;
      rest_q <= rest_t'(marked_i);
      acked_q <= acked_i;
      kept_q <= alpha_i - (alpha_i >> GainShift);
      id_q <= id_i;
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      alpha_valid_q <= 1'b0;
    end
  end
  assign alpha_valid_o = alpha_valid_q;
  assign alpha_id_o = id_q;
  assign alpha_o = alpha_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!visit_i || (ready_o && acked_i != '0 && marked_i <= acked_i))
      else $error("tcp_dctcp: there is nothing to divide, or no time for it");
      all_marked : cover (visit_i && marked_i == acked_i);
      some_marked : cover (visit_i && marked_i != '0 && marked_i != acked_i);
      none_marked : cover (visit_i && marked_i == '0);
    end
  end
endmodule
