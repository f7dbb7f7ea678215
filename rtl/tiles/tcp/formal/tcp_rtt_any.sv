// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_rtt: any round-trip time.
module tcp_rtt_any
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input record_t record_i,
    input logic    samples_i,
    input sample_t sample_i,

    output logic        known_o,
    output logic [26:0] srtt_o,
    output logic [25:0] rttvar_o
);
  logic [1:0] srtt;
  any_value #(.Bits(2)) u_any (.value_o(srtt));
  assign known_o = 1'b0;
  assign srtt_o = 27'(srtt);
  assign rttvar_o = '0;
endmodule
