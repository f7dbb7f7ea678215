// SPDX-License-Identifier: Apache-2.0
// The scheduler's window: its class table and its present state. Offsets are in bytes; all but the class table is
// read only. A queue's index is {service, tenant}, in a grid of 16 x 16.
//
//   0x0000  classes    {service, class, word}: see policy_pkg
//   0x0800  queues     {head known, 3'b0, head rank, count}, 0x40 for each service, 4 for each tenant
//   0x0c00  units      credits, signed
//   0x0d00  tenants    {queued packets, cells in use}
//   0x0d40  channels   free cells
//   0x1000  waits      0x80 for each service: see service_waits
//   0x2000  fates      {tenant (3 bits), service, fate, high word}: see fate_counters
//
// A tenant's controller can read its own tenant's queues, counts and fates, and nothing else.
module scheduler_window
  import girih_pkg::*, policy_pkg::cells_t;
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
    input  logic [13:0] addr_i,
    input  tenant_t     tenant_i,
    output logic        done_o,
    output logic        error_o,
    output logic [31:0] data_o,

    input  logic        class_ready_i,  // low only after reset: a write waits
    output logic        class_write_o,
    output logic [ 8:0] class_addr_o,
    input  logic [31:0] class_data_i,

    input logic [$clog2(Entries+1)-1:0] count_i[Queues],
    input logic [Queues-1:0] head_valid_i,
    input policy_pkg::rank_t head_rank_i[Queues],
    input logic signed [Units-1:0][10:0] credits_i,
    input cells_t free_cells_i[Channels],
    input cells_t used_cells_i[Tenants],
    input cells_t used_entries_i[Tenants],

    output logic [ServiceWidth-1:0] waits_service_o,
    output logic [             4:0] waits_word_o,
    input  logic [            31:0] waits_data_i,

    output logic        fates_read_o,
    output logic [11:0] fates_index_o,
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
  logic [3:0] service, owner;
  logic exists, allowed;

  always_comb begin
    part = Nothing;
    if (addr_i[13]) part = Fates;
    else if (addr_i[12]) part = addr_i[11] ? Nothing : Waits;
    else if (!addr_i[11]) part = Classes;
    else if (!addr_i[10]) part = QueueState;
    else if (addr_i[9:8] == 2'd0) part = UnitState;
    else if (addr_i[9:6] == 4'b0100) part = TenantState;
    else if (addr_i[9:6] == 4'b0101) part = ChannelState;
  end

  always_comb begin
    service = addr_i[9:6];
    owner = addr_i[5:2];
    exists = 1'b0;
    unique case (part)
      Classes: begin
        service = addr_i[10:7];
        exists = 32'(service) < Services;
      end
      QueueState: exists = 32'(service) < Services && 32'(owner) < Tenants;
      UnitState: exists = 32'(addr_i[7:2]) < Units;
      TenantState: exists = 32'(owner) < Tenants;
      ChannelState: exists = 32'(owner) < Channels;
      Waits: begin
        service = addr_i[10:7];
        exists = 32'(service) < Services;
      end
      Fates: begin
        service = addr_i[9:6];
        owner = {1'b0, addr_i[12:10]};
        exists = 32'(owner) < Tenants;
      end
      default: exists = 1'b0;
    endcase
  end
  assign allowed = exists && addr_i[1:0] == '0
      && (write_i ? part == Classes && tenant_i == '0
                  : tenant_i == '0 || (part inside {QueueState, TenantState, Fates} && tenant_i == owner));

  logic [$clog2(Queues)-1:0] queue;
  assign queue = $clog2(Queues)'(32'(service) * Tenants + 32'(owner));

  logic [31:0] data_d, data_q;
  always_comb begin
    unique case (part)
      Classes: data_d = class_data_i;
      QueueState: data_d = {head_valid_i[queue], 3'b0, head_rank_i[queue], 16'(count_i[queue])};
      UnitState: data_d = 32'(signed'(credits_i[UnitWidth'(addr_i[7:2])]));
      TenantState: data_d = {used_entries_i[TenantWidth'(owner)], used_cells_i[TenantWidth'(owner)]};
      ChannelState: data_d = 32'(free_cells_i[ChannelWidth'(owner)]);
      Waits: data_d = waits_data_i;
      default: data_d = '0;
    endcase
  end

  // A request holds until it is done: it is registered, then answered in the next cycle or when the counters answer.
  logic asked_q, slow, wait_for_classes;
  assign slow = part == Fates && allowed;
  assign wait_for_classes = part == Classes && write_i && allowed && !class_ready_i;
  always_ff @(posedge clk_i) begin
    asked_q <= valid_i && !done_o && !wait_for_classes;
    if (valid_i && !asked_q) data_q <= data_d;
    if (rst_i) asked_q <= 1'b0;
  end
  assign done_o = valid_i && asked_q && (!slow || fates_done_i);
  assign error_o = !allowed;
  assign data_o = slow ? fates_data_i : data_q;

  assign class_write_o = valid_i && !asked_q && write_i && allowed && class_ready_i;
  assign class_addr_o = addr_i[10:2];
  assign waits_service_o = ServiceWidth'(service);
  assign waits_word_o = addr_i[6:2];
  assign fates_read_o = valid_i && !asked_q && slow;
  assign fates_index_o = {owner, service, addr_i[5:2]};
endmodule
