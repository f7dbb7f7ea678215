// SPDX-License-Identifier: Apache-2.0
// Writes packets to the buffers that the parts of chains name, a packet to a chain. Packets are whole before they are offered, so
// their data never keep the bus waiting. A chain is reported as used, with the bytes that were written, when all of it is in
// memory. A packet for which its chain has too little room is discarded, and the chain is kept for the next one.
//
//   length, parts -> host_cut -> accesses -> host_cut -> bytes of each flit -> bytes of the packet moved to their places -> W
module host_write
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Accesses = 64  // that are not done
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  halt_i,  // asks for nothing more, and finishes what it has asked for
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

    output logic ended_o,  // for a cycle: the last of a packet's flits has been taken
    output logic kept_o  // it was written
);
  localparam int unsigned Burst = 16 * FlitBytes < HostPageBytes ? 16 * FlitBytes : HostPageBytes;
  typedef logic [EmptyWidth:0] count_t;
  typedef logic [$clog2(Accesses)+1:0] number_t;

  typedef struct packed {
    lane_t first;
    bytes_t bytes;
    logic last;  // of its packet
    logic discard;  // no access: the packet is thrown away
  } access_t;
  typedef struct packed {
    used_t   used;
    number_t after;  // it is used when this many accesses have been done
  } waiting_t;

  // Flits wait here while the accesses of their packets are made, and so do the packets' lengths: of as many flits as pass meanwhile.
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

  // The part of the packet that goes into each part of its chain. What is beside it goes along.
  typedef struct packed {
    logic last;  // of its packet
    logic discard;
    name_t chain;
    size_t length;  // of the packet
  } beside_t;
  logic part_valid, part_taken, span_valid, span_ready, takes_span;
  part_t part;
  size_t written_q, to_write;  // of the packet
  long_t span;
  logic skip_q;  // the packet is written; the rest of its chain is not used
  logic too_small, packet_ends, unused_parts_busy;
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
  assign too_small = written_q == '0 && length > part.total;  // written_q is 0 in a chain's first part only
  assign packet_ends = part.bytes >= long_t'(to_write);
  assign span = packet_ends ? long_t'(to_write) : part.bytes;
  assign span_valid = part_valid && length_valid && !skip_q;
  assign takes_span = span_valid && span_ready;
  assign length_pop = takes_span && (packet_ends || too_small);
  assign part_taken = (takes_span && !too_small) || skip_q;

  // Accesses: pieces of these.
  logic piece_valid, piece_ready, part_ends, access_ready, asks, discards, may_ask, uses_ready;
  addr_t addr;
  logic [$clog2(Burst):0] bytes;
  number_t asked_q, ended_q;
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
      .in_bytes_i(too_small ? long_t'(1) : span),
      .in_beside_i('{last: packet_ends, discard: too_small, chain: part.chain, length: length}),
      .out_valid_o(piece_valid),
      .out_ready_i(piece_ready),
      .out_addr_o(addr),
      .out_bytes_o(bytes),
      .out_last_o(part_ends),
      .out_beside_o(beside),
      .busy_o(unused_parts_busy)
  );
  assign may_ask = piece_valid && !halt_i && access_ready && uses_ready;
  assign ask_valid_o = may_ask && !beside.discard && number_t'(asked_q - ended_q) < number_t'(Accesses);
  assign ask_o = '{addr: addr, bytes: bytes_t'(bytes)};
  assign asks = ask_valid_o && ask_ready_i;
  assign discards = may_ask && beside.discard;
  assign piece_ready = asks || discards;

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
      .in_data_i('{first: addr[EmptyWidth-1:0], bytes: bytes_t'(bytes), last: ends_packet, discard: beside.discard}),
      .out_valid_o(access_valid),
      .out_ready_i(access_taken),
      .out_data_o(access)
  );

  logic waiting_valid;
  waiting_t waiting;
  fifo #(
      .T(waiting_t),
      .Depth(Accesses)
  ) u_uses (
      .clk_i,
      .rst_i,
      .in_valid_i(asks && ends_packet),
      .in_ready_o(uses_ready),
      .in_data_i('{used: '{chain: beside.chain, bytes: beside.length}, after: asked_q + 1'b1}),
      .out_valid_o(waiting_valid),
      .out_ready_i(used_valid_o && used_ready_i),
      .out_data_o(waiting)
  );
  assign used_valid_o = waiting_valid && number_t'(ended_q - waiting.after) <= number_t'(Accesses);
  assign used_o = waiting.used;

  // The packet's bytes: from place_q of the first flit here, and the next one.
  logic [W-1:0] here_q, next_q, rotated_here, rotated_next, placed;
  logic here_valid_q, next_valid_q, here_last_q, next_last_q, drops_q;
  lane_t place_q;
  typedef struct packed {
    logic last;
    logic discard;
  } slice_t;
  logic slice_valid, slice_taken, slices_busy;
  slice_t slice;
  lane_t lane;
  count_t count;
  logic [EmptyWidth+1:0] through;
  logic access_ends, gives, consume, discarding, both, take;
  host_cut #(
      .beside_t(slice_t),
      .AddrBits(EmptyWidth),
      .LengthBits($bits(bytes_t)),
      .Unit(FlitBytes)
  ) u_slices (
      .clk_i,
      .rst_i,
      .in_valid_i(access_valid),
      .in_ready_o(access_taken),
      .in_addr_i(access.first),
      .in_bytes_i(access.bytes),
      .in_beside_i('{last: access.last, discard: access.discard}),
      .out_valid_o(slice_valid),
      .out_ready_i(slice_taken),
      .out_addr_o(lane),
      .out_bytes_o(count),
      .out_last_o(access_ends),
      .out_beside_o(slice),
      .busy_o(slices_busy)
  );
  assign through = (EmptyWidth + 2)'(place_q) + (EmptyWidth + 2)'(count);
  byte_rotator #(
      .Width(W)
  ) u_here (
      .data_i  (here_q),
      .places_i(place_q - lane),
      .data_o  (rotated_here)
  );
  byte_rotator #(
      .Width(W)
  ) u_next (
      .data_i  (next_q),
      .places_i(place_q - lane),
      .data_o  (rotated_next)
  );
  for (genvar b = 0; b < int'(FlitBytes); b++) begin : gen_byte
    assign placed[8*b+:8] = count_t'(b) - count_t'(lane) + count_t'(place_q) < count_t'(FlitBytes) ? rotated_here[8*b+:8] : rotated_next[8*b+:8];
  end
  logic [FlitBytes-1:0] strobe;
  assign strobe = (FlitBytes'('1) << lane) & ~(32'(lane) + 32'(count) >= FlitBytes ? '0 : FlitBytes'('1) << (32'(lane) + 32'(count)));

  logic out_ready;
  assign gives = slice_valid && !slice.discard && !drops_q && here_valid_q &&
      (through <= (EmptyWidth + 2)'(FlitBytes) || next_valid_q) && out_ready;
  assign discarding = slice_valid && slice.discard && !drops_q && here_valid_q;
  assign both = through > (EmptyWidth + 2)'(FlitBytes);  // the access goes into the next flit
  assign slice_taken = gives || (discarding && here_last_q);
  // A flit is done with when its last byte is; at a packet's end, both are.
  assign consume = (gives && (through >= (EmptyWidth + 2)'(FlitBytes) || (access_ends && slice.last))) || discarding || drops_q;
  assign flit_ready = !next_valid_q || consume;
  assign take = flit_valid && flit_ready;

  skid_buffer #(
      .T(write_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i(gives),
      .in_ready_o(out_ready),
      .in_data_i('{last: access_ends, strb: strobe, data: placed}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_o)
  );

  assign ended_o = consume && here_last_q;
  assign kept_o = !discarding;
  assign busy_o = access_valid || slices_busy || asked_q != ended_q;
  always_comb begin
    stop_o = StopNone;
    if (done_i && done_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end

  always_ff @(posedge clk_i) begin
    if (takes_span && !too_small) begin
      written_q <= packet_ends ? '0 : written_q + size_t'(part.bytes);
      if (packet_ends && !part.last) skip_q <= 1'b1;
    end
    if (part_valid && skip_q && part.last) skip_q <= 1'b0;
    if (asks) asked_q <= asked_q + 1'b1;
    ended_q <= ended_q + number_t'(done_i) + number_t'(refused_i);

    if (gives) begin
      place_q <= access_ends && slice.last ? '0 : through[EmptyWidth-1:0];
    end
    // At a packet's end the next flit is the packet's, too, if the access went into it.
    drops_q <= gives && access_ends && slice.last && both;
    if (consume || !here_valid_q) begin
      here_q <= next_valid_q ? next_q : flit.data;
      here_last_q <= next_valid_q ? next_last_q : flit.last;
      here_valid_q <= next_valid_q || take;
      next_valid_q <= next_valid_q && take;
    end else if (take) begin
      next_valid_q <= 1'b1;
    end
    if (take) begin
      next_q <= flit.data;
      next_last_q <= flit.last;
    end
    if (push) data_first_q <= data_last_i;
    if (rst_i) begin
      asked_q <= '0;
      ended_q <= '0;
      written_q <= '0;
      skip_q <= 1'b0;
      place_q <= '0;
      here_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      drops_q <= 1'b0;
      data_first_q <= 1'b1;
    end
  end
endmodule
