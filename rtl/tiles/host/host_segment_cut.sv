// SPDX-License-Identifier: Apache-2.0
// Takes apart frames that are to be cut into segments: first their headers, word by word, then their data as slices of at most gso_size bytes in all
// for each segment. A segment's size follows its last slice.
//
//   in --> words --> host_segment_parse --> headers        (word_*: the words, as host_segment_headers stores them)
//     +--> slices of the data; sizes of segments
//
// A frame whose headers are wrong, or that ends in them or right behind, is discarded, and its only size says so. A frame that is cut off ends in a
// bad slice of a byte. After five cycles more than there are words in the headers and flits with them, a slice leaves in every cycle.
module host_segment_cut
  import girih_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input segments_t allowed_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  flit_t       in_flit_i,
    input  lane_count_t in_bytes_i,   // of this flit
    input  net_header_t in_header_i,  // beside every flit

    output logic word_valid_o,
    input  logic word_ready_i,
    output word_place_t word_place_o,
    output logic [31:0] word_o,
    input  logic room_i,  // for the headers of another frame

    output logic     headers_valid_o,  // for a cycle, of a frame that is not discarded
    output headers_t headers_o,

    output logic          slice_valid_o,
    input  logic          slice_ready_i,
    output slice_t        slice_o,
    output logic          size_valid_o,
    input  logic          size_ready_i,
    output segment_size_t size_o
);
  typedef enum logic [2:0] {
    Idle,
    Headers,
    NextFlit,  // the rest of the headers lies there
    Verdict,
    Data,
    Discard
  } state_e;
  state_e state_q, state_d;
  localparam int unsigned Words = FlitBytes / 4;
  localparam int unsigned LaneBits = EmptyWidth - 2;
  word_place_t word_q;
  logic [LaneBits-1:0] word_lane;
  logic judges_q;  // the verdict has come

  // The words of the headers. A frame has bytes behind each: the first two bytes of the last word are the end of the headers.
  logic start, complete, ends, wrong, misfits, step;
  assign start = state_q == Idle && in_valid_i && room_i;
  assign word_lane = word_q[LaneBits-1:0];
  assign word_o = in_flit_i.data[32*word_lane+:32];
  assign word_place_o = word_q;
  assign complete = !in_flit_i.last || (!in_flit_i.bad && in_bytes_i > lane_count_t'({word_lane, 2'd2}));
  assign word_valid_o = state_q == Headers && in_valid_i;
  assign step = word_valid_o && word_ready_i;
  host_segment_parse u_parse (
      .clk_i,
      .rst_i,
      .start_i(start),
      .asked_i(in_header_i),
      .allowed_i,
      .word_valid_i(step),
      .word_i(word_o),
      .ends_o(ends),
      .wrong_o(wrong),
      .misfits_o(misfits),
      .headers_o
  );
  assign headers_valid_o = state_q == Verdict && judges_q && !wrong && !misfits;

  // a >= b, as a tree: behind a carry chain, which `>=` would be, there is no time for all that waits for the end of a flit. A digit of several bits is in
  // the place of its lowest.
  function automatic logic at_least(lane_count_t a, lane_count_t b);
    lane_count_t more, same;
    more = a & ~b;
    same = ~(a ^ b);
    for (int unsigned width = 1; width < $bits(lane_count_t); width *= 2) begin
      for (int unsigned i = 0; i + width < $bits(lane_count_t); i += 2 * width) begin
        more[i] = more[i+width] || (same[i+width] && more[i]);
        same[i] = same[i+width] && same[i];
      end
    end
    at_least = more[0] || same[0];
  endfunction

  // The data. A slice ends with its segment or with its flit. What is left of a flit is computed when a part of it leaves, so that the comparison with
  // what is left of the segment does not wait for that.
  lane_t lane_q;
  logic begun_q;  // a part of this flit has left
  lane_count_t rest_q;  // then, its bytes from lane_q on
  logic [15:0] left_q, earlier_q;  // bytes of this segment: yet to come, and in earlier slices
  lane_count_t here, bytes, near;
  logic far, segment_ends, flit_ends, frame_ends, moves, closes;
  assign here = begun_q ? rest_q : in_bytes_i;
  assign near = lane_count_t'(left_q);
  assign far = (left_q >> $bits(lane_count_t)) != '0;
  assign segment_ends = !far && (begun_q ? at_least(rest_q, near) : at_least(in_bytes_i, near));
  assign flit_ends = in_flit_i.bad && in_flit_i.last || far || (begun_q ? at_least(near, rest_q) : at_least(near, in_bytes_i));
  assign frame_ends = flit_ends && in_flit_i.last;
  assign bytes = in_flit_i.bad && in_flit_i.last ? lane_count_t'(1) : segment_ends ? lane_count_t'(left_q) : here;
  assign closes = segment_ends || frame_ends;

  typedef struct packed {
    logic dropped, last;
    logic [15:0] earlier;
    lane_count_t bytes;
  } end_t;
  logic end_valid, end_ready;
  end_t ending, ended;
  assign slice_valid_o = state_q == Data && in_valid_i && end_ready;
  assign slice_o = '{
          bad: in_flit_i.bad && in_flit_i.last,
          last: closes,
          lane: lane_q,
          bytes: bytes,
          data: in_flit_i.data
      };
  assign moves = slice_valid_o && slice_ready_i;
  logic discards;  // the last flit of a frame
  assign discards = state_q == Discard && in_valid_i && in_flit_i.last && end_ready;
  assign end_valid = discards || (moves && closes);
  assign ending = '{dropped: discards, last: discards || frame_ends, earlier: earlier_q, bytes: bytes};
  stream_register #(
      .T(end_t)
  ) u_ended (
      .clk_i,
      .rst_i,
      .in_valid_i(end_valid),
      .in_ready_o(end_ready),
      .in_data_i(ending),
      .out_valid_o(size_valid_o),
      .out_ready_i(size_ready_i),
      .out_data_o(ended)
  );
  assign size_o = '{dropped: ended.dropped, last: ended.last, bytes: ended.earlier + 16'(ended.bytes)};

  always_comb begin
    state_d = state_q;
    in_ready_o = 1'b0;
    unique case (state_q)
      Idle: if (start) state_d = Headers;
      Headers: begin
        if (step && &word_lane) state_d = NextFlit;
        if (step && ends) state_d = Verdict;
        if (wrong || (in_valid_i && !complete) || (step && &word_lane && !ends && in_flit_i.last)) state_d = Discard;
      end
      NextFlit: begin
        in_ready_o = 1'b1;
        state_d = Headers;
      end
      Verdict: if (judges_q) state_d = wrong || misfits ? Discard : Data;
      Data: begin
        in_ready_o = moves && flit_ends;
        if (moves && frame_ends) state_d = Idle;
      end
      default: begin
        in_ready_o = !in_flit_i.last || end_ready;
        if (discards) state_d = Idle;
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    state_q  <= state_d;
    judges_q <= state_q == Verdict;
    if (start) word_q <= '0;
    if (step && !ends) word_q <= word_q + 1'b1;
    if (state_q == Verdict) begin
      begun_q <= 1'b1;
      lane_q  <= lane_t'({word_lane, 2'd2});
      rest_q  <= in_bytes_i - lane_count_t'({word_lane, 2'd2});
      left_q  <= in_header_i.gso_size;
      earlier_q <= '0;
    end
    if (moves) begin
      begun_q <= !flit_ends;
      lane_q  <= flit_ends ? '0 : lane_q + lane_t'(left_q);
      rest_q  <= here - lane_count_t'(left_q);
      left_q  <= closes ? in_header_i.gso_size : left_q - 16'(here);
      earlier_q <= closes ? '0 : earlier_q + 16'(here);
    end
    if (rst_i) state_q <= Idle;
  end
  logic unused;
  assign unused = &{1'b0, in_flit_i};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (state_q != Verdict || in_valid_i)
      else $error("host_segment_cut: the flit with the end of the headers has gone");
      assert (state_q != Data || !in_valid_i || here == in_bytes_i - lane_count_t'(lane_q))
      else $error("host_segment_cut: %0d bytes are left of a flit of %0d from lane %0d on", here, in_bytes_i, lane_q);
      headers_end_with_a_flit : cover (state_q == Data && in_valid_i && lane_q == lane_t'(FlitBytes - 2));
      headers_end_with_the_frame : cover (state_q == Headers && in_valid_i && in_flit_i.last && !complete);
      ends_exactly : cover (moves && segment_ends && frame_ends && !slice_o.bad);
      two_segments_end_in_a_flit : cover (moves && segment_ends && !flit_ends && earlier_q == '0);
      cut_off_in_the_data : cover (moves && slice_o.bad);
      cut_off_in_the_headers : cover (state_q == Headers && in_valid_i && in_flit_i.last && in_flit_i.bad);
      no_room_for_a_size : cover (state_q == Data && in_valid_i && !end_ready);
      no_room_for_headers : cover (state_q == Idle && in_valid_i && !room_i);
      words_wait : cover (word_valid_o && !word_ready_i);
    end
  end
endmodule
