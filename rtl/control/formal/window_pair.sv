// SPDX-License-Identifier: Apache-2.0
// For proofs of non-interference: requests to the windows of two copies of a block. The watched tenant and the operator
// make the same request to both copies in the same cycle, whenever both windows are free; in between, other tenants make
// different requests to each copy, or none. Every request holds until it is done, as on the control network.
//
// Asserts that both copies finish a request of the watched tenant or the operator in the same cycle, that both refuse it or
// neither does, and that the watched tenant reads the same. (The operator may read the data of other tenants.)
// How long such a request waits for the window to be free does not depend on the block: see docs/contracts.md.
module window_pair
  import girih_pkg::*;
#(
    parameter int unsigned AddrBits = 14
) (
    input logic clk_i,
    input logic rst_i,

    input tenant_t watched_i,  // constant

    // Free.
    input logic        start_i,
    input logic        write_i,
    input logic [AddrBits-1:0] addr_i,
    input logic [31:0] data_i,
    input logic        operator_i,
    input logic [ 1:0] other_start_i,
    input logic [ 1:0] other_write_i,
    input logic [AddrBits-1:0] other_addr_i  [2],
    input logic [31:0] other_data_i  [2],
    input tenant_t     other_tenant_i[2],

    output logic        common_o,          // the requests are those of the watched tenant or the operator
    output logic [ 1:0] window_valid_o,
    output logic [ 1:0] window_write_o,
    output logic [AddrBits-1:0] window_addr_o  [2],
    output logic [31:0] window_data_o  [2],
    output tenant_t     window_tenant_o[2],
    input  logic [ 1:0] window_done_i,
    input  logic [ 1:0] window_error_i,
    input  logic [31:0] window_data_i  [2]
);
  logic [1:0] busy_q;
  logic common_q, write_q[2];
  logic [AddrBits-1:0] addr_q[2];
  logic [31:0] data_q[2];
  tenant_t tenant_q[2];

  logic start;
  assign start = start_i && busy_q == '0;
  assign common_o = common_q;
  for (genvar i = 0; i < 2; i++) begin : gen_copy
    assign window_valid_o[i] = busy_q[i];
    assign window_write_o[i] = write_q[i];
    assign window_addr_o[i] = addr_q[i];
    assign window_data_o[i] = data_q[i];
    assign window_tenant_o[i] = tenant_q[i];
    always_ff @(posedge clk_i) begin
      if (!busy_q[i]) begin
        busy_q[i] <= start || other_start_i[i];
        write_q[i] <= start ? write_i : other_write_i[i];
        addr_q[i] <= start ? addr_i : other_addr_i[i];
        data_q[i] <= start ? data_i : other_data_i[i];
        tenant_q[i] <= !start ? other_tenant_i[i] : operator_i ? '0 : watched_i;
      end
      if (busy_q[i] && window_done_i[i]) busy_q[i] <= 1'b0;
      if (rst_i) busy_q[i] <= 1'b0;
      assume (other_tenant_i[i] != watched_i && other_tenant_i[i] != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    assume (watched_i != '0);
    if (busy_q == '0 || (busy_q & ~window_done_i) == '0) common_q <= start;
    if (rst_i) common_q <= 1'b0;
    if (!rst_i) begin
      if (common_q) begin
        assert (busy_q[0] == busy_q[1]);
        assert (write_q[0] == write_q[1] && addr_q[0] == addr_q[1]);
        assert (data_q[0] == data_q[1] && tenant_q[0] == tenant_q[1]);
        assert (tenant_q[0] == '0 || tenant_q[0] == watched_i);
        if (busy_q != '0) begin
          assert (window_done_i == '0 || window_done_i == '1);
          if (window_done_i == '1) begin
            assert (window_error_i[0] == window_error_i[1]);
            if (!window_error_i[0] && !write_q[0] && tenant_q[0] == watched_i) assert (window_data_i[0] == window_data_i[1]);
          end
        end
      end else begin
        for (int i = 0; i < 2; i++) assert (!busy_q[i] || (tenant_q[i] != '0 && tenant_q[i] != watched_i));
      end
    end
  end
endmodule
