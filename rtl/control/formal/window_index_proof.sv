// SPDX-License-Identifier: Apache-2.0
// Proves that other tenants change nothing for a tenant at window_index. Two copies get the same requests of the watched tenant and the
// operator, and different, arbitrary requests of other tenants. The window behind them answers both copies alike where they ask for the same
// byte for the same tenant. The watched tenant then gets the same answers in the same cycles, and its indices, and the operator's, are equal.
module window_index_proof
  import girih_pkg::*;
#(
    parameter int unsigned Bits = 15
) (
    input logic         clk_i,
    input logic         start_i,
    input logic         write_i,
    input logic  [13:0] addr_i,
    input logic  [31:0] data_i,
    input logic         operator_i,
    input logic  [ 1:0] other_start_i,
    input logic  [ 1:0] other_write_i,
    input logic  [13:0] other_addr_i  [2],
    input logic  [31:0] other_data_i  [2],
    input tenant_t      other_tenant_i[2],
    input tenant_t      watched_i,
    input ctrl_master_t master_i,
    input ctrl_master_t row_i,
    input logic  [ 1:0] done_i,
    input logic  [ 1:0] error_i,
    input logic  [31:0] read_i        [2]
);
  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // Any tenant and any master; they do not change.
  tenant_t watched_q;
  ctrl_master_t row_q;
  always_ff @(posedge clk_i) begin
    {watched_q, row_q} <= {watched_i, row_i};
    if (!rst) assume (watched_i == watched_q && row_i == row_q);
  end

  logic common;
  logic [1:0] valid, write, done, error;
  logic [13:0] addr[2];
  logic [31:0] data[2], answer[2];
  tenant_t tenant[2];
  window_pair u_pair (
      .clk_i,
      .rst_i(rst),
      .watched_i,
      .start_i,
      .write_i,
      .addr_i,
      .data_i,
      .operator_i,
      .other_start_i,
      .other_write_i,
      .other_addr_i,
      .other_data_i,
      .other_tenant_i,
      .common_o(common),
      .window_valid_o(valid),
      .window_write_o(write),
      .window_addr_o(addr),
      .window_data_o(data),
      .window_tenant_o(tenant),
      .window_done_i(done),
      .window_error_i(error),
      .window_data_i(answer)
  );

  logic [1:0] meant, clearing;
  logic [Bits-1:0] place[2];
  logic [Bits-1:2] own[2], operators[2];
  ctrl_master_t master_q[2], cleared_master[2];
  tenant_t cleared_tenant[2];
  for (genvar i = 0; i < 2; i++) begin : gen_copy
    // A request has a master, which holds as the rest of it does.
    always_ff @(posedge clk_i) if (!valid[i]) master_q[i] <= master_i;
    window_index #(
        .Bits(Bits)
    ) u_dut (
        .clk_i,
        .rst_i(rst),
        .valid_i(valid[i]),
        .write_i(write[i]),
        .master_i(master_q[i]),
        .tenant_i(tenant[i]),
        .addr_i(addr[i]),
        .data_i(data[i]),
        .done_o(done[i]),
        .error_o(error[i]),
        .late_o(),
        .data_o(answer[i]),
        .window_valid_o(meant[i]),
        .window_addr_o(place[i]),
        .window_done_i(meant[i] && done_i[i]),
        .window_error_i(error_i[i]),
        .window_late_i(1'b0),
        .window_data_i(read_i[i])
    );
    assign clearing[i] = u_dut.clearing_q;
    assign {cleared_tenant[i], cleared_master[i]} = u_dut.cleared_q;
    assign own[i] = u_dut.indices[{watched_i, row_i}];
    assign operators[i] = u_dut.indices[{tenant_t'(0), row_i}];
  end

  // The common requests come from one master, which is any; each master has indices of its own.
  always_ff @(posedge clk_i) begin
    if (common && meant == '1 && place[0] == place[1]) begin
      assume (done_i[0] == done_i[1] && error_i[0] == error_i[1]);
      if (tenant[0] == watched_i) assume (read_i[0] == read_i[1]);
    end
    assume (!common || master_q[0] == row_i);
    if (!rst) begin
      assert (clearing[0] == clearing[1] && {cleared_tenant[0], cleared_master[0]} == {cleared_tenant[1], cleared_master[1]});
      if (common) assert (master_q[0] == master_q[1]);
      if (!clearing[0] || {cleared_tenant[0], cleared_master[0]} > {watched_i, row_i}) assert (own[0] == own[1]);
      if (!clearing[0] || {cleared_tenant[0], cleared_master[0]} > {tenant_t'(0), row_i}) assert (operators[0] == operators[1]);
      if (common && meant == '1) assert (place[0] == place[1]);
    end
  end
endmodule
