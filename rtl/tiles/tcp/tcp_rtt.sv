// SPDX-License-Identifier: Apache-2.0
// The mean of the round-trip time and its variation after a measurement (RFC 6298, 2). Combinational.
module tcp_rtt
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input record_t record_i,
    input logic    samples_i,
    input sample_t sample_i,

    output logic        known_o,
    output logic [26:0] srtt_o,
    output logic [25:0] rttvar_o
);
  logic signed [27:0] delta;  // from the mean
  logic [27:0] size;
  always_comb begin
    delta = 28'(sample_i) - 28'(record_i.srtt >> 3);
    size = delta < 0 ? -delta : delta;
    known_o = record_i.rtt_known || samples_i;
    srtt_o = record_i.srtt;
    rttvar_o = record_i.rttvar;
    if (samples_i && record_i.rtt_known) begin
      srtt_o = record_i.srtt + 27'(delta);
      rttvar_o = record_i.rttvar - (record_i.rttvar >> 2) + 26'(size);
    end else if (samples_i) begin
      srtt_o = 27'(sample_i) << 3;
      rttvar_o = 26'(sample_i) << 1;
    end
  end

  logic unused;
  assign unused = &{1'b0, record_i, size};
endmodule
