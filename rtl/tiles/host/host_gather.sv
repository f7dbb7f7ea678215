// SPDX-License-Identifier: Apache-2.0
// Joins slices of beats into streams without gaps: those bytes of a beat from in_lane_i on, at least one and none beyond the beat. in_last_i ends a
// stream.
//
//   in -> rotate -+-> merge -> out
//                 +-> carry ----^      the bytes that do not fill a beat yet
//
// Latency one cycle. A slice is taken in every cycle in which the output moves, except behind a stream whose end needs a beat of its own.
// out_beside_o is what came beside the latest slice, which always belongs to the stream at the output. in_ready_o depends on out_ready_i.
module host_gather
  import girih_pkg::*, host_pkg::*;
#(
    parameter type beside_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  logic    [    W-1:0] in_data_i,
    input  lane_t               in_lane_i,
    input  lane_count_t         in_bytes_i,
    input  logic                in_last_i,
    input  beside_t             in_beside_i,

    output logic            out_valid_o,
    input  logic            out_ready_i,
    output logic    [W-1:0] out_data_o,
    output lane_t           out_empty_o,
    output logic            out_last_o,
    output beside_t         out_beside_o
);
  typedef logic [EmptyWidth+1:0] whole_t;
  lane_count_t sum, carried_q;
  whole_t whole;
  logic spills, full, move, take, tail_q;
  logic [W-1:0] rotated, merged, carry_q;
  assign whole = whole_t'(carried_q) + whole_t'(in_bytes_i);
  assign sum = lane_count_t'(whole);
  assign spills = whole > whole_t'(FlitBytes);  // a stream's end needs a beat of its own
  assign full = whole >= whole_t'(FlitBytes);
  byte_rotator #(
      .Width(W)
  ) u_rotator (
      .data_i  (in_data_i),
      .places_i(in_lane_i - carried_q[EmptyWidth-1:0]),
      .data_o  (rotated)
  );
  for (genvar b = 0; b < int'(FlitBytes); b++) begin : gen_byte
    assign merged[8*b+:8] = lane_count_t'(b) < carried_q ? carry_q[8*b+:8] : rotated[8*b+:8];
  end

  logic out_valid_q, out_last_q;
  lane_t out_empty_q;
  logic [W-1:0] out_data_q;
  beside_t beside_q;
  assign move = out_ready_i || !out_valid_q;
  assign in_ready_o = move && !tail_q;
  assign take = in_valid_i && in_ready_o;
  always_ff @(posedge clk_i) begin
    if (move) begin
      out_valid_q <= tail_q || (take && (full || in_last_i));
      out_data_q <= tail_q ? carry_q : merged;
      out_last_q <= tail_q || (in_last_i && !spills);
      out_empty_q <= tail_q ? -carried_q[EmptyWidth-1:0] : in_last_i && !spills ? -sum[EmptyWidth-1:0] : '0;
      if (tail_q) begin
        tail_q <= 1'b0;
        carried_q <= '0;
      end
    end
    if (take) begin
      carry_q  <= full ? rotated : merged;
      beside_q <= in_beside_i;
      if (in_last_i) begin
        tail_q <= spills;
        carried_q <= spills ? sum - lane_count_t'(FlitBytes) : '0;
      end else begin
        carried_q <= full ? sum - lane_count_t'(FlitBytes) : sum;
      end
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      tail_q <= 1'b0;
      carried_q <= '0;
    end
  end
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_empty_o = out_empty_q;
  assign out_last_o = out_last_q;
  assign out_beside_o = beside_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!in_valid_i || (in_bytes_i != '0 && whole_t'(in_lane_i) + whole_t'(in_bytes_i) <= whole_t'(FlitBytes)))
      else $error("host_gather: %0d bytes from lane %0d on", in_bytes_i, in_lane_i);
      no_beat_yet : cover (take && !full && !in_last_i);
      ends_in_a_beat_of_its_own : cover (take && in_last_i && spills);
      waits_for_the_end_before_it : cover (in_valid_i && move && tail_q);
      end_is_held_back : cover (tail_q && !move);
    end
  end
endmodule
