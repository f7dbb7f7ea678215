// SPDX-License-Identifier: Apache-2.0
// A round-trip time in ticks, from the segment that was timed, or from the time stamp that an acknowledgement returns. Time stamps less than a unit apart
// are taken as a unit apart, because the round trip may have taken nearly that. Combinational.
module tcp_sample
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input  logic    timed_i,
    input  tick_t   trip_i,   // since the timed segment was sent
    input  seq_t    age_i,    // of the time stamp, in units of 2^unit_i ticks
    input  logic [3:0] unit_i,
    output sample_t sample_o
);
  logic [46:0] wide;
  always_comb begin
    wide = 47'(age_i == '0 ? 32'd1 : age_i) << unit_i;
    if (timed_i) wide = 47'(trip_i);
    sample_o = wide[46:24] != '0 ? '1 : wide[23:0];
  end
endmodule
