// SPDX-License-Identifier: Apache-2.0
// Knows which core has the messages of a flow: a flow is in flight from the first flit of its first message in a core until
// its last message there has ended. Exact for each of Flows hashes.
//
// The table has, for each hash, the slot of its last message (core and slot); a second one has, for each slot, the hash of the
// message in it. A hash is in flight if the slot of its last message is busy, and still that of this hash. Look-ups take two cycles.
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
  localparam int unsigned Places = 1 << (CoreBits + SlotBits);

  logic [CoreBits+SlotBits-1:0] last_mem[Flows];
  logic [FlowBits-1:0] owner_mem[Places];
  logic [Places-1:0] busy_q, started, ended;
  logic [CoreBits+SlotBits-1:0] place_q;
  logic [CoreBits-1:0] core_q;
  logic known_q;
  assign started = Places'(started_i) << {started_core_i, started_slot_i};
  assign ended = Places'(ended_i);
  assign known_o = known_q;
  assign core_o = core_q;

  always_ff @(posedge clk_i) begin
    if (started_i) begin
      last_mem[flow_i] <= {started_core_i, started_slot_i};
      owner_mem[{started_core_i, started_slot_i}] <= flow_i;
    end
    place_q <= last_mem[flow_i];
    known_q <= busy_q[place_q] && owner_mem[place_q] == flow_i;
    core_q <= place_q[SlotBits+:CoreBits];
    busy_q <= (busy_q & ~ended) | started;
    if (rst_i) busy_q <= '0;
  end
endmodule
