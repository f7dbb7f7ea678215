// SPDX-License-Identifier: Apache-2.0
// Converts messages to AXI4-Stream for a MAC: zeros past the end, padding with zeros to 60 bytes; a bad message
// leaves with m_axis_tuser at its last beat. One cycle, one flit per cycle; only padding that needs more
// flits takes more cycles. in_ready_o depends on m_axis_tready.
module flit_to_axis
  import girih_pkg::*, net_pkg::*, header_pkg::valid_bytes;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_offer_i,  // up whenever in_valid_i may be; in_valid_i comes late in the cycle
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic [FlitBytes-1:0] in_keep_i,  // the bytes of the flit that belong to the message: `empty`, but earlier in the cycle

    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,

    input  timestamp_t now_i,
    output logic       latency_valid_o,  // with the first beat of a frame that came from the wire
    output timestamp_t latency_o,        // cycles from its first beat in to its first beat out

    output logic out_o,    // pulses with the last beat of a frame; the other pulses come only with it
    output logic bad_o,
    output logic padded_o
);
  localparam int unsigned MinFlits = (MinFrameBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned BeatWidth = $clog2(MinFlits + 1);
  localparam int unsigned MinLast = (MinFrameBytes - 1) % FlitBytes;  // the byte of a flit with which the shortest frame ends
  localparam logic [EmptyWidth-1:0] MinEmpty = EmptyWidth'(FlitBytes - 1 - MinLast);

  logic [BeatWidth-1:0] beat_q;  // of this frame; saturates at MinFlits
  logic padding_q;  // the message has ended, the frame has not
  logic padding_bad_q;
  logic first;
  assign first = beat_q == '0;

  logic ended, last_d, too_small, advance, offer;
  logic [EmptyWidth-1:0] empty_d;
  logic [W-1:0] data_d;
  for (genvar b = 0; b < int'(FlitBytes); b++) begin : gen_byte
    assign data_d[8*b+:8] = padding_q || !in_keep_i[b] ? 8'h0 : in_flit_i.data[8*b+:8];
  end
  assign ended = padding_q || in_flit_i.last;
  assign last_d = ended && int'(beat_q) + 1 >= int'(MinFlits);
  assign too_small = last_d && int'(beat_q) + 1 == int'(MinFlits) && (padding_q || !in_keep_i[MinLast]);
  always_comb begin
    empty_d = '0;
    if (too_small) empty_d = MinEmpty;
    else if (last_d) empty_d = in_flit_i.empty;
  end

  logic m_valid_q, m_first_q, m_last_q, m_bad_q, m_padded_q, m_timestamp_valid_q;
  logic [EmptyWidth-1:0] m_empty_q;
  logic [W-1:0] m_data_q;
  timestamp_t m_timestamp_q;
  assign advance = !m_valid_q || m_axis_tready;
  assign in_ready_o = advance && !padding_q;
  assign offer = in_valid_i || padding_q;

  always_ff @(posedge clk_i) begin
    if (advance) m_valid_q <= offer;
    if (advance && (in_offer_i || padding_q)) m_data_q <= data_d;
    if (advance && offer) begin
      m_empty_q <= empty_d;
      m_first_q <= first;
      m_last_q <= last_d;
      m_bad_q <= last_d && (padding_q ? padding_bad_q : in_flit_i.bad);
      m_padded_q <= too_small;
      m_timestamp_valid_q <= in_flit_i.desc.timestamp_valid;
      m_timestamp_q <= in_flit_i.desc.timestamp;

      padding_q <= ended && !last_d;
      if (!padding_q) padding_bad_q <= in_flit_i.bad;
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
  assign m_axis_tkeep = valid_bytes(m_empty_q);
  assign m_axis_tlast = m_last_q;
  assign m_axis_tuser = m_bad_q;

  logic fire;
  assign fire = m_valid_q && m_axis_tready;
  assign latency_valid_o = fire && m_first_q && m_timestamp_valid_q;
  assign latency_o = now_i - m_timestamp_q;
  assign out_o = fire && m_last_q;
  assign bad_o = out_o && m_bad_q;
  assign padded_o = out_o && m_padded_q;

  logic unused;
  assign unused = &{1'b0, in_flit_i.desc, in_flit_i.first};
endmodule
