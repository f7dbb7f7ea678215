// SPDX-License-Identifier: Apache-2.0
// The scheduler's window: its class table and its present state, at the places that spec/windows.yaml gives. All but the
// class table is read only.
//
// A tenant's controller can read its own tenant's queues, counts and fates, and nothing else.
module scheduler_window
  import girih_pkg::*, policy_pkg::cells_t, scheduler_window_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Units = 8,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1,
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1,
    localparam int unsigned ChannelWidth = Channels > 1 ? $clog2(Channels) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        valid_i,
    input  logic        write_i,
    input  logic [17:0] addr_i,
    input  tenant_t     tenant_i,
    output logic        done_o,
    output logic        error_o,
    output logic [31:0] data_o,

    input  logic        class_ready_i,  // low only after reset: a write waits
    output logic        class_write_o,
    output logic [ 9:0] class_addr_o,
    input  logic [31:0] class_data_i,

    output logic [$clog2(Queues)-1:0] count_queue_o,
    input logic [$clog2(Entries+1)-1:0] count_i,  // of this queue
    input logic [Queues-1:0] head_valid_i,
    input logic [Queues-1:0] head_overdue_i,
    input policy_pkg::rank_t overdue_rank_i[Services],
    input policy_pkg::rank_t head_rank_i[Queues],  // of heads that are not overdue
    input logic signed [Units-1:0][10:0] credits_i,
    input cells_t free_cells_i[Channels],
    input cells_t used_cells_i[Tenants],
    input cells_t used_entries_i[Tenants],

    output logic [ServiceWidth-1:0] waits_service_o,
    output logic [             4:0] waits_word_o,
    input  logic [            31:0] waits_data_i,

    output logic        fates_read_o,
    output logic [TenantWidth+ServiceBits+3:0] fates_index_o,  // see fate_counters
    input  logic        fates_done_i,
    input  logic [31:0] fates_data_i
);
  // One cycle for the address, one to look it up: the state is wide.
  typedef enum logic [2:0] {
    Classes,
    QueueState,
    UnitState,
    TenantState,
    ChannelState,
    Waits,
    Fates,
    Nothing
  } part_e;
  part_e part;
  service_t service;
  logic [TenantsTenantMsb-TenantsTenantLsb:0] owner;
  logic [3:0] channel;
  logic [UnitsUnitMsb-UnitsUnitLsb:0] unit;
  logic exists, allowed;

  always_comb begin
    part = Nothing;
    if (addr_i[17:FatesLsb] == FatesPart) part = Fates;
    else if (addr_i[17:WaitsLsb] == WaitsPart) part = Waits;
    else if (addr_i[17:ClassesLsb] == ClassesPart) part = Classes;
    else if (addr_i[17:QueuesLsb] == QueuesPart) part = QueueState;
    else if (addr_i[17:UnitsLsb] == UnitsPart) part = UnitState;
    else if (addr_i[17:TenantsLsb] == TenantsPart) part = TenantState;
    else if (addr_i[17:ChannelsLsb] == ChannelsPart) part = ChannelState;
  end

  assign unit = addr_i[UnitsUnitMsb:UnitsUnitLsb];
  assign channel = addr_i[ChannelsChannelMsb:ChannelsChannelLsb];
  always_comb begin
    service = addr_i[QueuesServiceMsb:QueuesServiceLsb];
    owner = addr_i[QueuesTenantMsb:QueuesTenantLsb];
    exists = 1'b0;
    unique case (part)
      Classes: begin
        service = addr_i[ClassesServiceMsb:ClassesServiceLsb];
        exists = 32'(service) < Services;
      end
      QueueState: exists = 32'(service) < Services && 32'(owner) < Tenants;
      UnitState: exists = 32'(unit) < Units;
      TenantState: begin
        owner = addr_i[TenantsTenantMsb:TenantsTenantLsb];
        exists = 32'(owner) < Tenants;
      end
      ChannelState: exists = 32'(channel) < Channels;
      Waits: begin
        service = addr_i[WaitsServiceMsb:WaitsServiceLsb];
        exists = 32'(service) < Services;
      end
      Fates: begin
        service = addr_i[FatesServiceMsb:FatesServiceLsb];
        owner = addr_i[FatesTenantMsb:FatesTenantLsb];
        exists = (service >> ServiceBits) == '0 && 32'(owner) < Tenants;
      end
      default: exists = 1'b0;
    endcase
  end
  assign allowed = exists && addr_i[1:0] == '0
      && (write_i ? part == Classes && tenant_i == '0
                  : tenant_i == '0 || (part inside {QueueState, TenantState, Fates} && 32'(tenant_i) == 32'(owner)));

  logic [$clog2(Queues)-1:0] queue;
  assign queue = $clog2(Queues)'(32'(service) * Tenants + 32'(owner));
  assign count_queue_o = queue;

  policy_pkg::rank_t head_rank;
  assign head_rank = head_overdue_i[queue] ? overdue_rank_i[ServiceWidth'(service)] : head_rank_i[queue];

  logic [31:0] data_d, data_q;
  always_comb begin
    unique case (part)
      Classes: data_d = class_data_i;
      QueueState: data_d = {head_valid_i[queue], 3'b0, head_rank, 16'(count_i)};
      UnitState: data_d = 32'(signed'(credits_i[UnitWidth'(unit)]));
      TenantState: data_d = {used_entries_i[TenantWidth'(owner)], used_cells_i[TenantWidth'(owner)]};
      ChannelState: data_d = 32'(free_cells_i[ChannelWidth'(channel)]);
      Waits: data_d = waits_data_i;
      default: data_d = '0;
    endcase
  end

  // A request holds until it is done: it is looked up, then answered in the next cycle or when the counters answer.
  logic asked_q, slow, slow_q, allowed_q, wait_for_classes;
  assign slow = part == Fates && allowed;
  assign wait_for_classes = part == Classes && write_i && allowed && !class_ready_i;
  always_ff @(posedge clk_i) begin
    asked_q <= valid_i && !done_o && !wait_for_classes;
    if (valid_i && !asked_q) begin
      slow_q <= slow;
      allowed_q <= allowed;
      data_q <= data_d;
    end
    if (rst_i) asked_q <= 1'b0;
  end
  assign done_o = valid_i && asked_q && (!slow_q || fates_done_i);
  assign error_o = !allowed_q;
  assign data_o = slow_q ? fates_data_i : data_q;

  assign class_write_o = valid_i && !asked_q && write_i && allowed && class_ready_i;
  assign class_addr_o = addr_i[ClassesServiceMsb:ClassesWordLsb];
  assign waits_service_o = ServiceWidth'(service);
  assign waits_word_o = addr_i[WaitsWordMsb:WaitsWordLsb];
  assign fates_read_o = valid_i && !asked_q && slow;
  assign fates_index_o = {TenantWidth'(owner), ServiceBits'(service), addr_i[FatesFateMsb:FatesHalfLsb]};
endmodule
