// SPDX-License-Identifier: Apache-2.0
// Sends a UDP datagram back (udp_reply).
module echo_engine
  import girih_pkg::*, echo_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output event_t event_o
);
  logic [47:0] unused_peer;

  udp_reply u_reply (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_peer_o (unused_peer),
      .refused_o  (event_o.drop_source_port)
  );

  assign out_key_o = next_key_t'(out_flit_o.desc.port);
  assign event_o.mark_echoed = out_valid_o && out_ready_i && out_flit_o.first;
endmodule
