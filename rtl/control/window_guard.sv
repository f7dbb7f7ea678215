// SPDX-License-Identifier: Apache-2.0
// Between a tile's node on the control ring and its engine's window: every request is answered, whatever the
// engine does. A request that the window has not answered after Limit cycles ends with an error (late_o), so that
// the node is free for other requests.
//
// The window keeps seeing that request until it answers, as it does every request. The late answer is
// discarded, so it is never taken for the answer to another request. Until then, other requests to the window end at
// once with the same error. The window sees a request one cycle after the node.
module window_guard
  import girih_pkg::*;
#(
    parameter int unsigned Limit = 65_536,
    parameter int unsigned AddrBits = 14
) (
    input logic clk_i,
    input logic rst_i,

    // From the node. A request holds until done_o.
    input  logic        valid_i,
    input  logic        write_i,
    input  logic [AddrBits-1:0] addr_i,
    input  logic [31:0] data_i,
    input  tenant_t     tenant_i,
    output logic        done_o,
    output logic        error_o,
    output logic        late_o,
    output logic [31:0] data_o,

    output logic        window_valid_o,
    output logic        window_write_o,
    output logic [AddrBits-1:0] window_addr_o,
    output logic [31:0] window_data_o,
    output tenant_t     window_tenant_o,
    input  logic        window_done_i,
    input  logic        window_error_i,
    input  logic [31:0] window_data_i
);
  if (Limit < 2) begin : gen_bad_limit
    $fatal(1, "window_guard: Limit is %0d; it must be at least 2", Limit);
  end

  typedef logic [$clog2(Limit)-1:0] count_t;

  typedef struct packed {
    logic write;
    logic [AddrBits-1:0] addr;
    logic [31:0] data;
    tenant_t tenant;
  } request_t;

  logic busy_q;  // the window works on request_q
  logic given_up_q;  // request_q has expired: its answer will be discarded
  request_t request_q;
  count_t count_q;  // cycles since the window got it
  logic expired;
  assign expired = count_q == count_t'(Limit - 1);

  assign late_o = given_up_q || !window_done_i;  // with done_o
  assign done_o = valid_i && busy_q && (window_done_i || expired);
  assign error_o = late_o || window_error_i;
  assign data_o = window_data_i;

  assign window_valid_o = busy_q;
  assign window_write_o = request_q.write;
  assign window_addr_o = request_q.addr;
  assign window_data_o = request_q.data;
  assign window_tenant_o = request_q.tenant;

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      busy_q <= valid_i;
      given_up_q <= 1'b0;
      // Without valid_i, a request to another node may be passing, which the engine must not see.
      if (valid_i) request_q <= '{write: write_i, addr: addr_i, data: data_i, tenant: tenant_i};
      count_q <= '0;
    end else begin
      if (window_done_i) busy_q <= 1'b0;
      else if (expired) given_up_q <= 1'b1;
      if (!expired) count_q <= count_q + 1'b1;
    end
    if (rst_i) busy_q <= 1'b0;
  end
endmodule
