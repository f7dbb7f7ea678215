// SPDX-License-Identifier: Apache-2.0
// Answers every request with a reply of the same bytes, to the tile that asked. Cut-through, one cycle, one flit
// per cycle, holds up to two flits. Only for tests.
module responder_engine
  import girih_pkg::*, responder_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  reply_out_valid_o,
    input  logic  reply_out_ready_i,
    output flit_t reply_out_flit_o,

    output event_t event_o
);
  flit_t request;
  skid_buffer #(
      .T(flit_t)
  ) u_skid (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i (in_flit_i),
      .out_valid_o(reply_out_valid_o),
      .out_ready_i(reply_out_ready_i),
      .out_data_o(request)
  );

  always_comb begin
    reply_out_flit_o = request;
    reply_out_flit_o.desc.route_count = 1;
    reply_out_flit_o.desc.route[0] = request.desc.src;
  end

  assign event_o.mark_void = reply_out_valid_o && reply_out_ready_i && request.last && request.bad;
endmodule
