// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_turns: a turn of any connection at any time.
module tcp_turns_any
#(
    parameter type T = logic [9:0],
    parameter int unsigned Depth = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input logic in_valid_i,
    input T     in_data_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  any_value u_any_valid (.value_o(out_valid_o));
  any_value #(.Bits($bits(T))) u_any_data (.value_o(out_data_o));
endmodule
