// SPDX-License-Identifier: Apache-2.0
// Does what the headers of the host's frames (virtio_net_hdr) request: cuts frames into segments, and writes checksums. A frame that requests
// segmentation goes through host_segment, and waits for nothing; any other goes directly to host_checksum, but not past segments before it.
//
//   in --> skid buffer -+-------------------+-> host_checksum --> out
//                       +-> host_segment ---+
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
    // Whether a flit is taken depends on segments before it, on its size and on the place of its data; all that reads from the host would wait for that.
    typedef struct packed {
      logic cut;
      net_header_t header;  // that of the first flit, with every flit
      lane_count_t bytes;
      flit_t flit;
    } in_t;
    in_t in, taken, kept_q;
    logic taken_valid, taken_ready, aside, takes, idle;
    always_comb begin
      in = kept_q;
      if (in_flit_i.first) begin
        in.cut = in_cut_i;
        in.header = in_header_i;
      end
      in.bytes = lane_count_t'(FlitBytes) - (in_flit_i.last ? lane_count_t'(in_flit_i.empty) : '0);
      in.flit  = in_flit_i;
    end
    always_ff @(posedge clk_i) begin
      if (in_valid_i && in_ready_o) kept_q <= in;
    end
    skid_buffer #(
        .T(in_t)
    ) u_in (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_data_i(in),
        .out_valid_o(taken_valid),
        .out_ready_i(taken_ready),
        .out_data_o(taken)
    );
    assign aside = taken.cut;
    assign takes = taken_valid && taken_ready;

    // The queue has let pass chains of the size that a frame to be cut can have.
    localparam int unsigned CountBits = $clog2(MaxFrameFlits + 1);
    localparam lane_t LimitEmpty = lane_t'(MaxFrameFlits * FlitBytes - MaxFrameBytes);
    logic [CountBits-1:0] count_q;
    logic at_limit_q, beyond, too_long, too_long_q;
    if (LimitEmpty == '0) begin : gen_all
      assign beyond = 1'b0;
    end else begin : gen_part
      assign beyond = taken.flit.empty < LimitEmpty;
    end
    assign too_long = at_limit_q && !aside && !too_long_q && (!taken.flit.last || beyond) && !(taken.flit.last && taken.flit.bad);
    // The end of the frame that is discarded comes with clear_i, and is in u_in for a cycle.
    logic clear_q;
    assign too_long_o = too_long_q && !clear_q;
    always_ff @(posedge clk_i) begin
      if (takes) begin
        count_q <= taken.flit.last || too_long ? '0 : count_q + 1'b1;
        at_limit_q <= MaxFrameFlits == 1 || (!(taken.flit.last || too_long) && count_q == CountBits'(MaxFrameFlits - 2));
      end
      if (takes && too_long) too_long_q <= 1'b1;
      clear_q <= clear_i;
      if (clear_q) too_long_q <= 1'b0;
      if (rst_i) begin
        clear_q <= 1'b0;
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
        .in_valid_i(taken_valid && aside && !too_long_q),
        .in_ready_o(cut_ready),
        .in_flit_i(taken.flit),
        .in_bytes_i(taken.bytes),
        .in_header_i(taken.header),
        .out_valid_o(segment_valid),
        .out_ready_i(segment_ready),
        .out_flit_o(segment),
        .out_header_o(segment_header),
        .idle_o(idle),
        .cut_o
    );
    always_comb begin
      direct = taken.flit;
      if (too_long) direct.empty = LimitEmpty;
      direct.last = taken.flit.last || too_long;
      direct.bad = taken.flit.bad || too_long;
    end
    assign taken_ready = too_long_q || (aside ? cut_ready : idle && whole_ready);
    assign segment_ready = whole_ready;  // while there are segments, they have the way to host_checksum
    assign whole_valid = idle ? taken_valid && !aside && !too_long_q : segment_valid;
    assign whole = idle ? direct : segment;
    assign header = idle ? taken.header : segment_header;

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        too_long_is_cut : cover (takes && too_long);
        waits_for_segments : cover (taken_valid && !aside && !idle);
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
