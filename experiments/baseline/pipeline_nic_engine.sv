// SPDX-License-Identifier: Apache-2.0
// The complete pipeline-of-offloads NIC that PANIC compares itself with: a port, a queue, two units.
//
//   s_axis -> axis_to_flit -> drop_tail -> delay_core -> delay_core -> flit_to_axis -> m_axis
//
// Units are joined by AXI4-Stream and there is no scheduler: frames are served first in, first out, and a frame
// that arrives while the queue is full is dropped. s_axis_tready is always 1. Frames leave unchanged, padded
// to the minimum size. Five cycles from a frame's last beat in to its first beat out if both units keep up with
// the link.
module pipeline_nic_engine
  import girih_pkg::*, axis_pkg::*, compute_pkg::*, pipeline_nic_pkg::*;
#(
    parameter int unsigned QueueBytes = 65536
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,

    input  timestamp_t now_i,
    output logic       latency_valid_o,
    output timestamp_t latency_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if ((QueueBytes & (QueueBytes - 1)) != 0) begin : gen_bad_queue
    $fatal(1, "pipeline_nic_engine: QueueBytes is %0d; it must be a power of two", QueueBytes);
  end

  logic came_valid, unused_oversize, unused_bad_in, unused_bad_out;
  flit_t came;
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
      .out_valid_o(came_valid),
      .out_flit_o(came),
      .oversize_o(unused_oversize),
      .bad_o(unused_bad_in)
  );

  logic queue_valid, queue_ready, first_valid, first_ready, first_last, second_valid, second_ready, second_last;
  logic [W-1:0] first_data, second_data;
  logic [FlitBytes-1:0] first_keep, second_keep;
  descriptor_t queue_desc, first_desc, second_desc;

  beat_t queued;
  length_t length;
  timestamp_t timestamp;
  drop_tail #(
      .Flits(QueueBytes / FlitBytes)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_valid_i(came_valid),
      .in_flit_i(came),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_ready),
      .out_beat_o(queued),
      .out_length_o(length),
      .out_timestamp_o(timestamp),
      .drop_full_o(event_o.drop_full),
      .drop_bad_o(event_o.drop_bad)
  );
  always_comb begin
    queue_desc = '0;
    queue_desc.length = length;
    queue_desc.timestamp_valid = 1'b1;
    queue_desc.timestamp = timestamp;
  end

  delay_core u_first (
      .clk_i,
      .rst_i,
      .message_time_i(cfg_i.message_time[0]),
      .byte_time_i(cfg_i.byte_time[0]),
      .distribution_i(Fixed),
      .spread_i('0),
      .slow_share_i('0),
      .slow_factor_i('0),
      .seed_i('0),
      .stall_i(1'b0),
      .s_axis_tvalid(queue_valid),
      .s_axis_tready(queue_ready),
      .s_axis_tdata(queued.data),
      .s_axis_tkeep(keep_of(queued.last, queued.empty)),
      .s_axis_tlast(queued.last),
      .s_desc_i(queue_desc),
      .m_axis_tvalid(first_valid),
      .m_axis_tready(first_ready),
      .m_axis_tdata(first_data),
      .m_axis_tkeep(first_keep),
      .m_axis_tlast(first_last),
      .m_desc_o(first_desc)
  );

  delay_core u_second (
      .clk_i,
      .rst_i,
      .message_time_i(cfg_i.message_time[1]),
      .byte_time_i(cfg_i.byte_time[1]),
      .distribution_i(Fixed),
      .spread_i('0),
      .slow_share_i('0),
      .slow_factor_i('0),
      .seed_i('0),
      .stall_i(1'b0),
      .s_axis_tvalid(first_valid),
      .s_axis_tready(first_ready),
      .s_axis_tdata(first_data),
      .s_axis_tkeep(first_keep),
      .s_axis_tlast(first_last),
      .s_desc_i(first_desc),
      .m_axis_tvalid(second_valid),
      .m_axis_tready(second_ready),
      .m_axis_tdata(second_data),
      .m_axis_tkeep(second_keep),
      .m_axis_tlast(second_last),
      .m_desc_o(second_desc)
  );

  beat_t served;
  flit_t leaving;
  assign served = '{bad: 1'b0, last: second_last, empty: empty_of(second_last, second_keep), data: second_data};
  always_comb begin
    leaving.desc = second_desc;
    leaving.first = 1'b0;  // not read
    leaving.bad = served.bad;
    leaving.last = served.last;
    leaving.empty = served.empty;
    leaving.data = served.data;
  end
  flit_to_axis u_flit_to_axis (
      .clk_i,
      .rst_i,
      .in_offer_i(second_valid),
      .in_valid_i(second_valid),
      .in_ready_o(second_ready),
      .in_flit_i(leaving),
      .in_keep_i(second_keep),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tlast,
      .m_axis_tuser,
      .now_i,
      .latency_valid_o,
      .latency_o,
      .out_o(event_o.out_frames),
      .bad_o(unused_bad_out),
      .padded_o(event_o.mark_padded)
  );
  assign event_o.in_frames = came_valid && came.last;

  logic unused;
  assign unused = &{1'b0, queued.bad, unused_oversize, unused_bad_in, unused_bad_out};
endmodule
