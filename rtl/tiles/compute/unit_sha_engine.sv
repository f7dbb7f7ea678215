// SPDX-License-Identifier: Apache-2.0
// Compute unit that writes or checks digests of payloads.
module unit_sha_engine
  import girih_pkg::*, sched_pkg::*, compute_pkg::*, unit_sha_pkg::*;
#(
    parameter int unsigned LosslessSlots = 1,
    parameter int unsigned BufferFlits = 0,
    parameter int unsigned DetourFlits = 0,
    parameter int unsigned OutputFlits = 0,
    parameter int unsigned Lanes = 4,
    parameter int unsigned HeaderBytes = 128
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

    output credit_t credit_o,
    input  cfg_t    cfg_i,
    output event_t  event_o
);
  logic to_valid, to_ready, to_last, from_valid, from_ready, from_last, from_user;
  logic [W-1:0] to_data, from_data;
  logic [FlitBytes-1:0] to_keep, from_keep;
  descriptor_t to_desc, from_desc;
  unit_event_t unit_event;

  traffic_manager #(
      .LosslessSlots(LosslessSlots),
      .BufferFlits(BufferFlits),
      .DetourFlits(DetourFlits),
      .OutputFlits(OutputFlits),
      .InFlight(1 << $clog2(2 * Lanes)),  // one more for each lane: others are better off at another unit
      .PayloadOnly(1),
      .HeaderBytes(HeaderBytes)
  ) u_manager (
      .clk_i,
      .rst_i,
      .slots_i(cfg_i.slots),
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .m_axis_tvalid(to_valid),
      .m_axis_tready(to_ready),
      .m_axis_tdata (to_data),
      .m_axis_tkeep (to_keep),
      .m_axis_tlast (to_last),
      .m_desc_o     (to_desc),
      .s_axis_tvalid(from_valid),
      .s_axis_tready(from_ready),
      .s_axis_tdata (from_data),
      .s_axis_tkeep (from_keep),
      .s_axis_tlast (from_last),
      .s_axis_tuser (from_user),
      .s_desc_i     (from_desc),
      .credit_o,
      .event_o      (unit_event)
  );
  assign event_o = event_t'(unit_event);  // the same members, from unit.rdl

  sha3_core #(
      .Lanes(Lanes)
  ) u_core (
      .clk_i,
      .rst_i,
      .s_axis_tvalid(to_valid),
      .s_axis_tready(to_ready),
      .s_axis_tdata (to_data),
      .s_axis_tkeep (to_keep),
      .s_axis_tlast (to_last),
      .s_desc_i     (to_desc),
      .m_axis_tvalid(from_valid),
      .m_axis_tready(from_ready),
      .m_axis_tdata (from_data),
      .m_axis_tkeep (from_keep),
      .m_axis_tlast (from_last),
      .m_axis_tuser (from_user),
      .m_desc_o     (from_desc)
  );
endmodule
