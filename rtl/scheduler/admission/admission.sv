// SPDX-License-Identifier: Apache-2.0
// Decides which packets are queued, and which are evicted when room is short, in the cycle in which the
// packet is at the output of rank_stage; one packet per cycle.
//
// A droppable packet that is sound and has a right to its service is accepted if
//   its tenant, with this packet, is within its guarantee of cells and of entries; or
//   there is no shortage of room; or
//   it is better than the packet that would be evicted for it (admission_victim), which then is; but not while
//   half of the headroom is used up.
// There is a shortage in a channel if its free cells, and in the PIFO if its free entries, are fewer than the sum of
// the tenants' unused guarantees, the needs of lossless messages, and headroom for packets that are in flight
// until the shortage is noticed. A guarantee holds in each channel, so it is reserved in each.
//
// Packets are evicted one at a time, and only if their tenant stays above its guarantee once every eviction in
// flight is done. No packet is evicted from a queue with a lossless message: the last packet may be that one.
// Lossless messages do not count in the tenants' accounts; their tokens and places bound them (lossless_tokens).
module admission
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Channels = 2,
    parameter int unsigned ChannelCells = 1024,  // of each channel's buffer
    parameter int unsigned MaxPacketCells = 71,
    parameter int unsigned LosslessPackets = 4,  // each channel reserves room for this many of the largest size
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned QueueWidth = $clog2(Queues)
) (
    input logic clk_i,
    input logic rst_i,

    input tenant_policy_t policy_i[Tenants],
    input cells_t headroom_i,  // cells per channel for packets in flight
    input logic [Queues-1:0] circular_i,

    // From rank_stage, answered in the same cycle. No packets for Queues cycles after reset.
    input  logic                                in_valid_i,
    input  admission_request_t                  in_request_i,
    input  rank_t                               in_rank_i,
    input  logic                                in_beyond_i,
    output logic                                accept_o,      // push it, write the slot table
    output logic               [ SlotWidth-1:0] slot_o,        // of the accepted packet
    output logic               [QueueWidth-1:0] queue_o,
    output logic                                discard_o,     // dropped: free its cells

    // Every popped packet, once its entry has been read from the slot table.
    input logic                     release_valid_i,
    input logic                     release_evicted_i,
    input logic     [SlotWidth-1:0] release_slot_i,
    input service_t                 release_service_i,
    input tenant_t                  release_tenant_i,
    input cells_t                   release_cells_i,
    input logic                     release_lossless_i,

    // Pop the highest rank of this queue.
    output logic                  evict_valid_o,
    input  logic                  evict_ready_i,
    output logic [QueueWidth-1:0] evict_queue_o,

    // Whether a lossless message waits for room, and whether there is room for one of the largest size.
    input  logic                demand_i,
    output logic [Channels-1:0] ample_o,
    output logic                evicting_o,  // a packet is evicted, or can be

    // State of the packet buffers and of the PIFO.
    input cells_t              free_cells_i[Channels],
    input logic   [Queues-1:0] nonempty_i,
    input logic   [Queues-1:0] tail_valid_i,
    input logic   [Queues-1:0] tail_overdue_i,  // the tail's rank is that of overdue packets of its service
    input rank_t               overdue_rank_i[Services],
    output logic  [QueueWidth-1:0] tail_queue_o,
    input rank_t               tail_rank_i,          // of this queue

    // The fates of the arrival and of the released packet, for their counters.
    output logic        arrival_valid_o,
    output fate_event_t arrival_event_o,
    output logic        departure_valid_o,
    output fate_event_t departure_event_o,

    output cells_t used_cells_o  [Tenants],
    output cells_t used_entries_o[Tenants]
);
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "admission: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end
  if (ChannelCells < (LosslessPackets + 2) * MaxPacketCells) begin : gen_bad_cells
    $fatal(1, "admission: ChannelCells is %0d; with %0d lossless messages it must be at least %0d", ChannelCells,
           LosslessPackets, (LosslessPackets + 2) * MaxPacketCells);
  end

  localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1;
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  localparam int unsigned ChannelWidth = Channels > 1 ? $clog2(Channels) : 1;
  localparam int unsigned LosslessWidth = $clog2(LosslessPackets + 1);
  localparam int unsigned EntryHeadroom = 8;  // packets accepted before a shortage of entries is noticed, or while evictions are in flight
  localparam cells_t LosslessCells = cells_t'(LosslessPackets * MaxPacketCells);
  localparam int unsigned MaxOwed = 7;  // packets accepted at the cost of another whose eviction is outstanding

  function automatic logic [QueueWidth-1:0] queue_of(service_t service, tenant_t tenant);
    return QueueWidth'(32'(service) * Tenants + 32'(tenant));
  endfunction

  // ---- The accounts.
  logic slot_valid, take_account, give_account;
  logic [SlotWidth:0] free_entries;
  logic [Tenants-1:0] evictable_q;
  logic [1:0] pending_q;  // evictions in flight
  cells_t pending_cells_q, reserved_cells_q, reserved_entries_q;
  logic [Channels-1:0] short_q;
  logic entries_short_q, starving_q, evict;

  admission_slots #(
      .Entries(Entries)
  ) u_slots (
      .clk_i,
      .rst_i,
      .valid_o(slot_valid),
      .slot_o,
      .take_i(accept_o),
      .give_i(release_valid_i),
      .give_slot_i(release_slot_i),
      .free_o(free_entries)
  );

  assign take_account = accept_o && !in_request_i.lossless;
  assign give_account = release_valid_i && !release_lossless_i;

  // On the way out: evictions, and a packet that is released in this cycle, whose tenant's account changes with the next.
  logic dispatched;
  logic [2:0] outgoing;
  cells_t outgoing_cells;
  assign dispatched = release_valid_i && !release_evicted_i;
  assign outgoing = 3'(pending_q) + 3'(dispatched);
  assign outgoing_cells = pending_cells_q + (dispatched ? cells_t'(MaxPacketCells) : '0);

  // What each tenant has left, in two's complement and from registers, and whether the packet fits in it. This is computed for all
  // tenants in parallel and selected by the packet's tenant afterwards, which is faster. A change of policy takes effect a cycle later.
  cells_t cells_left[Tenants];  // of the guarantee
  cells_t entries_left[Tenants];
  typedef logic signed [CellsWidth:0] limit_t;
  limit_t limit_left[Tenants];
  logic [Tenants-1:0] in_guarantee, over_limit, limited_q;
  for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
    logic take, give;
    cells_t less_cells, less_entries, more_cells, more_entries;
    (* keep *) cells_t cells_after;  // with the packet; kept, so that the sum behind it has two terms
    cells_t cells_given, less_cells_left, less_entries_left, more_cells_left, more_entries_left;
    limit_t less_limit_left, more_limit_left;
    assign take = take_account && in_request_i.tenant == tenant_t'(t);
    assign give = give_account && release_tenant_i == tenant_t'(t);
    assign in_guarantee[t] = $signed(cells_left[t]) >= $signed(in_request_i.cells) && $signed(entries_left[t]) > 0;
    assign over_limit[t] = limited_q[t] && limit_left[t] < $signed({1'b0, in_request_i.cells});

    // Whether the packet is accepted is known late in the cycle, so the sums are computed for both cases. They are selected by ANDs
    // and ORs, because synthesis turns a multiplexer behind two adders into one adder behind a multiplexer. Each sum has two terms,
    // of which one may be the sum before it: synthesis builds a sum of more terms from four times the look-up tables.
    assign cells_given = give ? release_cells_i : '0;
    assign cells_after = used_cells_o[t] + in_request_i.cells;
    assign less_cells = used_cells_o[t] - cells_given;
    assign more_cells = cells_after - cells_given;
    assign less_entries = used_entries_o[t] - cells_t'(give);
    assign more_entries = used_entries_o[t] + cells_t'(!give);
    assign less_cells_left = policy_i[t].cells - less_cells;
    assign more_cells_left = policy_i[t].cells - more_cells;
    assign less_entries_left = policy_i[t].entries - less_entries;
    assign more_entries_left = policy_i[t].entries - more_entries;
    assign less_limit_left = limit_t'({1'b0, policy_i[t].limit}) - limit_t'({1'b0, less_cells});
    assign more_limit_left = limit_t'({1'b0, policy_i[t].limit}) - limit_t'({1'b0, more_cells});
    always_ff @(posedge clk_i) begin
      limited_q[t] <= policy_i[t].limit != '0;
      used_cells_o[t] <= (more_cells & {CellsWidth{take}}) | (less_cells & {CellsWidth{!take}});
      used_entries_o[t] <= (more_entries & {CellsWidth{take}}) | (less_entries & {CellsWidth{!take}});
      cells_left[t] <= (more_cells_left & {CellsWidth{take}}) | (less_cells_left & {CellsWidth{!take}});
      entries_left[t] <= (more_entries_left & {CellsWidth{take}}) | (less_entries_left & {CellsWidth{!take}});
      limit_left[t] <= (more_limit_left & {CellsWidth + 1{take}}) | (less_limit_left & {CellsWidth + 1{!take}});
      evictable_q[t] <= $signed(cells_left[t]) < -$signed(outgoing_cells)
          || $signed(entries_left[t]) < -$signed(cells_t'(outgoing));
      if (rst_i) begin
        used_cells_o[t] <= '0;
        used_entries_o[t] <= '0;
        cells_left[t] <= '0;
        entries_left[t] <= '0;
        limit_left[t] <= '0;
        evictable_q[t] <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i && give) begin
        assert (used_cells_o[t] >= release_cells_i && used_entries_o[t] != '0)
        else $error("admission: tenant %0d releases more than it holds", t);
      end
    end
  end

  // ---- Shortages, noticed after two cycles. The guarantees are added up in a tree: node n has the children 2n and 2n + 1.
  cells_t unused_cells[2*Tenants], unused_entries[2*Tenants];
  cells_t ample_q, needed_q, needed_in_demand_q, ample_least_q;
  always_comb begin
    unused_cells[0] = '0;
    unused_entries[0] = '0;
    for (int unsigned t = 0; t < Tenants; t++) begin
      unused_cells[Tenants+t] = cells_left[t] & {CellsWidth{!cells_left[t][CellsWidth-1]}};
      unused_entries[Tenants+t] = entries_left[t] & {CellsWidth{!entries_left[t][CellsWidth-1]}};
    end
    for (int unsigned n = Tenants - 1; n > 0; n--) begin
      unused_cells[n] = unused_cells[2*n] + unused_cells[2*n+1];
      unused_entries[n] = unused_entries[2*n] + unused_entries[2*n+1];
    end
  end

  logic [Channels-1:0] starving;
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    assign starving[c] = free_cells_i[c] < reserved_cells_q - (headroom_i >> 1);
    always_ff @(posedge clk_i) begin
      short_q[c] <= free_cells_i[c] < reserved_cells_q;
      ample_o[c] <= free_cells_i[c] >= ample_q;
      if (rst_i) ample_o[c] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    needed_q <= LosslessCells + headroom_i;
    needed_in_demand_q <= LosslessCells + headroom_i + cells_t'(MaxPacketCells);
    ample_least_q <= LosslessCells + headroom_i + cells_t'(MaxPacketCells) - (headroom_i >> 1);
    reserved_cells_q <= unused_cells[1] + (demand_i ? needed_in_demand_q : needed_q);
    ample_q <= unused_cells[1] + ample_least_q;
    reserved_entries_q <= unused_entries[1] + cells_t'(LosslessPackets + EntryHeadroom);
    entries_short_q <= cells_t'(free_entries) < reserved_entries_q;
    starving_q <= |starving || cells_t'(free_entries) < reserved_entries_q - cells_t'(EntryHeadroom / 2);
    if (rst_i) starving_q <= 1'b0;
  end

  // ---- The decision.
  logic known, sound, may, below, over, short_here, displaces, elsewhere, victim_valid, victim_circular, victim_seen_q, wait_q;
  logic [2:0] owed_q;
  logic [ServiceWidth-1:0] victim_service;
  logic [QueueWidth-1:0] victim_queue;
  rank_t victim_rank;
  logic [TenantWidth-1:0] tenant;
  fate_e fate;

  assign known = 32'(in_request_i.tenant) < Tenants;
  assign tenant = known ? in_request_i.tenant[TenantWidth-1:0] : '0;
  assign queue_o = queue_of(in_request_i.service, in_request_i.tenant);
  assign below = in_guarantee[tenant];
  assign over = in_beyond_i || over_limit[tenant];
  assign short_here = short_q[in_request_i.channel[ChannelWidth-1:0]] || entries_short_q;
  assign displaces = victim_seen_q && owed_q != 3'(MaxOwed) && !starving_q;
  assign elsewhere = ServiceWidth'(in_request_i.service) != victim_service;

  always_comb begin
    sound = 1'b0;
    if (in_request_i.overflow) fate = Overflow;
    else if (in_request_i.bad) fate = Void;
    else if (32'(in_request_i.service) >= Services || in_request_i.homeless) fate = BadService;
    else if (!known || !in_request_i.entitled) fate = NoRight;
    else begin
      sound = 1'b1;
      fate  = accept_o ? Accepted : Shortage;
    end
  end
  // A packet that has room, or displaces one of another service, or one of higher rank. A droppable packet does not wait for a slot; there is one for
  // every lossless message. What follows from this is late, and so is the comparison of the ranks.
  assign may = in_valid_i && sound && slot_valid;
  any_set #(
      .Width(3)
  ) u_accept (
      .bits_i({
        may && (in_request_i.lossless || (!over && (below || !short_here))),
        may && !over && displaces && elsewhere,
        may && !over && displaces && leaves_before(in_rank_i, victim_rank, victim_circular)
      }),
      .any_o(accept_o)
  );
  assign discard_o = in_valid_i && !accept_o && !in_request_i.overflow;

  assign arrival_valid_o = in_valid_i;
  assign arrival_event_o = '{service: in_request_i.service, tenant: in_request_i.tenant, fate: fate};
  assign departure_valid_o = release_valid_i;
  assign departure_event_o = '{
      service: release_service_i,
      tenant: release_tenant_i,
      fate: release_evicted_i ? Evicted : Dispatched
  };

  // ---- Lossless messages: how many are in each queue.
  logic [Queues-1:0] lossless_here, evictable;
  logic [QueueWidth-1:0] release_queue;
  assign release_queue = queue_of(release_service_i, release_tenant_i);
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    logic [LosslessWidth-1:0] lossless_q;
    logic come, leave, more_than_one;
    assign more_than_one = lossless_q > LosslessWidth'(1);
    assign come = in_valid_i && sound && slot_valid && in_request_i.lossless && queue_o == QueueWidth'(q);  // accepted, known earlier
    assign leave = release_valid_i && release_lossless_i && release_queue == QueueWidth'(q);
    always_ff @(posedge clk_i) begin
      if (come != leave) lossless_q <= come ? lossless_q + 1'b1 : lossless_q - 1'b1;
      lossless_here[q] <= come || more_than_one || (lossless_here[q] && !leave);
      if (rst_i) begin
        lossless_q <= '0;
        lossless_here[q] <= 1'b0;
      end
      if (!rst_i) assert (lossless_here[q] == (lossless_q != '0));
    end
    assign evictable[q] = nonempty_i[q] && evictable_q[q%Tenants] && !lossless_here[q];
  end

  // ---- Eviction.
  logic victim_ready, evicted;
  admission_victim #(
      .Services(Services),
      .Tenants(Tenants)
  ) u_victim (
      .clk_i,
      .rst_i,
      .ready_o(victim_ready),
      .come_valid_i(take_account),
      .come_queue_i(queue_o),
      .come_cells_i(in_request_i.cells),
      .leave_valid_i(give_account),
      .leave_queue_i(release_queue),
      .leave_cells_i(release_cells_i),
      .evictable_i(evictable),
      .circular_i,
      .tail_valid_i,
      .tail_overdue_i,
      .overdue_rank_i,
      .tail_queue_o,
      .tail_rank_i,
      .valid_o(victim_valid),
      .service_o(victim_service),
      .queue_o(victim_queue),
      .rank_o(victim_rank),
      .circular_o(victim_circular)
  );

  // evictable_q includes an eviction from the second cycle after it. A lossless message that arrives in this
  // cycle might be the one that is popped.
  assign evict_valid_o = victim_valid && !wait_q && !(in_valid_i && in_request_i.lossless) && pending_q != '1
      && (owed_q != '0 || (starving_q && pending_q == '0));
  assign evict_queue_o = victim_queue;
  assign evict = evict_valid_o && evict_ready_i;
  assign evicting_o = victim_valid || pending_q != '0;
  assign evicted = release_valid_i && release_evicted_i;

  // Whether there is a victim is known late, so an arrival is compared with the victim of the previous cycle.
  always_ff @(posedge clk_i) begin
    victim_seen_q <= victim_valid;
    wait_q <= evict;
    if (evict != evicted) begin
      pending_q <= evict ? pending_q + 1'b1 : pending_q - 1'b1;
      pending_cells_q <= pending_cells_q + (evict ? cells_t'(MaxPacketCells) : -cells_t'(MaxPacketCells));
    end
    if (evict != (accept_o && short_here && !in_request_i.lossless)) begin
      if (evict) owed_q <= owed_q - 3'(owed_q != '0);
      else if (owed_q != 3'(MaxOwed)) owed_q <= owed_q + 1'b1;
    end else if (short_q == '0 && !entries_short_q) owed_q <= '0;
    if (rst_i) begin
      victim_seen_q <= 1'b0;
      wait_q <= 1'b0;
      pending_q <= '0;
      pending_cells_q <= '0;
      owed_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && in_valid_i) begin
      assert (victim_ready)
      else $error("admission: a packet arrived before the memories were cleared");
      assert (!(in_request_i.lossless && sound && !accept_o))
      else $error("admission: no room for a lossless message");
    end
    if (!rst_i) begin
      assert (!evicted || (pending_q != '0 && !release_lossless_i))
      else $error("admission: a packet was evicted that must not be");
      assert (!(accept_o && discard_o));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      overflow_comes : cover (in_valid_i && fate == Overflow);
      void_comes : cover (in_valid_i && fate == Void);
      service_is_unknown : cover (in_valid_i && fate == BadService);
      right_is_missing : cover (in_valid_i && fate == NoRight && known);
      tenant_is_unknown : cover (in_valid_i && fate == NoRight && !known);
      over_the_limit : cover (in_valid_i && sound && fate == Shortage && over_limit[tenant]);
      beyond_the_reach : cover (in_valid_i && sound && fate == Shortage && in_beyond_i);
      not_better : cover (in_valid_i && sound && fate == Shortage && !over && slot_valid);
      no_slot : cover (in_valid_i && sound && !slot_valid);
      lossless_while_short : cover (accept_o && in_request_i.lossless && short_here);
      guaranteed_while_short : cover (accept_o && !in_request_i.lossless && short_here && below);
      displaces_another : cover (accept_o && !in_request_i.lossless && short_here && !below);
      entries_are_short : cover (in_valid_i && entries_short_q && short_q == '0);
      owes_all_it_may : cover (in_valid_i && owed_q == 3'(MaxOwed));
      evicts_for_headroom : cover (evict && owed_q == '0);
      eviction_waits_for_the_port : cover (evict_valid_o && !evict_ready_i);
      eviction_waits_for_lossless : cover (victim_valid && owed_q != '0 && in_valid_i && in_request_i.lossless);
      most_evictions_on_their_way : cover (pending_q == '1);
      comes_and_leaves : cover (accept_o && release_valid_i && queue_o == release_queue);
    end
  end
endmodule
