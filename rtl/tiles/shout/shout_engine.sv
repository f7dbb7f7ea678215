// SPDX-License-Identifier: Apache-2.0
// Answers a UDP datagram with its payload in capitals: the worked example of an application.
// Cut-through, two cycles, one flit per cycle. The payload's sum is no longer known, so udp_tx
// computes it.
module shout_engine
  import girih_pkg::*, shout_pkg::*;
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
  // The answer's addresses and ports are the request's, swapped.
  logic answer_valid, answer_ready;
  flit_t answer_flit;
  logic [47:0] unused_peer;

  udp_reply u_answer (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_flit_o (answer_flit),
      .out_peer_o (unused_peer),
      .refused_o  (event_o.drop_source_port)
  );

  // The number of header bytes from the start of this flit on: desc.payload_offset at first, less by FlitBytes with
  // every flit, and 0 after the flit in which the payload starts.
  offset_t headers, headers_q;
  assign headers = answer_flit.first ? answer_flit.desc.payload_offset : headers_q;

  flit_t capitals;
  always_comb begin
    capitals = answer_flit;
    capitals.desc.payload_sum_valid = 1'b0;
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      if (i >= 32'(headers) && answer_flit.data[8*i+:8] inside {["a" : "z"]}) begin
        capitals.data[8*i+5] = 1'b0;
      end
    end
  end

  logic valid_q;
  flit_t flit_q;
  next_key_t key_q;
  assign answer_ready = !valid_q || out_ready_i;
  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
  assign out_key_o = key_q;
  assign event_o.mark_shouted = answer_valid && answer_ready && answer_flit.last;

  always_ff @(posedge clk_i) begin
    if (answer_ready) valid_q <= answer_valid;
    if (answer_valid && answer_ready) begin
      flit_q <= capitals;
      key_q <= next_key_t'(answer_flit.desc.port);
      headers_q <= headers > offset_t'(FlitBytes) ? headers - offset_t'(FlitBytes) : '0;
    end
    if (rst_i) valid_q <= 1'b0;
  end
endmodule
