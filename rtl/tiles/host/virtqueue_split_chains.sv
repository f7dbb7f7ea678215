// SPDX-License-Identifier: Apache-2.0
// The chains of a split virtqueue: reads their descriptors from their heads on, up to Chains chains at a time, checks them, and gives complete chains
// in order, descriptor by descriptor.
//
//   heads --> address of a descriptor --> what has come --> sum, flags --> chains that are whole --> parts
//                   ^---- next of its chain ----+
//
// The last descriptor of a chain may name a table of further ones (an indirect descriptor), which are linked like all others. A chain has one
// descriptor in flight at a time. The first mistake is reported (stop_o).
module virtqueue_split_chains
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter int unsigned Links = 32,  // most parts of a chain
    parameter bit Writes = 1'b0,  // the device writes to its buffers
    parameter bit Answers = 1'b0,  // it reads the first buffers of a chain and writes to the others, of which there is at least one
    parameter int unsigned LeastBytes = 1,  // of a chain
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes,  // if frames may be cut into segments
    localparam int unsigned ChainBits = $clog2(Chains)
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,     // requests nothing more
    input  logic   stopped_i,  // gives nothing more
    output stop_e  stop_o,     // for a cycle: the mistake

    input  logic        head_valid_i,
    output logic        head_ready_o,
    input  logic [15:0] head_i,

    output logic                         ask_valid_o,  // for a descriptor
    input  logic                         ask_ready_i,
    output addr_t                        ask_addr_o,
    output logic  [       ChainBits-1:0] ask_chain_o,
    input  logic                         got_i,
    input  logic  [       ChainBits-1:0] got_chain_i,
    input  logic  [8*DescriptorBytes-1:0] got_data_i,

    output logic        size_valid_o,  // of a chain that will be given; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic        part_valid_o,
    input  logic        part_ready_i,
    output part_t       part_o
);
  typedef logic [ChainBits-1:0] chain_t;
  typedef logic [$clog2(Links)-1:0] link_t;
  typedef logic [15:0] index_t;
  typedef struct packed {
    logic beyond;  // the table
    index_t head;
    addr_t addr;
  } first_t;
  typedef struct packed {
    chain_t chain;
    logic beyond;  // the table
    addr_t addr;
  } next_t;
  typedef struct packed {
    addr_t  addr;
    index_t entries;
  } table_t;
  typedef struct packed {
    index_t next;
    index_t flags;
    long_t  bytes;
    addr_t  addr;
  } descriptor_t;
  localparam int unsigned FlagNext = 0, FlagWrite = 1, FlagIndirect = 2;

  // What to request: the next descriptor of a chain, or the first of a new one. A link beyond its table stops the queue before it is requested.
  logic first_valid, first_ready, link_valid, link_ready;
  first_t first;
  next_t link;
  logic [Chains-1:0] sizing_q, whole_q;
  chain_t in_q, size_q, out_q;  // the next chain to take, to report the size of, and to give
  skid_buffer #(
      .T(first_t)
  ) u_first (
      .clk_i,
      .rst_i,
      .in_valid_i(head_valid_i),
      .in_ready_o(head_ready_o),
      .in_data_i('{beyond: head_i >= place_i.size, head: head_i, addr: place_i.descriptors + addr_t'({head_i, 4'd0})}),
      .out_valid_o(first_valid),
      .out_ready_i(first_ready),
      .out_data_o(first)
  );
  logic [ChainBits:0] taken_q;  // chains that have begun and have not been given
  logic full_q;  // all of them are taken; may stay up for one cycle more
  logic wants, beyond, begins, given;
  assign wants = link_valid || (first_valid && !full_q);
  assign beyond = wants && (link_valid ? link.beyond : first.beyond);
  assign ask_valid_o = wants && !beyond;
  assign ask_addr_o = link_valid ? link.addr : first.addr;
  assign ask_chain_o = link_valid ? link.chain : in_q;
  assign link_ready = link_valid && ask_valid_o && ask_ready_i;
  assign first_ready = !link_valid && ask_valid_o && ask_ready_i;
  assign begins = first_ready;

  // The answer of a read.
  descriptor_t descriptor;
  logic got_table, got_part, follows;
  assign descriptor = descriptor_t'(got_data_i);
  assign follows = descriptor.flags[FlagNext];
  assign got_table = got_i && descriptor.flags[FlagIndirect];
  assign got_part = got_i && !descriptor.flags[FlagIndirect];

  link_t links_q[Chains];  // descriptors that have come
  links_t slots_q[Chains];  // those that lie in the queue's own table
  index_t heads_q[Chains];
  logic [16:0] totals_q[Chains];
  logic [32:0] total;
  link_t links;  // of this chain
  assign links = links_q[got_chain_i];
  assign total = 33'(links == '0 ? 17'd0 : totals_q[got_chain_i]) + 33'(descriptor.bytes);

  // The table of the chain's next descriptor: the queue's, or the chain's own.
  logic [Chains-1:0] own_q;
  table_t tables_q[Chains];
  table_t own, table_q;
  index_t next_index_q;
  chain_t next_chain_q;
  logic next_valid_q, link_room;  // never full: a chain has one
  assign own = '{addr: descriptor.addr, entries: |descriptor.bytes[31:20] ? '1 : descriptor.bytes[19:4]};
  always_ff @(posedge clk_i) begin
    next_valid_q <= got_table || (got_part && follows);
    next_chain_q <= got_chain_i;
    next_index_q <= got_table ? '0 : descriptor.next;
    if (got_table) table_q <= own;
    else table_q <= own_q[got_chain_i] ? tables_q[got_chain_i] : '{addr: place_i.descriptors, entries: place_i.size};
    if (got_table) tables_q[got_chain_i] <= own;
    if (rst_i) next_valid_q <= 1'b0;
  end
  fifo #(
      .T(next_t),
      .Depth(Chains)
  ) u_links (
      .clk_i,
      .rst_i,
      .in_valid_i(next_valid_q),
      .in_ready_o(link_room),
      .in_data_i('{chain: next_chain_q, beyond: next_index_q >= table_q.entries, addr: table_q.addr + addr_t'({next_index_q, 4'd0})}),
      .out_valid_o(link_valid),
      .out_ready_i(link_ready),
      .out_data_o(link)
  );

  // The direction of a descriptor's bytes.
  logic wrong_way;
  if (Answers) begin : gen_answers
    logic [Chains-1:0] writes_q;  // the descriptor before was one to write to
    assign wrong_way = descriptor.flags[FlagWrite] ? 1'b0 : writes_q[got_chain_i] || !follows;
    always_ff @(posedge clk_i) begin
      if (got_part) writes_q[got_chain_i] <= descriptor.flags[FlagWrite];
      if (begins) writes_q[in_q] <= 1'b0;
    end
  end else begin : gen_one_way
    assign wrong_way = descriptor.flags[FlagWrite] != Writes;
  end

  // A cycle later it is known what is wrong with it.
  stop_e form, form_q;  // with its form
  logic part_q, ends_q, longest_q;  // it is one of the chain; its last one; the last one allowed
  chain_t chain_q;
  logic [32:0] total_q;
  always_comb begin
    form = StopNone;
    if (got_table) begin
      if (!place_i.indirect || own_q[got_chain_i] || follows || descriptor.flags[15:3] != '0) form = StopFlags;
      else if (descriptor.bytes == '0) form = StopZero;
      else if (descriptor.bytes[3:0] != '0) form = StopSize;
      else if (descriptor.addr[3:0] != '0) form = StopSetup;
    end
    if (got_part) begin
      if (wrong_way || descriptor.flags[15:2] != '0) form = StopFlags;
      else if (descriptor.bytes == '0) form = StopZero;
    end
    stop_o = form_q;
    if (form_q == StopNone && part_q) begin
      if (total_q > (place_i.segments != '0 ? 33'(LongBytes) : 33'(MostBytes)) || (ends_q && total_q < 33'(LeastBytes))) stop_o = StopSize;
      else if (!ends_q && longest_q) stop_o = StopChain;
    end
    if (beyond && !halt_i) stop_o = StopIndex;
  end
  always_ff @(posedge clk_i) begin
    form_q  <= form;
    part_q  <= got_part;
    ends_q  <= got_part && !follows;
    longest_q <= links == link_t'(Links - 1);
    chain_q <= got_chain_i;
    total_q <= total;
    if (rst_i) begin
      form_q <= StopNone;
      part_q <= 1'b0;
      ends_q <= 1'b0;
    end
  end

  // A chain that is written to is given after its size.
  assign size_valid_o = sizing_q[size_q] && !stopped_i;
  assign size_o = '{slots: slots_q[size_q], links: links_t'(links_q[size_q]) + 1'b1, bytes: totals_q[size_q]};

  // The descriptors of each chain, until all have come.
  typedef struct packed {
    logic  writes;
    addr_t addr;
    long_t bytes;
  } stored_t;
  stored_t stored;
  link_t give_q;
  logic give, gives_last, part_valid_q, last_q, part_move;
  index_t given_head_q;
  ram_simple_dual #(
      .T(stored_t),
      .Depth(Chains * Links)
  ) u_parts (
      .clk_i,
      .write_enable_i(got_part),
      .write_addr_i({got_chain_i, links}),
      .write_data_i('{writes: descriptor.flags[FlagWrite], addr: descriptor.addr, bytes: descriptor.bytes}),
      .read_enable_i(give),
      .read_addr_i({out_q, give_q}),
      .read_data_o(stored)
  );
  assign part_move = part_ready_i || !part_valid_q;
  assign give = part_move && whole_q[out_q] && !stopped_i;
  assign gives_last = give_q == links_q[out_q];
  assign given = give && gives_last;
  assign part_valid_o = part_valid_q;
  assign part_o = '{addr: stored.addr, bytes: stored.bytes, writes: stored.writes, last: last_q, chain: '{links: 1, id: given_head_q}};

  always_ff @(posedge clk_i) begin
    taken_q <= taken_q + (ChainBits + 1)'(begins) - (ChainBits + 1)'(given);
    full_q  <= 32'(taken_q) == Chains || (begins && 32'(taken_q) == Chains - 1);
    if (begins) begin
      own_q[in_q] <= 1'b0;
      heads_q[in_q] <= first.head;
      in_q <= in_q + 1'b1;
    end
    if (got_table) begin
      own_q[got_chain_i] <= 1'b1;
      slots_q[got_chain_i] <= links_t'(links) + 1'b1;
    end
    if (got_part) begin
      if (!own_q[got_chain_i]) slots_q[got_chain_i] <= links_t'(links) + 1'b1;
      totals_q[got_chain_i] <= total[16:0];
      if (follows) links_q[got_chain_i] <= links + 1'b1;
    end
    if (ends_q) begin
      if (Writes) sizing_q[chain_q] <= 1'b1;
      else whole_q[chain_q] <= 1'b1;
    end
    if (size_valid_o && size_ready_i) begin
      sizing_q[size_q] <= 1'b0;
      whole_q[size_q] <= 1'b1;
      size_q <= size_q + 1'b1;
    end
    if (part_move) part_valid_q <= give;
    if (give) begin
      last_q <= gives_last;
      given_head_q <= heads_q[out_q];
      give_q <= gives_last ? '0 : give_q + 1'b1;
      if (gives_last) begin
        whole_q[out_q] <= 1'b0;
        links_q[out_q] <= '0;  // for the next chain here
        out_q <= out_q + 1'b1;
      end
    end
    if (rst_i) begin
      taken_q <= '0;
      full_q <= 1'b0;
      sizing_q <= '0;
      whole_q <= '0;
      in_q <= '0;
      size_q <= '0;
      out_q <= '0;
      give_q <= '0;
      part_valid_q <= 1'b0;
      for (int unsigned c = 0; c < Chains; c++) links_q[c] <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, link_room, size_ready_i, place_i.driver, place_i.device, place_i.packed_ring, place_i.mergeable, place_i.verified, place_i.event_index, place_i.start};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!next_valid_q || link_room)
      else $error("virtqueue_split_chains: more links than chains");
    end
  end
endmodule
