// SPDX-License-Identifier: Apache-2.0
// Frames of a MAC from the clock of its port into the card's clock. mac_axis_* is in edge_clk_i.
//
// A MAC cannot wait, so mac_axis_tready is always 1. While the FIFO has no room, which takes a port that brings more beats than the card has cycles
// (or a reset), frames are lost: one that has begun is cut and marked bad, and later ones are left out whole. Nothing is lost in silence: each frame that
// was left out reaches the card later as a beat of one byte, marked bad, in a cycle that no other frame needs. So the tile behind the crossing counts
// every frame of the MAC, and drops these as runts.
//
// Latency: Stages + 1 edges of clk_i. A beat per cycle of the slower clock.
module receive_crossing
  import girih_pkg::*;
#(
    parameter int unsigned Depth = 16,
    parameter int unsigned Stages = 2
) (
    input logic edge_clk_i,
    input logic edge_rst_i,

    input  logic [        W-1:0] mac_axis_tdata,
    input  logic [FlitBytes-1:0] mac_axis_tkeep,
    input  logic                 mac_axis_tvalid,
    output logic                 mac_axis_tready,
    input  logic                 mac_axis_tlast,
    input  logic                 mac_axis_tuser,

    input logic clk_i,
    input logic rst_i,

    output logic [        W-1:0] card_axis_tdata,
    output logic [FlitBytes-1:0] card_axis_tkeep,
    output logic                 card_axis_tvalid,
    input  logic                 card_axis_tready,
    output logic                 card_axis_tlast,
    output logic                 card_axis_tuser
);
  localparam int unsigned CountBits = 48;  // a port that brings a frame in every cycle takes days to fill it
  typedef logic [CountBits-1:0] count_t;

  // An entry of the FIFO is a beat or, with `lost`, the number of frames that were left out, in its data.
  typedef struct packed {
    logic lost;
    logic user;
    logic last;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } entry_t;

  // In the port's clock. A frame of the MAC is passed on, or the rest of it is discarded; one that was cut has no end in the FIFO yet.
  logic inside_q, discard_q, cut_q;
  count_t lost_q;
  logic first, admit, lose, in_valid, in_ready, push_end, push_beat, push_lost;
  entry_t in_entry;
  assign mac_axis_tready = 1'b1;
  assign first = mac_axis_tvalid && !inside_q;
  assign push_end = cut_q && in_ready;
  assign admit = in_ready && !cut_q;
  assign push_beat = mac_axis_tvalid && admit && (first || !discard_q);
  assign push_lost = admit && !push_beat && lost_q != '0;
  assign lose = first && !admit;
  assign in_valid = push_end || push_beat || push_lost;
  always_comb begin
    in_entry = '{lost: 1'b0, user: mac_axis_tuser, last: mac_axis_tlast, keep: mac_axis_tkeep, data: mac_axis_tdata};
    if (push_end) begin
      in_entry.last = 1'b1;
      in_entry.user = 1'b1;
      in_entry.keep = FlitBytes'(1);
    end else if (!push_beat) begin
      in_entry.lost = 1'b1;
      in_entry.data[CountBits-1:0] = lost_q;
    end
  end

  always_ff @(posedge edge_clk_i) begin
    if (mac_axis_tvalid) inside_q <= !mac_axis_tlast;
    if (first) discard_q <= !admit;
    else if (mac_axis_tvalid && !admit) discard_q <= 1'b1;
    if (mac_axis_tvalid && !first && !discard_q && !admit) cut_q <= 1'b1;
    else if (push_end) cut_q <= 1'b0;
    if (push_lost) lost_q <= '0;
    else if (lose) lost_q <= lost_q + 1'b1;
    if (edge_rst_i) begin
      inside_q <= 1'b0;
      discard_q <= 1'b0;
      cut_q <= 1'b0;
      lost_q <= '0;
    end
  end

  logic out_valid, out_ready;
  entry_t out_entry;
  async_fifo #(
      .T(entry_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_fifo (
      .in_clk_i(edge_clk_i),
      .in_rst_i(edge_rst_i),
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .in_data_i(in_entry),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_data_o(out_entry)
  );

  // In the card's clock. A frame that was left out is one byte between two others, when none waits.
  count_t owed_q;
  logic within_q, beat, stand_in;
  assign beat = out_valid && !out_entry.lost;
  assign stand_in = !beat && !within_q && owed_q != '0;
  assign out_ready = out_entry.lost || card_axis_tready;
  assign card_axis_tvalid = beat || stand_in;
  assign card_axis_tdata = stand_in ? '0 : out_entry.data;
  assign card_axis_tkeep = stand_in ? FlitBytes'(1) : out_entry.keep;
  assign card_axis_tlast = stand_in || out_entry.last;
  assign card_axis_tuser = stand_in || out_entry.user;

  logic pass;
  assign pass = card_axis_tvalid && card_axis_tready;
  always_ff @(posedge clk_i) begin
    if (pass) within_q <= !card_axis_tlast;
    owed_q <= owed_q + (out_valid && out_entry.lost ? out_entry.data[CountBits-1:0] : '0) - count_t'(stand_in && pass);
    if (rst_i) begin
      within_q <= 1'b0;
      owed_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && card_axis_tvalid) begin
      assert (card_axis_tready)
      else $error("receive_crossing: the tile refused a beat of its MAC");
    end
  end
  always_ff @(posedge edge_clk_i) begin
    a_frame_is_cut : cover (push_end);
    a_frame_is_left_out : cover (lose && mac_axis_tlast);
    two_are_told_at_once : cover (push_lost && lost_q > 1);
  end
endmodule
