// SPDX-License-Identifier: Apache-2.0
// How many SYNs may wait in the stack's store, by tenant. One tenant's SYNs never take what is another's.
//
// A SYN waits in a place of its tenant: each has one, and a second one while fewer than Shared places of all tenants are taken. So a flood is
// answered as fast as the stack can, and holds up other events by a few SYNs. Beside those, each tenant has a burst of SYNs, for peers that connect
// at the same time; one more is added to one tenant after the other, each time after Pause cycles.
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
  if (Burst < 1 || Burst > 255) begin : gen_bad_burst
    $fatal(1, "tcp_syn_limit: Burst is %0d; it must be between 1 and 255", Burst);
  end
  if (Pause < 2) begin : gen_bad_pause
    $fatal(1, "tcp_syn_limit: Pause is %0d; it must be at least 2", Pause);
  end
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  localparam int unsigned MostTaken = Tenants + Shared;
  typedef logic [$clog2(Burst+1)-1:0] burst_t;
  typedef logic [$clog2(MostTaken+1)-1:0] taken_t;

  // Places that the tenant has taken and left so far, modulo 4: it has at most two.
  (* ram_style = "distributed" *) logic [1:0] came[Tenants];
  (* ram_style = "distributed" *) logic [1:0] left[Tenants];
  (* ram_style = "distributed" *) burst_t burst[Tenants];  // SYNs that may come beside those in places

  logic ready_q;
  tenant_t next_q;  // the one whose limits are set, or whose burst grows next
  logic [$clog2(Pause)-1:0] pause_q;
  logic due_q;  // the pause is over: a burst grows as soon as none is spent
  taken_t taken_q;  // places

  // What a SYN takes is written in the cycle after it, because take_i comes late; until then it is added to what is read.
  logic placed_q, spent_q;
  tenant_t last_q;

  logic [1:0] own;
  logic just, few, grow;
  burst_t allowed, changing;
  tenant_t changed;
  assign just = last_q == tenant_i;
  assign own = came[tenant_i] - left[tenant_i] + 2'(placed_q && just);
  assign few = taken_q + taken_t'(placed_q) < taken_t'(Shared);
  assign allowed = burst[tenant_i];
  assign has_place_o = ready_q && (own == 2'd0 || (own == 2'd1 && few));
  assign admitted_o = has_place_o || (ready_q && allowed > burst_t'(spent_q && just));
  assign grow = due_q && !spent_q;
  assign changed = spent_q ? last_q : next_q;
  assign changing = burst[changed];

  always_ff @(posedge clk_i) begin
    placed_q <= take_i && has_place_o;
    spent_q <= take_i && !has_place_o;
    last_q <= tenant_i;
    if (!ready_q || placed_q) came[ready_q ? last_q : next_q] <= ready_q ? came[last_q] + 1'b1 : '0;
    if (!ready_q || leave_i) left[ready_q ? leave_tenant_i : next_q] <= ready_q ? left[leave_tenant_i] + 1'b1 : '0;
    if (!ready_q || spent_q || grow) begin
      burst[changed] <= !ready_q ? burst_t'(Burst) : spent_q ? changing - 1'b1 : changing + burst_t'(changing != burst_t'(Burst));
    end
    taken_q <= taken_q + taken_t'(placed_q) - taken_t'(leave_i);
    pause_q <= pause_q == '0 ? $bits(pause_q)'(Pause - 1) : pause_q - 1'b1;
    if (pause_q == '0) due_q <= 1'b1;
    else if (grow) due_q <= 1'b0;
    if (!ready_q || grow) next_q <= next_q + 1'b1;
    if (next_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      placed_q <= 1'b0;
      spent_q <= 1'b0;
      ready_q <= 1'b0;
      next_q  <= '0;
      pause_q <= '0;
      due_q   <= 1'b0;
      taken_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (take_i) assert (admitted_o);
      if (leave_i) assert (taken_q + taken_t'(placed_q) != '0);
      if (leave_i) assert (came[leave_tenant_i] != left[leave_tenant_i] || (placed_q && last_q == leave_tenant_i));
      assert (taken_q <= taken_t'(MostTaken));
      second_place : cover (take_i && has_place_o && own == 2'd1);
      again_at_once : cover (take_i && just && (placed_q || spent_q));
      burst_spent : cover (ready_q && allowed == '0);
    end
  end
endmodule
