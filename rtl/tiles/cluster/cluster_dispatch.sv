// SPDX-License-Identifier: Apache-2.0
// Gives each message at the head of the shared queue to one of the cores:
//
//   the core that has messages of its flow, if there is one (if that core is held or has stopped, the message waits until they have left); else
//   a core that asks for a message; else
//   a core in which fewer than Ahead messages wait; else the message waits.
//
// Cores take turns. Without flows a message goes only to a running core with a free slot, so a core that does not take its messages
// does not block the others. A core that stays in reset drops the messages that wait in it and sends those that its program has sent, so a flow
// waits for it no longer than for the common output. If all cores stay in reset, messages go to the first one, which drops them. One message at
// a time: one cycle for the choice, two more with flows, then a flit per cycle.
module cluster_dispatch
  import girih_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Cores = 4,
    parameter int unsigned Slots = 8,
    parameter int unsigned Ahead = 1,
    parameter int unsigned Flows = 0,  // 0: messages of a flow go to any core
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  logic        in_last_i,
    input  logic [15:0] in_flow_i,   // with the first flit

    output logic [Cores-1:0] out_valid_o,
    input  logic [Cores-1:0] out_ready_i,

    input core_status_t [Cores-1:0]               status_i,
    input logic         [Cores-1:0]               lost_i,       // a message has ended before it waited
    input logic         [Cores-1:0][SlotBits-1:0] fill_slot_i,
    input logic         [Cores-1:0][   Slots-1:0] ended_i
);
  if (Cores < 1 || Cores > 16) begin : gen_bad_cores
    $fatal(1, "cluster_dispatch: Cores is %0d; it must be from 1 to 16", Cores);
  end
  if (Ahead >= Slots) begin : gen_bad_ahead
    $fatal(1, "cluster_dispatch: Ahead is %0d; it must be less than the %0d slots of a core", Ahead, Slots);
  end
  localparam int unsigned Steps = Flows == 0 ? 0 : 2;  // until the flow has been looked up
  localparam int unsigned WaitBits = $clog2(Slots + 3);

  // Messages that wait in each core, from the choice on.
  logic [Cores-1:0][WaitBits-1:0] waiting_q;
  logic [Cores-1:0] asking, ready, staying, request, turn, known_core, chosen, to_q;
  always_comb begin
    for (int unsigned i = 0; i < Cores; i++) begin
      asking[i] = status_i[i].runs && status_i[i].room && status_i[i].asks && waiting_q[i] == '0;
      ready[i] = status_i[i].runs && status_i[i].room && 32'(waiting_q[i]) + 1 <= Ahead;
      staying[i] = status_i[i].stays;
    end
  end

  logic bound_q, choose, known, advance, done;
  logic [1:0] step_q;
  assign choose = in_valid_i && !bound_q && step_q == 2'(Steps);
  assign request = asking != '0 ? asking : ready;
  arbiter_round_robin #(
      .N(Cores)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i(request),
      .advance_i(advance),
      .grant_o  (turn)
  );
  always_comb begin
    chosen = '0;
    if (choose) chosen = known ? known_core & ~staying : &staying ? Cores'(1) : turn;
  end
  assign advance = choose && !known && !(&staying);

  assign out_valid_o = to_q & {Cores{in_valid_i && bound_q}};
  assign in_ready_o = bound_q && |(to_q & out_ready_i);
  assign done = in_valid_i && in_ready_o && in_last_i;

  if (Flows != 0) begin : gen_flows
    localparam int unsigned CoreBits = Cores == 1 ? 1 : $clog2(Cores);
    logic [CoreBits-1:0] core, started_core;
    logic [SlotBits-1:0] started_slot;
    logic [$clog2(Flows)-1:0] flow, flow_q;
    logic started;
    always_comb begin
      started = 1'b0;
      started_core = '0;
      started_slot = '0;
      for (int unsigned i = 0; i < Cores; i++) begin
        if (to_q[i] && status_i[i].started) begin
          started = 1'b1;
          started_core |= CoreBits'(i);
          started_slot |= fill_slot_i[i];
        end
      end
    end
    // The upper bits of the hash choose; the flow of the message stays while it moves.
    assign flow = bound_q ? flow_q : in_flow_i[15-:$clog2(Flows)];
    cluster_flows #(
        .Flows(Flows),
        .Cores(Cores),
        .Slots(Slots)
    ) u_flows (
        .clk_i,
        .rst_i,
        .flow_i(flow),
        .known_o(known),
        .core_o(core),
        .started_i(started),
        .started_core_i(started_core),
        .started_slot_i(started_slot),
        .ended_i
    );
    assign known_core = Cores'(1) << core;
    always_ff @(posedge clk_i) if (!bound_q) flow_q <= flow;
  end else begin : gen_no_flows
    assign known = 1'b0;
    assign known_core = '0;
  end

  logic unused;
  assign unused = &{1'b0, in_flow_i, fill_slot_i, ended_i, status_i};

  always_ff @(posedge clk_i) begin
    if (chosen != '0) to_q <= chosen;
    bound_q <= bound_q ? !done : chosen != '0;
    if (!in_valid_i || bound_q) step_q <= '0;
    else if (step_q != 2'(Steps)) step_q <= step_q + 1'b1;
    for (int unsigned i = 0; i < Cores; i++) begin
      waiting_q[i] <= waiting_q[i] + WaitBits'(chosen[i]) - WaitBits'(status_i[i].taken) - WaitBits'(lost_i[i]);
      if (rst_i) waiting_q[i] <= '0;
    end
    if (rst_i) begin
      bound_q <= 1'b0;
      step_q  <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(chosen))
      else $error("cluster_dispatch: a message goes to more than one core");
      for (int unsigned i = 0; i < Cores; i++) begin
        assert (32'(waiting_q[i]) <= Slots + 1)
        else $error("cluster_dispatch: %0d messages wait in core %0d, which has %0d slots", waiting_q[i], i, Slots);
      end
      nobody_is_ready : cover (choose && chosen == '0);
      flow_waits : cover (choose && known && chosen == '0);
    end
  end
endmodule
