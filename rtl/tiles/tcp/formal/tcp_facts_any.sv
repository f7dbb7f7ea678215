// SPDX-License-Identifier: Apache-2.0
// For proofs, in the place of tcp_facts: no facts. The proof looks at what they would be computed from.
module tcp_facts_any
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input  work_t   work_i,
    input  block_t  block_i,
    input  record_t record_i,
    input  record_t turn_i,
    input  logic    reading_i,
    input  seq_t    reading_seq_i,
    input  tick_t   now_i,
    input  logic [26:0] rto_lost_i,
    input  seq_t    age_i,
    input  epoch_t  epoch_i,
    input  pace_at_t cycle_i,
    input  logic [13:0] mss_i,
    input  logic [13:0] mss_less_i,
    input  cfg_t    cfg_i,
    output facts_t  facts_o
);
  assign facts_o = '0;
endmodule
