// SPDX-License-Identifier: Apache-2.0
// The central scheduler without its registers: packets arrive by any channel, wait in the queue of
// their service and tenant, and leave by the channel that stores them when a unit has a credit.
//
//   in -> packet_buffer -> (turn) -> rank_stage -> admission --> pifo, slot_table
//                                                     | evict      | pop
//   out <- packet_buffer <- launch_queue <- route_maker <- slot_table <- dispatcher <- credit_manager
module scheduler_core
  import girih_pkg::*, entry_pkg::*, sched_pkg::credit_t;
  import policy_pkg::cells_t, policy_pkg::fate_event_t, policy_pkg::service_policy_t;
  import policy_pkg::tenant_policy_t;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Units = 8,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Cells = W < 256 ? 2048 : 1024,  // of each channel
    parameter int unsigned CellFlits = 2,
    parameter int unsigned LosslessSlots = 1,  // lossless packets that a unit has room for
    parameter int unsigned LosslessPackets = 1,  // tokens of each tenant
    parameter int unsigned LosslessPlaces = 8,  // places of each tenant in which packets wait for a token
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
    input girih_pkg::service_t [Units-1:0] unit_service_i,
    input logic [Units-1:0][7:0] unit_credits_i,
    input node_t [Units-1:0] unit_node_i,
    input logic class_write_i,
    input logic [9:0] class_addr_i,
    input logic [31:0] class_data_i,
    output logic [31:0] class_data_o,
    output logic class_ready_o,  // low only after reset: writes would be lost

    // Fates of packets: on arrival, and when popped.
    output logic [1:0] fate_valid_o,
    output fate_event_t fate_o[2],
    output logic wait_valid_o,  // a packet of wait_service_o left, wait_o cycles after it was stored
    output logic [ServiceWidth-1:0] wait_service_o,
    output timestamp_t wait_o,

    // State.
    input logic [$clog2(Queues)-1:0] count_queue_i,
    output logic [$clog2(Entries+1)-1:0] count_o,  // of this queue
    output logic [Queues-1:0] head_valid_o,
    output logic [Queues-1:0] head_overdue_o,
    output policy_pkg::rank_t overdue_rank_o[Services],
    output policy_pkg::rank_t head_rank_o[Queues],  // of heads that are not overdue
    output logic signed [Units-1:0][10:0] credits_o,
    output cells_t free_cells_o[Channels],
    output cells_t used_cells_o[Tenants],
    output cells_t used_entries_o[Tenants]
);
  if (Tenants > 2 ** $bits(tenant_t) || (Tenants & (Tenants - 1)) != 0) begin : gen_bad_tenants
    $fatal(1, "scheduler_core: Tenants is %0d; it must be a power of two, at most %0d", Tenants, 2 ** $bits(tenant_t));
  end
  if (Services > 2 ** $bits(policy_pkg::service_t)) begin : gen_bad_services
    $fatal(1, "scheduler_core: Services is %0d; it must be at most %0d", Services, 2 ** $bits(policy_pkg::service_t));
  end
  if (Queues < 2) begin : gen_bad_queues
    $fatal(1, "scheduler_core: %0d services and %0d tenants; there must be at least two queues", Services, Tenants);
  end

  localparam int unsigned PopLatency = 3;
  localparam int unsigned MaxPacketCells = (MaxFrameFlits + CellFlits - 1) / CellFlits;
  localparam int unsigned QueueWidth = $clog2(Queues);
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  localparam int unsigned SlotWidth = $clog2(Entries);

  // Links between the parts, in the order in which a packet passes them.
  logic [Channels-1:0] stored_valid, stored_ready, token_taken;
  arrival_t stored[Channels];
  logic [Channels-1:0][Tenants-1:0] token, place, refuse;
  logic [Channels-1:0] place_taken, held;
  policy_pkg::tenant_t [Channels-1:0] taken_tenant;
  cells_t room_cells[Channels];

  entry_t arrival;
  logic accept, drop;
  logic [SlotWidth-1:0] accept_slot;
  logic [QueueWidth-1:0] accept_queue;
  policy_pkg::rank_t accept_rank;
  entry_t queued_q;
  logic queue_valid_q;
  logic [SlotWidth-1:0] queue_slot_q;
  logic [QueueWidth-1:0] queue_queue_q;
  policy_pkg::rank_t queue_rank_q;
  policy_pkg::service_t queue_service;
  // A cycle later, when the unit of its flow is known.
  logic noted_valid_q, noted_lossless_q;
  logic [SlotWidth-1:0] noted_slot_q;
  logic [Queues-1:0] circular, busy, due, tail_valid, tail_overdue;
  policy_pkg::rank_t tail_rank;
  logic [QueueWidth-1:0] tail_queue;

  logic pifo_ready, pop_valid, pop_highest, popped_valid, popped_highest, popped_overdue, hold;
  logic [QueueWidth-1:0] pop_queue, popped_queue;
  logic [SlotWidth-1:0] popped_slot;
  policy_pkg::rank_t popped_rank;
  logic evict_request, evict_ready;
  logic [QueueWidth-1:0] evict_queue;

  logic [Services-1:0] pick_valid, picked, lossless_present;
  logic [Services-1:0][TenantWidth-1:0] pick_tenant;
  logic [Services-1:0][Channels-1:0] in_channel;

  logic take_lossless, read_slot;
  logic [Units-1:0] take;
  logic [UnitWidth-1:0] leave_unit, next_unit;
  node_t leave_node_q;
  logic [SlotWidth-1:0] slot, leave_slot_q;
  logic leave, leave_evicted, leave_lossless, dispatch;
  logic [ServiceWidth-1:0] leave_service;
  entry_t leaving;
  descriptor_t launch_desc;
  logic [Channels-1:0] leave_channel, evict_room, sent, sent_last;

  logic [Units-1:0] free, lossless_free;
  logic [Services-1:0] has_unit, best_free, best_lossless_free, pushable_q, first_q;
  logic [Services-1:0][Services-1:0] pass_q;
  logic [Services-1:0][Units-1:0] best_unit;
  logic [UnitWidth-1:0] flow_unit;
  logic [Queues-1:0] pop_one;
  node_t [Services-1:0] best_node, pushable_node_q, push_node_q;

  service_policy_t service_policy[Services];
  policy_pkg::level_t now_level[Services];
  policy_bounds #(
      .Services(Services),
      .Entries (Entries)
  ) u_bounds (
      .policy_i(service_policy_i),
      .now_i(policy_pkg::time_t'(now_i)),
      .policy_o(service_policy),
      .now_level_o(now_level)
  );

  // In.
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [$clog2(Cells):0] free_cells, room;
    assign free_cells_o[c] = cells_t'(free_cells);
    assign room_cells[c] = cells_t'(room);
    assign sent[c] = out_valid_o[c] && out_ready_i[c];
    assign sent_last[c] = out_flit_o[c].last;
    assign leave_channel[c] = leaving.channel == 4'(c);

    scheduler_channel #(
        .Channel(c),
        .Units(Units),
        .Tenants(Tenants),
        .Cells(Cells),
        .CellFlits(CellFlits),
        .Reserve(Tenants * LosslessPackets * MaxPacketCells),
        .EvictionsOnTheWay(PopLatency + 4)
    ) u_channel (
        .clk_i,
        .rst_i,
        .now_i,
        .in_valid_i(in_valid_i[c]),
        .in_ready_o(in_ready_o[c]),
        .in_flit_i(in_flit_i[c]),
        .out_valid_o(out_valid_o[c]),
        .out_ready_i(out_ready_i[c]),
        .out_flit_o(out_flit_o[c]),
        .unit_enabled_i,
        .unit_node_i,
        .token_i(token[c]),
        .place_i(place[c]),
        .refuse_i(refuse[c]),
        .token_taken_o(token_taken[c]),
        .place_taken_o(place_taken[c]),
        .taken_tenant_o(taken_tenant[c]),
        .held_o(held[c]),
        .stored_valid_o(stored_valid[c]),
        .stored_ready_i(stored_ready[c]),
        .stored_o(stored[c]),
        .launch_valid_i(dispatch && leave_channel[c]),
        .launch_i(leaving),
        .launch_desc_i(launch_desc),
        .drop_valid_i(drop && arrival.channel == 4'(c)),
        .keep_valid_i(accept && arrival.token && arrival.channel == 4'(c)),
        .arrival_handle_i(arrival.handle),
        .evict_valid_i(leave && leave_evicted && leave_channel[c]),
        .evict_handle_i(leaving.handle),
        .evict_room_o(evict_room[c]),
        .free_cells_o(free_cells),
        .room_o(room)
    );
  end

  scheduler_intake #(
      .Services(Services),
      .Tenants(Tenants),
      .Channels(Channels),
      .Entries(Entries),
      .Cells(Cells),
      .MaxPacketCells(MaxPacketCells),
      .LosslessPackets(LosslessPackets),
      .LosslessPlaces(LosslessPlaces)
  ) u_intake (
      .clk_i,
      .rst_i,
      .now_i,
      .enable_i(pifo_ready && counters_ready_i),
      .service_policy_i(service_policy),
      .tenant_policy_i,
      .headroom_i,
      .has_unit_i(has_unit),
      .class_write_i,
      .class_addr_i,
      .class_data_i,
      .class_data_o,
      .class_ready_o,
      .stored_valid_i(stored_valid),
      .stored_ready_o(stored_ready),
      .stored_i(stored),
      .arrival_o(arrival),
      .accept_o(accept),
      .drop_o(drop),
      .slot_o(accept_slot),
      .queue_o(accept_queue),
      .rank_o(accept_rank),
      .circular_o(circular),
      .popped_valid_i(popped_valid),
      .popped_highest_i(popped_highest),
      .popped_overdue_i(popped_overdue),
      .popped_queue_i(popped_queue),
      .popped_rank_i(popped_rank),
      .release_valid_i(leave),
      .release_evicted_i(leave_evicted),
      .release_slot_i(leave_slot_q),
      .release_service_i(policy_pkg::service_t'(leave_service)),
      .release_i(leaving),
      .evict_valid_o(evict_request),
      .evict_ready_i(evict_ready),
      .evict_queue_o(evict_queue),
      .free_cells_i(room_cells),
      .nonempty_i(busy),
      .tail_valid_i(tail_valid),
      .tail_overdue_i(tail_overdue),
      .overdue_rank_i(overdue_rank_o),
      .tail_queue_o(tail_queue),
      .tail_rank_i(tail_rank),
      .token_o(token),
      .place_o(place),
      .refuse_o(refuse),
      .token_taken_i(token_taken),
      .place_taken_i(place_taken),
      .taken_tenant_i(taken_tenant),
      .held_i(held),
      .fate_valid_o,
      .fate_o,
      .used_cells_o,
      .used_entries_o
  );

  // Admission decides late in its cycle: what it accepts is queued in the next.
  always_ff @(posedge clk_i) begin
    queue_valid_q <= accept;
    queue_slot_q <= accept_slot;
    queue_queue_q <= accept_queue;
    queue_rank_q <= accept_rank;
    queued_q <= arrival;
    noted_valid_q <= queue_valid_q;
    noted_slot_q <= queue_slot_q;
    noted_lossless_q <= queued_q.desc.lossless;
    if (rst_i) begin
      queue_valid_q <= 1'b0;
      noted_valid_q <= 1'b0;
    end
  end
  assign queue_service = queued_q.desc.chain[0].service;

  // Queues.
  scheduler_queues #(
      .Services(Services),
      .Tenants (Tenants),
      .Entries (Entries)
  ) u_queues (
      .clk_i,
      .rst_i,
      .ready_o(pifo_ready),
      .policy_i(service_policy),
      .now_level_i(now_level),
      .circular_i(circular),
      .push_valid_i(queue_valid_q),
      .push_queue_i(queue_queue_q),
      .push_rank_i(queue_rank_q),
      .push_slot_i(queue_slot_q),
      .hold_o(hold),
      .pop_valid_i(pop_valid),
      .pop_queue_i(pop_queue),
      .pop_one_i(pop_one),
      .pop_highest_i(pop_highest),
      .popped_valid_o(popped_valid),
      .popped_slot_o(popped_slot),
      .popped_rank_o(popped_rank),
      .popped_queue_o(popped_queue),
      .popped_highest_o(popped_highest),
      .popped_overdue_o(popped_overdue),
      .nonempty_o(busy),
      .head_valid_o,
      .head_overdue_o,
      .head_rank_o,
      .due_o(due),
      .tail_valid_o(tail_valid),
      .tail_overdue_o(tail_overdue),
      .tail_queue_i(tail_queue),
      .tail_rank_o(tail_rank),
      .overdue_rank_o
  );

  // For the window alone. It also counts entries on their way out of the PIFO.
  logic [(1<<QueueWidth)-1:0] unused_some;
  scheduler_counts #(
      .IndexWidth(QueueWidth),
      .Max(Entries)
  ) u_counts (
      .clk_i,
      .rst_i,
      .up_valid_i(queue_valid_q),
      .up_index_i(queue_queue_q),
      .down_valid_i(popped_valid),
      .down_index_i(popped_queue),
      .some_o(unused_some),
      .count_index_i(count_queue_i),
      .count_o
  );

  slot_table #(
      .T(entry_t),
      .Entries(Entries)
  ) u_slots (
      .clk_i,
      .rst_i,
      .write_i(queue_valid_q),
      .write_slot_i(queue_slot_q),
      .write_data_i(queued_q),
      .read_i(read_slot),
      .read_slot_i(slot),
      .read_data_o(leaving)
  );

  // Which packets leave.
  scheduler_services #(
      .Services(Services),
      .Tenants(Tenants),
      .Channels(Channels),
      .Entries(Entries)
  ) u_services (
      .clk_i,
      .rst_i,
      .service_policy_i(service_policy),
      .tenant_policy_i,
      .circular_i(circular),
      .nonempty_i(busy),
      .head_valid_i(head_valid_o),
      .head_overdue_i(head_overdue_o),
      .overdue_rank_i(overdue_rank_o),
      .head_rank_i(head_rank_o),
      .due_i(due),
      .popping_i(pop_one),
      .pick_valid_o(pick_valid),
      .pick_tenant_o(pick_tenant),
      .popped_i(picked),
      .charge_valid_i(dispatch),
      .charge_service_i(policy_pkg::service_t'(leave_service)),
      .charge_tenant_i(leaving.desc.tenant),
      .charge_length_i(leaving.length),
      .soon_lossless_i(fate_valid_o[0] && arrival.desc.lossless),
      .soon_service_i(arrival.desc.chain[0].service),
      .comes_valid_i(queue_valid_q),
      .comes_service_i(queue_service),
      .comes_i(queued_q),
      .leaves_valid_i(leave),
      .leaves_service_i(policy_pkg::service_t'(leave_service)),
      .leaves_i(leaving),
      .lossless_o(lossless_present),
      .stored_o(in_channel)
  );

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
      .consume_i(take),
      .consume_lossless_i(take_lossless),
      .spare_valid_i(dispatch && leave_lossless && !leaving.desc.lossless),
      .spare_unit_i(leave_unit),
      .credit_ok_o(free),
      .lossless_ok_o(lossless_free),
      .best_valid_o(has_unit),
      .best_credit_ok_o(best_free),
      .best_lossless_ok_o(best_lossless_free),
      .best_unit_o(best_unit),
      .best_node_o(best_node),
      .flow_i(queued_q.desc.flow),
      .flow_service_i(ServiceWidth'(queue_service)),
      .flow_unit_o(flow_unit),
      .credits_o
  );

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
      .stored_i(in_channel),
      .affine_i(affinity_i),
      .lossless_i(lossless_present),
      .unit_free_i(best_free),
      .unit_lossless_free_i(best_lossless_free),
      .unit_i(best_unit),
      .free_i(free),
      .lossless_free_i(lossless_free),
      .arrive_i(noted_valid_q),
      .arrive_slot_i(noted_slot_q),
      .arrive_unit_i(flow_unit),
      .arrive_lossless_i(noted_lossless_q),
      .evict_valid_i(evict_request && &evict_room),
      .evict_ready_o(evict_ready),
      .evict_queue_i(evict_queue),
      .hold_i(hold),
      .take_o(take),
      .take_lossless_o(take_lossless),
      .picked_o(picked),
      .pop_valid_o(pop_valid),
      .pop_queue_o(pop_queue),
      .pop_one_o(pop_one),
      .pop_highest_o(pop_highest),
      .popped_valid_i(popped_valid),
      .popped_slot_i(popped_slot),
      .read_o(read_slot),
      .read_slot_o(slot),
      .leave_o(leave),
      .leave_evicted_o(leave_evicted),
      .leave_service_o(leave_service),
      .leave_unit_o(leave_unit),
      .next_unit_o(next_unit),
      .leave_lossless_o(leave_lossless),
      .leave_channel_i(leave_channel),
      .leave_flits_i(leaving.flits),
      .sent_i(sent),
      .sent_last_i(sent_last)
  );

  // Out. Nothing is pushed to a service with affinity: its queue keeps the order of its packets. Which services share a unit is
  // compared a cycle before a route needs it.
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Services; s++) begin
      pushable_q[s] <= has_unit[s] && !affinity_i[s] && (push_i[s][1] || (push_i[s][0] && best_free[s]));
      for (int unsigned r = 0; r < Services; r++) pass_q[s][r] <= pushable_q[s] && pushable_node_q[s] != pushable_node_q[r];
    end
    pushable_node_q <= best_node;
    for (int unsigned s = 0; s < Services; s++) first_q[s] <= pushable_q[s] && pushable_node_q[s] != unit_node_i[next_unit];
    push_node_q <= pushable_node_q;
    leave_node_q <= unit_node_i[next_unit];
  end
  route_maker #(
      .Services(Services)
  ) u_route (
      .desc_i(leaving.desc),
      .node_i(leave_node_q),
      .push_node_i(push_node_q),
      .first_i(first_q),
      .pass_i(pass_q),
      .desc_o(launch_desc)
  );

  assign dispatch = leave && !leave_evicted;
  assign wait_valid_o = dispatch;
  assign wait_service_o = leave_service;
  assign wait_o = now_i - leaving.since;
  always_ff @(posedge clk_i) leave_slot_q <= slot;

  logic unused;
  assign unused = &{1'b0, leaving, unused_some};
endmodule
