// SPDX-License-Identifier: Apache-2.0
// The age of SYN cookies (RFC 4987, 3.6), and the segments that may answer them.
//
// Answers are looked for only while a cookie that was sent for the tenant may still be valid. Each holds up later events, of all tenants, so each tenant
// has a burst of them (tcp_burst); they wait here until the events before them are done. `stands` of such an event says that few of the burst were left.
module tcp_cookies
  import girih_pkg::*, tcp_types_pkg::*, cookie_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input tick_t       now_i,
    input logic [23:0] length_i,  // of a period, in ticks

    output period_t period_o,

    input  tenant_t fresh_tenant_i,
    output logic    fresh_o,         // a cookie of this tenant may be valid

    input  work_t work_i,
    input  logic  sent_i,      // a cookie, to this segment's peer
    input  logic  asks_i,      // this segment may answer one: it waits here, if may_ask
    output logic  may_ask_o,

    output logic  asked_valid_o,
    input  logic  asked_ready_i,
    output work_t asked_o
);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);

  logic [Tenants-1:0][$clog2(CookiePeriods+1)-1:0] fresh_q;  // periods
  logic sent_q;
  tenant_t sent_tenant_q;
  logic [23:0] age_q;  // ticks of this period so far
  tick_t tick_q;
  period_t period_q;
  logic new_period;
  assign new_period = now_i != tick_q && age_q >= length_i;
  assign fresh_o = fresh_q[fresh_tenant_i] != '0;
  assign period_o = period_q;
  always_ff @(posedge clk_i) begin
    sent_q <= sent_i;
    sent_tenant_q <= work_i.tenant;
    tick_q <= now_i;
    if (now_i != tick_q) age_q <= new_period ? '0 : age_q + 1'b1;
    if (new_period) period_q <= period_q + 1'b1;
    for (int unsigned i = 0; i < Tenants; i++) begin
      if (new_period && fresh_q[i] != '0) fresh_q[i] <= fresh_q[i] - 1'b1;
      if (sent_q && sent_tenant_q == tenant_t'(i)) fresh_q[i] <= $bits(fresh_q[i])'(CookiePeriods);
    end
    if (rst_i) begin
      sent_q <= 1'b0;
      fresh_q <= '0;
      age_q <= '0;
      period_q <= '0;
    end
  end

  logic asked_ready, spare, few, unused_ready;
  tenant_t unused_next;
  work_t may_be;
  assign may_ask_o = asked_ready && spare;
  always_comb begin
    may_be = work_i;
    may_be.kind = EventAccept;
    may_be.stands = few;
  end
  tcp_burst u_burst (
      .clk_i,
      .rst_i,
      .tenant_i(work_i.tenant),
      .left_o  (spare),
      .few_o   (few),
      .take_i  (asks_i && may_ask_o),
      .ready_o (unused_ready),
      .next_o  (unused_next)
  );
  fifo #(
      .T(work_t),
      .Depth(8)
  ) u_asked (
      .clk_i,
      .rst_i,
      .in_valid_i (asks_i && may_ask_o),
      .in_ready_o (asked_ready),
      .in_data_i  (may_be),
      .out_valid_o(asked_valid_o),
      .out_ready_i(asked_ready_i),
      .out_data_o (asked_o)
  );
endmodule
