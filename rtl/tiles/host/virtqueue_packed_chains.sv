// SPDX-License-Identifier: Apache-2.0
// Makes chains of the descriptors of a packed ring: checks each descriptor, puts those of a table in the place of its indirect descriptor, and gives
// complete chains in order, descriptor by descriptor.
//
//   descriptors of the ring --+--> one in each cycle --> sum, flags --> chains that are whole --> parts
//   flits of tables ----------+
//
// forget: the descriptors of an incomplete chain will come again. The first mistake is reported (stop_o).
module virtqueue_packed_chains
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,  // that are complete and not yet given
    parameter int unsigned Links = 32,  // most descriptors of a chain
    parameter int unsigned TableFlits = 16,  // most flits that wait
    parameter bit Writes = 1'b0,  // the device writes to its buffers
    parameter bit Answers = 1'b0,  // it reads the first buffers of a chain and writes to the others, of which there is at least one
    parameter int unsigned LeastBytes = 1,  // of a chain
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes  // if long_i
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  stopped_i,  // gives nothing more
    input  logic  long_i,  // frames may be cut into segments
    output stop_e stop_o,  // for a cycle: the mistake; no chain is completed after it

    input  logic                  found_valid_i,
    output logic                  found_ready_o,
    input  packed_found_t         found_i,
    input  logic                  flit_valid_i,  // of a table; there is room
    input  logic          [W-1:0] flit_i,
    output logic                  flit_pop_o,

    output logic        size_valid_o,  // of a chain that will be given; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic        part_valid_o,
    input  logic        part_ready_i,
    output part_t       part_o
);
  localparam int unsigned Waiting = 16;
  localparam int unsigned Parts = 4 * Links;
  typedef logic [$clog2(Parts):0] part_ptr_t;
  typedef struct packed {
    links_t links;
    name_t  name;
  } chain_t;

  logic found_valid, found_taken;
  packed_found_t found;
  fifo #(
      .T(packed_found_t),
      .Depth(Waiting)
  ) u_found (
      .clk_i,
      .rst_i,
      .in_valid_i(found_valid_i),
      .in_ready_o(found_ready_o),
      .in_data_i(found_i),
      .out_valid_o(found_valid),
      .out_ready_i(found_taken),
      .out_data_o(found)
  );
  logic flit_valid, flit_room;
  logic [W-1:0] flit;
  fifo #(
      .T(logic [W-1:0]),
      .Depth(TableFlits)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_valid_i(flit_valid_i),
      .in_ready_o(flit_room),
      .in_data_i(flit_i),
      .out_valid_o(flit_valid),
      .out_ready_i(flit_pop_o),
      .out_data_o(flit)
  );

  // One descriptor, of the ring or of a table.
  typedef struct packed {
    logic forget;
    logic more;  // of its chain follow
    packed_descriptor_t descriptor;
    name_t name;
  } one_t;
  one_t one, one_q;
  logic one_valid_q, one_ready, one_valid, table_ends;
  links_t entry_q;
  lane_t lane;
  packed_descriptor_t entry;
  // The flags of a table's entry that count. Virtio reserves the others. Where all bytes are read, the direction is known, and DPDK's driver says of the
  // header of a frame that it is to be written.
  localparam logic [15:0] EntryFlags = 16'(1 << PackedIndirect) | (Writes || Answers ? 16'(1 << PackedWrite) : '0);
  assign lane = found.descriptor.addr[EmptyWidth-1:0] + lane_t'({entry_q, 4'd0});
  always_comb begin
    entry = '0;
    for (int unsigned b = 0; b < FlitBytes; b += DescriptorBytes) begin
      if (lane == lane_t'(b)) entry |= packed_descriptor_t'(flit[8*b+:8*DescriptorBytes]);
    end
    entry.flags &= EntryFlags;
  end
  assign table_ends = long_t'({entry_q, 4'd0}) + DescriptorBytes == found.descriptor.bytes;
  assign one_valid = found_valid && (!found.indirect || flit_valid);
  assign found_taken = one_ready && one_valid && (!found.indirect || table_ends);
  assign flit_pop_o = one_ready && one_valid && found.indirect && (table_ends || lane == lane_t'(FlitBytes - DescriptorBytes));
  assign one = '{
          forget: found.forget,
          more: found.indirect ? !table_ends : found.descriptor.flags[PackedNext],
          descriptor: found.indirect ? entry : found.descriptor,
          name: found.name
      };

  // It is added to its chain.
  links_t links_q;  // of the chain, before this one
  logic [16:0] total_q;
  logic [32:0] total;
  logic room, accept, checked_ready;
  part_ptr_t write_q, start_q, read_q;  // of the parts: the next one, the first of this chain, the first that has not been given
  logic [15:0] unknown;
  assign total = 33'(total_q) + 33'(one_q.descriptor.bytes);
  assign room = checked_ready && part_ptr_t'(write_q - read_q) != part_ptr_t'(Parts);
  assign accept = one_valid_q && !one_q.forget && room && !stopped_i;
  assign one_ready = !one_valid_q || one_q.forget || accept;
  assign unknown = one_q.descriptor.flags & ~PackedFlags;
  // The direction of its bytes.
  logic wrong_way;
  if (Answers) begin : gen_answers
    logic writes_q;  // the descriptor before was one to write to
    assign wrong_way = one_q.descriptor.flags[PackedWrite] ? 1'b0 : (writes_q && links_q != '0) || !one_q.more;
    always_ff @(posedge clk_i) if (accept) writes_q <= one_q.descriptor.flags[PackedWrite];
  end else begin : gen_one_way
    assign wrong_way = one_q.descriptor.flags[PackedWrite] != Writes;
  end

  // A cycle later it is known whether the descriptor is good, and with it its chain.
  typedef struct packed {
    logic ends;  // its chain
    logic wrong, zero, longest;
    logic [32:0] total;
    links_t links;
    name_t name;
  } checked_t;
  checked_t checked_q;
  stop_e stop, stop_q;
  logic checked_valid_q, checks, chain_ready, becomes_whole;
  assign checked_ready = !(checked_valid_q && checked_q.ends) || (chain_ready && (size_ready_i || !Writes));
  assign checks = checked_valid_q && checked_ready && stop_q == StopNone && !stopped_i;
  assign stop_o = stop_q;
  always_comb begin
    stop = StopNone;
    if (checked_q.wrong) stop = StopFlags;
    else if (checked_q.zero) stop = StopZero;
    else if (checked_q.total > (long_i ? 33'(LongBytes) : 33'(MostBytes)) || (checked_q.ends && checked_q.total < 33'(LeastBytes))) stop = StopSize;
    else if (!checked_q.ends && checked_q.longest) stop = StopChain;
  end
  always_ff @(posedge clk_i) begin
    if (checked_ready) begin
      checked_valid_q <= accept;
      checked_q <= '{
          ends: !one_q.more,
          wrong: wrong_way || unknown != '0,
          zero: one_q.descriptor.bytes == '0,
          longest: links_q == links_t'(Links - 1),
          total: total,
          links: links_q + 1'b1,
          name: one_q.name
      };
    end
    stop_q <= checks ? stop : StopNone;
    if (rst_i) begin
      checked_valid_q <= 1'b0;
      stop_q <= StopNone;
    end
  end

  // The descriptors of chains, until they are given.
  typedef struct packed {
    logic  writes;
    addr_t addr;
    long_t bytes;
  } stored_t;
  stored_t stored;
  logic give, gives_last, part_valid_q, last_q, part_move, chain_valid;
  links_t give_q;
  chain_t chain;
  name_t given_q;
  ram_simple_dual #(
      .T(stored_t),
      .Depth(Parts)
  ) u_parts (
      .clk_i,
      .write_enable_i(accept),
      .write_addr_i(write_q[$clog2(Parts)-1:0]),
      .write_data_i('{writes: one_q.descriptor.flags[PackedWrite], addr: one_q.descriptor.addr, bytes: one_q.descriptor.bytes}),
      .read_enable_i(give),
      .read_addr_i(read_q[$clog2(Parts)-1:0]),
      .read_data_o(stored)
  );
  assign becomes_whole = checks && checked_q.ends && stop == StopNone;
  fifo #(
      .T(chain_t),
      .Depth(Chains)
  ) u_chains (
      .clk_i,
      .rst_i,
      .in_valid_i(becomes_whole),
      .in_ready_o(chain_ready),
      .in_data_i('{links: checked_q.links, name: checked_q.name}),
      .out_valid_o(chain_valid),
      .out_ready_i(give && gives_last),
      .out_data_o(chain)
  );
  assign size_valid_o = Writes && becomes_whole;
  assign size_o = '{slots: checked_q.name.links, links: checked_q.links, bytes: checked_q.total[16:0]};
  assign part_move = part_ready_i || !part_valid_q;
  assign give = part_move && chain_valid && !stopped_i;
  assign gives_last = give_q + 1'b1 == chain.links;
  assign part_valid_o = part_valid_q;
  assign part_o = '{addr: stored.addr, bytes: stored.bytes, writes: stored.writes, last: last_q, chain: given_q};

  always_ff @(posedge clk_i) begin
    if (one_ready) begin
      one_valid_q <= one_valid;
      one_q <= one;
      if (one_valid && found.indirect) entry_q <= table_ends ? '0 : entry_q + 1'b1;
    end
    if (accept) begin
      write_q <= write_q + 1'b1;
      links_q <= one_q.more ? links_q + 1'b1 : '0;
      total_q <= one_q.more ? total[16:0] : '0;
      if (!one_q.more) start_q <= write_q + 1'b1;
    end
    if (one_valid_q && one_q.forget) begin
      write_q <= start_q;
      links_q <= '0;
      total_q <= '0;
    end
    if (part_move) part_valid_q <= give;
    if (give) begin
      last_q <= gives_last;
      given_q <= chain.name;
      give_q <= gives_last ? '0 : give_q + 1'b1;
      read_q <= read_q + 1'b1;
    end
    if (rst_i) begin
      one_valid_q <= 1'b0;
      entry_q <= '0;
      write_q <= '0;
      start_q <= '0;
      read_q <= '0;
      links_q <= '0;
      total_q <= '0;
      give_q <= '0;
      part_valid_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, flit_room, total[32:17]};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!flit_valid_i || flit_room)
      else $error("virtqueue_packed_chains: more flits of tables than there is room for");
    end
  end
endmodule
