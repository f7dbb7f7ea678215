// SPDX-License-Identifier: Apache-2.0
// Weighted fair share between the tenants of each service: decides which tenant is next, one registered
// decision per service and cycle. charge_* reports every dequeued packet, at any later time; until then the
// decision does not include it.
//
// Each (service, tenant) has a virtual time, charged with length * inverse weight; the tenant with the lowest
// is next. A tenant behind all waiting tenants was idle: the next charge of its service lifts it to their floor,
// so it saves up nothing. The times are exact, so rounding favours no tenant.
//
//   cycle 0: multiply    1: lift the times of the service    2: charge, compare    3: the floor
//
// Beside the times, the order of each pair of tenants is kept. So a decision needs no comparison, and one
// comparator per tenant serves all services. (Lifting changes no order: a lifted tenant is still not behind
// any other.)
module tenant_share
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input logic [11:0] inverse_weight_i[Tenants],

    input  logic    [Tenants-1:0] nonempty_i[Services],
    output logic                  valid_o   [Services],
    output tenant_t               tenant_o  [Services],

    input logic     charge_valid_i,
    input service_t charge_service_i,
    input tenant_t  charge_tenant_i,
    input length_t  charge_length_i
);
  if (Services < 1 || Services > 2 ** $bits(service_t)) begin : gen_bad_services
    $fatal(1, "tenant_share: Services is %0d; it must be from 1 to %0d", Services, 2 ** $bits(service_t));
  end
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "tenant_share: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end

  localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1;
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  localparam int unsigned CostWidth = LengthWidth + 12;
  // The times of waiting tenants differ by the charges since they were last equal: a few packets.
  localparam int unsigned ShareWidth = CostWidth + 6;
  typedef logic [ShareWidth-1:0] share_t;
  typedef share_t [Tenants-1:0] row_t;

  function automatic logic behind(share_t a, share_t b);
    share_t distance;
    distance = a - b;
    return distance[ShareWidth-1];
  endfunction

  // ---- Cycle 0. After reset, clears the services one by one.
  logic [ServiceWidth-1:0] clear_service_q, service_q, service2_q;
  logic [TenantWidth-1:0] tenant_q, tenant2_q;
  logic clearing_q, clear_q, clear2_q, valid_q, valid2_q;
  logic [CostWidth-1:0] cost_q, cost2_q;

  always_ff @(posedge clk_i) begin
    valid_q <= charge_valid_i || clearing_q;
    clear_q <= clearing_q;
    service_q <= clearing_q ? clear_service_q : charge_service_i[ServiceWidth-1:0];
    tenant_q <= charge_tenant_i[TenantWidth-1:0];
    cost_q <= charge_length_i * inverse_weight_i[charge_tenant_i[TenantWidth-1:0]];
    if (clearing_q) clear_service_q <= clear_service_q + 1'b1;
    if (clear_service_q == ServiceWidth'(Services - 1)) clearing_q <= 1'b0;
    if (rst_i) begin
      clear_service_q <= '0;
      clearing_q <= 1'b1;
      valid_q <= 1'b0;
    end
  end

  // ---- Cycle 1. The row that cycle 2 writes is forwarded.
  row_t times[Services];
  share_t floors[Services];  // no waiting tenant is behind it
  row_t row, lifted, lifted_q, charged;
  share_t floor_value;
  assign row = valid2_q && service2_q == service_q ? charged : times[service_q];
  assign floor_value = floors[service_q];
  for (genvar t = 0; t < Tenants; t++) begin : gen_lift
    assign lifted[t] = clear_q ? '0 : behind(row[t], floor_value) ? floor_value : row[t];
  end

  always_ff @(posedge clk_i) begin
    valid2_q <= valid_q;
    if (valid_q) begin
      clear2_q   <= clear_q;
      service2_q <= service_q;
      tenant2_q  <= tenant_q;
      cost2_q    <= cost_q;
      lifted_q   <= lifted;
    end
    if (rst_i) valid2_q <= 1'b0;
  end

  // ---- Cycle 2
  share_t paid;
  logic [Tenants-1:0] first;  // the tenants that go before the charged one
  assign paid = lifted_q[tenant2_q] + (clear2_q ? '0 : share_t'(cost2_q));
  for (genvar t = 0; t < Tenants; t++) begin : gen_first
    assign charged[t] = tenant2_q == TenantWidth'(t) ? paid : lifted_q[t];
    assign first[t] = !behind(paid, lifted_q[t]);
  end
  always_ff @(posedge clk_i) begin
    if (valid2_q) times[service2_q] <= charged;
  end

  // ahead[s][a][b]: a goes before b. Kept for a < b, the other half is its complement.
  logic [Tenants-1:0][Tenants-1:0] ahead[Services];
  for (genvar s = 0; s < Services; s++) begin : gen_service
    logic [Tenants-1:0] best;
    for (genvar a = 0; a < Tenants; a++) begin : gen_a
      assign ahead[s][a][a] = 1'b1;
      for (genvar b = a + 1; b < Tenants; b++) begin : gen_b
        logic ahead_q;
        assign ahead[s][a][b] = ahead_q;
        assign ahead[s][b][a] = !ahead_q;
        always_ff @(posedge clk_i) begin
          if (valid2_q && service2_q == ServiceWidth'(s)) begin
            if (clear2_q) ahead_q <= 1'b1;
            else if (tenant2_q == TenantWidth'(a)) ahead_q <= !first[b];
            else if (tenant2_q == TenantWidth'(b)) ahead_q <= first[a];
          end
        end
      end
      assign best[a] = nonempty_i[s][a] && (nonempty_i[s] & ~ahead[s][a]) == '0;
    end

    tenant_t tenant;
    always_comb begin
      tenant = '0;
      for (int unsigned t = 0; t < Tenants; t++) if (best[t]) tenant |= tenant_t'(t);
    end
    always_ff @(posedge clk_i) begin
      valid_o[s]  <= |nonempty_i[s];
      tenant_o[s] <= tenant;
      if (rst_i) valid_o[s] <= 1'b0;
    end
  end

  // ---- Cycle 3: the floor follows the first waiting tenant, or the charged one if none waits. It never decreases.
  row_t row3_q;
  logic valid3_q, clear3_q;
  logic [ServiceWidth-1:0] service3_q;
  logic [TenantWidth-1:0] tenant3_q;
  share_t lowest;
  logic [Tenants-1:0] nonempty_q[Services];
  logic [Tenants-1:0] waiting3;
  assign waiting3 = nonempty_q[service3_q] != '0 ? nonempty_q[service3_q] : Tenants'(1) << tenant3_q;
  always_comb begin
    lowest = '0;
    for (int unsigned t = 0; t < Tenants; t++) begin
      if (waiting3[t] && (waiting3 & ~ahead[service3_q][t]) == '0) lowest |= row3_q[t];
    end
  end
  always_ff @(posedge clk_i) begin
    nonempty_q <= nonempty_i;
    valid3_q <= valid2_q;
    clear3_q <= clear2_q;
    service3_q <= service2_q;
    tenant3_q <= tenant2_q;
    if (valid2_q) row3_q <= charged;
    if (valid3_q) begin
      if (clear3_q) floors[service3_q] <= '0;
      else if (behind(floors[service3_q], lowest)) floors[service3_q] <= lowest;
    end
    if (rst_i) valid3_q <= 1'b0;
  end

  logic unused;
  assign unused = &{charge_service_i, charge_tenant_i};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      time_wraps : cover (valid2_q && !clear2_q && paid < lifted_q[tenant2_q]);
      charged_again_at_once : cover (valid_q && valid2_q && !clear_q && service2_q == service_q);
      idle_tenant_is_lifted : cover (valid_q && !clear_q && lifted != row);
    end
  end
endmodule
