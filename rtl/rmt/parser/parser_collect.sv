// SPDX-License-Identifier: Apache-2.0
// Collects the first HeaderBytes bytes of each frame, and takes the parser's first step as soon as
// its bytes have arrived, in two cycles, or in one with Cut = 0. There is no back-pressure: the second step is done with a frame when the next one
// arrives, because then all of the frame has arrived.
module parser_collect
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input logic                              write_i,
    input logic         [$clog2(Fronts)-1:0] index_i,
    input front_entry_t                      entry_i,

    input logic       in_valid_i,
    input flit_t      in_flit_i,   // of accepted frames

    output logic                                  valid_o,      // there is a frame whose first step is done
    output logic                                  complete_o,   // no more of its bytes will enter the window
    output logic       [HeaderBytes/2-1:0][15:0] window_o,  // element 0 first on the wire
    output logic       [                     6:0] halfwords_o,  // that have arrived
    output timestamp_t                            timestamp_o,
    output front_step_t                           front_o,
    input  logic                                  take_i
);
  localparam int unsigned K = HeaderBytes / FlitBytes;
  localparam int unsigned FrontBytes = FrontStart + 2 * FrontHalfwords;
  localparam int unsigned FrontFlits = (FrontBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned CountWidth = $clog2(K + 1);

  if (FlitBytes > HeaderBytes || FrontFlits > 2) begin : gen_bad_width
    $fatal(1, "parser_collect: W is %0d; it must be from 128 to %0d", W, 8 * HeaderBytes);
  end

  logic [K-1:0][W/16-1:0][15:0] window_q;
  logic [CountWidth-1:0] count_q, count;  // flits of this frame in the window; count: with this flit
  logic [7:0] bytes_q, bytes;
  logic ended_q;  // the frame has ended
  logic pending_q, front_valid_q;
  timestamp_t timestamp_q;
  front_step_t front_q;

  // A flit has a halfword's first byte in the low bits, the window in the high ones.
  function automatic logic [W/16-1:0][15:0] swapped(logic [W/16-1:0][15:0] halfwords);
    for (int unsigned i = 0; i < W / 16; i++) swapped[i] = {halfwords[i][7:0], halfwords[i][15:8]};
  endfunction

  // The flit that goes into the window: a cycle after it came, while the first step compares it.
  typedef struct packed {
    logic first;
    logic last;
    logic [EmptyWidth-1:0] empty;
    timestamp_t timestamp;
    logic [W-1:0] data;
  } beat_t;
  beat_t offered, beat;
  logic beat_valid;
  assign offered = '{
          first: in_flit_i.first,
          last: in_flit_i.last,
          empty: in_flit_i.last ? in_flit_i.empty : '0,
          timestamp: in_flit_i.desc.timestamp,
          data: in_flit_i.data
      };
  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) begin
      beat_valid <= in_valid_i && !rst_i;
      if (in_valid_i) beat <= offered;
    end
  end else begin : gen_wire
    assign beat_valid = in_valid_i;
    assign beat = offered;
  end

  logic load;
  assign load = beat_valid && (beat.first || count_q != CountWidth'(K));
  assign count = beat.first ? CountWidth'(1) : count_q + 1'b1;
  assign bytes = 8'(count) * 8'(FlitBytes) - 8'(beat.empty);

  // The first step sees a frame's first flits, as many as it needs, or all of a shorter frame.
  logic [FrontFlits*W-1:0] early;
  logic [$clog2(FrontFlits*FlitBytes)-1:0] missing;  // bytes of these flits that the frame does not have
  logic front_now, front_done;
  if (FrontFlits == 1) begin : gen_early
    assign early = in_flit_i.data;
    assign missing = offered.empty;
    assign front_now = in_valid_i && in_flit_i.first;
  end else begin : gen_early_two
    logic second_q;  // the next flit is the second of a frame
    logic [W-1:0] previous;
    always_ff @(posedge clk_i) if (in_valid_i) second_q <= in_flit_i.first;
    assign previous = Cut ? beat.data : swapped(window_q[0]);
    assign early = {in_flit_i.data, in_flit_i.first ? in_flit_i.data : previous};
    assign missing = {in_flit_i.first, offered.empty};
    assign front_now = in_valid_i && (in_flit_i.first ? in_flit_i.last : second_q);
  end

  logic [FrontHalfwords-1:0][15:0] seen;
  for (genvar i = 0; i < int'(FrontHalfwords); i++) begin : gen_seen
    localparam int unsigned Byte = FrontStart + 2 * i;
    assign seen[i] = {early[8*Byte+:8], early[8*(Byte+1)+:8]};
  end

  front_step_t step;
  parser_front #(
      .Bytes(FrontFlits * FlitBytes),
      .Cut(Cut)
  ) u_front (
      .clk_i,
      .rst_i,
      .write_i,
      .index_i,
      .entry_i,
      .valid_i(front_now),
      .seen_i (seen),
      .missing_i(missing),
      .valid_o(front_done),
      .step_o (step)
  );

  assign valid_o = pending_q && front_valid_q;
  assign complete_o = ended_q || count_q == CountWidth'(K);
  assign halfwords_o = 7'(bytes_q >> 1);
  assign timestamp_o = timestamp_q;
  assign front_o = front_q;
  for (genvar i = 0; i < int'(HeaderBytes) / 2; i++) begin : gen_window
    assign window_o[i] = window_q[i/(W/16)][i%(W/16)];
  end

  for (genvar k = 0; k < int'(K); k++) begin : gen_slot
    always_ff @(posedge clk_i) begin
      if (load && count == CountWidth'(k + 1)) window_q[k] <= swapped(beat.data);
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_i) pending_q <= 1'b0;
    if (load) begin
      count_q <= count;
      bytes_q <= bytes;
      ended_q <= beat.last;
      if (beat.first) begin
        pending_q <= 1'b1;
        front_valid_q <= 1'b0;
        timestamp_q <= beat.timestamp;
      end
    end
    if (front_done) begin
      front_q <= step;
      front_valid_q <= 1'b1;
    end
    if (rst_i) pending_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(beat_valid && beat.first && pending_q && !take_i))
      else $error("parser_collect: a frame arrived before the previous one was taken");
      assert (!take_i || valid_o)
      else $error("parser_collect: a frame was taken although there is none");
    end
  end

  logic unused;
  assign unused = &{1'b0, in_flit_i, early};
endmodule
