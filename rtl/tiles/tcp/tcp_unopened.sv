// SPDX-License-Identifier: Apache-2.0
// Applications' requests to open a connection for which there is no place, until their applications have been told. At most Most of a tenant wait; a
// further one is lost. So no tenant takes the places of others.
module tcp_unopened
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Most = 16
) (
    input logic clk_i,
    input logic rst_i,

    input logic    clear_i,         // all tenants, before a request is refused
    input tenant_t clear_tenant_i,

    input logic  refused_i,
    input work_t work_i,     // its window is the application's name

    output logic  unopened_valid_o,
    input  logic  unopened_ready_i,
    output work_t unopened_o
);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  typedef logic [$clog2(Most+1)-1:0] count_t;
  typedef struct packed {
    tuple_t tuple;
    port_t port;
    tenant_t tenant;
    logic [15:0] application;
  } wish_t;

  count_t waiting;
  logic tells, tells_q, told_q;
  tenant_t told_tenant_q;
  wish_t refused_q, wish;
  assign tells = refused_i && waiting + count_t'(tells_q && refused_q.tenant == work_i.tenant) < count_t'(Most);
  tenant_count #(
      .Most(Most)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_tenant_i,
      .up_i         (tells_q),
      .up_tenant_i  (refused_q.tenant),
      .down_i       (told_q),
      .down_tenant_i(told_tenant_q),
      .tenant_i     (work_i.tenant),
      .count_o      (waiting)
  );
  always_ff @(posedge clk_i) begin
    tells_q <= tells;
    refused_q <= '{tuple: work_i.tuple, port: work_i.port, tenant: work_i.tenant, application: work_i.window};
    told_q <= unopened_valid_o && unopened_ready_i;
    told_tenant_q <= wish.tenant;
    if (rst_i) begin
      tells_q <= 1'b0;
      told_q <= 1'b0;
    end
  end

  logic ready;
  fifo_block #(
      .T(wish_t),
      .Depth(Tenants * Most)
  ) u_wishes (
      .clk_i,
      .rst_i,
      .in_offer_i (tells_q),
      .in_valid_i (tells_q),
      .in_ready_o (ready),
      .in_data_i  (refused_q),
      .out_valid_o(unopened_valid_o),
      .out_ready_i(unopened_ready_i),
      .out_data_o (wish)
  );
  always_comb begin
    unopened_o = '0;
    unopened_o.tuple = wish.tuple;
    unopened_o.port = wish.port;
    unopened_o.tenant = wish.tenant;
    unopened_o.window = wish.application;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!tells_q || ready)
      else $error("tcp_unopened: there is no room for the answer to a request");
    end
  end

  logic unused;
  assign unused = &{1'b0, work_i};
endmodule
