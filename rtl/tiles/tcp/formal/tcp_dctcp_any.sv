// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_dctcp: a share of any connection at any time.
module tcp_dctcp_any
  import tcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        visit_i,
    output logic        ready_o,
    input  connection_t id_i,
    input  alpha_t      alpha_i,
    input  span_t       acked_i,
    input  span_t       marked_i,

    output logic        alpha_valid_o,
    input  logic        alpha_ready_i,
    output connection_t alpha_id_o,
    output alpha_t      alpha_o
);
  any_value u_any_ready (.value_o(ready_o));
  any_value u_any_valid (.value_o(alpha_valid_o));
  any_value #(.Bits($bits(connection_t))) u_any_id (.value_o(alpha_id_o));
  assign alpha_o = '0;
endmodule
