// SPDX-License-Identifier: Apache-2.0
// Moves the bytes of packets to their lanes in the flits of memory: an access takes the next bytes of its packet, and the first of them goes to its
// lane. One flit of memory per cycle; two cycles from an access, and one more to the output.
//
//   accesses -> host_cut -> bytes of each flit --+
//   packets -> two flits of a packet ------------+--> rotated together -> out
module host_shift
  import girih_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    // A packet's flits; `last` with its last one.
    input  logic         data_valid_i,
    output logic         data_ready_o,
    input  logic [W-1:0] data_i,
    input  logic         data_last_i,

    input  logic   access_valid_i,
    output logic   access_ready_o,
    input  lane_t  access_first_i,
    input  bytes_t access_bytes_i,
    input  logic   access_last_i,   // of its packet

    output logic   out_valid_o,
    input  logic   out_ready_i,
    output write_t out_o,

    output logic busy_o,  // an access is in flight
    output logic ended_o  // for a cycle: the last of a packet's flits has been taken
);
  typedef logic [EmptyWidth:0] count_t;

  // The packet's bytes: the first flit here, from byte place_q on, and the next flit.
  logic [W-1:0] here_q, next_q, rotated_here, rotated_next, placed;
  logic here_valid_q, next_valid_q, here_last_q, next_last_q, drops_q;
  lane_t place_q;
  logic slice_valid, slice_taken, slice_last;  // of its packet
  lane_t lane;
  count_t count;
  logic [EmptyWidth+1:0] through;
  count_t last_place;  // of the access, from the first flit on
  logic access_ends, gives, consume, both, take;
  host_cut #(
      .AddrBits(EmptyWidth),
      .LengthBits($bits(bytes_t)),
      .Unit(FlitBytes)
  ) u_slices (
      .clk_i,
      .rst_i,
      .in_valid_i(access_valid_i),
      .in_ready_o(access_ready_o),
      .in_addr_i(access_first_i),
      .in_bytes_i(access_bytes_i),
      .in_beside_i(access_last_i),
      .out_valid_o(slice_valid),
      .out_ready_i(slice_taken),
      .out_addr_o(lane),
      .out_bytes_o(count),
      .out_last_o(access_ends),
      .out_beside_o(slice_last),
      .busy_o
  );
  assign through = (EmptyWidth + 2)'(place_q) + (EmptyWidth + 2)'(count);
  // The access extends into the next flit if its last byte does: a sum, and no comparison. A count is at least 1, so that each bit of
  // one less is a look-up table.
  lane_t others;  // count - 1
  always_comb begin
    for (int unsigned i = 0; i < EmptyWidth; i++) others[i] = count[i] ^ ((count & ((count_t'(1) << i) - 1'b1)) == '0);
  end
  assign last_place = count_t'(place_q) + count_t'(others);
  assign both = last_place[EmptyWidth];
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
  assign gives = slice_valid && !drops_q && here_valid_q &&
      (!both || next_valid_q) && out_ready;
  assign slice_taken = gives;
  // A flit is consumed with its last byte; at a packet's end, both flits are.
  assign consume = (gives && (through >= (EmptyWidth + 2)'(FlitBytes) || (access_ends && slice_last))) || drops_q;
  assign data_ready_o = !next_valid_q || consume;
  assign take = data_valid_i && data_ready_o;

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

  always_ff @(posedge clk_i) begin
    if (gives) begin
      place_q <= access_ends && slice_last ? '0 : through[EmptyWidth-1:0];
    end
    // At a packet's end the next flit belongs to the packet, too, if the access extends into it.
    drops_q <= gives && access_ends && slice_last && both;
    if (consume || !here_valid_q) begin
      here_q <= next_valid_q ? next_q : data_i;
      here_last_q <= next_valid_q ? next_last_q : data_last_i;
      here_valid_q <= next_valid_q || take;
      next_valid_q <= next_valid_q && take;
    end else if (take) begin
      next_valid_q <= 1'b1;
    end
    if (take) begin
      next_q <= data_i;
      next_last_q <= data_last_i;
    end
    if (rst_i) begin
      place_q <= '0;
      here_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      drops_q <= 1'b0;
    end
  end
endmodule
