// SPDX-License-Identifier: Apache-2.0
// How many SYNs may wait in the stack's store, by tenant. One tenant's SYNs never take what is another's.
//
// A SYN waits in a place of its tenant: each has one, and a second one while fewer than Shared places of all tenants are taken. So a flood is
// answered as fast as the stack can, and holds up other events by a few SYNs. Beside those, each tenant has a burst of SYNs (tcp_burst), for peers
// that connect at the same time.
//
// After reset, one tenant's limits are set in each cycle; meanwhile no SYN is admitted.
module tcp_syn_limit
  import girih_pkg::*;
#(
    parameter int unsigned Shared = 4,
    parameter int unsigned Burst = 128,
    parameter int unsigned Pause = 64
) (
    input logic clk_i,
    input logic rst_i,

    // A SYN of this tenant, if take_i: only if admitted.
    input  tenant_t tenant_i,
    output logic    admitted_o,
    output logic    has_place_o,  // it is admitted to a place
    input  logic    take_i,

    input logic    leave_i,         // a SYN that has a place
    input tenant_t leave_tenant_i
);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  localparam int unsigned MostTaken = Tenants + Shared;
  typedef logic [$clog2(MostTaken+1)-1:0] taken_t;

  taken_t taken_q;  // places

  // A place that is taken is written in the cycle after it, because take_i comes late; until then it is added to what is read.
  logic placed_q;
  tenant_t last_q;

  logic ready, few, spare, unused_few;
  logic [1:0] placed, own;
  tenant_t next;
  assign own = placed + 2'(placed_q && last_q == tenant_i);
  assign few = taken_q + taken_t'(placed_q) < taken_t'(Shared);
  assign has_place_o = ready && (own == 2'd0 || (own == 2'd1 && few));
  assign admitted_o = has_place_o || spare;

  tenant_count #(
      .Most(2)
  ) u_placed (
      .clk_i,
      .rst_i,
      .clear_i       (!ready),
      .clear_tenant_i(next),
      .up_i          (placed_q),
      .up_tenant_i   (last_q),
      .down_i        (leave_i),
      .down_tenant_i (leave_tenant_i),
      .tenant_i,
      .count_o       (placed)
  );
  tcp_burst #(
      .Burst(Burst),
      .Pause(Pause)
  ) u_burst (
      .clk_i,
      .rst_i,
      .tenant_i,
      .left_o (spare),
      .few_o  (unused_few),
      .take_i (take_i && !has_place_o),
      .ready_o(ready),
      .next_o (next)
  );

  always_ff @(posedge clk_i) begin
    placed_q <= take_i && has_place_o;
    last_q <= tenant_i;
    taken_q <= taken_q + taken_t'(placed_q) - taken_t'(leave_i);
    if (rst_i) begin
      placed_q <= 1'b0;
      taken_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (take_i) assert (admitted_o);
      if (leave_i) assert (taken_q + taken_t'(placed_q) != '0);
      assert (taken_q <= taken_t'(MostTaken));
      second_place : cover (take_i && has_place_o && own == 2'd1);
      again_at_once : cover (take_i && placed_q && last_q == tenant_i);
    end
  end
endmodule
