// SPDX-License-Identifier: Apache-2.0
// What each service would send next: its tenant, and whether a lossless packet may be among what it has.
module scheduler_services
  import girih_pkg::*;
  import policy_pkg::service_policy_t, policy_pkg::tenant_policy_t;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Entries = 1024,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input timestamp_t now_i,
    input service_policy_t service_policy_i[Services],
    input tenant_policy_t tenant_policy_i[Tenants],

    input logic [Queues-1:0] circular_i,
    input logic [Queues-1:0] nonempty_i,
    input logic [Queues-1:0] head_valid_i,
    input policy_pkg::rank_t head_rank_i[Queues],

    output logic [Services-1:0] pick_valid_o,
    output logic [Services-1:0][TenantWidth-1:0] pick_tenant_o,
    input logic [Services-1:0] popped_i,  // the pick was popped

    // A packet that is dispatched: its tenant is charged.
    input logic charge_valid_i,
    input logic [3:0] charge_service_i,
    input tenant_t charge_tenant_i,
    input length_t charge_length_i,

    // Lossless packets that are queued, and those that have left.
    input logic lossless_comes_i,
    input logic [3:0] lossless_comes_service_i,
    input logic lossless_leaves_i,
    input logic [3:0] lossless_leaves_service_i,
    output logic [Services-1:0] lossless_o
);
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
        .shift_i(service_policy_i[s].shift),
        .circular_i(circular_i[s*Tenants]),
        .now_i,
        .nonempty_i(nonempty_i[s*Tenants+:Tenants]),
        .head_valid_i(head_valid_i[s*Tenants+:Tenants]),
        .head_rank_i(head_rank),
        .eligible_o(eligible[s]),
        .share_valid_i(share_valid[s]),
        .share_tenant_i(share_tenant[s]),
        .pick_valid_o(pick_valid_o[s]),
        .pick_tenant_o(pick_tenant_o[s]),
        .popped_i(popped_i[s])
    );

    logic [$clog2(Entries):0] lossless_q;
    logic comes, leaves;
    assign comes = lossless_comes_i && lossless_comes_service_i == 4'(s);
    assign leaves = lossless_leaves_i && lossless_leaves_service_i == 4'(s);
    assign lossless_o[s] = lossless_q != '0;
    always_ff @(posedge clk_i) begin
      if (comes != leaves) lossless_q <= comes ? lossless_q + 1'b1 : lossless_q - 1'b1;
      if (rst_i) lossless_q <= '0;
      if (!rst_i) begin
        assert (!leaves || lossless_q != '0)
        else $error("scheduler_services: more lossless packets left than came");
      end
    end
  end
endmodule
