// SPDX-License-Identifier: Apache-2.0
// Puts bytes_i bytes (0 to HeaderBytes) of header_i before a stream; both are given beside the first
// beat and held with it. Byte 0 of header_i, the first of the stream, is header_i[7:0]; tie it to 0
// for blank headroom. `empty` counts the invalid bytes at the top of a last beat; `none` marks the
// only beat of a stream without bytes.
//
// Latency one cycle. A beat leaves in every cycle, and one is taken in every cycle except those in which the
// longer output stream needs an extra beat. in_ready_o depends on out_ready_i and bytes_i.
module realign_insert #(
    parameter int unsigned Width = 512,
    parameter int unsigned HeaderBytes = 64,
    localparam int unsigned EmptyWidth = $clog2(Width / 8)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                     in_valid_i,
    output logic                     in_ready_o,
    input  logic [        Width-1:0] in_data_i,
    input  logic [   EmptyWidth-1:0] in_empty_i,
    input  logic                     in_none_i,
    input  logic                     in_last_i,
    input  logic [              7:0] bytes_i,
    input  logic [HeaderBytes*8-1:0] header_i,

    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic [     Width-1:0] out_data_o,
    output logic [EmptyWidth-1:0] out_empty_o,
    output logic                  out_none_o,
    output logic                  out_last_o
);
  if (Width < 16 || Width > 1024 || (Width & (Width - 1)) != 0) begin : gen_bad_width
    $fatal(1, "realign_insert: Width is %0d; it must be a power of two from 16 to 1024", Width);
  end
  if (HeaderBytes < 1 || HeaderBytes > 255) begin : gen_bad_header
    $fatal(1, "realign_insert: HeaderBytes is %0d; it must be from 1 to 255", HeaderBytes);
  end

  localparam int unsigned Bytes = Width / 8;
  localparam int unsigned HeaderBeats = (HeaderBytes + Bytes - 1) / Bytes;
  typedef logic [EmptyWidth:0] count_t;  // bytes of a beat, 0 to Bytes
  typedef logic [7-EmptyWidth:0] beat_t;

  typedef enum logic [1:0] {
    First,  // the next beat is the first of a stream; header beats leave while it waits
    Body,
    Tail  // the carry is the rest of the stream
  } state_e;

  state_e state_q;
  beat_t  beat_q;  // header beats that have left

  // The header's last beat has 1 to Bytes of its bytes (0 only if the header is empty); whole beats go before it.
  logic [7:0] before_last;
  count_t share, share_q;  // bytes of the header in the first beat that also has bytes of the stream
  logic header_only;
  // By how much each beat is rotated, and which bytes of the output are not of the stream: each select a whole beat, so those of later beats are
  // kept in registers, and those of the first one are as few steps from bytes_i as they can be.
  logic [EmptyWidth-1:0] places, places_q;
  logic [Bytes-1:0] below, below_q;
  assign places = state_q == First ? -bytes_i[EmptyWidth-1:0] : places_q;
  always_comb begin
    below = below_q;
    if (state_q == First) below = bytes_i == '0 ? '0 : header_only ? '1 : ~(('1 << before_last[EmptyWidth-1:0]) << 1);
  end
  assign before_last = bytes_i - 8'd1;
  always_comb begin
    if (state_q != First) share = share_q;
    else if (bytes_i == '0) share = '0;
    else share = count_t'(before_last[EmptyWidth-1:0]) + 1'b1;
  end
  assign header_only = state_q == First && bytes_i != '0 && beat_q != before_last[7:EmptyWidth];

  logic [HeaderBeats-1:0][Width-1:0] header;
  logic [Width-1:0] header_beat, rotated, low, merged, carry_q, out_data_q;
  assign header = (HeaderBeats * Width)'(header_i);
  always_comb begin
    header_beat = '0;
    for (int unsigned i = 0; i < HeaderBeats; i++) begin
      if (beat_q == beat_t'(i)) header_beat = header_beat | header[i];
    end
  end
  assign low = state_q == First ? header_beat : carry_q;

  byte_rotator #(
      .Width(Width)
  ) u_rotator (
      .data_i  (in_data_i),
      .places_i(places),
      .data_o  (rotated)
  );
  for (genvar b = 0; b < int'(Bytes); b++) begin : gen_byte
    assign merged[8*b+:8] = below[b] ? low[8*b+:8] : rotated[8*b+:8];
  end

  // Bytes left to send at the last beat: the share and the beat's own.
  logic [EmptyWidth+1:0] total;
  logic fits, ends;
  logic [EmptyWidth-1:0] empty, tail_empty_q, out_empty_q;
  assign total = (EmptyWidth + 2)'(share) + (in_none_i ? '0 : (EmptyWidth + 2)'(Bytes) - (EmptyWidth + 2)'(in_empty_i));
  assign fits = total <= (EmptyWidth + 2)'(Bytes);
  assign empty = -total[EmptyWidth-1:0];
  assign ends = !header_only && in_last_i && fits;

  logic move, take, out_valid_q, out_last_q, out_none_q;
  assign move = out_ready_i || !out_valid_q;
  assign in_ready_o = move && state_q != Tail && !header_only;
  assign take = in_valid_i && in_ready_o;

  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_empty_o = out_empty_q;
  assign out_none_o = out_none_q;
  assign out_last_o = out_last_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      out_valid_q <= in_valid_i || state_q == Tail;
      if (in_valid_i || state_q == Tail) begin
        out_data_q <= merged;
        out_last_q <= ends || state_q == Tail;
        out_none_q <= ends && state_q == First && total == '0;
        if (state_q == Tail) out_empty_q <= tail_empty_q;
        else out_empty_q <= ends ? empty : '0;
      end
      if (state_q == Tail) state_q <= First;
      if (in_valid_i && header_only) beat_q <= beat_q + 1'b1;
    end
    if (take) begin
      share_q <= share;
      places_q <= places;
      below_q <= in_last_i ? '1 : below;  // what follows a last beat is a tail
      carry_q <= rotated;
      tail_empty_q <= empty;
      beat_q <= '0;
      if (!in_last_i) state_q <= Body;
      else state_q <= fits ? First : Tail;
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      state_q <= First;
      beat_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && in_valid_i && state_q == First) begin
      assert (32'(bytes_i) <= HeaderBytes)
      else $error("realign_insert: %0d bytes are asked for, and the header has %0d", bytes_i, HeaderBytes);
    end
  end
endmodule
