// SPDX-License-Identifier: Apache-2.0
// Writes packets into the buffers that the parts of chains name, each into as many chains as it needs; these exist already (host_fit). Packets are
// complete before they are offered, so their data never stall the bus. The chains of a packet are reported as used, in order, with the bytes written
// to each, when all of the packet is in memory.
//
// length, parts -> host_cut -> accesses -> host_shift: bytes of the packet moved to their lanes -> W
module host_write
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Accesses = 64  // that have not ended
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  halt_i,  // requests nothing more, and finishes what it has requested
    output logic  busy_o,
    output stop_e stop_o,

    // A packet's flits; `last` with its last one, and its length beside the first.
    input  logic         data_valid_i,
    output logic         data_ready_o,
    input  logic [W-1:0] data_i,
    input  logic         data_last_i,
    input  size_t        length_i,

    input  logic  part_valid_i,
    output logic  part_ready_o,
    input  part_t part_i,

    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output ask_t         ask_o,
    input  logic         refused_i,
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output write_t       out_o,
    input  logic         done_i,
    input  logic         done_error_i,

    output logic  used_valid_o,
    input  logic  used_ready_i,
    output used_t used_o,

    output logic ended_o  // for a cycle: the last of a packet's flits has been taken
);
  localparam int unsigned Burst = 16 * FlitBytes < HostPageBytes ? 16 * FlitBytes : HostPageBytes;
  // Accesses are numbered modulo a power of two. A packet that waits to be reported keeps the number after its last access while later packets go on,
  // as many as there is room for, each with no more accesses than the pieces of its bytes and two for each of its descriptors. The numbers must cover
  // all of these.
  localparam int unsigned MostPieces = (1 << $bits(size_t)) / Burst + 2 * MostLinks;
  typedef logic [$clog2(Accesses*(MostPieces+1)):0] number_t;

  typedef struct packed {
    lane_t first;
    bytes_t bytes;
    logic last;  // of its packet
  } access_t;

  // Flits and lengths of packets wait here while their accesses are made, for as many flits as pass meanwhile.
  localparam int unsigned Waiting = 8;
  typedef struct packed {
    logic last;
    logic [W-1:0] data;
  } beat_t;
  logic push, flit_valid, flit_ready, flits_ready, length_valid, length_pop, lengths_ready, data_first_q;
  size_t length;
  beat_t flit;
  assign push = data_valid_i && data_ready_o;
  assign data_ready_o = flits_ready && lengths_ready;
  fifo #(
      .T(beat_t),
      .Depth(Waiting)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_valid_i(push),
      .in_ready_o(flits_ready),
      .in_data_i('{last: data_last_i, data: data_i}),
      .out_valid_o(flit_valid),
      .out_ready_i(flit_ready),
      .out_data_o(flit)
  );
  fifo #(
      .T(size_t),
      .Depth(Waiting)
  ) u_lengths (
      .clk_i,
      .rst_i,
      .in_valid_i(push && data_first_q),
      .in_ready_o(lengths_ready),
      .in_data_i(length_i),
      .out_valid_o(length_valid),
      .out_ready_i(length_pop),
      .out_data_o(length)
  );

  // The part of the packet that goes into each part of its chain, and its side data.
  typedef struct packed {
    logic last;  // of its packet
    logic ends_chain;
    name_t chain;
    size_t bytes;  // written to the chain, including these
  } beside_t;
  logic part_valid, part_taken, span_valid, span_ready, takes_span;
  part_t part;
  size_t written_q, to_write;  // of the packet
  size_t in_chain_q, in_chain;  // of that, the bytes in the present chain
  long_t span;
  logic skip_q;  // the packet is written; the rest of its chain stays unused
  logic packet_ends, unused_parts_busy;
  beside_t beside;
  skid_buffer #(
      .T(part_t)
  ) u_part (
      .clk_i,
      .rst_i,
      .in_valid_i(part_valid_i),
      .in_ready_o(part_ready_o),
      .in_data_i(part_i),
      .out_valid_o(part_valid),
      .out_ready_i(part_taken),
      .out_data_o(part)
  );
  assign to_write = length - written_q;
  assign packet_ends = part.bytes >= long_t'(to_write);
  assign span = packet_ends ? long_t'(to_write) : part.bytes;
  assign in_chain = in_chain_q + size_t'(span);
  assign span_valid = part_valid && length_valid && !skip_q;
  assign takes_span = span_valid && span_ready;
  assign length_pop = takes_span && packet_ends;
  assign part_taken = takes_span || skip_q;

  // Accesses: pieces of these.
  logic piece_valid, piece_ready, part_ends, access_ready, asks, uses_ready, packets_ready;
  addr_t addr;
  logic [$clog2(Burst):0] bytes;
  number_t asked_q, ended_q;
  logic few_q;  // the limit of accesses in flight leaves room for one more after this cycle's
  host_cut #(
      .beside_t(beside_t),
      .AddrBits(HostAddrBits),
      .Unit(Burst)
  ) u_parts (
      .clk_i,
      .rst_i,
      .in_valid_i(span_valid),
      .in_ready_o(span_ready),
      .in_addr_i(part.addr),
      .in_bytes_i(span),
      .in_beside_i('{last: packet_ends, ends_chain: packet_ends || part.last, chain: part.chain, bytes: in_chain}),
      .out_valid_o(piece_valid),
      .out_ready_i(piece_ready),
      .out_addr_o(addr),
      .out_bytes_o(bytes),
      .out_last_o(part_ends),
      .out_beside_o(beside),
      .busy_o(unused_parts_busy)
  );
  assign ask_valid_o = piece_valid && !halt_i && access_ready && uses_ready && packets_ready && few_q;
  assign ask_o = '{addr: addr, bytes: bytes_t'(bytes)};
  assign asks = ask_valid_o && ask_ready_i;
  assign piece_ready = asks;

  logic ends_packet;
  assign ends_packet = part_ends && beside.last;
  logic access_valid, access_taken;
  access_t access;
  fifo #(
      .T(access_t),
      .Depth(Accesses)
  ) u_accesses (
      .clk_i,
      .rst_i,
      .in_valid_i(piece_ready),
      .in_ready_o(access_ready),
      .in_data_i('{first: addr[EmptyWidth-1:0], bytes: bytes_t'(bytes), last: ends_packet}),
      .out_valid_o(access_valid),
      .out_ready_i(access_taken),
      .out_data_o(access)
  );

  // Chains, and the number of accesses after which each packet is in memory. A packet has fewer chains than there is room for.
  logic use_valid, packet_valid;
  number_t after;
  fifo #(
      .T(used_t),
      .Depth(Accesses)
  ) u_uses (
      .clk_i,
      .rst_i,
      .in_valid_i(asks && part_ends && beside.ends_chain),
      .in_ready_o(uses_ready),
      .in_data_i('{more: !beside.last, chain: beside.chain, bytes: beside.bytes}),
      .out_valid_o(use_valid),
      .out_ready_i(used_valid_o && used_ready_i),
      .out_data_o(used_o)
  );
  fifo #(
      .T(number_t),
      .Depth(Accesses)
  ) u_packets (
      .clk_i,
      .rst_i,
      .in_valid_i(asks && ends_packet),
      .in_ready_o(packets_ready),
      .in_data_i(asked_q + 1'b1),
      .out_valid_o(packet_valid),
      .out_ready_i(used_valid_o && used_ready_i && !used_o.more),
      .out_data_o(after)
  );
  number_t behind;  // accesses that have ended since
  assign behind = ended_q - after;
  assign used_valid_o = use_valid && packet_valid && behind < number_t'(1) << ($bits(number_t) - 1);

  logic shift_busy;
  host_shift u_shift (
      .clk_i,
      .rst_i,
      .data_valid_i(flit_valid),
      .data_ready_o(flit_ready),
      .data_i(flit.data),
      .data_last_i(flit.last),
      .access_valid_i(access_valid),
      .access_ready_o(access_taken),
      .access_first_i(access.first),
      .access_bytes_i(access.bytes),
      .access_last_i(access.last),
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .busy_o(shift_busy),
      .ended_o
  );

  logic unused;
  assign unused = &{1'b0, part.writes};

  assign busy_o = access_valid || shift_busy || asked_q != ended_q;
  always_comb begin
    stop_o = StopNone;
    if (done_i && done_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end

  always_ff @(posedge clk_i) begin
    if (takes_span) begin
      in_chain_q <= packet_ends || part.last ? '0 : in_chain;
      written_q <= packet_ends ? '0 : written_q + size_t'(part.bytes);
      if (packet_ends && !part.last) skip_q <= 1'b1;
    end
    if (part_valid && skip_q && part.last) skip_q <= 1'b0;
    if (asks) asked_q <= asked_q + 1'b1;
    few_q <= number_t'(asked_q - ended_q) < number_t'(Accesses - 1);
    ended_q <= ended_q + number_t'(done_i) + number_t'(refused_i);

    if (push) data_first_q <= data_last_i;
    if (rst_i) begin
      asked_q <= '0;
      few_q <= 1'b0;
      ended_q <= '0;
      written_q <= '0;
      in_chain_q <= '0;
      skip_q <= 1'b0;
      data_first_q <= 1'b1;
    end
  end
endmodule
