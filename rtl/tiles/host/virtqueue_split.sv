// SPDX-License-Identifier: Apache-2.0
// Walks a split virtqueue: learns from the available ring which chains the driver offers, reads their descriptors, up to Chains
// chains at a time, and gives them in the order of the ring, descriptor by descriptor.
//
//   look: index of the available ring -> its entries -> heads -> descriptors (links behind one another) -> parts
//
// The last descriptor of a chain may name a table of those that follow (an indirect descriptor), which are links like all others.
// While it knows of nothing to read, it reads the next entries along with the index, and takes those that the index turns out to
// offer: reads are carried out in their order. One read in every cycle, answers in order. A chain is given when all of it has been read and found good; the first
// mistake stops the queue (stop_o). No input holds it back but part_ready_i.
module virtqueue_split
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter int unsigned Links = 32,  // parts of a chain, at most
    parameter bit Writes = 1'b0,  // the device writes to its buffers
    parameter bit Answers = 1'b0,  // it reads the first ones of a chain, and writes to the others, of which there is at least one
    parameter int unsigned LeastBytes = 1,  // of a chain
    parameter int unsigned MostBytes = 65535
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,  // asks for nothing more
    output logic   busy_o,  // something asked for has not come
    output stop_e  stop_o,  // for a cycle: what is wrong

    input  logic look_i,  // the driver may have offered more
    input  logic check_i,  // what does the driver say about interrupts now? One question at a time
    output logic checked_o,
    output logic [15:0] said_o,  // its flags, or the index that it waits for
    output logic tell_o,  // the driver is to tell when its index passes tell_index_o
    output logic [15:0] tell_index_o,
    input  logic told_i,  // that is in memory

    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output ask_t         ask_o,
    input  logic         refused_i,
    input  logic         came_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,

    output logic        size_valid_o,  // of a chain that will be given; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic  part_valid_o,
    input  logic  part_ready_i,
    output part_t part_o
);
  if (Chains < 2 || (Chains & (Chains - 1)) != 0) begin : gen_bad_chains
    $fatal(1, "virtqueue_split: Chains is %0d; it must be a power of two, at least 2", Chains);
  end
  if (Links < 2 || (Links & (Links - 1)) != 0) begin : gen_bad_links
    $fatal(1, "virtqueue_split: Links is %0d; it must be a power of two, at least 2", Links);
  end

  localparam int unsigned Heads = 64;
  typedef logic [$clog2(Chains)-1:0] chain_t;
  typedef logic [$clog2(Links)-1:0] link_t;
  typedef logic [15:0] index_t;

  typedef enum logic [1:0] {
    AskLook,
    AskFlags,
    AskRing,
    AskDescriptor
  } what_e;
  typedef struct packed {
    what_e what;
    lane_t lane;
    chain_t chain;
  } asked_t;
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

  index_t mask;
  assign mask = place_i.size - 1'b1;

  logic stopped_q;

  // What to ask for: a look at the index, entries of the ring, the next descriptor of a chain, the first of a new one.
  logic look_q, looking_q, ring_q;  // wanted; asked for and not come
  logic check_q, report_q;  // the next look answers check_i; that which was asked for does
  logic known_q;
  logic guess_q, guessed_q;  // entries are to be read along with the index; those that are asked for are
  index_t available_q, next_q;  // the driver's index, and the entry of the ring that is read next
  index_t open;  // entries to read
  assign open = known_q ? available_q - next_q : '0;

  logic head_valid, head_ready, link_valid, link_ready, asked_ready, asked_valid;
  index_t head;
  next_t link;
  logic [Chains-1:0] taken_q, sizing_q, whole_q;
  chain_t in_q, size_q, out_q;  // the next one to take, to tell the size of, and to give

  // The entries of a flit of the ring, one in each cycle.
  logic [W-1:0] entries_q;
  logic [5:0] left_q;  // of them
  logic [5:0] run_q;  // entries that were asked for
  logic entry_pop, heads_ready;
  assign entry_pop = left_q != '0 && heads_ready;

  addr_t ring_addr;
  index_t in_flit, to_end, run, offered;
  assign ring_addr = place_i.driver + 4 + addr_t'({next_q & mask, 1'b0});
  assign in_flit = index_t'((FlitBytes - 32'(ring_addr[EmptyWidth-1:0])) / 2);
  assign to_end = place_i.size - (next_q & mask);
  always_comb begin
    run = open == '0 ? to_end : open;
    if (in_flit < run) run = in_flit;
    if (to_end < run) run = to_end;
    if (run > 16'd32) run = 16'd32;
  end
  assign offered = guessed_q && open < index_t'(run_q) ? open : index_t'(run_q);

  // A look is a read of the driver's flags and index. If a flit ends between these, it reads one of them: the flags, if they are
  // asked for, and the index afterwards.
  logic apart, alone;
  addr_t said_at;
  assign apart = &place_i.driver[EmptyWidth-1:1];
  assign alone = apart || place_i.event_index;
  assign said_at = place_i.event_index ? place_i.driver + 4 + addr_t'({place_i.size, 1'b0}) : place_i.driver;

  logic wants_look, wants_ring, wants_link, wants_head;
  what_e what;
  asked_t asking;
  always_comb begin
    wants_look = (look_q || check_q) && !looking_q;
    wants_ring = !wants_look && (open != '0 || guess_q) && !ring_q && left_q == '0;
    wants_link = !wants_look && !wants_ring && link_valid;
    wants_head = !wants_look && !wants_ring && !wants_link && head_valid && !taken_q[in_q];
    ask_o.addr = wants_link ? link.addr : place_i.descriptors + addr_t'({head, 4'd0});
    ask_o.bytes = bytes_t'(DescriptorBytes);
    what = AskDescriptor;
    if (wants_look) begin
      ask_o.addr = place_i.driver;
      ask_o.bytes = apart ? bytes_t'(2) : bytes_t'(4);
      what = AskLook;
      if (alone && check_q) begin
        ask_o = '{addr: said_at, bytes: bytes_t'(2)};
        what  = AskFlags;
      end else if (apart) begin
        ask_o.addr = place_i.driver + 2;
      end
    end else if (wants_ring) begin
      ask_o.addr = ring_addr;
      ask_o.bytes = bytes_t'({run, 1'b0});
      what = AskRing;
    end
  end

  // A head or a link beyond the table stops the queue before it is asked for.
  logic beyond, may_ask, asks;
  assign beyond = (wants_link && link.beyond) || (wants_head && head >= place_i.size);
  assign may_ask = wants_look || wants_ring || wants_link || wants_head;
  assign ask_valid_o = may_ask && !beyond && asked_ready && !halt_i && !stopped_q;
  assign asks = ask_valid_o && ask_ready_i;
  assign link_ready = asks && wants_link;
  assign head_ready = asks && wants_head;

  asked_t asked;
  assign asking.what = what;
  assign asking.lane = ask_o.addr[EmptyWidth-1:0];
  assign asking.chain = wants_link ? link.chain : in_q;
  fifo #(
      .T(asked_t),
      .Depth(2 * Chains)
  ) u_asked (
      .clk_i,
      .rst_i,
      .in_valid_i(asks),
      .in_ready_o(asked_ready),
      .in_data_i(asking),
      .out_valid_o(asked_valid),
      .out_ready_i(came_i),
      .out_data_o(asked)
  );
  fifo #(
      .T(index_t),
      .Depth(Heads)
  ) u_heads (
      .clk_i,
      .rst_i,
      .in_valid_i(left_q != '0),
      .in_ready_o(heads_ready),
      .in_data_i(entries_q[15:0]),
      .out_valid_o(head_valid),
      .out_ready_i(head_ready),
      .out_data_o(head)
  );

  // What has come.
  logic [W-1:0] shifted;
  descriptor_t descriptor;
  logic got, got_descriptor, got_table, got_part, follows;
  assign shifted = came_data_i >> {asked.lane, 3'd0};
  assign descriptor = descriptor_t'(shifted[8*DescriptorBytes-1:0]);
  assign got = came_i && asked_valid && !came_error_i && !stopped_q;
  assign got_descriptor = got && asked.what == AskDescriptor;
  assign follows = descriptor.flags[FlagNext];
  assign got_table = got_descriptor && descriptor.flags[FlagIndirect];
  assign got_part = got_descriptor && !descriptor.flags[FlagIndirect];
  index_t available;  // what a look says
  assign available = apart ? shifted[15:0] : shifted[31:16];

  link_t links_q[Chains];  // descriptors that have come
  links_t slots_q[Chains];  // those in the queue's table
  index_t heads_q[Chains];
  logic [16:0] totals_q[Chains];
  logic [32:0] total;
  assign total = 33'(links_q[asked.chain] == '0 ? 17'd0 : totals_q[asked.chain]) + 33'(descriptor.bytes);

  // Where the next descriptor of the chain is: in the table of the queue, or in one of its own.
  logic [Chains-1:0] own_q;
  table_t tables_q[Chains];
  table_t own, table_q;
  index_t next_index_q;
  chain_t next_chain_q;
  logic next_valid_q, link_room;  // never full: a chain has one
  assign own = '{addr: descriptor.addr, entries: |descriptor.bytes[31:20] ? '1 : descriptor.bytes[19:4]};
  always_ff @(posedge clk_i) begin
    next_valid_q <= got_table || (got_part && follows);
    next_chain_q <= asked.chain;
    next_index_q <= got_table ? '0 : descriptor.next;
    if (got_table) table_q <= own;
    else table_q <= own_q[asked.chain] ? tables_q[asked.chain] : '{addr: place_i.descriptors, entries: place_i.size};
    if (got_table) tables_q[asked.chain] <= own;
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

  // Which way the bytes of a descriptor are to go.
  logic wrong_way;
  if (Answers) begin : gen_answers
    logic [Chains-1:0] writes_q;  // the descriptor before was one to write to
    assign wrong_way = descriptor.flags[FlagWrite] ? 1'b0 : writes_q[asked.chain] || !follows;
    always_ff @(posedge clk_i) begin
      if (got_part) writes_q[asked.chain] <= descriptor.flags[FlagWrite];
      if (asks && wants_head) writes_q[in_q] <= 1'b0;
    end
  end else begin : gen_one_way
    assign wrong_way = descriptor.flags[FlagWrite] != Writes;
  end

  stop_e stop;
  always_comb begin
    stop = StopNone;
    if (got_table) begin
      if (!place_i.indirect || own_q[asked.chain] || follows || descriptor.flags[15:3] != '0) stop = StopFlags;
      else if (descriptor.bytes == '0) stop = StopZero;
      else if (descriptor.bytes[3:0] != '0) stop = StopSize;
      else if (descriptor.addr[3:0] != '0) stop = StopSetup;
    end
    if (got_part) begin
      if (wrong_way || descriptor.flags[15:2] != '0) stop = StopFlags;
      else if (descriptor.bytes == '0) stop = StopZero;
      else if (total > 33'(MostBytes)) stop = StopSize;
      else if (!follows && total < 33'(LeastBytes)) stop = StopSize;
      else if (follows && links_q[asked.chain] == link_t'(Links - 1)) stop = StopChain;
    end
    if (got && asked.what == AskLook && index_t'(available - next_q) > place_i.size) stop = StopIndex;
    if (beyond && !halt_i) stop = StopIndex;
    if (came_i && came_error_i) stop = StopBus;
    if (refused_i) stop = StopRefused;
    if (stopped_q) stop = StopNone;
  end
  assign stop_o = stop;

  // A chain that is written to is given when its size has been told.
  assign size_valid_o = sizing_q[size_q] && !stopped_q;
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
      .write_addr_i({asked.chain, links_q[asked.chain]}),
      .write_data_i('{writes: descriptor.flags[FlagWrite], addr: descriptor.addr, bytes: descriptor.bytes}),
      .read_enable_i(give),
      .read_addr_i({out_q, give_q}),
      .read_data_o(stored)
  );
  assign part_move = part_ready_i || !part_valid_q;
  assign give = part_move && whole_q[out_q] && !stopped_q;
  assign gives_last = give_q == links_q[out_q];
  assign part_valid_o = part_valid_q;
  assign part_o = '{addr: stored.addr, bytes: stored.bytes, writes: stored.writes, last: last_q, chain: '{links: 1, id: given_head_q}};

  logic [$clog2(2*Chains)+1:0] waiting_q;  // reads
  assign busy_o = waiting_q != '0;
  assign checked_o = got && (asked.what == AskLook || asked.what == AskFlags) && report_q;
  assign said_o = shifted[15:0];

  // When there is nothing left to read, the driver is told where that is; then it is looked at once more.
  logic tell_q, known_told_q;
  index_t told_q;
  assign tell_o = tell_q;
  assign tell_index_o = told_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_q + $bits(waiting_q)'(asks) - $bits(waiting_q)'(came_i) - $bits(waiting_q)'(refused_i);
    if (asks && wants_look) begin
      if (what == AskLook) look_q <= 1'b0;
      looking_q <= 1'b1;
      report_q <= check_q;
      check_q <= 1'b0;
      guess_q <= open == '0 && what == AskLook;
    end
    if (look_i || told_i) look_q <= 1'b1;
    if (check_i) check_q <= 1'b1;
    if (told_i) tell_q <= 1'b0;
    if (place_i.event_index && known_q && open == '0 && !look_q && !looking_q && !ring_q && !tell_q && (told_q != next_q || !known_told_q)) begin
      tell_q <= 1'b1;
      told_q <= next_q;
      known_told_q <= 1'b1;
    end
    if (asks && wants_ring) begin
      ring_q <= 1'b1;
      run_q <= 6'(run);
      guess_q <= 1'b0;
      guessed_q <= open == '0;
      if (open != '0) next_q <= next_q + run;
    end
    if (asks && wants_head) begin
      taken_q[in_q] <= 1'b1;
      own_q[in_q] <= 1'b0;
      heads_q[in_q] <= head;
      links_q[in_q] <= '0;
      in_q <= in_q + 1'b1;
    end
    if (entry_pop) begin
      entries_q <= entries_q >> 16;
      left_q <= left_q - 1'b1;
    end
    if (got) begin
      unique case (asked.what)
        AskLook: begin
          looking_q <= 1'b0;
          available_q <= available;
          known_q <= 1'b1;
        end
        AskFlags: looking_q <= 1'b0;
        AskRing: begin
          ring_q <= 1'b0;
          entries_q <= shifted;
          left_q <= 6'(offered);
          if (guessed_q) next_q <= next_q + offered;
        end
        default:
        if (got_table) begin
          own_q[asked.chain] <= 1'b1;
          slots_q[asked.chain] <= links_t'(links_q[asked.chain]) + 1'b1;
        end else begin
          if (!own_q[asked.chain]) slots_q[asked.chain] <= links_t'(links_q[asked.chain]) + 1'b1;
          totals_q[asked.chain] <= total[16:0];
          if (follows) links_q[asked.chain] <= links_q[asked.chain] + 1'b1;
          else if (Writes) sizing_q[asked.chain] <= 1'b1;
          else whole_q[asked.chain] <= 1'b1;
        end
      endcase
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
        taken_q[out_q] <= 1'b0;
        out_q <= out_q + 1'b1;
      end
    end
    if (stop != StopNone) stopped_q <= 1'b1;
    if (rst_i) begin
      waiting_q <= '0;
      look_q <= 1'b1;
      looking_q <= 1'b0;
      check_q <= 1'b0;
      report_q <= 1'b0;
      tell_q <= 1'b0;
      known_told_q <= 1'b0;
      ring_q <= 1'b0;
      known_q <= 1'b0;
      guess_q <= 1'b0;
      next_q <= place_i.start;
      left_q <= '0;
      taken_q <= '0;
      sizing_q <= '0;
      whole_q <= '0;
      in_q <= '0;
      size_q <= '0;
      out_q <= '0;
      give_q <= '0;
      part_valid_q <= 1'b0;
      stopped_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, link_room, descriptor.flags[15:2], total[32:17], place_i.device, place_i.packed_ring, place_i.mergeable, place_i.verified, size_ready_i};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!came_i || asked_valid || stopped_q)
      else $error("virtqueue_split: what has not been asked for has come");
      assert (!next_valid_q || link_room)
      else $error("virtqueue_split: more links than chains");
    end
  end
endmodule
