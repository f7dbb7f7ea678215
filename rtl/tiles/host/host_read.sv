// SPDX-License-Identifier: Apache-2.0
// Reads the bytes that the parts of chains name, in order, and gives them as gapless streams, one for each chain.
//
// parts -> host_cut -> accesses, as far as there is room -> host_cut -> bytes of each flit -> joined -> out
//
// A chain is reported as used when its last byte has come. One flit per cycle.
module host_read
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Flits = 256  // that can be in flight or wait
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  halt_i,  // requests nothing more, and gives nothing
    output logic  busy_o,  // something requested has not come
    output stop_e stop_o,

    input  logic  part_valid_i,
    output logic  part_ready_o,
    input  part_t part_i,

    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output ask_t         ask_o,
    input  logic         refused_i,
    input  logic         came_i,
    input  logic         came_last_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,

    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic [W-1:0] out_data_o,
    output lane_t        out_empty_o,
    output logic         out_last_o,

    output logic  used_valid_o,
    input  logic  used_ready_i,
    output used_t used_o
);
  localparam int unsigned Burst = 16 * FlitBytes < HostPageBytes ? 16 * FlitBytes : HostPageBytes;  // most bytes of an access
  localparam int unsigned Accesses = Flits / 2;
  localparam int unsigned MostBeats = Burst / FlitBytes + 1;  // of an access
  if (Flits < 4 * MostBeats) begin : gen_bad_flits
    $fatal(1, "host_read: Flits is %0d; it must be at least %0d, for several accesses", Flits, 4 * MostBeats);
  end

  typedef logic [$clog2(Flits):0] room_t;

  typedef struct packed {
    lane_t first;
    bytes_t bytes;
    logic last;  // of its chain
    name_t chain;
  } access_t;

  // Accesses: pieces of parts. A register holds the part, so that its memory does not wait for the bus.
  typedef struct packed {
    logic last;
    name_t chain;
  } beside_t;
  logic part_valid, part_taken, asked_valid, part_ends;
  part_t part;
  addr_t addr;
  logic [$clog2(Burst):0] bytes;
  beside_t beside;
  logic room_for_any_q, asks, access_ready;
  logic [7:0] beats;
  room_t room_q;  // flits that can still be requested
  logic [$clog2(Accesses)+1:0] waiting_q;  // accesses whose last flit has not come
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
  logic unused_parts_busy;
  host_cut #(
      .beside_t(beside_t),
      .AddrBits(HostAddrBits),
      .Unit(Burst)
  ) u_parts (
      .clk_i,
      .rst_i,
      .in_valid_i(part_valid),
      .in_ready_o(part_taken),
      .in_addr_i(part.addr),
      .in_bytes_i(part.bytes),
      .in_beside_i('{last: part.last, chain: part.chain}),
      .out_valid_o(asked_valid),
      .out_ready_i(asks),
      .out_addr_o(addr),
      .out_bytes_o(bytes),
      .out_last_o(part_ends),
      .out_beside_o(beside),
      .busy_o(unused_parts_busy)
  );
  assign beats = beats_of(addr[EmptyWidth-1:0], bytes_t'(bytes));
  assign ask_valid_o = asked_valid && room_for_any_q && access_ready && !halt_i;
  assign ask_o = '{addr: addr, bytes: bytes_t'(bytes)};
  assign asks = ask_valid_o && ask_ready_i;

  logic access_valid, access_taken;
  access_t access;
  fifo #(
      .T(access_t),
      .Depth(Accesses)
  ) u_accesses (
      .clk_i,
      .rst_i,
      .in_valid_i(asks),
      .in_ready_o(access_ready),
      .in_data_i('{first: addr[EmptyWidth-1:0], bytes: bytes_t'(bytes), last: part_ends && beside.last, chain: beside.chain}),
      .out_valid_o(access_valid),
      .out_ready_i(access_taken),
      .out_data_o(access)
  );

  // The bytes of each flit.
  logic slice_valid, slice_taken, slice_ends, unused_slices_busy;
  beside_t slice;
  lane_t lane;
  lane_count_t here;
  host_cut #(
      .beside_t(beside_t),
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
      .in_beside_i('{last: access.last, chain: access.chain}),
      .out_valid_o(slice_valid),
      .out_ready_i(slice_taken),
      .out_addr_o(lane),
      .out_bytes_o(here),
      .out_last_o(slice_ends),
      .out_beside_o(slice),
      .busy_o(unused_slices_busy)
  );

  (* keep *) logic flit_ready;
  logic flit_valid, unused_room;
  logic [W-1:0] flit;
  fifo_block #(
      .T(logic [W-1:0]),
      .Depth(Flits)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_offer_i(came_i),
      .in_valid_i(came_i),
      .in_ready_o(unused_room),
      .in_data_i(came_data_i),
      .out_valid_o(flit_valid),
      .out_ready_i(flit_ready),
      .out_data_o(flit)
  );

  logic chain_ends, offers, joined_ready, take;
  assign chain_ends = slice_ends && slice.last;
  assign offers = flit_valid && slice_valid && !halt_i;
  assign take = offers && joined_ready && (!chain_ends || used_ready_i);
  assign flit_ready = take;
  assign slice_taken = take;
  assign used_valid_o = offers && joined_ready && chain_ends;
  assign used_o = '{more: 1'b0, chain: slice.chain, bytes: '0};
  logic unused_beside;
  host_gather u_gather (
      .clk_i,
      .rst_i,
      .in_valid_i(offers && (!chain_ends || used_ready_i)),
      .in_ready_o(joined_ready),
      .in_data_i(flit),
      .in_lane_i(lane),
      .in_bytes_i(here),
      .in_last_i(chain_ends),
      .in_beside_i(1'b0),
      .out_valid_o,
      .out_ready_i,
      .out_data_o,
      .out_empty_o,
      .out_last_o,
      .out_beside_o(unused_beside)
  );

  always_ff @(posedge clk_i) begin
    room_q <= room_q - (asks ? room_t'(beats) + 1'b1 : '0) + room_t'(take);
    room_for_any_q <= room_q >= room_t'(2 * MostBeats);  // counting the request of this cycle
    waiting_q <= waiting_q + $bits(waiting_q)'(asks) - $bits(waiting_q)'(came_i && came_last_i) - $bits(waiting_q)'(refused_i);
    if (rst_i) begin
      room_q <= room_t'(Flits);
      room_for_any_q <= 1'b0;
      waiting_q <= '0;
    end
  end
  assign busy_o = waiting_q != '0;
  always_comb begin
    stop_o = StopNone;
    if (came_i && came_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end
  logic unused;
  assign unused = &{1'b0, unused_room, unused_beside, unused_parts_busy, unused_slices_busy, part};
endmodule
