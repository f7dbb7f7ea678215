// SPDX-License-Identifier: Apache-2.0
// From stored packets to queued ones: the channels take turns, the packet gets its rank, and admission
// says whether it is queued, in which slot, or dropped. One packet per cycle, two cycles.
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
    parameter int unsigned LosslessPackets = 2,
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
    input logic [8:0] class_addr_i,
    input logic [31:0] class_data_i,
    output logic [31:0] class_data_o,
    output logic        class_ready_o,  // low only after reset: writes would be lost

    input  logic     [Channels-1:0] stored_valid_i,
    output logic     [Channels-1:0] stored_ready_o,
    input  arrival_t stored_i[Channels],

    // What becomes of the packet arrival_o. Dropped: its cells, if it has any, are to be freed.
    output entry_t arrival_o,
    output logic accept_o,
    output logic drop_o,
    output logic [SlotWidth-1:0] slot_o,
    output logic [QueueWidth-1:0] queue_o,
    output policy_pkg::rank_t rank_o,
    output logic [Queues-1:0] circular_o,

    // What leaves the queues.
    input logic popped_valid_i,
    input logic popped_highest_i,
    input logic popped_overdue_i,
    input logic [QueueWidth-1:0] popped_queue_i,
    input policy_pkg::rank_t popped_rank_i,
    input logic release_valid_i,
    input logic release_evicted_i,
    input logic [SlotWidth-1:0] release_slot_i,
    input logic [3:0] release_service_i,
    input entry_t release_i,

    output logic                  evict_valid_o,
    input  logic                  evict_ready_i,
    output logic [QueueWidth-1:0] evict_queue_o,

    input cells_t            free_cells_i[Channels],
    input logic [Queues-1:0] nonempty_i,
    input logic [Queues-1:0] tail_valid_i,
    input policy_pkg::rank_t tail_rank_i[Queues],

    output logic                token_o,        // a new lossless packet may enter
    input  logic [Channels-1:0] token_taken_i,

    output logic [1:0] fate_valid_o,
    output fate_event_t fate_o[2],
    output cells_t used_cells_o[Tenants],
    output cells_t used_entries_o[Tenants]
);
  logic rank_ready, ready;
  logic [Channels-1:0] turn;
  arrival_t arriving, ranked;
  assign ready = rank_ready && enable_i;
  assign class_ready_o = rank_ready;
  assign stored_ready_o = ready ? turn : '0;

  arbiter_round_robin #(
      .N(Channels)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i(stored_valid_i),
      .advance_i(ready),
      .grant_o(turn)
  );
  always_comb begin
    arriving = '0;
    for (int unsigned c = 0; c < Channels; c++) if (turn[c]) arriving |= stored_i[c];
  end

  logic ranked_valid, beyond, discard;
  logic [3:0] service;
  assign service = ranked.entry.desc.chain[0].service;

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
      .in_valid_i(|stored_valid_i && enable_i),
      .in_ready_o(rank_ready),
      .in_request_i('{
          service: arriving.entry.desc.chain[0].service,
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
      .accept_i(accept_o),
      .out_rank_o(rank_o),
      .out_beyond_o(beyond),
      .out_payload_o(ranked),
      .dequeued_valid_i(popped_valid_i && !popped_highest_i && !popped_overdue_i),
      .dequeued_service_i(4'(32'(popped_queue_i) / Tenants)),
      .dequeued_tenant_i(4'(32'(popped_queue_i) % Tenants)),
      .dequeued_rank_i(popped_rank_i),
      .circular_o
  );

  // A service that no unit implements is none, to all but lossless packets, which wait for a unit.
  logic [15:0] has_unit;
  logic homeless;
  fate_event_t fate;
  assign has_unit = 16'(has_unit_i);
  assign homeless = !ranked.entry.desc.lossless && !has_unit[service];
  always_comb begin
    fate_o[0] = fate;
    fate_o[0].service = service;
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
      .circular_i(circular_o),
      .in_valid_i(ranked_valid),
      .in_request_i('{
          service: homeless ? '1 : service,
          tenant: ranked.entry.desc.tenant,
          channel: ranked.entry.channel,
          cells: ranked.entry.handle.cells,
          lossless: ranked.entry.desc.lossless,
          bad: ranked.bad,
          overflow: ranked.overflow
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
      .free_cells_i,
      .nonempty_i,
      .tail_valid_i,
      .tail_rank_i,
      .lossless_ready_o(token_o),
      .lossless_enter_i(token_taken_i),
      .lossless_leave_i(release_valid_i && release_i.desc.lossless && release_i.desc.chain_count <= 1),
      .arrival_valid_o(fate_valid_o[0]),
      .arrival_event_o(fate),
      .departure_valid_o(fate_valid_o[1]),
      .departure_event_o(fate_o[1]),
      .used_cells_o,
      .used_entries_o
  );

  assign arrival_o = ranked.entry;
  assign drop_o = discard && ranked.stored;

  logic unused;
  assign unused = &{1'b0, release_i};
endmodule
