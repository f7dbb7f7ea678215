// SPDX-License-Identifier: Apache-2.0
// Weighted fair share between the tenants of each service: which of its tenants is next. The decision
// is registered, one per service and cycle. charge_* tells of every packet dequeued, any time after.
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
endmodule
