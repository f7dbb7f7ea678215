// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_settle: it may make anything of a field that tcp_settle changes, and keeps one that tcp_settle keeps.
module tcp_settle_any
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192
) (
    input  record_t record_i,
    input  tick_t   now_i,
    output record_t record_o,
    output logic    transmits_o,
    output logic    notifies_o
);
  typedef struct packed {
    phase_e phase;
    logic [1:0] limit;
    logic transmits, notifies;
  } any_t;
  any_t any;
  any_value #(.Bits($bits(any_t))) u_any (.value_o(any));
  always_comb begin
    record_o = record_i;
    record_o.phase = any.phase;
    record_o.limit = span_t'(any.limit);
  end
  assign transmits_o = any.transmits;
  assign notifies_o = any.notifies;
endmodule
