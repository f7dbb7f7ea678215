// SPDX-License-Identifier: Apache-2.0
// Stored lossless messages that wait for a token of their tenant (lossless_tokens): one first-in first-out queue per
// tenant. They block nobody else here.
module lossless_wait
  import entry_pkg::*;
#(
    parameter int unsigned Tenants = 4,
    parameter int unsigned Places = 8,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic push_i,
    input arrival_t push_arrival_i,

    output logic [Tenants-1:0] waiting_o,
    input logic [TenantWidth-1:0] tenant_i,
    output arrival_t arrival_o,  // the first of tenant_i, marked as having a token
    input logic pop_i
);
  localparam int unsigned PlaceWidth = Places > 1 ? $clog2(Places) : 1;
  typedef logic [PlaceWidth:0] ptr_t;

  (* ram_style = "distributed" *) arrival_t arrivals[Tenants<<PlaceWidth];
  ptr_t write_q[Tenants];
  ptr_t read_q[Tenants];
  logic [TenantWidth-1:0] push_tenant;
  assign push_tenant = push_arrival_i.entry.desc.tenant[TenantWidth-1:0];

  always_comb begin
    arrival_o = arrivals[{tenant_i, read_q[tenant_i][PlaceWidth-1:0]}];
    arrival_o.entry.token = 1'b1;
  end

  for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
    logic push, pop;
    assign push = push_i && push_tenant == TenantWidth'(t);
    assign pop = pop_i && tenant_i == TenantWidth'(t);
    assign waiting_o[t] = write_q[t] != read_q[t];
    always_ff @(posedge clk_i) begin
      if (push) write_q[t] <= write_q[t] + 1'b1;
      if (pop) read_q[t] <= read_q[t] + 1'b1;
      if (rst_i) begin
        write_q[t] <= '0;
        read_q[t]  <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) arrivals[{push_tenant, write_q[push_tenant][PlaceWidth-1:0]}] <= push_arrival_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!push_i || ptr_t'(write_q[push_tenant] - read_q[push_tenant]) != ptr_t'(Places))
      else $error("lossless_wait: no place for a message");
      assert (!pop_i || waiting_o[tenant_i])
      else $error("lossless_wait: no message waits");
      last_place_taken : cover (push_i && ptr_t'(write_q[push_tenant] - read_q[push_tenant]) == ptr_t'(Places - 1));
      write_wraps : cover (push_i && &write_q[push_tenant][PlaceWidth-1:0]);
      pushed_and_popped : cover (push_i && pop_i && push_tenant == tenant_i);
    end
  end
endmodule
