// SPDX-License-Identifier: Apache-2.0
// From stored packets to queued ones: the channels take turns, the packet gets its rank, and admission
// decides whether it is queued, in which slot, or dropped. One packet per cycle, three cycles. A lossless packet without a
// token is set aside until it gets one, and then takes a turn again.
module scheduler_intake
  import girih_pkg::*, entry_pkg::*;
  import policy_pkg::cells_t, policy_pkg::fate_event_t, policy_pkg::service_policy_t, policy_pkg::tenant_policy_t;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Cells = W < 256 ? 2048 : 1024,
    parameter int unsigned MaxPacketCells = MaxFrameFlits / 2 + 1,
    parameter int unsigned LosslessPackets = 1,  // of each tenant
    parameter int unsigned LosslessPlaces = 8,  // of each tenant
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned QueueWidth = $clog2(Queues),
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    input timestamp_t now_i,
    input logic enable_i,

    input service_policy_t service_policy_i[Services],
    input tenant_policy_t tenant_policy_i[Tenants],
    input cells_t headroom_i,
    input logic [Services-1:0] has_unit_i,
    input logic class_write_i,
    input logic [9:0] class_addr_i,
    input logic [31:0] class_data_i,
    output logic [31:0] class_data_o,
    output logic        class_ready_o,  // low only after reset: writes would be lost

    input  logic     [Channels-1:0] stored_valid_i,
    output logic     [Channels-1:0] stored_ready_o,
    input  arrival_t stored_i[Channels],

    // The fate of the packet arrival_o. If it is dropped, its cells, if any, must be freed.
    output entry_t arrival_o,
    output logic accept_o,
    output logic drop_o,
    output logic [SlotWidth-1:0] slot_o,
    output logic [QueueWidth-1:0] queue_o,
    output policy_pkg::rank_t rank_o,
    output logic [Queues-1:0] circular_o,

    // Packets that leave the queues.
    input logic popped_valid_i,
    input logic popped_highest_i,
    input logic popped_overdue_i,
    input logic [QueueWidth-1:0] popped_queue_i,
    input policy_pkg::rank_t popped_rank_i,
    input logic release_valid_i,
    input logic release_evicted_i,
    input logic [SlotWidth-1:0] release_slot_i,
    input policy_pkg::service_t release_service_i,
    input entry_t release_i,

    output logic                  evict_valid_o,
    input  logic                  evict_ready_i,
    output logic [QueueWidth-1:0] evict_queue_o,

    input cells_t            free_cells_i[Channels],  // including those that lossless packets with tokens use
    input logic [Queues-1:0] nonempty_i,
    input logic [Queues-1:0] tail_valid_i,
    input logic [Queues-1:0] tail_overdue_i,
    input policy_pkg::rank_t overdue_rank_i[Services],
    output logic [QueueWidth-1:0] tail_queue_o,
    input policy_pkg::rank_t tail_rank_i,  // of this queue

    // New lossless packets at the links, by channel: see lossless_tokens.
    output logic [Channels-1:0][Tenants-1:0] token_o,
    output logic [Channels-1:0][Tenants-1:0] place_o,
    output logic [Channels-1:0][Tenants-1:0] refuse_o,
    input logic [Channels-1:0] token_taken_i,
    input logic [Channels-1:0] place_taken_i,
    input policy_pkg::tenant_t [Channels-1:0] taken_tenant_i,
    input logic [Channels-1:0] held_i,

    output logic [1:0] fate_valid_o,
    output fate_event_t fate_o[2],
    output cells_t used_cells_o[Tenants],
    output cells_t used_entries_o[Tenants]
);
  logic rank_ready, ready, aside, resume_valid, resume_ready, demand, evicting;
  logic [Channels:0] turn;
  logic [Channels-1:0] ample;
  logic [Tenants-1:0] waiting;
  policy_pkg::tenant_t resume_tenant;
  arrival_t arriving, resuming, ranked;
  assign ready = rank_ready && enable_i;
  assign class_ready_o = rank_ready;
  assign stored_ready_o = ready ? turn[Channels-1:0] : '0;
  assign resume_ready = ready && turn[Channels];

  arbiter_round_robin #(
      .N(Channels + 1)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i({resume_valid, stored_valid_i}),
      .advance_i(ready),
      .grant_o(turn)
  );
  always_comb begin
    arriving = turn[Channels] ? resuming : '0;
    for (int unsigned c = 0; c < Channels; c++) if (turn[c]) arriving |= stored_i[c];
  end

  // A packet of an out-of-range tenant is not lossless, nor is one that will be dropped anyway.
  function automatic logic is_lossless(logic flag, policy_pkg::tenant_t tenant);
    return flag && 32'(tenant) < Tenants;
  endfunction
  assign aside = is_lossless(arriving.entry.desc.lossless, arriving.entry.desc.tenant) && !arriving.entry.token && !arriving.bad && !arriving.overflow;

  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  lossless_wait #(
      .Tenants(Tenants),
      .Places (LosslessPlaces)
  ) u_wait (
      .clk_i,
      .rst_i,
      .push_i(ready && aside),
      .push_arrival_i(arriving),
      .waiting_o(waiting),
      .tenant_i(resume_tenant[TenantWidth-1:0]),
      .arrival_o(resuming),
      .pop_i(resume_valid && resume_ready)
  );

  // The packet whose turn it is.
  typedef struct packed {
    logic homeless;  // its service has no unit
    logic entitled;  // its tenant has a right to the service
    arrival_t arrival;
  } ranked_t;

  logic chosen_valid_q, chosen_homeless, chosen_entitled, ranked_valid, beyond, discard;
  logic [2**$bits(policy_pkg::service_t)-1:0] has_unit;
  logic [31:0] chosen_rights;
  policy_pkg::service_t chosen_service, service;
  arrival_t chosen_q;
  ranked_t ranked_out;
  assign chosen_service = chosen_q.entry.desc.chain[0].service;
  assign ranked = ranked_out.arrival;
  assign service = ranked.entry.desc.chain[0].service;
  always_ff @(posedge clk_i) begin
    chosen_valid_q <= ready && |turn && !aside;
    chosen_q <= arriving;
    if (rst_i) chosen_valid_q <= 1'b0;
  end

  // For a droppable packet, a service without a unit does not exist; a lossless packet waits for a unit.
  assign has_unit = $bits(has_unit)'(has_unit_i);
  assign chosen_rights = 32'(chosen_q.entry.desc.tenant) < Tenants ? tenant_policy_i[chosen_q.entry.desc.tenant[TenantWidth-1:0]].rights : '0;
  assign chosen_entitled = chosen_rights[girih_pkg::service_t'(chosen_service)];
  assign chosen_homeless = !chosen_q.entry.desc.lossless && !has_unit[chosen_service];

  rank_stage #(
      .T(ranked_t),
      .Services(Services),
      .Tenants(Tenants)
  ) u_rank (
      .clk_i,
      .rst_i,
      .now_i(policy_pkg::time_t'(now_i)),
      .policy_i(service_policy_i),
      .class_write_i,
      .class_addr_i,
      .class_data_i,
      .class_data_o,
      .in_valid_i(chosen_valid_q),
      .in_ready_o(rank_ready),
      .in_request_i('{
          service: chosen_service,
          tenant: chosen_q.entry.desc.tenant,
          rank_class: chosen_q.entry.desc.chain[0].rank_class,
          length: chosen_q.entry.length,
          timestamp: policy_pkg::time_t'(chosen_q.entry.desc.timestamp_valid ? chosen_q.entry.desc.timestamp : now_i),
          rank_valid: chosen_q.entry.desc.rank_valid,
          rank: chosen_q.entry.desc.rank,
          detoured: chosen_q.entry.desc.detoured
      }),
      .in_payload_i('{homeless: chosen_homeless, entitled: chosen_entitled, arrival: chosen_q}),
      .out_valid_o(ranked_valid),
      .accept_i(accept_o),
      .out_rank_o(rank_o),
      .out_beyond_o(beyond),
      .out_payload_o(ranked_out),
      .dequeued_valid_i(popped_valid_i && !popped_highest_i && !popped_overdue_i),
      .dequeued_service_i(policy_pkg::service_t'(32'(popped_queue_i) / Tenants)),
      .dequeued_tenant_i(tenant_t'(32'(popped_queue_i) % Tenants)),
      .dequeued_rank_i(popped_rank_i),
      .circular_o
  );

  admission #(
      .Services(Services),
      .Tenants(Tenants),
      .Entries(Entries),
      .Channels(Channels),
      .ChannelCells(Cells),
      .MaxPacketCells(MaxPacketCells),
      .LosslessPackets(Tenants * LosslessPackets)
  ) u_admission (
      .clk_i,
      .rst_i,
      .policy_i(tenant_policy_i),
      .headroom_i,
      .circular_i(circular_o),
      .in_valid_i(ranked_valid),
      .in_request_i('{
          service: service,
          tenant: ranked.entry.desc.tenant,
          channel: ranked.entry.channel,
          cells: ranked.entry.handle.cells,
          lossless: ranked.entry.desc.lossless,
          bad: ranked.bad,
          overflow: ranked.overflow,
          homeless: ranked_out.homeless,
          entitled: ranked_out.entitled
      }),
      .in_rank_i(rank_o),
      .in_beyond_i(beyond),
      .accept_o,
      .slot_o,
      .queue_o,
      .discard_o(discard),
      .release_valid_i,
      .release_evicted_i,
      .release_slot_i,
      .release_service_i,
      .release_tenant_i(release_i.desc.tenant),
      .release_cells_i(release_i.handle.cells),
      .release_lossless_i(release_i.desc.lossless),
      .evict_valid_o,
      .evict_ready_i,
      .evict_queue_o,
      .demand_i(demand),
      .ample_o(ample),
      .evicting_o(evicting),
      .free_cells_i,
      .nonempty_i,
      .tail_valid_i,
      .tail_overdue_i,
      .overdue_rank_i,
      .tail_queue_o,
      .tail_rank_i,
      .arrival_valid_o(fate_valid_o[0]),
      .arrival_event_o(fate_o[0]),
      .departure_valid_o(fate_valid_o[1]),
      .departure_event_o(fate_o[1]),
      .used_cells_o,
      .used_entries_o
  );

  lossless_tokens #(
      .Tenants(Tenants),
      .Channels(Channels),
      .Tokens(LosslessPackets),
      .Places(LosslessPlaces)
  ) u_tokens (
      .clk_i,
      .rst_i,
      .token_o,
      .place_o,
      .refuse_o,
      .take_token_i(token_taken_i),
      .take_place_i(place_taken_i),
      .take_tenant_i(taken_tenant_i),
      .held_i,
      .demand_o(demand),
      .waiting_i(waiting),
      .resume_valid_o(resume_valid),
      .resume_ready_i(resume_ready),
      .resume_tenant_o(resume_tenant),
      .leave_i(release_valid_i && release_i.token && release_i.desc.chain_count <= 1),
      .leave_tenant_i(release_i.desc.tenant),
      .drop_i(ranked_valid && ranked.entry.token && !accept_o),
      .drop_place_i(ranked_valid && is_lossless(ranked.entry.desc.lossless, ranked.entry.desc.tenant) && !ranked.entry.token),
      .drop_tenant_i(ranked.entry.desc.tenant),
      .ample_i(ample),
      .evicting_i(evicting)
  );

  assign arrival_o = ranked.entry;
  assign drop_o = discard && ranked.stored;

  logic unused;
  assign unused = &{1'b0, release_i, resume_tenant};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      all_channels_and_a_resumed_one : cover (resume_valid && (&stored_valid_i));
      set_aside : cover (ready && aside);
      not_yet_ready : cover (|stored_valid_i && !ready);
      service_without_units : cover (ranked_valid && ranked_out.homeless);
      lossless_without_units : cover (ranked_valid && ranked.entry.desc.lossless && !has_unit[service]);
    end
  end
endmodule
