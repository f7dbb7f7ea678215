// SPDX-License-Identifier: Apache-2.0
// Passes every message on unchanged: the smallest tile. The key is the Ethernet port by which the message
// arrived, so that the traffic of each port can have its own next hop. Cut-through, one cycle,
// one flit per cycle, holds up to two flits.
module relay_engine
  import girih_pkg::*, relay_pkg::*;
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
  skid_buffer #(
      .T(flit_t)
  ) u_skid (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i (in_flit_i),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_flit_o)
  );

  assign out_key_o = next_key_t'(out_flit_o.desc.port);
  assign event_o.mark_void = out_valid_o && out_ready_i && out_flit_o.last && out_flit_o.bad;
endmodule
