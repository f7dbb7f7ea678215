// SPDX-License-Identifier: Apache-2.0
// The central scheduler without its registers: packets come in by any channel, wait in the PIFO of
// their service and tenant, and leave by the channel they are stored in when a unit has a credit.
//
//   in -> packet_buffer -> (turn) -> rank_stage -> admission --> pifo, slot_table
//                                                     | evict      | pop
//   out <- packet_buffer <- launch_queue <- route_maker <- slot_table <- dispatcher <- credit_manager
//
// Cycles without load: last flit in at 0, stored at 1, ranked and queued at 3, picked at 4, popped
// at 5, slot known at 7, entry read at 8, first flit out at 9.
module scheduler_core
  import girih_pkg::*, sched_pkg::credit_t;
  import policy_pkg::cells_t, policy_pkg::fate_event_t, policy_pkg::service_policy_t;
  import policy_pkg::tenant_policy_t;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Units = 8,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Cells = 1024,  // of each channel
    parameter int unsigned CellFlits = 2,
    parameter int unsigned LosslessSlots = 2,  // lossless packets that a unit has room for
    parameter int unsigned LosslessPackets = 4,  // in the region of the chains, at most
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input timestamp_t now_i,
    input logic counters_ready_i,  // low only after reset: packets wait

    input  logic  [Channels-1:0] in_valid_i,
    output logic  [Channels-1:0] in_ready_o,
    input  flit_t in_flit_i[Channels],

    output logic  [Channels-1:0] out_valid_o,
    input  logic  [Channels-1:0] out_ready_i,
    output flit_t out_flit_o[Channels],

    input credit_t credit_i[Units],

    // Configuration.
    input service_policy_t service_policy_i[Services],
    input logic [Services-1:0] affinity_i,
    input logic [Services-1:0][1:0] push_i,  // packets are pushed to it: 0 never, 1 if a unit has a credit, 2 always
    input tenant_policy_t tenant_policy_i[Tenants],
    input cells_t headroom_i,
    input logic [Units-1:0] unit_enabled_i,
    input logic [Units-1:0][3:0] unit_service_i,
    input logic [Units-1:0][7:0] unit_credits_i,
    input node_t [Units-1:0] unit_node_i,
    input logic class_write_i,
    input logic [8:0] class_addr_i,
    input logic [31:0] class_data_i,
    output logic [31:0] class_data_o,

    // What became of packets: on arrival, and when popped.
    output logic [1:0] fate_valid_o,
    output fate_event_t fate_o[2],
    output logic wait_valid_o,  // a packet of wait_service_o left after wait_o cycles here
    output logic [ServiceWidth-1:0] wait_service_o,
    output timestamp_t wait_o,

    // State.
    output logic [$clog2(Entries+1)-1:0] count_o[Queues],
    output logic [Queues-1:0] head_valid_o,
    output policy_pkg::rank_t head_rank_o[Queues],
    output logic signed [Units-1:0][10:0] credits_o,
    output cells_t free_cells_o[Channels],
    output cells_t used_cells_o[Tenants],
    output cells_t used_entries_o[Tenants]
);
  if (Tenants > 16 || (Tenants & (Tenants - 1)) != 0) begin : gen_bad_tenants
    $fatal(1, "scheduler_core: Tenants is %0d; it must be a power of two, at most 16", Tenants);
  end
  if (Services > 15) begin : gen_bad_services
    $fatal(1, "scheduler_core: Services is %0d; it must be at most 15", Services);
  end
  if (Queues < 2) begin : gen_bad_queues
    $fatal(1, "scheduler_core: %0d services and %0d tenants; there must be at least two queues", Services, Tenants);
  end

  localparam int unsigned PopLatency = 2;
  localparam int unsigned MaxPacketCells = (MaxFrameFlits + CellFlits - 1) / CellFlits;
  localparam int unsigned QueueWidth = $clog2(Queues);
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  localparam int unsigned SlotWidth = $clog2(Entries);
  localparam int unsigned CellWidth = $clog2(Cells);
  localparam int unsigned ChannelWidth = Channels > 1 ? $clog2(Channels) : 1;

  typedef struct packed {
    logic [CellWidth-1:0] first;
    logic [CellWidth-1:0] last;
    logic [CellWidth:0] cells;
  } handle_t;

  // A stored packet on its way into a queue, and its entry in the slot table.
  typedef struct packed {
    logic [ChannelWidth-1:0] channel;
    handle_t handle;
    length_t flits;
    length_t length;
    timestamp_t since;
    descriptor_t desc;
  } entry_t;

  // What only admission asks about it.
  typedef struct packed {
    entry_t entry;
    logic [3:0] service;
    logic bad;
    logic overflow;
    logic stored;  // it has cells
  } arrival_t;

  // Channels, and one of their stored packets per cycle.
  logic [Channels-1:0] stored_valid, stored_turn, token_taken, launch_valid, drop_valid, evict_valid, evict_room;
  arrival_t stored[Channels];
  logic token, rank_ready, pifo_ready, ready;
  assign ready = rank_ready && pifo_ready && counters_ready_i;
  arrival_t arriving;
  entry_t leaving;
  descriptor_t launch_desc;

  arbiter_round_robin #(
      .N(Channels)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i(stored_valid),
      .advance_i(ready),
      .grant_o(stored_turn)
  );
  always_comb begin
    arriving = '0;
    for (int unsigned c = 0; c < Channels; c++) if (stored_turn[c]) arriving |= stored[c];
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [CellWidth:0] free_cells;
    handle_t handle;
    length_t flits, length;
    descriptor_t desc;
    logic bad, overflow;
    assign free_cells_o[c] = cells_t'(free_cells);

    scheduler_channel #(
        .handle_t(handle_t),
        .Units(Units),
        .Cells(Cells),
        .CellFlits(CellFlits),
        .Reserve(LosslessPackets * MaxPacketCells),
        .EvictionsOnTheWay(PopLatency + 2)
    ) u_channel (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid_i[c]),
        .in_ready_o(in_ready_o[c]),
        .in_flit_i(in_flit_i[c]),
        .out_valid_o(out_valid_o[c]),
        .out_ready_i(out_ready_i[c]),
        .out_flit_o(out_flit_o[c]),
        .unit_enabled_i,
        .unit_node_i,
        .token_i(token),
        .token_taken_o(token_taken[c]),
        .stored_valid_o(stored_valid[c]),
        .stored_ready_i(stored_turn[c] && ready),
        .stored_handle_o(handle),
        .stored_flits_o(flits),
        .stored_length_o(length),
        .stored_bad_o(bad),
        .stored_overflow_o(overflow),
        .stored_desc_o(desc),
        .launch_valid_i(launch_valid[c]),
        .launch_handle_i(leaving.handle),
        .launch_length_i(leaving.length),
        .launch_desc_i(launch_desc),
        .drop_valid_i(drop_valid[c]),
        .drop_handle_i(ranked.entry.handle),
        .evict_valid_i(evict_valid[c]),
        .evict_handle_i(leaving.handle),
        .evict_room_o(evict_room[c]),
        .free_cells_o(free_cells)
    );

    // A packet with nothing left in its chain has lost its way.
    assign stored[c] = '{
        entry: '{
            channel: ChannelWidth'(c),
            handle: handle,
            flits: flits,
            length: length,
            since: now_i,
            desc: desc
        },
        service: desc.chain[0].service,
        bad: bad || desc.chain_count == '0,
        overflow: overflow,
        stored: !bad && !overflow
    };
  end

  // Rank and admission.
  logic ranked_valid, accept, discard, beyond;
  arrival_t ranked;
  policy_pkg::rank_t ranked_rank;
  logic [Queues-1:0] circular;
  logic [SlotWidth-1:0] accept_slot;
  logic [QueueWidth-1:0] accept_queue;
  logic popped_valid, popped_highest;
  logic [SlotWidth-1:0] popped_slot;
  logic [QueueWidth-1:0] popped_queue;
  policy_pkg::rank_t popped_rank;

  function automatic logic [3:0] service_of(logic [QueueWidth-1:0] queue);
    return 4'(32'(queue) / Tenants);
  endfunction
  function automatic tenant_t tenant_of(logic [QueueWidth-1:0] queue);
    return tenant_t'(32'(queue) % Tenants);
  endfunction

  rank_stage #(
      .T(arrival_t),
      .Services(Services),
      .Tenants(Tenants)
  ) u_rank (
      .clk_i,
      .rst_i,
      .now_i,
      .policy_i(service_policy_i),
      .class_write_i,
      .class_addr_i,
      .class_data_i,
      .class_data_o,
      .in_valid_i(|stored_valid && pifo_ready && counters_ready_i),
      .in_ready_o(rank_ready),
      .in_request_i('{
          service: arriving.service,
          tenant: arriving.entry.desc.tenant,
          rank_class: arriving.entry.desc.chain[0].rank_class,
          length: arriving.entry.length,
          timestamp: arriving.entry.desc.timestamp_valid ? arriving.entry.desc.timestamp : now_i,
          rank_valid: arriving.entry.desc.rank_valid,
          rank: arriving.entry.desc.rank,
          detoured: arriving.entry.desc.detoured
      }),
      .in_payload_i(arriving),
      .out_valid_o(ranked_valid),
      .accept_i(accept),
      .out_rank_o(ranked_rank),
      .out_beyond_o(beyond),
      .out_payload_o(ranked),
      .dequeued_valid_i(popped_valid && !popped_highest),
      .dequeued_service_i(service_of(popped_queue)),
      .dequeued_tenant_i(tenant_of(popped_queue)),
      .dequeued_rank_i(popped_rank),
      .circular_o(circular)
  );

  logic [15:0] has_unit;
  logic evict_request, evict_ready, leave, leave_evicted, lossless_left;
  logic [QueueWidth-1:0] evict_queue;
  logic [SlotWidth-1:0] leave_slot_q, slot;
  logic read_slot;
  logic [ServiceWidth-1:0] leave_service;
  logic [Queues-1:0] tail_valid;
  policy_pkg::rank_t tail_rank[Queues];

  // A service that no unit implements is none, to all but lossless packets, which wait for one.
  logic homeless;
  fate_event_t arrival_fate;
  assign homeless = !ranked.entry.desc.lossless && !has_unit[ranked.service];
  always_comb begin
    fate_o[0] = arrival_fate;
    fate_o[0].service = ranked.service;
  end

  admission #(
      .Services(Services),
      .Tenants(Tenants),
      .Entries(Entries),
      .Channels(Channels),
      .ChannelCells(Cells),
      .MaxPacketCells(MaxPacketCells),
      .LosslessPackets(LosslessPackets)
  ) u_admission (
      .clk_i,
      .rst_i,
      .policy_i(tenant_policy_i),
      .headroom_i,
      .circular_i(circular),
      .in_valid_i(ranked_valid),
      .in_request_i('{
          service: homeless ? '1 : ranked.service,
          tenant: ranked.entry.desc.tenant,
          channel: 4'(ranked.entry.channel),
          cells: cells_t'(ranked.entry.handle.cells),
          lossless: ranked.entry.desc.lossless,
          bad: ranked.bad,
          overflow: ranked.overflow
      }),
      .in_rank_i(ranked_rank),
      .in_beyond_i(beyond),
      .accept_o(accept),
      .slot_o(accept_slot),
      .queue_o(accept_queue),
      .discard_o(discard),
      .release_valid_i(leave),
      .release_evicted_i(leave_evicted),
      .release_slot_i(leave_slot_q),
      .release_service_i(4'(leave_service)),
      .release_tenant_i(leaving.desc.tenant),
      .release_cells_i(cells_t'(leaving.handle.cells)),
      .release_lossless_i(leaving.desc.lossless),
      .evict_valid_o(evict_request),
      .evict_ready_i(evict_ready),
      .evict_queue_o(evict_queue),
      .free_cells_i(free_cells_o),
      .nonempty_i(busy),
      .tail_valid_i(tail_valid),
      .tail_rank_i(tail_rank),
      .lossless_ready_o(token),
      .lossless_enter_i(token_taken),
      .lossless_leave_i(lossless_left),
      .arrival_valid_o(fate_valid_o[0]),
      .arrival_event_o(arrival_fate),
      .departure_valid_o(fate_valid_o[1]),
      .departure_event_o(fate_o[1]),
      .used_cells_o,
      .used_entries_o
  );

  slot_table #(
      .T(entry_t),
      .Entries(Entries)
  ) u_slots (
      .clk_i,
      .rst_i,
      .write_i(accept),
      .write_slot_i(accept_slot),
      .write_data_i(ranked.entry),
      .read_i(read_slot),
      .read_slot_i(slot),
      .read_data_o(leaving)
  );

  pifo #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth($bits(policy_pkg::rank_t))
  ) u_pifo (
      .clk_i,
      .rst_i,
      .ready_o(pifo_ready),
      .circular_i(circular),
      .push_valid_i(accept),
      .push_queue_i(accept_queue),
      .push_rank_i(ranked_rank),
      .push_slot_i(accept_slot),
      .pop_valid_i(pop_valid),
      .pop_queue_i(pop_queue),
      .pop_highest_i(pop_highest),
      .popped_valid_o(popped_valid),
      .popped_slot_o(popped_slot),
      .popped_rank_o(popped_rank),
      .popped_queue_o(popped_queue),
      .popped_highest_o(popped_highest),
      .count_o,
      .head_valid_o,
      .head_rank_o,
      .tail_valid_o(tail_valid),
      .tail_rank_o(tail_rank)
  );

  // What each service would send.
  logic pop_valid, pop_highest;
  logic [QueueWidth-1:0] pop_queue;
  logic [Queues-1:0] busy;
  logic [Services-1:0] pick_valid, picked, lossless_present;
  logic [Services-1:0][TenantWidth-1:0] pick_tenant;
  logic [Tenants-1:0] eligible[Services];
  logic share_valid[Services];
  tenant_t share_tenant[Services];
  logic [11:0] inverse_weight[Tenants];

  for (genvar q = 0; q < Queues; q++) begin : gen_busy
    assign busy[q] = count_o[q] != '0;
  end
  for (genvar t = 0; t < Tenants; t++) begin : gen_weight
    assign inverse_weight[t] = tenant_policy_i[t].inverse_weight;
  end

  for (genvar s = 0; s < Services; s++) begin : gen_service
    policy_pkg::rank_t head_rank[Tenants];
    for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
      assign head_rank[t] = head_rank_o[s*Tenants+t];
    end

    service_pick #(
        .Tenants(Tenants)
    ) u_pick (
        .clk_i,
        .rst_i,
        .shaped_i(service_policy_i[s].policy == policy_pkg::Shaped),
        .hierarchy_i(service_policy_i[s].hierarchy),
        .shift_i(service_policy_i[s].shift),
        .circular_i(circular[s*Tenants]),
        .now_i,
        .nonempty_i(busy[s*Tenants+:Tenants]),
        .head_valid_i(head_valid_o[s*Tenants+:Tenants]),
        .head_rank_i(head_rank),
        .eligible_o(eligible[s]),
        .share_valid_i(share_valid[s]),
        .share_tenant_i(share_tenant[s]),
        .pick_valid_o(pick_valid[s]),
        .pick_tenant_o(pick_tenant[s]),
        .popped_i(picked[s])
    );

    // Lossless packets that are queued or popped and not yet recognised.
    logic [SlotWidth:0] lossless_q;
    logic lossless_comes, lossless_leaves;
    assign lossless_comes = accept && ranked.entry.desc.lossless && service_of(accept_queue) == 4'(s);
    assign lossless_leaves = leave && leaving.desc.lossless && leave_service == ServiceWidth'(s);
    assign lossless_present[s] = lossless_q != '0;
    always_ff @(posedge clk_i) begin
      if (lossless_comes != lossless_leaves) lossless_q <= lossless_comes ? lossless_q + 1'b1 : lossless_q - 1'b1;
      if (rst_i) lossless_q <= '0;
    end
  end

  tenant_share #(
      .Services(Services),
      .Tenants(Tenants)
  ) u_share (
      .clk_i,
      .rst_i,
      .inverse_weight_i(inverse_weight),
      .nonempty_i(eligible),
      .valid_o(share_valid),
      .tenant_o(share_tenant),
      .charge_valid_i(leave && !leave_evicted),
      .charge_service_i(4'(leave_service)),
      .charge_tenant_i(leaving.desc.tenant),
      .charge_length_i(leaving.length)
  );

  // Credits.
  logic take, take_lossless, leave_lossless;
  logic [UnitWidth-1:0] take_unit, leave_unit;
  logic [Units-1:0] free, lossless_free;
  logic [Services-1:0] best_valid, best_free, best_lossless_free, unused_flow_free, unused_flow_lossless_free;
  logic [Services-1:0][UnitWidth-1:0] best_unit, flow_unit;
  node_t [Services-1:0] best_node, unused_flow_node;

  credit_manager #(
      .Units(Units),
      .Services(Services),
      .LosslessSlots(LosslessSlots)
  ) u_credits (
      .clk_i,
      .rst_i,
      .credit_i,
      .unit_enabled_i,
      .unit_service_i,
      .unit_credits_i,
      .unit_node_i,
      .affinity_i,
      .consume_valid_i(take),
      .consume_unit_i(take_unit),
      .consume_lossless_i(take_lossless),
      .spare_valid_i(leave && !leave_evicted && leave_lossless && !leaving.desc.lossless),
      .spare_unit_i(leave_unit),
      .credit_ok_o(free),
      .lossless_ok_o(lossless_free),
      .best_valid_o(best_valid),
      .best_credit_ok_o(best_free),
      .best_lossless_ok_o(best_lossless_free),
      .best_unit_o(best_unit),
      .best_node_o(best_node),
      .flow_i(ranked.entry.desc.flow),
      .flow_credit_ok_o(unused_flow_free),
      .flow_lossless_ok_o(unused_flow_lossless_free),
      .flow_unit_o(flow_unit),
      .flow_node_o(unused_flow_node),
      .credits_o
  );

  assign has_unit = 16'(best_valid);

  logic [Channels-1:0] sent, sent_last, leave_channel;
  dispatcher #(
      .Services(Services),
      .Tenants(Tenants),
      .Units(Units),
      .Channels(Channels),
      .Entries(Entries),
      .PopLatency(PopLatency)
  ) u_dispatcher (
      .clk_i,
      .rst_i,
      .pick_valid_i(pick_valid),
      .pick_tenant_i(pick_tenant),
      .queue_busy_i(busy),
      .affine_i(affinity_i),
      .lossless_i(lossless_present),
      .unit_free_i(best_free),
      .unit_lossless_free_i(best_lossless_free),
      .unit_i(best_unit),
      .free_i(free),
      .lossless_free_i(lossless_free),
      .arrive_i(accept),
      .arrive_slot_i(accept_slot),
      .arrive_unit_i(flow_unit[ServiceWidth'(service_of(accept_queue))]),
      .arrive_lossless_i(ranked.entry.desc.lossless),
      .evict_valid_i(evict_request && &evict_room),
      .evict_ready_o(evict_ready),
      .evict_queue_i(evict_queue),
      .take_o(take),
      .take_unit_o(take_unit),
      .take_lossless_o(take_lossless),
      .picked_o(picked),
      .pop_valid_o(pop_valid),
      .pop_queue_o(pop_queue),
      .pop_highest_o(pop_highest),
      .popped_valid_i(popped_valid),
      .popped_slot_i(popped_slot),
      .read_o(read_slot),
      .read_slot_o(slot),
      .leave_o(leave),
      .leave_evicted_o(leave_evicted),
      .leave_service_o(leave_service),
      .leave_unit_o(leave_unit),
      .leave_lossless_o(leave_lossless),
      .leave_channel_i(leave_channel),
      .leave_flits_i(leaving.flits),
      .sent_i(sent),
      .sent_last_i(sent_last)
  );

  // Out. Where a service keeps flows at one unit, all its packets pass through its queue, which
  // keeps their order: none is pushed to it.
  logic [Services-1:0] pushed;
  for (genvar s = 0; s < Services; s++) begin : gen_push
    assign pushed[s] = best_valid[s] && !affinity_i[s] && (push_i[s][1] || (push_i[s][0] && best_free[s]));
  end
  route_maker #(
      .Services(Services)
  ) u_route (
      .desc_i(leaving.desc),
      .node_i(unit_node_i[leave_unit]),
      .push_i(pushed),
      .push_node_i(best_node),
      .desc_o(launch_desc)
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_leave
    assign sent[c] = out_valid_o[c] && out_ready_i[c];
    assign sent_last[c] = out_flit_o[c].last;
    assign leave_channel[c] = leaving.channel == ChannelWidth'(c);
    assign launch_valid[c] = leave && !leave_evicted && leave_channel[c];
    assign evict_valid[c] = leave && leave_evicted && leave_channel[c];
    assign drop_valid[c] = ranked_valid && discard && ranked.stored
        && ranked.entry.channel == ChannelWidth'(c);
  end

  assign lossless_left = leave && leaving.desc.lossless && leaving.desc.chain_count <= 1;
  assign wait_valid_o = leave && !leave_evicted;
  assign wait_service_o = leave_service;
  assign wait_o = now_i - leaving.since;
  always_ff @(posedge clk_i) leave_slot_q <= slot;
endmodule
