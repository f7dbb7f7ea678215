// SPDX-License-Identifier: Apache-2.0
// What each tenant may do in a burst: Burst times at once. One more is added to one tenant after the other, each time after Pause cycles, up to Burst.
// So no tenant takes what is another's.
//
// After reset, one tenant's is set in each cycle; meanwhile none is left.
module tcp_burst
  import girih_pkg::*;
#(
    parameter int unsigned Burst = 128,
    parameter int unsigned Pause = 64
) (
    input logic clk_i,
    input logic rst_i,

    // One of this tenant's, if take_i: only if one is left.
    input  tenant_t tenant_i,
    output logic    left_o,
    output logic    few_o,     // half of them are gone
    input  logic    take_i,

    output logic    ready_o,  // all are set
    output tenant_t next_o    // until then, the tenant whose burst is set
);
  if (Burst < 1 || Burst > 255) begin : gen_bad_burst
    $fatal(1, "tcp_burst: Burst is %0d; it must be between 1 and 255", Burst);
  end
  if (Pause < 2) begin : gen_bad_pause
    $fatal(1, "tcp_burst: Pause is %0d; it must be at least 2", Pause);
  end
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  typedef logic [$clog2(Burst+1)-1:0] burst_t;

  (* ram_style = "distributed" *) burst_t burst[Tenants];

  logic ready_q;
  tenant_t next_q;  // the one whose burst is set, or grows next
  logic [$clog2(Pause)-1:0] pause_q;
  logic due_q;  // the pause is over: a burst grows as soon as nothing is taken

  // What is taken is written in the cycle after it, because take_i comes late; until then it is added to what is read.
  logic taken_q;
  tenant_t last_q;

  logic just, grow;
  burst_t allowed, changing;
  tenant_t changed;
  assign just = taken_q && last_q == tenant_i;
  assign allowed = burst[tenant_i];
  assign left_o = ready_q && allowed > burst_t'(just);
  assign few_o = allowed <= burst_t'(Burst / 2);
  assign ready_o = ready_q;
  assign next_o = next_q;
  assign grow = due_q && !taken_q;
  assign changed = taken_q ? last_q : next_q;
  assign changing = burst[changed];

  always_ff @(posedge clk_i) begin
    taken_q <= take_i;
    last_q <= tenant_i;
    if (!ready_q || taken_q || grow) begin
      burst[changed] <= !ready_q ? burst_t'(Burst) : taken_q ? changing - 1'b1 : changing + burst_t'(changing != burst_t'(Burst));
    end
    pause_q <= pause_q == '0 ? $bits(pause_q)'(Pause - 1) : pause_q - 1'b1;
    if (pause_q == '0) due_q <= 1'b1;
    else if (grow) due_q <= 1'b0;
    if (!ready_q || grow) next_q <= next_q + 1'b1;
    if (next_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      taken_q <= 1'b0;
      ready_q <= 1'b0;
      next_q  <= '0;
      pause_q <= '0;
      due_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (take_i) assert (left_o);
      again_at_once : cover (take_i && just);
      spent : cover (ready_q && allowed == '0);
    end
  end
endmodule
