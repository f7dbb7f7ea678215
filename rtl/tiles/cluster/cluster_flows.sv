// SPDX-License-Identifier: Apache-2.0
// Knows which core has the messages of a flow. A flow is in flight from the first flit of its first message in a core until all of
// its messages there have ended, in any order. Exact for each of Flows hashes.
//
// A lookup compares its hash with that of each slot's message; all messages of a flow are in one core. A lookup takes two
// cycles.
module cluster_flows #(
    parameter int unsigned Flows = 256,
    parameter int unsigned Cores = 4,
    parameter int unsigned Slots = 8,
    localparam int unsigned FlowBits = $clog2(Flows),
    localparam int unsigned CoreBits = Cores == 1 ? 1 : $clog2(Cores),
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [FlowBits-1:0] flow_i,   // to be looked up
    output logic                known_o,  // two cycles later: it was in flight a cycle ago
    output logic [CoreBits-1:0] core_o,

    input logic                            started_i,  // the flow's message goes into a slot
    input logic [CoreBits-1:0]             started_core_i,
    input logic [SlotBits-1:0]             started_slot_i,
    input logic [   Cores-1:0][ Slots-1:0] ended_i
);
  if (Flows < 16 || Flows > 1024 || (Flows & (Flows - 1)) != 0) begin : gen_bad_flows
    $fatal(1, "cluster_flows: Flows is %0d; it must be a power of two from 16 to 1024", Flows);
  end
  localparam int unsigned Places = Cores * Slots;

  logic [Places-1:0][FlowBits-1:0] owner_q;  // of the message in each slot
  logic [Places-1:0] busy_q, same_q, started, ended;
  logic [Cores-1:0] has;  // messages of the flow
  logic [CoreBits-1:0] core_q;
  logic known_q;
  assign started = Places'(started_i) << {started_core_i, started_slot_i};
  assign ended = Places'(ended_i);
  assign known_o = known_q;
  assign core_o = core_q;

  logic [CoreBits-1:0] core;
  always_comb begin
    core = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      has[i] = |(busy_q[i*Slots+:Slots] & same_q[i*Slots+:Slots]);
      if (has[i]) core |= CoreBits'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Places; p++) begin
      if (started[p]) owner_q[p] <= flow_i;
      same_q[p] <= owner_q[p] == flow_i;
    end
    known_q <= |has;
    core_q <= core;
    busy_q <= (busy_q | started) & ~ended;
    if (rst_i) busy_q <= '0;
  end
endmodule
