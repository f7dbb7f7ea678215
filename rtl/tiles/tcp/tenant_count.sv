// SPDX-License-Identifier: Apache-2.0
// A number for each tenant that grows and falls by one: the difference of two counts in LUTRAM. Before it is used, the number of each tenant is
// cleared, one in each cycle.
module tenant_count
  import girih_pkg::*;
#(
    parameter int unsigned Most = 16
) (
    input logic clk_i,
    input logic rst_i,

    input logic    clear_i,
    input tenant_t clear_tenant_i,

    input logic    up_i,
    input tenant_t up_tenant_i,
    input logic    down_i,
    input tenant_t down_tenant_i,

    input  tenant_t                    tenant_i,
    output logic [$clog2(Most+1)-1:0] count_o
);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  typedef logic [$clog2(Most+1)-1:0] count_t;

  (* ram_style = "distributed" *) count_t came[Tenants];
  (* ram_style = "distributed" *) count_t left[Tenants];
  tenant_t came_tenant, left_tenant;
  count_t next_came, next_left;
  assign came_tenant = clear_i ? clear_tenant_i : up_tenant_i;
  assign left_tenant = clear_i ? clear_tenant_i : down_tenant_i;
  assign next_came = came[came_tenant] + 1'b1;
  assign next_left = left[left_tenant] + 1'b1;
  assign count_o = came[tenant_i] - left[tenant_i];
  always_ff @(posedge clk_i) begin
    if (clear_i || up_i) came[came_tenant] <= clear_i ? '0 : next_came;
    if (clear_i || down_i) left[left_tenant] <= clear_i ? '0 : next_left;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && !clear_i && !(up_i && down_i && up_tenant_i == down_tenant_i)) begin
      if (down_i) assert (came[down_tenant_i] != left[down_tenant_i])
      else $error("tenant_count: tenant %0d has none", down_tenant_i);
      if (up_i) assert (count_t'(came[up_tenant_i] - left[up_tenant_i]) < count_t'(Most))
      else $error("tenant_count: tenant %0d has more than %0d", up_tenant_i, Most);
    end
  end
endmodule
