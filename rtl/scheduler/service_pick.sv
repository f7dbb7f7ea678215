// SPDX-License-Identifier: Apache-2.0
// The tenant whose packet a service sends next, decided a cycle ahead: the one with the lowest head rank or, if
// the service has a hierarchy, by the shares of the tenants.
//
// For a few cycles after a pop the next head of that queue is not known. Without shaping its last known rank
// is used, so that a service can send in every cycle; up to five packets of a tenant may then leave
// ahead of a better one of another tenant. Under shaping the head must be known and due.
module service_pick
  import policy_pkg::*;
#(
    parameter int unsigned Tenants = 4,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic shaped_i,
    input logic hierarchy_i,
    input logic circular_i,

    input logic [Tenants-1:0] nonempty_i,
    input logic [Tenants-1:0] head_valid_i,
    input logic [Tenants-1:0] overdue_i,  // the head's rank is overdue_rank_i
    input rank_t overdue_rank_i,
    input rank_t head_rank_i[Tenants],
    input logic [Tenants-1:0] due_i,
    input logic [Tenants-1:0] popping_i,  // the head is popped in this cycle

    // To and from tenant_share, which decides among eligible_o.
    output logic [Tenants-1:0] eligible_o,
    input  logic               share_valid_i,
    input  tenant_t            share_tenant_i,

    output logic                   pick_valid_o,
    output logic [TenantWidth-1:0] pick_tenant_o,
    input  logic                   popped_i        // the picked packet was popped
);
  logic alone;
  logic [Tenants-1:0] known, is_due, seen_q;
  rank_t rank[Tenants];
  rank_t last_q[Tenants];
  assign alone = (nonempty_i & (nonempty_i - 1'b1)) == '0;

  for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
    assign rank[t] = overdue_i[t] ? overdue_rank_i : head_valid_i[t] ? head_rank_i[t] : last_q[t];
    assign known[t] = head_valid_i[t] || (!shaped_i && (seen_q[t] || alone));
    assign is_due[t] = !shaped_i || (head_valid_i[t] && !popping_i[t] && due_i[t]);
    assign eligible_o[t] = nonempty_i[t] && is_due[t];
    always_ff @(posedge clk_i) begin
      if (head_valid_i[t] && !overdue_i[t]) last_q[t] <= head_rank_i[t];
      seen_q[t] <= nonempty_i[t] && (seen_q[t] || head_valid_i[t]);
      if (rst_i) seen_q[t] <= 1'b0;
    end
  end

  logic valid, valid_q, popped_q;
  logic [Tenants-1:0] pick, pick_q, used_q;  // of the previous cycle; and that of the one before, if it was popped
  logic [TenantWidth-1:0] tenant, tenant_q;

  tenant_pick #(
      .Tenants(Tenants)
  ) u_pick (
      .clk_i,
      .rst_i,
      .circular_i,
      .nonempty_i,
      .head_valid_i(known),
      .head_rank_i(rank),
      .valid_o(valid),
      .pick_o(pick),
      .used_i(used_q)
  );

  // The cycle after a pop still shows the popped head.
  logic blocked;
  assign blocked = shaped_i && popped_q;
  assign pick_valid_o = !blocked && (hierarchy_i ? share_valid_i : valid_q);
  assign pick_tenant_o = hierarchy_i ? TenantWidth'(share_tenant_i) : tenant_q;

  logic unused;
  assign unused = &{1'b0, share_tenant_i};

  always_comb begin
    tenant = '0;
    for (int unsigned t = 0; t < Tenants; t++) if (pick[t]) tenant |= TenantWidth'(t);
  end
  always_ff @(posedge clk_i) begin
    valid_q <= valid && |(pick & is_due);
    tenant_q <= tenant;
    pick_q <= pick;
    used_q <= popped_i ? pick_q : '0;
    popped_q <= popped_i;
    if (rst_i) begin
      valid_q <= 1'b0;
      popped_q <= 1'b0;
      used_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      head_is_not_due : cover (shaped_i && |(nonempty_i & head_valid_i) && !valid_q);
      last_rank_stands_in : cover (popped_i && !hierarchy_i && !(&(head_valid_i | ~nonempty_i)));
      blocked_after_a_pop : cover (blocked && |nonempty_i);
    end
  end
endmodule
