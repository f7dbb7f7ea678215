// SPDX-License-Identifier: Apache-2.0
// What each service would send next: the tenant, whether the packet may be lossless, and in which channels it may be
// stored.
module scheduler_services
  import girih_pkg::*, entry_pkg::*;
  import policy_pkg::service_policy_t, policy_pkg::tenant_policy_t;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input service_policy_t service_policy_i[Services],
    input tenant_policy_t tenant_policy_i[Tenants],

    input logic [Queues-1:0] circular_i,
    input logic [Queues-1:0] nonempty_i,
    input logic [Queues-1:0] head_valid_i,
    input logic [Queues-1:0] head_overdue_i,
    input policy_pkg::rank_t overdue_rank_i[Services],
    input policy_pkg::rank_t head_rank_i[Queues],
    input logic [Queues-1:0] due_i,
    input logic [Queues-1:0] popping_i,  // an entry is popped in this cycle; nonempty_i does not count it

    output logic [Services-1:0] pick_valid_o,
    output logic [Services-1:0][TenantWidth-1:0] pick_tenant_o,
    input logic [Services-1:0] popped_i,  // the picked packet was popped

    // A dispatched packet: its tenant is charged.
    input logic charge_valid_i,
    input policy_pkg::service_t charge_service_i,
    input tenant_t charge_tenant_i,
    input length_t charge_length_i,

    input logic soon_lossless_i,  // a lossless packet of this service may be queued in the next cycle
    input policy_pkg::service_t soon_service_i,

    // Packets that are queued, and those that leave (evicted ones, too).
    input logic comes_valid_i,
    input policy_pkg::service_t comes_service_i,
    input entry_t comes_i,
    input logic leaves_valid_i,
    input policy_pkg::service_t leaves_service_i,
    input entry_t leaves_i,
    output logic [Services-1:0] lossless_o,  // it has lossless packets
    output logic [Services-1:0][Channels-1:0] stored_o  // it has packets in the channel
);
  localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1;
  localparam int unsigned ChannelWidth = Channels > 1 ? $clog2(Channels) : 1;

  logic [(1<<ServiceWidth)-1:0] lossless;
  logic [(1<<ServiceWidth+ChannelWidth)-1:0] stored;
  logic [Tenants-1:0] eligible[Services];
  logic share_valid[Services];
  tenant_t share_tenant[Services];
  logic [11:0] inverse_weight[Tenants];

  for (genvar t = 0; t < Tenants; t++) begin : gen_weight
    assign inverse_weight[t] = tenant_policy_i[t].inverse_weight;
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
      .charge_valid_i,
      .charge_service_i,
      .charge_tenant_i,
      .charge_length_i
  );

  for (genvar s = 0; s < Services; s++) begin : gen_service
    policy_pkg::rank_t head_rank[Tenants];
    for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
      assign head_rank[t] = head_rank_i[s*Tenants+t];
    end

    service_pick #(
        .Tenants(Tenants)
    ) u_pick (
        .clk_i,
        .rst_i,
        .shaped_i(service_policy_i[s].policy == policy_pkg::Shaped),
        .hierarchy_i(service_policy_i[s].hierarchy),
        .circular_i(circular_i[s*Tenants]),
        .nonempty_i(nonempty_i[s*Tenants+:Tenants]),
        .head_valid_i(head_valid_i[s*Tenants+:Tenants]),
        .overdue_i(head_overdue_i[s*Tenants+:Tenants]),
        .overdue_rank_i(overdue_rank_i[s]),
        .head_rank_i(head_rank),
        .due_i(due_i[s*Tenants+:Tenants]),
        .popping_i(popping_i[s*Tenants+:Tenants]),
        .eligible_o(eligible[s]),
        .share_valid_i(share_valid[s]),
        .share_tenant_i(share_tenant[s]),
        .pick_valid_o(pick_valid_o[s]),
        .pick_tenant_o(pick_tenant_o[s]),
        .popped_i(popped_i[s])
    );

    // A packet that is queued in this cycle may be popped in the next one, by a decision of this cycle.
    logic soon_q;
    assign lossless_o[s] = lossless[s] || soon_q;
    always_ff @(posedge clk_i) begin
      soon_q <= soon_lossless_i && soon_service_i == policy_pkg::service_t'(s);
      if (rst_i) soon_q <= 1'b0;
    end
    for (genvar c = 0; c < Channels; c++) begin : gen_channel
      assign stored_o[s][c] = stored[{ServiceWidth'(s), ChannelWidth'(c)}];
    end
  end

  // The packets of each service that are queued: the lossless ones, and those of each channel.
  logic [ServiceWidth-1:0] comes_service, leaves_service;
  assign comes_service  = comes_service_i[ServiceWidth-1:0];
  assign leaves_service = leaves_service_i[ServiceWidth-1:0];
  logic [$clog2(Entries+1)-1:0] unused_lossless, unused_stored;
  scheduler_counts #(
      .IndexWidth(ServiceWidth),
      .Max(Entries)
  ) u_lossless (
      .clk_i,
      .rst_i,
      .up_valid_i(comes_valid_i && comes_i.desc.lossless),
      .up_index_i(comes_service),
      .down_valid_i(leaves_valid_i && leaves_i.desc.lossless),
      .down_index_i(leaves_service),
      .some_o(lossless),
      .count_index_i('0),
      .count_o(unused_lossless)
  );
  scheduler_counts #(
      .IndexWidth(ServiceWidth + ChannelWidth),
      .Max(Entries)
  ) u_stored (
      .clk_i,
      .rst_i,
      .up_valid_i(comes_valid_i),
      .up_index_i({comes_service, comes_i.channel[ChannelWidth-1:0]}),
      .down_valid_i(leaves_valid_i),
      .down_index_i({leaves_service, leaves_i.channel[ChannelWidth-1:0]}),
      .some_o(stored),
      .count_index_i('0),
      .count_o(unused_stored)
  );

  logic unused;
  assign unused = &{1'b0, comes_service_i, comes_i, leaves_service_i, leaves_i, lossless, stored, unused_lossless, unused_stored};
endmodule
