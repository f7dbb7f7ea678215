// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_pacer: the end of a wait of any connection at any time.
module tcp_pacer_any
  import tcp_types_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input pace_time_t now_i,

    input logic        burst_valid_i,
    input connection_t burst_id_i,
    input span_t       burst_bytes_i,
    input pace_at_t    burst_from_i,
    input logic [26:0] burst_srtt_i,
    input span_t       burst_cwnd_i,
    input span_t       burst_threshold_i,

    output logic        over_valid_o,
    input  logic        over_ready_i,
    output connection_t over_id_o,
    output pace_at_t    over_at_o,
    output logic [4:0]  over_burst_o
);
  any_value u_any_valid (.value_o(over_valid_o));
  any_value #(.Bits($bits(connection_t))) u_any_id (.value_o(over_id_o));
  assign over_at_o = '0;
  assign over_burst_o = '0;
endmodule
