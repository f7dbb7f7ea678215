// SPDX-License-Identifier: Apache-2.0
// To the host: writes messages into the buffers of a receive queue, each behind a header (virtio_net_hdr), and into several buffers if the driver
// knows mergeable buffers. Each message is stored whole first, so that void ones never reach the host. A message that finds no room here is dropped
// whole, and so is every message while the queue is not active. The input waits only for a lossless message without room; with Patience it waits at
// most that many cycles, one of which is restored in every LeakCycles cycles in which it does not wait. Once they are used up, such messages are
// dropped, too, so that a host that serves this queue slowly, or not at all, holds up the rest of the link for a bounded time only.
module host_receive
  import girih_pkg::*, net_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Patience = 0  // 0: without limit
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

    // Reads of the rings; writes of the used ring and of frames.
    output logic           read_valid_o,
    input  logic           read_ready_i,
    output ask_t           read_o,
    input  logic           read_refused_i,
    input  logic           came_i,
    input  logic           came_error_i,
    input  logic   [W-1:0] came_data_i,
    output logic   [  1:0] write_valid_o,
    input  logic   [  1:0] write_ready_i,
    output ask_t   [  1:0] write_o,
    input  logic   [  1:0] write_refused_i,
    output logic   [  1:0] data_valid_o,
    input  logic   [  1:0] data_ready_i,
    output write_t [  1:0] data_o,
    input  logic   [  1:0] done_i,
    input  logic           done_error_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic  in_right_i,  // with the last flit: the checksum in the frame is right

    output logic used_o,  // a message has reached the host
    output logic drop_room_o,
    output logic drop_late_o,  // a lossless message that has waited in vain, or would have to wait
    output logic drop_void_o,
    output logic drop_small_o,  // its buffers are too small
    output logic drop_stopped_o
);
  localparam int unsigned LeakCycles = 64;

  // Whole messages.
  logic refusing_q, fits, takes, refuse, store_ready, push, waits, impatient;
  size_t bytes_q, bytes;
  assign waits = in_valid_i && in_flit_i.first && !fits && in_flit_i.desc.lossless;
  assign refuse = in_flit_i.first ? !fits && (!in_flit_i.desc.lossless || impatient) : refusing_q;
  assign takes = in_flit_i.first ? fits : !refusing_q;
  assign in_ready_o = refuse || (takes && store_ready);
  assign push = in_valid_i && takes && store_ready;
  assign bytes = (in_flit_i.first ? '0 : bytes_q) + size_t'(FlitBytes) - (in_flit_i.last ? size_t'(in_flit_i.empty) : '0);
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) begin
      refusing_q <= refuse;
      bytes_q <= bytes;
    end
  end
  assign drop_room_o = in_valid_i && in_flit_i.first && refuse && !in_flit_i.desc.lossless;
  assign drop_late_o = waits && impatient;
  assign drop_void_o = push && in_flit_i.last && in_flit_i.bad;

  if (Patience == 0) begin : gen_patient
    assign impatient = 1'b0;
  end else begin : gen_patience
    localparam int unsigned LeakBits = $clog2(LeakCycles);
    logic [$clog2(Patience+1)-1:0] patience_q;
    logic [LeakBits-1:0] leak_q;
    assign impatient = patience_q == '0;
    always_ff @(posedge clk_i) begin
      leak_q <= leak_q + 1'b1;
      if (waits && !impatient) patience_q <= patience_q - 1'b1;
      else if (leak_q == '1 && 32'(patience_q) != Patience) patience_q <= patience_q + 1'b1;
      if (rst_i) begin
        leak_q <= '0;
        patience_q <= $bits(patience_q)'(Patience);
      end
    end
  end

  logic stored_valid, stored_ready;
  flit_t stored;
  typedef struct packed {
    logic  right;
    size_t size;
  } token_t;
  token_t token;
  size_t size;
  assign size = token.size;
  packet_store #(
      .token_t(token_t),
      .Depth  (Flits)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i && takes),
      .in_ready_o(store_ready),
      .in_flit_i,
      .commit_i(in_flit_i.last && !in_flit_i.bad),
      .drop_i(in_flit_i.last && in_flit_i.bad),
      .token_i('{right: in_right_i, size: bytes}),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_flit_o(stored),
      .out_token_o(token),
      .fits_o(fits)
  );

  // The buffers of a message, from its first flit on.
  logic clear, discard, cut_q, begun_q, begins;
  assign discard = clear || cut_q;
  logic fit_valid, fit_none, fitted, no_buffer, no_buffer_q, size_valid, size_ready;
  links_t chains;
  size_t length;
  chain_size_t chain_size;
  assign length = size + size_t'(NetHeaderBytes);
  assign fitted = begun_q || (fit_valid && !fit_none);
  assign no_buffer = begun_q ? no_buffer_q : fit_valid && fit_none;
  host_fit #(
      .Chains(Chains)
  ) u_fit (
      .clk_i,
      .rst_i(clear),
      .mergeable_i(place_i.mergeable),
      .slots_i(place_i.size),
      .size_valid_i(size_valid),
      .size_ready_o(size_ready),
      .size_i(chain_size),
      .message_valid_i(stored_valid && !discard && !begun_q),
      .length_i(length),
      .valid_o(fit_valid),
      .none_o(fit_none),
      .chains_o(chains),
      .taken_i(begins)
  );

  // While the queue is not active, messages are discarded; those on their way to the host are then lost.
  logic insert_ready, ended, lose, pop;
  logic [3:0] inside_q, lost_q;  // messages: on their way; lost and not yet counted
  assign stored_ready = discard || no_buffer || (fitted && insert_ready);
  assign pop = stored_valid && stored_ready;
  assign begins = pop && !discard && !begun_q;
  assign lose = discard && pop && stored.last && !begun_q;
  assign drop_stopped_o = lose || lost_q != '0;
  assign used_o = ended && !clear;
  assign drop_small_o = begins && no_buffer;
  always_ff @(posedge clk_i) begin
    if (pop) begin
      begun_q <= !stored.last && (begun_q || !discard);
      no_buffer_q <= no_buffer && !stored.last;
    end
    cut_q <= discard && (pop ? !stored.last : cut_q || begun_q);
    if (clear) inside_q <= '0;
    else inside_q <= inside_q + 4'(begins && !no_buffer) - 4'(ended);
    lost_q <= lost_q + (clear ? inside_q : '0) - 4'(lost_q != '0 && !lose);
    if (rst_i) begin
      begun_q <= 1'b0;
      no_buffer_q <= 1'b0;
      cut_q <= 1'b0;
      inside_q <= '0;
      lost_q <= '0;
    end
  end

  // The header requests nothing from the driver; it only tells what is known.
  net_header_t header;
  always_comb begin
    header = '0;
    header.num_buffers = 16'(chains);
    header.data_valid = place_i.verified && token.right;
  end
  logic packet_valid, packet_ready, packet_last, packet_none;
  logic [W-1:0] packet_data;
  lane_t packet_empty;
  realign_insert #(
      .Width(W),
      .HeaderBytes(NetHeaderBytes)
  ) u_insert (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(stored_valid && !discard && fitted && !no_buffer),
      .in_ready_o(insert_ready),
      .in_data_i(stored.data),
      .in_empty_i(stored.empty),
      .in_none_i(1'b0),
      .in_last_i(stored.last),
      .bytes_i(8'(NetHeaderBytes)),
      .header_i(header),
      .out_valid_o(packet_valid),
      .out_ready_i(packet_ready),
      .out_data_o(packet_data),
      .out_empty_o(packet_empty),
      .out_none_o(packet_none),
      .out_last_o(packet_last)
  );

  // The length of the message whose first flit is in the register of u_insert.
  size_t length_q;
  always_ff @(posedge clk_i) if (begins) length_q <= length;

  logic halt, busy, part_valid, part_ready, used_valid, used_ready;
  stop_e stop;
  part_t part;
  used_t used;
  host_queue #(
      .Chains(Chains),
      .Writes(1'b1),
      .LeastBytes(NetHeaderBytes),
      .MostBytes((1 << 17) - 1)
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
      .size_valid_o(size_valid),
      .size_ready_i(size_ready),
      .size_o(chain_size),
      .part_valid_o(part_valid),
      .part_ready_i(part_ready),
      .part_o(part),
      .used_valid_i(used_valid),
      .used_ready_o(used_ready),
      .used_i(used),
      .read_valid_o,
      .read_ready_i,
      .read_o,
      .read_refused_i,
      .came_i,
      .came_error_i,
      .came_data_i,
      .write_valid_o(write_valid_o[0]),
      .write_ready_i(write_ready_i[0]),
      .write_o(write_o[0]),
      .write_refused_i(write_refused_i[0]),
      .data_valid_o(data_valid_o[0]),
      .data_ready_i(data_ready_i[0]),
      .data_o(data_o[0]),
      .done_i(done_i[0]),
      .done_error_i
  );

  host_write u_write (
      .clk_i,
      .rst_i(clear),
      .halt_i(halt),
      .busy_o(busy),
      .stop_o(stop),
      .data_valid_i(packet_valid),
      .data_ready_o(packet_ready),
      .data_i(packet_data),
      .data_last_i(packet_last),
      .length_i(length_q),
      .part_valid_i(part_valid),
      .part_ready_o(part_ready),
      .part_i(part),
      .ask_valid_o(write_valid_o[1]),
      .ask_ready_i(write_ready_i[1]),
      .ask_o(write_o[1]),
      .refused_i(write_refused_i[1]),
      .out_valid_o(data_valid_o[1]),
      .out_ready_i(data_ready_i[1]),
      .out_o(data_o[1]),
      .done_i(done_i[1]),
      .done_error_i,
      .used_valid_o(used_valid),
      .used_ready_i(used_ready),
      .used_o(used),
      .ended_o(ended)
  );
  logic unused;
  assign unused = &{1'b0, packet_none, packet_empty, stored.desc, stored.first, stored.bad};
endmodule
