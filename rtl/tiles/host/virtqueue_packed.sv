// SPDX-License-Identifier: Apache-2.0
// Walks a packed virtqueue: reads the ring's descriptors ahead, flit by flit, as far as the driver has made them available, and gives complete chains
// in order, descriptor by descriptor.
//
// look -> flits of the ring -> descriptors, one per cycle -> virtqueue_packed_chains -> parts
//                                 and flits of the tables that they name ----^
//
// At a descriptor that is not available the walk returns to the head of its chain and discards what was read ahead; it goes on after the next look.
// The more it finds, the more flits it reads ahead. One read per cycle, answers in order. The first mistake stops the queue (stop_o). No input but
// part_ready_i holds it back.
module virtqueue_packed
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,  // that have been read and not yet given
    parameter int unsigned Links = 32,  // most descriptors of a chain
    parameter bit Writes = 1'b0,  // the device writes to its buffers
    parameter bit Answers = 1'b0,  // it reads the first buffers of a chain and writes to the others, of which there is at least one
    parameter int unsigned LeastBytes = 1,  // of a chain
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes  // if frames may be cut into segments
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,  // requests nothing more
    output logic   busy_o,  // something requested has not come
    output stop_e  stop_o,  // for a cycle: the mistake

    input  logic look_i,  // the driver may have offered more
    input  logic check_i,  // asks what the driver says about interrupts now; one question at a time
    output logic checked_o,
    output logic [31:0] said_o,  // its event suppression structure
    output logic tell_o,  // the driver is to notify when it makes the descriptor at tell_index_o available
    output logic [15:0] tell_index_o,  // {wrap counter, slot}
    input  logic told_i,  // the request is in memory

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
    $fatal(1, "virtqueue_packed: Chains is %0d; it must be a power of two, at least 2", Chains);
  end
  if (Links < 2 || Links > MostLinks || (Links & (Links - 1)) != 0) begin : gen_bad_links
    $fatal(1, "virtqueue_packed: Links is %0d; it must be a power of two from 2 to %0d", Links, MostLinks);
  end

  localparam int unsigned Ahead = FlitBytes >= 128 ? 8 : 16;  // most flits of the ring that are in flight or wait
  localparam int unsigned LeastAhead = 2;
  localparam int unsigned SlotBits = $clog2(DescriptorBytes);

  typedef logic [14:0] slot_t;
  typedef logic [$clog2(Ahead):0] flits_t;
  typedef enum logic [1:0] {
    AskFlags,
    AskRing,
    AskTable
  } what_e;

  logic stopped_q;
  // The last slot of the ring, whose place does not change while it is walked; and the last descriptor that a chain may have, from 0.
  slot_t last_slot;
  links_t last_link;
  always_ff @(posedge clk_i) begin
    last_slot <= slot_t'(place_i.size - 1'b1);
    last_link <= place_i.size > 16'(Links) ? links_t'(Links - 1) : links_t'(place_i.size - 1'b1);
  end

  // What to request: whether the driver wants interrupts, the next flit of a table, or the next flit of the ring.
  logic look_q, walk_q;  // a look is wanted; the last descriptor that was checked was available
  logic check_q;
  slot_t ask_slot_q;
  flits_t out_q, live_q, stale_q, window_q;  // flits: requested and not consumed; of this walk and not checked; to be discarded; read ahead
  logic wants_flags, wants_table, wants_ring, reads_table, asks, asks_ring, asks_table, asked_ready, asked_valid;
  what_e what, asked;
  addr_t table_addr_q;
  links_t table_left_q;  // descriptors of a table that have not been requested
  flits_t table_flits_q;  // of tables: requested and not consumed
  // Whether there are any, as a register of its own: much waits for it.
  logic reads_table_q;
  assign reads_table = reads_table_q;

  // The next flit of the ring, computed in the cycle after each change of its slot.
  typedef logic [$clog2(MostLinks):0] run_t;  // descriptors
  logic ring_known_q, ring_wraps_q;
  addr_t ring_addr_q;
  run_t ring_run, ring_run_q, table_run;
  logic [15:0] to_end;
  logic back;
  function automatic run_t in_flit(input lane_t at);
    in_flit = run_t'((FlitBytes - 32'(at)) / DescriptorBytes);
  endfunction
  assign to_end = place_i.size - 16'(ask_slot_q);
  assign ring_run = in_flit(place_i.descriptors[EmptyWidth-1:0] + lane_t'({ask_slot_q, SlotBits'(0)}));
  assign table_run = in_flit(table_addr_q[EmptyWidth-1:0]) < run_t'(table_left_q) ? in_flit(table_addr_q[EmptyWidth-1:0]) : run_t'(table_left_q);
  always_ff @(posedge clk_i) begin
    ring_known_q <= !asks_ring && !back;
    ring_addr_q <= place_i.descriptors + addr_t'({ask_slot_q, SlotBits'(0)});
    ring_wraps_q <= to_end <= 16'(ring_run);
    ring_run_q <= to_end <= 16'(ring_run) ? run_t'(to_end) : ring_run;
    if (rst_i) ring_known_q <= 1'b0;
  end
  always_comb begin
    ask_o = '{addr: ring_addr_q, bytes: bytes_t'({ring_run_q, SlotBits'(0)})};
    what  = AskRing;
    if (wants_flags) begin
      ask_o = '{addr: place_i.driver, bytes: bytes_t'(4)};
      what  = AskFlags;
    end else if (wants_table) begin
      ask_o = '{addr: table_addr_q, bytes: bytes_t'({table_run, SlotBits'(0)})};
      what  = AskTable;
    end
  end
  assign wants_flags = check_q;
  assign wants_table = !wants_flags && reads_table && table_flits_q < flits_t'(Ahead);
  assign wants_ring = !wants_flags && !wants_table && ring_known_q && out_q < flits_t'(Ahead) && (live_q == '0 ? look_q || walk_q : walk_q && live_q < window_q);
  assign ask_valid_o = (wants_flags || wants_table || wants_ring) && asked_ready && !halt_i && !stopped_q;
  assign asks = ask_valid_o && ask_ready_i;
  assign asks_ring = asks && wants_ring;
  assign asks_table = asks && wants_table;
  fifo #(
      .T(what_e),
      .Depth(4 * Ahead)
  ) u_asked (
      .clk_i,
      .rst_i,
      .in_valid_i(asks),
      .in_ready_o(asked_ready),
      .in_data_i(what),
      .out_valid_o(asked_valid),
      .out_ready_i(came_i),
      .out_data_o(asked)
  );

  // Flits of the ring, and the descriptors in them.
  logic got, flit_valid, flit_pop, flit_room;
  logic [W-1:0] flit;
  assign got = came_i && asked_valid && !came_error_i && !stopped_q;
  fifo #(
      .T(logic [W-1:0]),
      .Depth(Ahead)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_valid_i(got && asked == AskRing),
      .in_ready_o(flit_room),
      .in_data_i(came_data_i),
      .out_valid_o(flit_valid),
      .out_ready_i(flit_pop),
      .out_data_o(flit)
  );
  slot_t take_slot_q;
  lane_t lane;  // of a descriptor in its flit
  packed_descriptor_t taken;
  logic takes, takes_last, check_ready, stale, backed_q;  // backed_q: the walk went back in the cycle before, so all flits are to be discarded
  assign lane = place_i.descriptors[EmptyWidth-1:0] + lane_t'({take_slot_q, SlotBits'(0)});
  always_comb begin
    taken = '0;
    for (int unsigned b = 0; b < FlitBytes; b += DescriptorBytes) begin
      if (lane == lane_t'(b)) taken |= packed_descriptor_t'(flit[8*b+:8*DescriptorBytes]);
    end
  end
  assign stale = backed_q || stale_q != '0;
  assign takes = flit_valid && !stale && check_ready;
  assign takes_last = lane == lane_t'(FlitBytes - DescriptorBytes) || take_slot_q == last_slot;
  assign flit_pop = flit_valid && (stale || (takes && takes_last));

  // One descriptor: is it available?
  packed_descriptor_t one_q;
  logic one_valid_q, one_ends_q;  // it is the last of its flit
  slot_t slot_q, head_slot_q;  // its place; the head of its chain
  logic wrap_q, head_wrap_q;
  links_t links_q;  // of the chain, before this one
  logic available, follows, indirect, accept, forgets, found_ready, too_long;
  assign available = one_q.flags[PackedAvailable] == wrap_q && one_q.flags[PackedUsed] != wrap_q;
  assign follows = one_q.flags[PackedNext];
  assign indirect = one_q.flags[PackedIndirect];
  assign too_long = links_q == last_link;
  assign accept = one_valid_q && available && found_ready && !(indirect && reads_table) && !stopped_q;
  assign back = one_valid_q && !available && (found_ready || links_q == '0) && !stopped_q;
  assign forgets = back && links_q != '0;
  assign check_ready = !one_valid_q || accept;

  stop_e stop, chains_stop;
  always_comb begin
    stop = StopNone;
    if (accept) begin
      if (indirect && (!place_i.indirect || follows || (one_q.flags & ~(PackedFlags | 16'(1 << PackedIndirect))) != '0)) stop = StopFlags;
      else if (indirect && one_q.bytes == '0) stop = StopZero;
      else if (indirect && one_q.bytes[SlotBits-1:0] != '0) stop = StopSize;
      else if (indirect && one_q.bytes > long_t'(Links * DescriptorBytes)) stop = StopChain;
      else if (indirect && one_q.addr[SlotBits-1:0] != '0) stop = StopSetup;
      else if (follows && too_long) stop = StopChain;
    end
    if (chains_stop != StopNone) stop = chains_stop;
    if (came_i && came_error_i) stop = StopBus;
    if (refused_i) stop = StopRefused;
    if (stopped_q) stop = StopNone;
  end
  assign stop_o = stop;

  logic table_pop;
  virtqueue_packed_chains #(
      .Chains(Chains),
      .Links(Links),
      .TableFlits(Ahead),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_chains (
      .clk_i,
      .rst_i,
      .stopped_i(stopped_q),
      .long_i(place_i.segments != '0),
      .stop_o(chains_stop),
      .found_valid_i(accept || forgets),
      .found_ready_o(found_ready),
      .found_i('{forget: forgets, indirect: indirect && available, name: '{links: links_q + 1'b1, id: one_q.id}, descriptor: one_q}),
      .flit_valid_i(got && asked == AskTable),
      .flit_i(came_data_i),
      .flit_pop_o(table_pop),
      .size_valid_o,
      .size_ready_i,
      .size_o,
      .part_valid_o,
      .part_ready_i,
      .part_o
  );

  logic [$clog2(4*Ahead)+1:0] waiting_q;  // reads
  assign busy_o = waiting_q != '0;
  always_ff @(posedge clk_i) begin
    checked_o <= got && asked == AskFlags;
    said_o <= 32'(came_data_i >> {place_i.driver[EmptyWidth-1:0], 3'd0});
    if (rst_i) checked_o <= 1'b0;
  end

  // When there is nothing left to read, the driver is told at which descriptor to notify; then the ring is looked at
  // once more.
  logic tell_q, known_told_q, idle;
  logic [15:0] told_q;
  assign idle = !walk_q && !look_q;
  assign tell_o = tell_q;
  assign tell_index_o = told_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_q + $bits(waiting_q)'(asks) - $bits(waiting_q)'(came_i) - $bits(waiting_q)'(refused_i);
    if (asks && wants_flags) check_q <= 1'b0;
    if (check_i) check_q <= 1'b1;
    out_q <= out_q + flits_t'(asks_ring) - flits_t'(flit_pop);
    live_q <= live_q + flits_t'(asks_ring) - flits_t'(accept && one_ends_q);
    backed_q <= back;
    if (backed_q) stale_q <= out_q - flits_t'(flit_valid);
    else if (stale_q != '0 && flit_valid) stale_q <= stale_q - 1'b1;
    if (asks_ring) begin
      ask_slot_q <= ring_wraps_q ? '0 : ask_slot_q + slot_t'(ring_run_q);
      walk_q <= 1'b1;
      if (live_q == '0) look_q <= 1'b0;
    end
    if (check_ready) begin
      one_valid_q <= takes;
      one_q <= taken;
      one_ends_q <= takes_last;
      if (takes) take_slot_q <= take_slot_q == last_slot ? '0 : take_slot_q + 1'b1;
    end
    if (accept) begin
      slot_q <= slot_q == last_slot ? '0 : slot_q + 1'b1;
      wrap_q <= wrap_q ^ (slot_q == last_slot);
      links_q <= follows ? links_q + 1'b1 : '0;
      if (!follows) begin
        head_slot_q <= slot_q == last_slot ? '0 : slot_q + 1'b1;
        head_wrap_q <= wrap_q ^ (slot_q == last_slot);
      end
      if (one_ends_q && window_q != flits_t'(Ahead)) window_q <= window_q + 1'b1;
    end
    if (back) begin
      walk_q <= 1'b0;
      live_q <= '0;
      window_q <= window_q >> 1 < flits_t'(LeastAhead) ? flits_t'(LeastAhead) : window_q >> 1;
      one_valid_q <= 1'b0;
      ask_slot_q <= head_slot_q;
      take_slot_q <= head_slot_q;
      slot_q <= head_slot_q;
      wrap_q <= head_wrap_q;
      links_q <= '0;
    end
    if (accept && indirect) begin
      table_addr_q <= one_q.addr;
      table_left_q <= links_t'(one_q.bytes >> SlotBits);
      reads_table_q <= links_t'(one_q.bytes >> SlotBits) != '0;
    end
    if (asks_table) begin
      table_addr_q <= table_addr_q + addr_t'({table_run, SlotBits'(0)});
      table_left_q <= table_left_q - links_t'(table_run);
      reads_table_q <= table_left_q > links_t'(in_flit(table_addr_q[EmptyWidth-1:0]));
    end
    table_flits_q <= table_flits_q + flits_t'(asks_table) - flits_t'(table_pop);
    if (look_i || told_i) look_q <= 1'b1;
    if (told_i) tell_q <= 1'b0;
    if (place_i.event_index && idle && !tell_q && (told_q != {head_wrap_q, head_slot_q} || !known_told_q)) begin
      tell_q <= 1'b1;
      told_q <= {head_wrap_q, head_slot_q};
      known_told_q <= 1'b1;
    end
    if (stop != StopNone) stopped_q <= 1'b1;
    if (rst_i) begin
      waiting_q <= '0;
      check_q <= 1'b0;
      tell_q <= 1'b0;
      known_told_q <= 1'b0;
      look_q <= 1'b1;
      walk_q <= 1'b0;
      out_q <= '0;
      live_q <= '0;
      stale_q <= '0;
      backed_q <= 1'b0;
      window_q <= flits_t'(LeastAhead);
      ask_slot_q <= place_i.start[14:0];
      take_slot_q <= place_i.start[14:0];
      slot_q <= place_i.start[14:0];
      head_slot_q <= place_i.start[14:0];
      wrap_q <= place_i.start[15];
      head_wrap_q <= place_i.start[15];
      one_valid_q <= 1'b0;
      links_q <= '0;
      table_left_q <= '0;
      reads_table_q <= 1'b0;
      table_flits_q <= '0;
      stopped_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, flit_room, place_i.device, place_i.packed_ring, place_i.mergeable, place_i.verified};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!came_i || asked_valid || stopped_q)
      else $error("virtqueue_packed: what has not been asked for has come");
      assert (!(got && asked == AskRing) || flit_room)
      else $error("virtqueue_packed: more flits of the ring than there is room for");
      assert (!back || live_q != '0)
      else $error("virtqueue_packed: a descriptor is checked that nobody has asked for");
      assert (!(backed_q && asks_ring))
      else $error("virtqueue_packed: a flit that will not be forgotten is asked for too early");
      assert (stale_q <= out_q)
      else $error("virtqueue_packed: more flits are to be forgotten than will come");
    end
  end
endmodule
