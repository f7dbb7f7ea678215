// SPDX-License-Identifier: Apache-2.0
// Does what the headers of the host's frames (virtio_net_hdr) request: cuts frames into segments, and writes checksums. A frame that requests
// segmentation goes through host_segment, and waits for nothing; any other goes directly to host_checksum, but not past segments before it.
//
//   in -+-------------------+-> host_checksum --> out
//       +-> host_segment ---+
//
// A frame that is larger than a frame can be, and is not to be cut, leaves as a bad one of the largest size; too_long_o is then up, and all that comes
// until clear_i is discarded. Without Segmentation, host_checksum drops frames that request it.
module host_offload
  import girih_pkg::*, host_pkg::*;
#(
    parameter bit Segmentation = 1'b1
) (
    input logic clk_i,
    input logic rst_i,

    input segments_t allowed_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  flit_t       in_flit_i,
    input  logic        in_cut_i,     // with the first flit: the header requests segmentation
    input  net_header_t in_header_i,  // likewise

    output logic too_long_o,
    input  logic clear_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,  // its descriptor is 0

    output logic made_o,  // a frame or segment has arrived at host_checksum
    output logic drop_o,  // it is dropped
    output logic cut_o    // a frame is being cut into segments
);
  logic whole_valid, whole_ready;  // to host_checksum
  flit_t whole;
  net_header_t header;
  if (!Segmentation) begin : gen_whole
    assign whole_valid = in_valid_i;
    assign in_ready_o = whole_ready;
    assign whole = in_flit_i;
    assign header = in_header_i;
    assign {too_long_o, cut_o} = '0;
    logic unused;
    assign unused = &{1'b0, in_cut_i, clear_i, allowed_i};
  end else begin : gen_segments
    logic first_q, aside, aside_q, takes, idle;
    assign aside = first_q ? in_cut_i : aside_q;
    assign takes = in_valid_i && in_ready_o;
    always_ff @(posedge clk_i) begin
      if (takes) begin
        first_q <= in_flit_i.last;
        aside_q <= aside;
      end
      if (rst_i) first_q <= 1'b1;
    end

    // The queue has let pass chains of the size that a frame to be cut can have.
    localparam int unsigned CountBits = $clog2(MaxFrameFlits + 1);
    localparam lane_t LimitEmpty = lane_t'(MaxFrameFlits * FlitBytes - MaxFrameBytes);
    logic [CountBits-1:0] count_q;
    logic at_limit_q, beyond, too_long, too_long_q;
    if (LimitEmpty == '0) begin : gen_all
      assign beyond = 1'b0;
    end else begin : gen_part
      assign beyond = in_flit_i.empty < LimitEmpty;
    end
    assign too_long = at_limit_q && !aside && !too_long_q && (!in_flit_i.last || beyond) && !(in_flit_i.last && in_flit_i.bad);
    assign too_long_o = too_long_q;
    always_ff @(posedge clk_i) begin
      if (takes) begin
        count_q <= in_flit_i.last || too_long ? '0 : count_q + 1'b1;
        at_limit_q <= MaxFrameFlits == 1 || (!(in_flit_i.last || too_long) && count_q == CountBits'(MaxFrameFlits - 2));
      end
      if (takes && too_long) too_long_q <= 1'b1;
      if (clear_i) too_long_q <= 1'b0;
      if (rst_i) begin
        too_long_q <= 1'b0;
        count_q <= '0;
        at_limit_q <= MaxFrameFlits == 1;
      end
    end

    logic segment_valid, segment_ready, cut_ready;
    flit_t segment, direct;
    net_header_t segment_header;
    host_segment u_segment (
        .clk_i,
        .rst_i,
        .allowed_i,
        .in_valid_i(in_valid_i && aside && !too_long_q),
        .in_ready_o(cut_ready),
        .in_flit_i,
        .in_header_i,
        .out_valid_o(segment_valid),
        .out_ready_i(segment_ready),
        .out_flit_o(segment),
        .out_header_o(segment_header),
        .idle_o(idle),
        .cut_o
    );
    always_comb begin
      direct = in_flit_i;
      if (too_long) direct.empty = LimitEmpty;
      direct.last = in_flit_i.last || too_long;
      direct.bad = in_flit_i.bad || too_long;
    end
    assign in_ready_o = too_long_q || (aside ? cut_ready : idle && whole_ready);
    assign segment_ready = whole_ready;  // while there are segments, they have the way to host_checksum
    assign whole_valid = idle ? in_valid_i && !aside && !too_long_q : segment_valid;
    assign whole = idle ? direct : segment;
    assign header = idle ? in_header_i : segment_header;

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        too_long_is_cut : cover (takes && too_long);
        waits_for_segments : cover (in_valid_i && !aside && !idle);
        segments_behind_segments : cover (takes && first_q && aside && !idle);
      end
    end
  end

  host_checksum u_checksum (
      .clk_i,
      .rst_i,
      .in_valid_i(whole_valid),
      .in_ready_o(whole_ready),
      .in_flit_i(whole),
      .in_header_i(header),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .made_o,
      .drop_o
  );
endmodule
