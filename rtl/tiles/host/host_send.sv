// SPDX-License-Identifier: Apache-2.0
// From the host: turns the frames of a transmit queue into messages. The header before each frame (virtio_net_hdr) is removed, and what it requests
// is done (host_offload). If the queue is stopped in the middle of a frame, its message ends there, marked bad.
module host_send
  import girih_pkg::*, net_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter bit Segmentation = 1'b1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        enable_i,
    input  place_t      place_i,
    input  logic        kick_i,
    output logic        active_o,
    output stop_e       reason_o,
    output stop_e       stopped_o,
    output logic [15:0] index_o,
    output notice_t     notice_o,

    // Reads of the rings and of frames, writes of the used ring.
    output logic   [  1:0] read_valid_o,
    input  logic   [  1:0] read_ready_i,
    output ask_t   [  1:0] read_o,
    input  logic   [  1:0] read_refused_i,
    input  logic   [  1:0] came_i,
    input  logic           came_last_i,
    input  logic           came_error_i,
    input  logic   [W-1:0] came_data_i,
    output logic           write_valid_o,
    input  logic           write_ready_i,
    output ask_t           write_o,
    input  logic           write_refused_i,
    output logic           data_valid_o,
    input  logic           data_ready_i,
    output write_t         data_o,
    input  logic           done_i,
    input  logic           done_error_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,  // its descriptor is 0
    output logic  made_o,  // a message has been made
    output logic  drop_o,  // the header requests something unsupported or impossible
    output logic  cut_o  // a frame is being cut into segments
);
  logic clear, halt, busy, too_long, unused_size_valid, part_valid, part_ready, used_valid, used_ready;
  stop_e stop, read_stop;
  chain_size_t unused_size;
  part_t part;
  used_t used;
  host_queue #(
      .Chains(Chains),
      .Writes(1'b0),
      .LeastBytes(NetHeaderBytes + EthernetBytes),
      .MostBytes(NetHeaderBytes + MaxFrameBytes),
      .LongBytes(NetHeaderBytes + (MaxFrameBytes > LargeFrameBytes ? MaxFrameBytes : LargeFrameBytes))
  ) u_queue (
      .clk_i,
      .rst_i,
      .enable_i,
      .place_i,
      .kick_i,
      .active_o,
      .reason_o,
      .stopped_o,
      .index_o,
      .notice_o,
      .clear_o(clear),
      .halt_o(halt),
      .busy_i(busy),
      .stop_i(stop),
      .size_valid_o(unused_size_valid),
      .size_ready_i(1'b0),
      .size_o(unused_size),
      .part_valid_o(part_valid),
      .part_ready_i(part_ready),
      .part_o(part),
      .used_valid_i(used_valid),
      .used_ready_o(used_ready),
      .used_i(used),
      .read_valid_o(read_valid_o[0]),
      .read_ready_i(read_ready_i[0]),
      .read_o(read_o[0]),
      .read_refused_i(read_refused_i[0]),
      .came_i(came_i[0]),
      .came_error_i,
      .came_data_i,
      .write_valid_o,
      .write_ready_i,
      .write_o,
      .write_refused_i,
      .data_valid_o,
      .data_ready_i,
      .data_o,
      .done_i,
      .done_error_i
  );

  logic read_valid, read_ready, read_last;
  logic [W-1:0] read_data;
  lane_t read_empty;
  host_read u_read (
      .clk_i,
      .rst_i(clear),
      .halt_i(halt),
      .busy_o(busy),
      .stop_o(read_stop),
      .part_valid_i(part_valid),
      .part_ready_o(part_ready),
      .part_i(part),
      .ask_valid_o(read_valid_o[1]),
      .ask_ready_i(read_ready_i[1]),
      .ask_o(read_o[1]),
      .refused_i(read_refused_i[1]),
      .came_i(came_i[1]),
      .came_last_i,
      .came_error_i,
      .came_data_i,
      .out_valid_o(read_valid),
      .out_ready_i(read_ready),
      .out_data_o(read_data),
      .out_empty_o(read_empty),
      .out_last_o(read_last),
      .used_valid_o(used_valid),
      .used_ready_i(used_ready),
      .used_o(used)
  );

  assign stop = read_stop != StopNone ? read_stop : too_long ? StopSize : StopNone;

  // A message that has begun when the queue is cleared is ended, marked bad; the queue may be running again before there is room for that.
  logic open_q, cut_q, ends, cuts, pushes;
  logic frame_valid, frame_ready, frame_none, frame_last;
  logic [W-1:0] frame_data;
  lane_t frame_empty;
  realign_strip #(
      .Width(W)
  ) u_strip (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(read_valid),
      .in_ready_o(read_ready),
      .in_data_i(read_data),
      .in_empty_i(read_empty),
      .in_last_i(read_last),
      .bytes_i(8'(NetHeaderBytes)),
      .out_valid_o(frame_valid),
      .out_ready_i(frame_ready && !ends),  // anything will do while `clear` resets u_strip and all before it
      .out_data_o(frame_data),
      .out_empty_o(frame_empty),
      .out_none_o(frame_none),
      .out_last_o(frame_last)
  );

  // The headers of frames of which nothing has left u_strip. It takes two cycles, and so do they: the next one waits in a register, from which
  // the longest paths start.
  logic header_first_q, header_room, header_valid, kept_valid, kept_ready;
  typedef struct packed {
    logic cut;  // it requests segmentation
    net_header_t header;
  } requested_t;
  net_header_t in_header;
  requested_t kept, requested;
  assign in_header = net_header_t'(read_data[8*NetHeaderBytes-1:0]);
  fifo #(
      .T(requested_t),
      .Depth(4)
  ) u_headers (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(read_valid && read_ready && header_first_q),
      .in_ready_o(header_room),
      .in_data_i('{cut: in_header.gso_type != '0, header: in_header}),
      .out_valid_o(kept_valid),
      .out_ready_i(kept_ready),
      .out_data_o(kept)
  );
  stream_register #(
      .T(requested_t)
  ) u_next_header (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(kept_valid),
      .in_ready_o(kept_ready),
      .in_data_i(kept),
      .out_valid_o(header_valid),
      .out_ready_i(pushes && !open_q),
      .out_data_o(requested)
  );
  always_ff @(posedge clk_i) begin
    if (read_valid && read_ready) header_first_q <= read_last;
    if (clear) header_first_q <= 1'b1;
  end

  flit_t flit;
  assign ends = open_q && cut_q;
  assign cuts = ends || (open_q && clear);
  assign pushes = (cuts || (frame_valid && !clear)) && frame_ready;
  assign flit = '{desc: '0, first: !open_q, bad: cuts, last: cuts || frame_last, empty: cuts ? '0 : frame_empty, data: frame_data};
  always_ff @(posedge clk_i) begin
    if (pushes) open_q <= !flit.last;
    cut_q <= cuts && !frame_ready;
    if (rst_i) begin
      open_q <= 1'b0;
      cut_q  <= 1'b0;
    end
  end

  logic summed_valid, summed_ready;
  flit_t summed;
  host_offload #(
      .Segmentation(Segmentation)
  ) u_offload (
      .clk_i,
      .rst_i,
      .allowed_i(place_i.segments),
      .in_valid_i(cuts || (frame_valid && !clear)),
      .in_ready_o(frame_ready),
      .in_flit_i(flit),
      .in_cut_i(requested.cut),
      .in_header_i(requested.header),
      .too_long_o(too_long),
      .clear_i(clear),
      .out_valid_o(summed_valid),
      .out_ready_i(summed_ready),
      .out_flit_o(summed),
      .made_o,
      .drop_o,
      .cut_o
  );
  skid_buffer #(
      .T(flit_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i(summed_valid),
      .in_ready_o(summed_ready),
      .in_data_i(summed),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_flit_o)
  );
  logic unused;
  assign unused = &{1'b0, frame_none, unused_size_valid, unused_size};

  always_ff @(posedge clk_i) begin
    if (!rst_i && !clear) begin
      assert (header_room)
      else $error("host_send: more headers than frames that can be on their way");
      assert (!(pushes && !open_q) || header_valid)
      else $error("host_send: a frame without its header");
    end
  end
endmodule
