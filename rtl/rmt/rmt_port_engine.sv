// SPDX-License-Identifier: Apache-2.0
// An Ethernet port of a card with services.
//
//   s_axis -> axis_to_flit -> rmt_pipeline -> port_lanes -> fabric        fabric -> message_trim -> flit_to_axis -> m_axis
//
// A received frame gets its descriptor from the pipeline: a chain, or an exit without a chain. A frame to send is
// cut to its length and padded, and otherwise unchanged. From beat to flit 5 + 3 * Stages cycles (4 + 2 * Stages
// on a card with `timing: relaxed`), from flit to beat one. s_axis_tready is always 1: a frame is dropped whole and counted if the buffer
// cannot take one of the largest size. The two directions are independent.
module rmt_port_engine
  import girih_pkg::*, rmt_pkg::*, rmt_port_pkg::*;
#(
    parameter int unsigned Port = 0,
    parameter int unsigned BufferFlits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Lanes = 1,
    parameter int unsigned LaneFlits = MaxFrameFlits < 4 ? 16 : 1 << $clog2(4 * MaxFrameFlits),
    parameter int unsigned Stages = 1,
    parameter int unsigned Kind0 = 0,
    parameter int unsigned Entries0 = 256,
    parameter int unsigned KeyHalves0 = 8,
    parameter int unsigned Kind1 = 0,
    parameter int unsigned Entries1 = 256,
    parameter int unsigned KeyHalves1 = 8,
    parameter int unsigned Kind2 = 0,
    parameter int unsigned Entries2 = 256,
    parameter int unsigned KeyHalves2 = 8,
    parameter int unsigned Kind3 = 0,
    parameter int unsigned Entries3 = 256,
    parameter int unsigned KeyHalves3 = 8
) (
    input logic clk_i,
    input logic rst_i,

    // One of each for every lane. Messages come by the first one only.
    input  logic  [Lanes-1:0] in_valid_i,
    output logic  [Lanes-1:0] in_ready_o,
    input  flit_t             in_flit_i[Lanes],

    output logic      [Lanes-1:0] out_valid_o,
    input  logic      [Lanes-1:0] out_ready_i,
    output flit_t                 out_flit_o[Lanes],
    output next_key_t             out_key_o[Lanes],

    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,

    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,

    input  timestamp_t now_i,
    output logic       latency_valid_o,
    output timestamp_t latency_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if (Port > 15) begin : gen_bad_port
    $fatal(1, "rmt_port_engine: Port is %0d; it must be at most 15", Port);
  end

  // From the wire.
  logic beat_valid, oversize, bad;
  flit_t beat;
  assign s_axis_tready = 1'b1;
  axis_to_flit u_axis_to_flit (
      .clk_i,
      .rst_i,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tvalid,
      .s_axis_tlast,
      .s_axis_tuser,
      .now_i,
      .out_valid_o(beat_valid),
      .out_flit_o(beat),
      .oversize_o(oversize),
      .bad_o(bad)
  );

  logic decided_valid, decided_ready;
  flit_t decided;
  next_key_t decided_key;
  logic [CardTenants-1:0] busy;
  flit_t [Lanes-1:0] lane_flit;
  next_key_t [Lanes-1:0] lane_key;
  window_response_t response;
  pipeline_event_t counted;
  logic unused_room, unused_accepted, unused_parsed;
  rmt_pipeline #(
      .BufferFlits(BufferFlits),
      .Stages(Stages),
      .Kinds({2'(Kind3), 2'(Kind2), 2'(Kind1), 2'(Kind0)}),
      .Entries({16'(Entries3), 16'(Entries2), 16'(Entries1), 16'(Entries0)}),
      .KeyHalves({8'(KeyHalves3), 8'(KeyHalves2), 8'(KeyHalves1), 8'(KeyHalves0)})
  ) u_pipeline (
      .clk_i,
      .rst_i,
      .in_valid_i(beat_valid),
      .in_flit_i(beat),
      .out_valid_o(decided_valid),
      .out_ready_i(decided_ready),
      .out_flit_o(decided),
      .out_key_o(decided_key),
      .room_o(unused_room),
      .accepted_o(unused_accepted),
      .parsed_o(unused_parsed),
      .default_i('{port: port_t'(Port), tenant: tenant_t'(cfg_i.tenant), exit: cfg_i.exit, lossless: cfg_i.lossless}),
      .window_i('{
          valid: window_valid_i,
          write: window_write_i,
          addr: window_addr_i,
          data: window_data_i,
          tenant: window_tenant_i
      }),
      .window_o(response),
      .event_o(counted)
  );
  assign window_done_o  = response.done;
  assign window_error_o = response.error;
  assign window_data_o  = response.data;

  port_lanes #(
      .Lanes(Lanes),
      .Flits(LaneFlits)
  ) u_lanes (
      .clk_i,
      .rst_i,
      .in_valid_i(decided_valid),
      .in_ready_o(decided_ready),
      .in_flit_i(decided),
      .in_key_i(decided_key),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o(lane_flit),
      .out_key_o(lane_key),
      .dropped_o(busy)
  );
  for (genvar l = 0; l < int'(Lanes); l++) begin : gen_lane
    assign out_flit_o[l] = lane_flit[l];
    assign out_key_o[l]  = lane_key[l];
    if (l > 0) begin : gen_no_input
      assign in_ready_o[l] = 1'b1;
      logic unused;
      assign unused = &{1'b0, in_valid_i[l], in_flit_i[l]};
    end
  end

  // To the wire. The router's queue does not wait for what is done with its flit.
  logic taken_valid, taken_ready, trimmed_valid, trimmed_ready, unused_short;
  flit_t taken, trimmed;
  ready_register #(
      .T(flit_t)
  ) u_taken (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .in_data_i(in_flit_i[0]),
      .out_valid_o(taken_valid),
      .out_ready_i(taken_ready),
      .out_data_o(taken)
  );
  logic [FlitBytes-1:0] keep;
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i(taken_valid),
      .in_ready_o(taken_ready),
      .in_flit_i(taken),
      .in_ends_i(header_pkg::ends_at_once(taken.desc.length)),
      .out_valid_o(trimmed_valid),
      .out_ready_i(trimmed_ready),
      .out_flit_o(trimmed),
      .keep_o(keep),
      .short_o(unused_short)
  );
  logic out, bad_out, padded;
  flit_to_axis u_flit_to_axis (
      .clk_i,
      .rst_i,
      .in_offer_i(taken_valid),
      .in_valid_i(trimmed_valid),
      .in_ready_o(trimmed_ready),
      .in_flit_i(trimmed),
      .in_keep_i(keep),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tlast,
      .m_axis_tuser,
      .now_i,
      .latency_valid_o,
      .latency_o,
      .out_o(out),
      .bad_o(bad_out),
      .padded_o(padded)
  );

  always_comb begin
    event_o = '0;
    event_o.in_frames = counted.in_frames;
    event_o.made_mirrored = counted.made_mirrored;
    event_o.drop_overflow = counted.drop_overflow;
    event_o.drop_runt = counted.drop_runt;
    event_o.drop_action = counted.drop_action;
    event_o.drop_meter = counted.drop_meter;
    {event_o.drop_busy_6, event_o.drop_busy_5, event_o.drop_busy_4, event_o.drop_busy_3} = busy[6:3];
    {event_o.drop_busy_2, event_o.drop_busy_1, event_o.drop_busy_0} = busy[2:0];
    event_o.drop_busy_7 = |busy[CardTenants-1:7];
    event_o.out_frames = out;
    event_o.mark_edited = counted.mark_edited;
    event_o.mark_truncated = counted.mark_truncated;
    event_o.mark_oversize = oversize;
    event_o.mark_bad_in = bad;
    event_o.mark_bad_out = bad_out;
    event_o.mark_padded = padded;
    event_o.mark_hits_0 = counted.mark_hit[0];
    event_o.mark_hits_1 = counted.mark_hit[1];
    event_o.mark_hits_2 = counted.mark_hit[2];
    event_o.mark_hits_3 = counted.mark_hit[3];
    event_o.mark_misses_0 = counted.mark_miss[0];
    event_o.mark_misses_1 = counted.mark_miss[1];
    event_o.mark_misses_2 = counted.mark_miss[2];
    event_o.mark_misses_3 = counted.mark_miss[3];
  end

  logic unused;
  assign unused = &{1'b0, unused_short, unused_room, unused_accepted, unused_parsed};
endmodule
