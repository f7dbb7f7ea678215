// SPDX-License-Identifier: Apache-2.0
// Cuts frames of the host into segments, as their headers (virtio_net_hdr) request: TCP over IPv4 and IPv6, and UDP. Each segment is a frame of at most
// gso_size bytes of data behind headers of its own, in which all is right but the checksum of TCP or UDP: out_header_o requests that from host_checksum.
// A frame that cannot be cut leaves as one flit whose header still requests segmentation.
//
//   in --> host_segment_cut -+-> words ------> host_segment_headers -+-> host_gather --> out
//                            +-> slices of data, one segment ahead --+
//
// A segment leaves when all its data have come. Each takes a cycle for every flit of its headers. Its data take one for every flit that they touch, and
// one for an end that needs a flit of its own; at least nine, in which the headers of the next segment are written.
module host_segment
  import girih_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input segments_t allowed_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  flit_t       in_flit_i,
    input  lane_count_t in_bytes_i,   // of this flit
    input  net_header_t in_header_i,  // with every flit

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output flit_t       out_flit_o,  // its descriptor is 0
    output net_header_t out_header_o,

    output logic idle_o,  // no frame is in here
    output logic cut_o    // for a cycle: a frame is being cut
);
  localparam int unsigned DataFlits = 1 << $clog2(2 * MaxFrameFlits);
  localparam int unsigned Sizes = 16;
  localparam int unsigned Frames = 32;  // at most in here: one for each size, and those at both ends

  logic word_valid, word_ready, room, headers_valid;
  word_place_t word_place;
  logic [31:0] word;
  headers_t headers;
  logic cut_valid, cut_ready, made_valid, made_ready;
  slice_t cut;
  segment_size_t made;
  host_segment_cut u_cut (
      .clk_i,
      .rst_i,
      .allowed_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_bytes_i,
      .in_header_i,
      .word_valid_o(word_valid),
      .word_ready_i(word_ready),
      .word_place_o(word_place),
      .word_o(word),
      .room_i(room),
      .headers_valid_o(headers_valid),
      .headers_o(headers),
      .slice_valid_o(cut_valid),
      .slice_ready_i(cut_ready),
      .slice_o(cut),
      .size_valid_o(made_valid),
      .size_ready_i(made_ready),
      .size_o(made)
  );
  assign cut_o = headers_valid;

  // A size that has left here says that all data of its segment are in the memory.
  logic data_valid, data_ready, size_valid, size_ready;
  slice_t data;
  segment_size_t size;
  fifo_block #(
      .T(slice_t),
      .Depth(DataFlits)
  ) u_data (
      .clk_i,
      .rst_i,
      .in_offer_i(cut_valid),
      .in_valid_i(cut_valid),
      .in_ready_o(cut_ready),
      .in_data_i(cut),
      .out_valid_o(data_valid),
      .out_ready_i(data_ready),
      .out_data_o(data)
  );
  fifo #(
      .T(segment_size_t),
      .Depth(Sizes)
  ) u_sizes (
      .clk_i,
      .rst_i,
      .in_valid_i(made_valid),
      .in_ready_o(made_ready),
      .in_data_i(made),
      .out_valid_o(size_valid),
      .out_ready_i(size_ready),
      .out_data_o(size)
  );

  logic head_valid, head_ready, head_ends;
  slice_t head;
  segment_note_t head_note, note_q;
  logic in_data_q;  // the headers of this segment have left, and its data have not
  host_segment_headers u_headers (
      .clk_i,
      .rst_i,
      .word_valid_i(word_valid),
      .word_ready_o(word_ready),
      .word_place_i(word_place),
      .word_i(word),
      .headers_valid_i(headers_valid),
      .headers_i(headers),
      .room_o(room),
      .size_valid_i(size_valid),
      .size_ready_o(size_ready),
      .size_i(size),
      .data_i(in_data_q),
      .slice_valid_o(head_valid),
      .slice_ready_i(head_ready),
      .slice_o(head),
      .slice_ends_o(head_ends),
      .slice_note_o(head_note)
  );

  // The data follow the headers.
  typedef struct packed {
    segment_note_t note;
    slice_t slice;
  } noted_t;
  noted_t next, joined;
  logic next_valid, next_ready, joined_valid, joined_ready;
  assign next_valid = in_data_q ? data_valid : head_valid;
  assign next.slice = in_data_q ? data : head;
  assign next.note = in_data_q ? note_q : head_note;
  assign head_ready = next_ready && !in_data_q;
  assign data_ready = next_ready && in_data_q;
  always_ff @(posedge clk_i) begin
    if (head_valid && head_ready) begin
      note_q <= head_note;
      in_data_q <= head_ends && !head_note.dropped;
    end
    if (data_valid && data_ready) in_data_q <= !data.last;
    if (rst_i) in_data_q <= 1'b0;
  end
  stream_register #(
      .T(noted_t)
  ) u_joined (
      .clk_i,
      .rst_i,
      .in_valid_i(next_valid),
      .in_ready_o(next_ready),
      .in_data_i(next),
      .out_valid_o(joined_valid),
      .out_ready_i(joined_ready),
      .out_data_o(joined)
  );

  typedef struct packed {
    logic bad;
    segment_note_t note;
  } beside_t;
  beside_t beside;
  logic out_first_q, out_last;
  lane_t out_empty;
  logic [W-1:0] out_data;
  host_gather #(
      .beside_t(beside_t)
  ) u_gather (
      .clk_i,
      .rst_i,
      .in_valid_i(joined_valid),
      .in_ready_o(joined_ready),
      .in_data_i(joined.slice.data),
      .in_lane_i(joined.slice.lane),
      .in_bytes_i(joined.slice.bytes),
      .in_last_i(joined.slice.last),
      .in_beside_i('{bad: joined.slice.bad, note: joined.note}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_data),
      .out_empty_o(out_empty),
      .out_last_o(out_last),
      .out_beside_o(beside)
  );
  assign out_flit_o = '{desc: '0, first: out_first_q, bad: beside.bad, last: out_last, empty: out_empty, data: out_data};
  always_comb begin
    out_header_o = '0;
    out_header_o.needs_csum = 1'b1;
    out_header_o.csum_start = 16'({beside.note.l4, 1'b0});
    out_header_o.csum_offset = beside.note.tcp ? 16'd16 : 16'd6;
    out_header_o.gso_type = 8'(beside.note.dropped);
  end

  // A frame is in here from the cycle in which its first flit is offered: segments of a flit may leave before it is taken.
  logic [$clog2(Frames)-1:0] frames_q;
  logic enters, leaves, inside_q, idle_q;
  assign enters = in_valid_i && !inside_q;
  assign leaves = out_valid_o && out_ready_i && out_last && beside.note.frame_ends;
  assign idle_o = idle_q;
  always_ff @(posedge clk_i) begin
    frames_q <= frames_q + $bits(frames_q)'(enters) - $bits(frames_q)'(leaves);
    if (enters) inside_q <= 1'b1;
    else if (in_valid_i && in_ready_o && in_flit_i.last) inside_q <= 1'b0;
    if (enters) idle_q <= 1'b0;
    else if (leaves) idle_q <= frames_q == 1;
    if (out_valid_o && out_ready_i) out_first_q <= out_last;
    if (rst_i) begin
      out_first_q <= 1'b1;
      frames_q <= '0;
      inside_q <= 1'b0;
      idle_q   <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(enters && in_ready_o))
      else $error("host_segment: a flit is taken in the cycle in which it comes");
      assert (!(enters && &frames_q) && idle_q == (frames_q == '0) && !(leaves && idle_q))
      else $error("host_segment: %0d frames are in here", frames_q);
      segments_behind_segments : cover (enters && !idle_q);
      sizes_wait : cover (made_valid && !made_ready);
      data_wait : cover (cut_valid && !cut_ready);
      discarded_between_others : cover (size_valid && size.dropped && in_data_q);
    end
  end
endmodule
