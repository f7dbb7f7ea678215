// SPDX-License-Identifier: Apache-2.0
// Frames from the card's clock into that of a port, for its MAC. mac_axis_* is in edge_clk_i.
//
//   card -> async_fifo -> store -> MAC
//
// A MAC does not accept a gap within a frame, so the store holds a frame until all of it has come, whatever the ratio of the clocks and however the
// card delivers it. If the MAC takes beats in every cycle, the beats of a frame leave in consecutive ones. A frame that is larger than the store
// leaves when the store is full.
//
// Latency: Stages + 1 edges of edge_clk_i, the rest of the frame, and two more edges. A beat per cycle of the slower clock.
module transmit_crossing
  import girih_pkg::*;
#(
    parameter int unsigned StoreFlits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [        W-1:0] card_axis_tdata,
    input  logic [FlitBytes-1:0] card_axis_tkeep,
    input  logic                 card_axis_tvalid,
    output logic                 card_axis_tready,
    input  logic                 card_axis_tlast,
    input  logic                 card_axis_tuser,

    input logic edge_clk_i,
    input logic edge_rst_i,

    output logic [        W-1:0] mac_axis_tdata,
    output logic [FlitBytes-1:0] mac_axis_tkeep,
    output logic                 mac_axis_tvalid,
    input  logic                 mac_axis_tready,
    output logic                 mac_axis_tlast,
    output logic                 mac_axis_tuser
);
  if (StoreFlits < MaxFrameFlits) begin : gen_bad_store
    $fatal(1, "transmit_crossing: StoreFlits is %0d; a frame of the largest size takes %0d", StoreFlits, MaxFrameFlits);
  end

  localparam int unsigned CrossingDepth = 16;

  typedef struct packed {
    logic user;
    logic last;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } entry_t;

  logic crossed_valid, crossed_ready;
  entry_t crossed;
  async_fifo #(
      .T(entry_t),
      .Depth(CrossingDepth),
      .Stages(Stages)
  ) u_fifo (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(card_axis_tvalid),
      .in_ready_o(card_axis_tready),
      .in_data_i('{user: card_axis_tuser, last: card_axis_tlast, keep: card_axis_tkeep, data: card_axis_tdata}),
      .out_clk_i(edge_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(crossed_valid),
      .out_ready_i(crossed_ready),
      .out_data_o(crossed)
  );

  logic stored_valid, stored_ready;
  entry_t stored;
  fifo_block #(
      .T(entry_t),
      .Depth(StoreFlits)
  ) u_store (
      .clk_i(edge_clk_i),
      .rst_i(edge_rst_i),
      .in_offer_i(crossed_valid),
      .in_valid_i(crossed_valid),
      .in_ready_o(crossed_ready),
      .in_data_i(crossed),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_data_o(stored)
  );

  // Whole frames in the store, and whether one has begun to leave.
  typedef logic [$clog2(StoreFlits + 2)-1:0] count_t;
  count_t frames_q;
  logic leaving_q, release_frame, enters, leaves;
  assign enters = crossed_valid && crossed_ready && crossed.last;
  assign release_frame = leaving_q || frames_q != '0 || !crossed_ready;
  assign mac_axis_tvalid = stored_valid && release_frame;
  assign stored_ready = mac_axis_tready && release_frame;
  assign leaves = mac_axis_tvalid && mac_axis_tready;
  assign mac_axis_tdata = stored.data;
  assign mac_axis_tkeep = stored.keep;
  assign mac_axis_tlast = stored.last;
  assign mac_axis_tuser = stored.user;

  always_ff @(posedge edge_clk_i) begin
    frames_q <= frames_q + count_t'(enters) - count_t'(leaves && stored.last);
    // Once offered, a beat stays on offer, even if the store was only full.
    if (mac_axis_tvalid) leaving_q <= !(leaves && stored.last);
    if (edge_rst_i) begin
      frames_q <= '0;
      leaving_q <= 1'b0;
    end
  end

  always_ff @(posedge edge_clk_i) begin
    held_back : cover (stored_valid && !release_frame);
    store_is_full : cover (!crossed_ready);
  end
endmodule
