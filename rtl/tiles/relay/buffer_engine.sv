// SPDX-License-Identifier: Apache-2.0
// Stores whole messages and passes them on unchanged. A message is taken only if there is room for one of the
// largest size; else it is dropped whole and counted. So the tiles upstream never wait for those downstream, which
// breaks a cycle of waiting. A lossless message is not dropped: it waits for room, and blocks everything behind it.
// Bad messages are dropped when their end arrives.
//
// The key is the Ethernet port at which the message arrived. Store and forward: the first flit leaves
// in the cycle after the last one arrived; one flit per cycle.
module buffer_engine
  import girih_pkg::*, buffer_pkg::*;
#(
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits)
) (
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
  if (Flits < 2 * MaxFrameFlits) begin : gen_bad_flits
    $fatal(1, "buffer_engine: Flits is %0d; two messages of the largest size take %0d", Flits, 2 * MaxFrameFlits);
  end

  logic refusing_q;  // what is left of the arriving message is dropped
  logic fits, take, refuse, store_ready;
  assign refuse = in_flit_i.first ? !fits && !in_flit_i.desc.lossless : refusing_q;
  assign take = in_flit_i.first ? fits : !refusing_q;
  assign in_ready_o = refuse || (take && store_ready);

  logic ends;
  assign ends = in_flit_i.last;

  logic unused_token;
  packet_store #(
      .token_t(logic),
      .Depth  (Flits)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i && take),
      .in_ready_o(store_ready),
      .in_flit_i,
      .commit_i(ends && !in_flit_i.bad),
      .drop_i(ends && in_flit_i.bad),
      .token_i(1'b0),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_token_o(unused_token),
      .fits_o(fits)
  );

  assign out_key_o = next_key_t'(out_flit_o.desc.port);

  always_comb begin
    event_o = '0;
    event_o.drop_no_room = in_valid_i && in_flit_i.first && refuse;
    event_o.drop_aborted = in_valid_i && take && store_ready && ends && in_flit_i.bad;
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) refusing_q <= refuse;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && in_valid_i) begin
      assert (in_ready_o || (in_flit_i.first && in_flit_i.desc.lossless))
      else $error("buffer_engine: a droppable message waits");
    end
  end
endmodule
