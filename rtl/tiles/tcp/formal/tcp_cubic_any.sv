// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_cubic: a window of any connection at any time, which stays until it is taken.
module tcp_cubic_any
  import tcp_types_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input logic        tick_i,
    input logic        round_i,
    input logic [31:0] rate_i,

    input logic        clear_i,
    input connection_t clear_id_i,
    input logic        visit_i,
    input connection_t id_i,
    input congestion_e mode_i,
    input span_t       cwnd_i,
    input span_t       threshold_i,
    input span_t       estimate_i,
    input logic [13:0] mss_i,
    input logic        pressed_i,

    output logic        window_valid_o,
    input  logic        window_ready_i,
    output connection_t window_id_o,
    output congestion_e window_mode_o,
    output span_t       window_target_o,
    output logic        window_reaches_o
);
  logic comes;
  connection_t id;
  any_value u_any_valid (.value_o(comes));
  any_value #(.Bits($bits(connection_t))) u_any_id (.value_o(id));
  always_ff @(posedge clk_i) begin
    if (!window_valid_o || window_ready_i) begin
      window_valid_o <= comes;
      window_id_o <= id;
    end
    if (rst_i) window_valid_o <= 1'b0;
  end
  assign window_mode_o = congestion_e'(0);
  assign window_target_o = '0;
  assign window_reaches_o = 1'b0;
endmodule
