// SPDX-License-Identifier: Apache-2.0
// Removes the first bytes_i bytes (0 to 255, given beside the first beat) of a stream and aligns the
// rest to byte 0. `empty` counts the invalid bytes at the top of a last beat; a stream with no bytes
// left is one last beat with out_none_o, all of whose bytes are invalid.
//
//   in -> rotate -+-> carry -> merge -> out       carry: the previous beat, which gives the low bytes
//                  \___________/                  of the next output
//
// Two cycles; takes a beat in every cycle in which the output moves. The carry at a stream's end
// leaves while the next stream's first beat, which makes no output of its own, takes its place.
// in_ready_o depends on out_ready_i.
module realign_strip #(
    parameter int unsigned Width = 512,
    localparam int unsigned EmptyWidth = $clog2(Width / 8)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic [     Width-1:0] in_data_i,
    input  logic [EmptyWidth-1:0] in_empty_i,
    input  logic                  in_last_i,
    input  logic [           7:0] bytes_i,

    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic [     Width-1:0] out_data_o,
    output logic [EmptyWidth-1:0] out_empty_o,
    output logic                  out_none_o,
    output logic                  out_last_o
);
  if (Width < 16 || Width > 1024 || (Width & (Width - 1)) != 0) begin : gen_bad_width
    $fatal(1, "realign_strip: Width is %0d; it must be a power of two from 16 to 1024", Width);
  end

  localparam int unsigned Bytes = Width / 8;
  typedef logic [EmptyWidth:0] count_t;  // bytes of a beat, 0 to Bytes

  // First whole beats are discarded, then bytes of a beat.
  logic first_q, swallow;
  logic [7-EmptyWidth:0] beats, beats_q;
  logic [EmptyWidth-1:0] places, places_q;
  assign beats = first_q ? bytes_i[7:EmptyWidth] : beats_q;
  assign places = first_q ? bytes_i[EmptyWidth-1:0] : places_q;
  assign swallow = beats != '0;

  logic [Width-1:0] rotated, merged, carry_q, out_data_q;
  byte_rotator #(
      .Width(Width)
  ) u_rotator (
      .data_i  (in_data_i),
      .places_i(places),
      .data_o  (rotated)
  );

  logic carry_valid_q, carry_last_q, carry_none_q, out_valid_q, out_last_q, out_none_q;
  logic [EmptyWidth-1:0] empty, carry_empty_q, out_empty_q;
  for (genvar b = 0; b < int'(Bytes); b++) begin : gen_byte
    logic from_carry;  // byte b comes from the carry, which has Bytes - places_q bytes
    assign from_carry = carry_last_q || count_t'(b) + count_t'(places_q) < count_t'(Bytes);
    assign merged[8*b+:8] = from_carry ? carry_q[8*b+:8] : rotated[8*b+:8];
  end

  // A last beat all of whose bytes are stripped or complete the carry needs no beat of its own.
  logic move, take, joins, nothing_left;
  assign nothing_left = in_last_i && (swallow || count_t'(Bytes) - count_t'(in_empty_i) <= count_t'(places));
  assign empty = places + in_empty_i;
  assign joins = carry_valid_q && !carry_last_q;
  assign move = out_ready_i || !out_valid_q;
  assign take = in_valid_i && move;
  assign in_ready_o = move;

  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_empty_o = out_empty_q;
  assign out_none_o = out_none_q;
  assign out_last_o = out_last_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      out_valid_q <= carry_valid_q && (carry_last_q || in_valid_i);
      if (carry_valid_q) begin
        out_data_q <= merged;
        out_last_q <= carry_last_q || nothing_left;
        out_none_q <= carry_last_q && carry_none_q;
        if (carry_last_q) out_empty_q <= carry_empty_q;
        else out_empty_q <= nothing_left ? empty : '0;
      end
      if (carry_last_q) carry_valid_q <= 1'b0;
    end
    if (take) begin
      first_q <= in_last_i;
      beats_q <= swallow ? beats - 1'b1 : '0;
      places_q <= places;
      carry_q <= rotated;
      carry_valid_q <= joins ? !nothing_left : !swallow || in_last_i;
      carry_last_q <= in_last_i;
      carry_none_q <= nothing_left;
      carry_empty_q <= nothing_left ? '0 : empty;
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      carry_valid_q <= 1'b0;
      first_q <= 1'b1;
    end
  end
endmodule
