// SPDX-License-Identifier: Apache-2.0
// Writes packets to the buffers that the parts of chains name, a packet to a chain. Packets are whole before they are offered, so
// their data never keep the bus waiting. A chain is reported as used, with the bytes that were written, when all of it is in
// memory. A packet for which its chain has too little room is discarded, and the chain is kept for the next one.
//
//   length, parts -> accesses within pages -> bytes of the packet moved to their places -> W
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

  // The lengths of the packets whose first flit has come.
  logic take, length_valid, length_pop, lengths_ready, data_first_q;
  size_t length;
  fifo #(
      .T(size_t),
      .Depth(4)
  ) u_lengths (
      .clk_i,
      .rst_i,
      .in_valid_i(take && data_first_q),
      .in_ready_o(lengths_ready),
      .in_data_i(length_i),
      .out_valid_o(length_valid),
      .out_ready_i(length_pop),
      .out_data_o(length)
  );

  // Accesses.
  long_t done_q;  // bytes of the part
  size_t written_q;  // of the packet
  logic skip_q;  // the packet is written; the rest of its chain is not used
  addr_t addr;
  long_t left;
  size_t to_write;
  bytes_t bytes;
  logic too_small, packet, access_ready, part_ends, packet_ends, asks, discards, uses_ready;
  number_t asked_q, ended_q;
  assign addr = part_i.addr + addr_t'(done_q);
  assign left = part_i.bytes - done_q;
  assign to_write = length - written_q;
  always_comb begin
    bytes = bytes_t'(Burst) - bytes_t'(addr[EmptyWidth-1:0]);
    if (to_page_end(in_page_t'(addr)) < bytes) bytes = to_page_end(in_page_t'(addr));
    if (left < long_t'(bytes)) bytes = bytes_t'(left);
    if (to_write < size_t'(bytes)) bytes = bytes_t'(to_write);
  end
  assign too_small = written_q == '0 && done_q == '0 && length > part_i.total;
  assign packet = part_valid_i && length_valid && !skip_q && !halt_i && access_ready && uses_ready;
  assign ask_valid_o = packet && !too_small && number_t'(asked_q - ended_q) < number_t'(Accesses);
  assign ask_o = '{addr: addr, bytes: bytes};
  assign asks = ask_valid_o && ask_ready_i;
  assign discards = packet && too_small;
  assign part_ends = long_t'(bytes) == left;
  assign packet_ends = size_t'(bytes) == to_write;
  assign length_pop = (asks && packet_ends) || discards;
  assign part_ready_o = (asks && (part_ends || (packet_ends && part_i.last))) || (part_valid_i && skip_q);

  logic access_valid, access_done;
  access_t access;
  fifo #(
      .T(access_t),
      .Depth(Accesses)
  ) u_accesses (
      .clk_i,
      .rst_i,
      .in_valid_i(asks || discards),
      .in_ready_o(access_ready),
      .in_data_i('{first: addr[EmptyWidth-1:0], bytes: bytes, last: packet_ends, discard: discards}),
      .out_valid_o(access_valid),
      .out_ready_i(access_done),
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
      .in_valid_i(asks && packet_ends),
      .in_ready_o(uses_ready),
      .in_data_i('{used: '{chain: part_i.chain, bytes: length}, after: asked_q + 1'b1}),
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
  logic first_q;  // of its access
  bytes_t bytes_q, to_come;
  lane_t lane;
  count_t count;
  logic [EmptyWidth+1:0] through;
  logic access_ends, gives, consume, discarding, both;
  assign lane = first_q ? access.first : '0;
  assign to_come = first_q ? access.bytes : bytes_q;
  assign count = to_come > bytes_t'(FlitBytes) - bytes_t'(lane) ? count_t'(FlitBytes) - count_t'(lane) : count_t'(to_come);
  assign access_ends = bytes_t'(count) == to_come;
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
  assign gives = access_valid && !access.discard && !drops_q && here_valid_q &&
      (through <= (EmptyWidth + 2)'(FlitBytes) || next_valid_q) && out_ready;
  assign discarding = access_valid && access.discard && !drops_q && here_valid_q;
  assign both = through > (EmptyWidth + 2)'(FlitBytes);  // the access goes into the next flit
  assign access_done = (gives && access_ends) || (discarding && here_last_q);
  // A flit is done with when its last byte is; at a packet's end, both are.
  assign consume = (gives && (through >= (EmptyWidth + 2)'(FlitBytes) || (access_ends && access.last))) || discarding || drops_q;
  assign take = data_valid_i && data_ready_o;
  assign data_ready_o = (!next_valid_q || consume) && lengths_ready;

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
  assign busy_o = access_valid || asked_q != ended_q;
  always_comb begin
    stop_o = StopNone;
    if (done_i && done_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end

  always_ff @(posedge clk_i) begin
    if (asks) begin
      asked_q <= asked_q + 1'b1;
      done_q <= part_ends || (packet_ends && part_i.last) ? '0 : done_q + long_t'(bytes);
      written_q <= packet_ends ? '0 : written_q + size_t'(bytes);
      if (packet_ends && !part_i.last) skip_q <= 1'b1;
    end
    if (part_valid_i && skip_q) begin
      done_q <= '0;
      if (part_i.last) skip_q <= 1'b0;
    end
    ended_q <= ended_q + number_t'(done_i) + number_t'(refused_i);

    if (gives) begin
      first_q <= access_ends;
      bytes_q <= to_come - bytes_t'(count);
      place_q <= access_ends && access.last ? '0 : through[EmptyWidth-1:0];
    end
    // At a packet's end the next flit is the packet's, too, if the access went into it.
    drops_q <= gives && access_ends && access.last && both;
    if (consume || !here_valid_q) begin
      here_q <= next_valid_q ? next_q : data_i;
      here_last_q <= next_valid_q ? next_last_q : data_last_i;
      here_valid_q <= next_valid_q || take;
      next_valid_q <= next_valid_q && take;
    end else if (take) begin
      next_valid_q <= 1'b1;
    end
    if (take) begin
      data_first_q <= data_last_i;
      next_q <= data_i;
      next_last_q <= data_last_i;
    end
    if (rst_i) begin
      asked_q <= '0;
      ended_q <= '0;
      done_q <= '0;
      written_q <= '0;
      skip_q <= 1'b0;
      first_q <= 1'b1;
      place_q <= '0;
      here_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      drops_q <= 1'b0;
      data_first_q <= 1'b1;
    end
  end
endmodule
