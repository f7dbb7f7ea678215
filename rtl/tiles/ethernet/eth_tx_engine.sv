// SPDX-License-Identifier: Apache-2.0
// Ethernet transmit: messages become frames for a MAC.
//
//   in -> message_trim -> addresses, zeros past the end, padding -> register -> m_axis
//
// The source address is the card's; the destination is in the frame already or, with cfg.reflect,
// the frame's source until now. Frames are padded with zeros to 60 bytes. A bad message leaves with
// m_axis_tuser at its last beat. One cycle, one flit per cycle; only a padding that needs further
// flits takes further cycles.
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
  localparam int unsigned MinFlits = (MinFrameBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned BeatWidth = $clog2(MinFlits + 1);
  localparam logic [EmptyWidth-1:0] MinEmpty = EmptyWidth'(MinFlits * FlitBytes - MinFrameBytes);

  logic valid, ready, unused_short;
  flit_t flit;
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o(flit),
      .short_o(unused_short)
  );

  logic [BeatWidth-1:0] beat_q;  // of this frame; stays at MinFlits once there
  logic padding_q;  // the message has ended, the frame has not
  logic padding_bad_q;
  logic first;
  assign first = beat_q == '0;

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
      .first_i(first),
      .pass_i(valid && ready),
      .edit_i(addresses),
      .mask_i({{6{cfg_i.reflect}}, 6'h3f}),
      .flit_o(addressed)
  );

  logic ended, last_d, too_small, advance, offer;
  logic [FlitBytes-1:0] present;  // bytes that are the message's
  logic [EmptyWidth-1:0] empty_d;
  logic [W-1:0] data_d;
  assign present = '1 >> (flit.last ? flit.empty : '0);
  for (genvar b = 0; b < int'(FlitBytes); b++) begin : gen_byte
    assign data_d[8*b+:8] = padding_q || !present[b] ? 8'h0 : addressed.data[8*b+:8];
  end
  assign ended = padding_q || flit.last;
  assign last_d = ended && int'(beat_q) + 1 >= int'(MinFlits);
  assign too_small = last_d && int'(beat_q) + 1 == int'(MinFlits) && (padding_q || flit.empty > MinEmpty);
  always_comb begin
    empty_d = '0;
    if (too_small) empty_d = MinEmpty;
    else if (last_d) empty_d = flit.empty;
  end

  logic m_valid_q, m_first_q, m_last_q, m_bad_q, m_padded_q, m_timestamp_valid_q;
  logic [EmptyWidth-1:0] m_empty_q;
  logic [W-1:0] m_data_q;
  timestamp_t m_timestamp_q;
  assign advance = !m_valid_q || m_axis_tready;
  assign ready = advance && !padding_q;
  assign offer = valid || padding_q;

  always_ff @(posedge clk_i) begin
    if (advance) m_valid_q <= offer;
    if (advance && offer) begin
      m_data_q <= data_d;
      m_empty_q <= empty_d;
      m_first_q <= first;
      m_last_q <= last_d;
      m_bad_q <= last_d && (padding_q ? padding_bad_q : flit.bad);
      m_padded_q <= too_small;
      m_timestamp_valid_q <= flit.desc.timestamp_valid;
      m_timestamp_q <= flit.desc.timestamp;

      padding_q <= ended && !last_d;
      if (!padding_q) padding_bad_q <= flit.bad;
      if (last_d) beat_q <= '0;
      else if (beat_q != BeatWidth'(MinFlits)) beat_q <= beat_q + 1'b1;
    end
    if (rst_i) begin
      m_valid_q <= 1'b0;
      padding_q <= 1'b0;
      beat_q <= '0;
    end
  end

  assign m_axis_tvalid = m_valid_q;
  assign m_axis_tdata = m_data_q;
  assign m_axis_tkeep = '1 >> m_empty_q;
  assign m_axis_tlast = m_last_q;
  assign m_axis_tuser = m_bad_q;

  logic fire;
  assign fire = m_valid_q && m_axis_tready;
  assign latency_valid_o = fire && m_first_q && m_timestamp_valid_q;
  assign latency_o = now_i - m_timestamp_q;
  always_comb begin
    event_o = '0;
    event_o.out_frames = fire && m_last_q;
    event_o.mark_bad_frame = fire && m_last_q && m_bad_q;
    event_o.mark_padded = fire && m_last_q && m_padded_q;
  end

  logic unused;
  assign unused = &{1'b0, unused_short, flit.desc, addressed};
endmodule
