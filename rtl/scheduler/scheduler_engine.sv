// SPDX-License-Identifier: Apache-2.0
// The scheduler tile: the scheduler with its configuration, its window and its counters.
module scheduler_engine
  import girih_pkg::*, scheduler_pkg::*;
#(
    parameter int unsigned Channels = 2,
    parameter int unsigned Units = 8,
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned MostQueues = 256,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Cells = W < 256 ? 2048 : 1024,
    parameter int unsigned CellFlits = 2,
    parameter int unsigned LosslessSlots = 1,
    parameter int unsigned LosslessPackets = 1,
    parameter int unsigned LosslessPlaces = 8
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Channels-1:0] in_valid_i,
    output logic  [Channels-1:0] in_ready_o,
    input  flit_t in_flit_i[Channels],

    output logic      [Channels-1:0] out_valid_o,
    input  logic      [Channels-1:0] out_ready_i,
    output flit_t     out_flit_o[Channels],
    output next_key_t out_key_o[Channels],

    input timestamp_t now_i,
    input sched_pkg::credit_t credit_i[Units],

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [17:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if (Services > 32 || Tenants > 64 || Units > 64) begin : gen_bad_size
    $fatal(1, "scheduler_engine: %0d services, %0d tenants, %0d units; the registers are for 32, 64 and 64",
           Services, Tenants, Units);
  end

  if (Services * Tenants > MostQueues) begin : gen_bad_queues
    $fatal(1, "scheduler_engine: %0d services and %0d tenants; MostQueues allows %0d queues", Services, Tenants, MostQueues);
  end

  if (Entries > 32768 || Channels * Cells > 65535) begin : gen_bad_memory
    $fatal(1, "scheduler_engine: %0d entries and %0d cells; their counts have 16 bits", Entries, Channels * Cells);
  end

  localparam int unsigned Queues = Services * Tenants;
  localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1;
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;

  policy_pkg::service_policy_t service_policy[Services];
  logic [Services-1:0][1:0] push;
  for (genvar s = 0; s < Services; s++) begin : gen_service
    assign service_policy[s] = '{
        hierarchy: cfg_i.hierarchy[s],
        by_tenant: cfg_i.by_tenant[s],
        given_rank: cfg_i.given_rank[s],
        shift: cfg_i.shift[s],
        policy: policy_pkg::policy_e'(cfg_i.policy[s])
    };
    assign push[s] = cfg_i.push[s];
  end

  policy_pkg::tenant_policy_t tenant_policy[Tenants];
  for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
    assign tenant_policy[t] = '{
        rights: cfg_i.rights[t],
        cells: cfg_i.guaranteed_cells[t],
        entries: cfg_i.guaranteed_entries[t],
        limit: cfg_i.limit[t],
        inverse_weight: cfg_i.inverse_weight[t]
    };
  end

  logic [Units-1:0] unit_enabled;
  service_t [Units-1:0] unit_service;
  logic [Units-1:0][7:0] unit_credits;
  node_t [Units-1:0] unit_node;
  for (genvar u = 0; u < Units; u++) begin : gen_unit
    assign unit_enabled[u] = cfg_i.unit_credits[u] != '0;
    assign unit_service[u] = cfg_i.unit_service[u];
    assign unit_credits[u] = cfg_i.unit_credits[u];
    assign unit_node[u] = cfg_i.unit_node[u];
  end

  logic class_write, class_ready;
  logic [9:0] class_addr;
  logic [31:0] class_data;
  logic [1:0] fate_valid;
  policy_pkg::fate_event_t fate[2];
  logic wait_valid, wait_valid_q;
  logic [ServiceWidth-1:0] wait_service, wait_service_q, waits_service;
  timestamp_t wait_cycles, wait_cycles_q;
  logic [$clog2(Queues)-1:0] count_queue;
  logic [$clog2(Entries+1)-1:0] count;
  logic [Queues-1:0] head_valid, head_overdue;
  policy_pkg::rank_t overdue_rank[Services];
  policy_pkg::rank_t head_rank[Queues];
  logic signed [Units-1:0][10:0] credits;
  policy_pkg::cells_t free_cells[Channels], used_cells[Tenants], used_entries[Tenants];
  logic [4:0] waits_word;
  logic [31:0] waits_data, fates_data;
  logic fates_ready, fates_read, fates_done;
  logic [TenantWidth+ServiceBits+3:0] fates_index;

  // The routers' queues do not wait for what is decided about their flits.
  logic [Channels-1:0] taken_valid, taken_ready;
  flit_t taken[Channels];
  for (genvar c = 0; c < Channels; c++) begin : gen_taken
    ready_register #(
        .T(flit_t)
    ) u_taken (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid_i[c]),
        .in_ready_o(in_ready_o[c]),
        .in_data_i(in_flit_i[c]),
        .out_valid_o(taken_valid[c]),
        .out_ready_i(taken_ready[c]),
        .out_data_o(taken[c])
    );
  end

  scheduler_core #(
      .Services(Services),
      .Tenants(Tenants),
      .Units(Units),
      .Channels(Channels),
      .Entries(Entries),
      .Cells(Cells),
      .CellFlits(CellFlits),
      .LosslessSlots(LosslessSlots),
      .LosslessPackets(LosslessPackets),
      .LosslessPlaces(LosslessPlaces)
  ) u_scheduler (
      .clk_i,
      .rst_i,
      .now_i,
      .counters_ready_i(fates_ready),
      .in_valid_i(taken_valid),
      .in_ready_o(taken_ready),
      .in_flit_i(taken),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .credit_i,
      .service_policy_i(service_policy),
      .affinity_i(cfg_i.affinity[Services-1:0]),
      .push_i(push),
      .tenant_policy_i(tenant_policy),
      .headroom_i(cfg_i.headroom),
      .unit_enabled_i(unit_enabled),
      .unit_service_i(unit_service),
      .unit_credits_i(unit_credits),
      .unit_node_i(unit_node),
      .class_write_i(class_write),
      .class_addr_i(class_addr),
      .class_data_i(window_data_i),
      .class_data_o(class_data),
      .class_ready_o(class_ready),
      .fate_valid_o(fate_valid),
      .fate_o(fate),
      .wait_valid_o(wait_valid),
      .wait_service_o(wait_service),
      .wait_o(wait_cycles),
      .count_queue_i(count_queue),
      .count_o(count),
      .head_valid_o(head_valid),
      .head_overdue_o(head_overdue),
      .overdue_rank_o(overdue_rank),
      .head_rank_o(head_rank),
      .credits_o(credits),
      .free_cells_o(free_cells),
      .used_cells_o(used_cells),
      .used_entries_o(used_entries)
  );

  // Every message carries its route.
  for (genvar c = 0; c < Channels; c++) begin : gen_key
    assign out_key_o[c] = '0;
  end

  fate_counters #(
      .Inputs(2),
      .Tenants(Tenants)
  ) u_fates (
      .clk_i,
      .rst_i,
      .ready_o(fates_ready),
      .valid_i(fate_valid),
      .event_i(fate),
      .read_i(fates_read),
      .index_i(fates_index),
      .done_o(fates_done),
      .data_o(fates_data)
  );

  // A packet's wait is known late in the cycle, and counted in the next one.
  always_ff @(posedge clk_i) begin
    wait_valid_q <= wait_valid && !rst_i;
    wait_service_q <= wait_service;
    wait_cycles_q <= wait_cycles;
  end
  service_waits #(
      .Services(Services)
  ) u_waits (
      .clk_i,
      .rst_i,
      .valid_i(wait_valid_q),
      .service_i(wait_service_q),
      .wait_i((wait_cycles_q >> 24) != '0 ? '1 : 24'(wait_cycles_q)),
      .read_service_i(waits_service),
      .read_word_i(waits_word),
      .read_data_o(waits_data)
  );

  scheduler_window #(
      .Services(Services),
      .Tenants(Tenants),
      .Units(Units),
      .Channels(Channels),
      .Entries(Entries)
  ) u_window (
      .clk_i,
      .rst_i,
      .valid_i(window_valid_i),
      .write_i(window_write_i),
      .addr_i(window_addr_i),
      .tenant_i(window_tenant_i),
      .done_o(window_done_o),
      .error_o(window_error_o),
      .data_o(window_data_o),
      .class_ready_i(class_ready),
      .class_write_o(class_write),
      .class_addr_o(class_addr),
      .class_data_i(class_data),
      .count_queue_o(count_queue),
      .count_i(count),
      .head_valid_i(head_valid),
      .head_overdue_i(head_overdue),
      .overdue_rank_i(overdue_rank),
      .head_rank_i(head_rank),
      .credits_i(credits),
      .free_cells_i(free_cells),
      .used_cells_i(used_cells),
      .used_entries_i(used_entries),
      .waits_service_o(waits_service),
      .waits_word_o(waits_word),
      .waits_data_i(waits_data),
      .fates_read_o(fates_read),
      .fates_index_o(fates_index),
      .fates_done_i(fates_done),
      .fates_data_i(fates_data)
  );

  // There is one arrival and one departure per cycle, with different fates, so no pulse hides another.
  policy_pkg::fate_e arrival, departure;
  assign arrival = fate[0].fate;
  assign departure = fate[1].fate;
  assign event_o.drop_no_right = fate_valid[0] && arrival == policy_pkg::NoRight;
  assign event_o.drop_bad_service = fate_valid[0] && arrival == policy_pkg::BadService;
  assign event_o.drop_void = fate_valid[0] && arrival == policy_pkg::Void;
  assign event_o.drop_overflow = fate_valid[0] && arrival == policy_pkg::Overflow;
  assign event_o.drop_shortage = fate_valid[0] && arrival == policy_pkg::Shortage;
  assign event_o.drop_evicted = fate_valid[1] && departure == policy_pkg::Evicted;
  assign event_o.mark_accepted = fate_valid[0] && arrival == policy_pkg::Accepted;
  assign event_o.mark_dispatched = fate_valid[1] && departure == policy_pkg::Dispatched;
endmodule
