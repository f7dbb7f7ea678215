// SPDX-License-Identifier: Apache-2.0
// Ethernet transmit: messages become frames for a MAC.
//
//   in -> message_trim -> addresses -> flit_to_axis -> m_axis
//
// The source address is the card's; the destination is already in the frame or, with cfg.reflect,
// the frame's previous source. Frames are padded with zeros to 60 bytes. A bad message leaves with
// m_axis_tuser at its last beat. One cycle, one flit per cycle; only padding that needs more
// flits takes more cycles.
module eth_tx_engine
  import girih_pkg::*, net_pkg::*, eth_tx_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,

    input  timestamp_t now_i,
    output logic       latency_valid_o,  // with the first beat of a frame that came from the wire
    output timestamp_t latency_o,        // cycles from its first beat in to its first beat out

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned AddressBytes = 12;

  logic valid, ready, unused_short;
  flit_t flit;
  logic [FlitBytes-1:0] keep;
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_ends_i(header_pkg::ends_at_once(in_flit_i.desc.length)),
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o(flit),
      .keep_o(keep),
      .short_o(unused_short)
  );

  mac_t old_source;
  logic [AddressBytes*8-1:0] addresses;
  assign old_source = {
    flit.data[55:48],
    flit.data[63:56],
    flit.data[71:64],
    flit.data[79:72],
    flit.data[87:80],
    flit.data[95:88]
  };
  assign addresses = {old_source, cfg_i.mac};
  flit_t addressed;
  header_edit #(
      .HeaderBytes(AddressBytes)
  ) u_edit (
      .clk_i,
      .flit_i(flit),
      .pass_i(valid && ready),
      .edit_i(addresses),
      .mask_i({{6{cfg_i.reflect}}, 6'h3f}),
      .flit_o(addressed)
  );

  flit_to_axis u_axis (
      .clk_i,
      .rst_i,
      .in_offer_i(in_valid_i),
      .in_valid_i(valid),
      .in_ready_o(ready),
      .in_flit_i(addressed),
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
      .out_o(event_o.out_frames),
      .bad_o(event_o.mark_bad_frame),
      .padded_o(event_o.mark_padded)
  );

  logic unused;
  assign unused = &{1'b0, unused_short};
endmodule
