// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_update: any record, and any of the deeds by which tcp_events does something of its own.
module tcp_update_any
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096,
    parameter bit Far = 0
) (
    input  work_t   work_i,
    input  block_t  block_i,
    input  logic [EventTick:0] kinds_i,
    input  logic    room_i,
    input  logic    delays_i,
    input  record_t record_i,
    input  logic [SynSent:0] phases_i,
    input  facts_t  facts_i,
    input  logic    measures_i,
    input  tick_t   now_i,
    input  seq_t    clock_i,
    input  epoch_t  epoch_i,
    input  cfg_t    cfg_i,
    output record_t record_o,
    output deeds_t  deeds_o
);
  typedef struct packed {
    phase_e phase;
    logic [1:0] una, limit, srtt;
    logic tells;
  } any_t;
  any_t any;
  any_value #(.Bits($bits(any_t))) u_any (.value_o(any));
  always_comb begin
    record_o = '0;
    record_o.phase = any.phase;
    record_o.snd_una = seq_t'(any.una);
    record_o.limit = span_t'(any.limit);
    record_o.srtt = 27'(any.srtt);
    deeds_o = '0;
    deeds_o.tells = any.tells && |{kinds_i[EventNotify], kinds_i[EventUnopened]};
  end
endmodule
