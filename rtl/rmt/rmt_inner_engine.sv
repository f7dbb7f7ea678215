// SPDX-License-Identifier: Apache-2.0
// The match-action pipeline between tiles of a card with services: each message that comes gets its descriptor from the pipeline, a chain, or an exit
// without a chain, as a frame from the wire does at rmt_port. Its port and its tenant are those that it came with, until a table sets another tenant.
//
//   fabric -> rmt_pipeline -> fabric
//
// 5 + 3 * Stages cycles, and one for the register at the tile's output (4 + 2 * Stages on a card with `timing: relaxed`, which has none). A droppable
// message is dropped whole and counted if the buffer cannot take one of the largest size; a lossless one waits.
module rmt_inner_engine
  import girih_pkg::*, rmt_pkg::*, rmt_inner_pkg::*;
#(
    parameter int unsigned BufferFlits = 1 << $clog2(2 * MaxFrameFlits),
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

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input timestamp_t now_i,

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
  localparam int unsigned Parsing = 16;  // messages accepted and not parsed

  logic begins_q, room, takes, accepted, parsed, origin_room, origin_valid;
  flit_t entering;
  assign in_ready_o = !begins_q || room || !in_flit_i.desc.lossless;
  assign takes = in_valid_i && in_ready_o;
  always_ff @(posedge clk_i) if (rst_i || takes) begins_q <= rst_i || in_flit_i.last;
  always_comb begin
    entering = in_flit_i;
    entering.desc.timestamp_valid = 1'b1;
    entering.desc.timestamp = in_flit_i.desc.timestamp_valid ? in_flit_i.desc.timestamp : now_i;
  end

  typedef struct packed {
    port_t   port;
    tenant_t tenant;
  } origin_t;
  origin_t queued, origin;
  logic queued_valid, queued_ready;
  fifo #(
      .T(origin_t),
      .Depth(Parsing)
  ) u_origins (
      .clk_i,
      .rst_i,
      .in_valid_i(accepted),
      .in_ready_o(origin_room),
      .in_data_i('{port: in_flit_i.desc.port, tenant: in_flit_i.desc.tenant}),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_ready),
      .out_data_o(queued)
  );
  stream_register #(  // the tenant is part of the row of each table
      .T(origin_t)
  ) u_origin (
      .clk_i,
      .rst_i,
      .in_valid_i(queued_valid),
      .in_ready_o(queued_ready),
      .in_data_i(queued),
      .out_valid_o(origin_valid),
      .out_ready_i(parsed),
      .out_data_o(origin)
  );

  window_response_t response;
  pipeline_event_t counted;
  rmt_pipeline #(
      .BufferFlits(BufferFlits),
      .Stages(Stages),
      .Kinds({2'(Kind3), 2'(Kind2), 2'(Kind1), 2'(Kind0)}),
      .Entries({16'(Entries3), 16'(Entries2), 16'(Entries1), 16'(Entries0)}),
      .KeyHalves({8'(KeyHalves3), 8'(KeyHalves2), 8'(KeyHalves1), 8'(KeyHalves0)})
  ) u_pipeline (
      .clk_i,
      .rst_i,
      .in_valid_i(takes),
      .in_flit_i(entering),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .room_o(room),
      .accepted_o(accepted),
      .parsed_o(parsed),
      .default_i('{port: origin.port, tenant: origin.tenant, exit: cfg_i.exit, lossless: cfg_i.lossless}),
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

  always_comb begin
    event_o = '0;
    event_o.made_mirrored = counted.made_mirrored;
    event_o.drop_overflow = counted.drop_overflow;
    event_o.drop_runt = counted.drop_runt;
    event_o.drop_action = counted.drop_action;
    event_o.drop_meter = counted.drop_meter;
    event_o.mark_edited = counted.mark_edited;
    event_o.mark_truncated = counted.mark_truncated;
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
  assign unused = &{1'b0, counted.in_frames};
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (origin_room || !accepted)
      else $error("rmt_inner_engine: more messages wait for the parser than there is room for what is known of them");
      assert (origin_valid || !parsed)
      else $error("rmt_inner_engine: the parser has a message that has not come");
    end
  end
endmodule
