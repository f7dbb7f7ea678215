// SPDX-License-Identifier: Apache-2.0
// Credits of every unit: a credit permits one more message to the unit. A unit's balance is its configured credits
// minus the outstanding ones: + 1 for a message sent to it (consume) or pushed to it by another unit (cancel),
// - 1 for a message that it has released (give). It may be negative, because pushed messages need no credit.
//
// The best unit of a service is the enabled one with the most credits, the lowest index among equals:
// the chosen unit loses a credit at once, so equals take turns under load. In a service with affinity all
// messages of a flow go to one unit, the k-th of its enabled ones, where k depends on the flow.
//
// best_* and the checks *_ok_o come from registers and include everything up to the last cycle's
// consume; a credit that a unit gives in cycle t counts in cycle t + 2.
module credit_manager
  import girih_pkg::*, sched_pkg::*;
#(
    parameter int unsigned Units = 8,
    parameter int unsigned Services = 8,
    parameter int unsigned LosslessSlots = 2,  // lossless messages that a unit has room for
    parameter int unsigned FewUnits = 16,  // above this number the simulator compares pairs in loops; the hardware is the same
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned BalanceWidth = 11,
    localparam type unit_t = logic [UnitWidth-1:0],
    localparam type balance_t = logic signed [BalanceWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input credit_t credit_i[Units],

    input logic     [Units-1:0]      unit_enabled_i,
    input service_t [Units-1:0]      unit_service_i,
    input logic     [Units-1:0][7:0] unit_credits_i,  // a change changes the balance by the difference
    input node_t    [Units-1:0]      unit_node_i,
    input logic     [Services-1:0]   affinity_i,

    input logic [Units-1:0] consume_i,           // one-hot; only for a unit with credit_ok_o (and lossless_ok_o)
    input logic             consume_lossless_i,  // it is lossless, or may be

    // A message that could have been lossless when it was sent is not: its room is free again.
    input logic  spare_valid_i,
    input unit_t spare_unit_i,

    output logic [Units-1:0] credit_ok_o,    // enabled, and has a credit in this cycle
    output logic [Units-1:0] lossless_ok_o,  // also has room for a lossless message

    output logic  [Services-1:0] best_valid_o,        // the service has an enabled unit
    output logic  [Services-1:0] best_credit_ok_o,
    output logic  [Services-1:0] best_lossless_ok_o,  // the best unit has a credit and room for a lossless message
    output logic  [Services-1:0][Units-1:0] best_unit_o,  // one-hot
    output node_t [Services-1:0] best_node_o,

    // For the service and the flow that were named in the previous cycle, the best unit or, with affinity, that of the flow.
    input  logic  [            15:0] flow_i,
    input  logic  [ServiceWidth-1:0] flow_service_i,
    output unit_t                    flow_unit_o,

    output balance_t [Units-1:0] credits_o  // as of the previous cycle, without its consume
);
  if (Units < 1 || Units > 64) begin : gen_bad_units
    $fatal(1, "credit_manager: Units is %0d; it must be from 1 to 64", Units);
  end
  if (Services < 1 || Services > 32) begin : gen_bad_services
    $fatal(1, "credit_manager: Services is %0d; it must be from 1 to 32", Services);
  end
  if (LosslessSlots < 1) begin : gen_bad_lossless_slots
    $fatal(1, "credit_manager: LosslessSlots is %0d; it must be at least 1", LosslessSlots);
  end

  localparam int unsigned SlotWidth = $clog2(LosslessSlots + 1);
  typedef logic [BalanceWidth-2:0] outstanding_t;
  typedef logic [SlotWidth-1:0] slots_t;
  typedef logic [UnitWidth:0] index_t;
  typedef logic [Units-1:0] units_t;

  // `balance` includes the units' events and the consume of the previous cycle. This cycle's consume arrives late, so whatever
  // depends on it is computed for both cases.
  units_t ok_q, lossless_ok, lossless_ok_q;
  balance_t balance[Units];

  logic  spare_valid_q;
  unit_t spare_unit_q;
  always_ff @(posedge clk_i) begin
    spare_valid_q <= spare_valid_i;
    spare_unit_q <= spare_unit_i;
    if (rst_i) spare_valid_q <= 1'b0;
  end

  for (genvar i = 0; i < Units; i++) begin : gen_unit
    credit_t event_q;
    outstanding_t outstanding_q, step, settled;
    slots_t lossless_q, lossless_settled;
    balance_t credits_q;
    logic consume_q, lossless_consume, lossless_consume_q, less, two, spare, some, several, ok, room_for_one, room_for_two, room;

    assign lossless_consume = consume_i[i] && consume_lossless_i;
    assign less = event_q.give && !event_q.cancel && !consume_q;
    assign two = event_q.cancel && consume_q && !event_q.give;
    assign step = {{BalanceWidth - 3{less}}, less || two, event_q.give ^ event_q.cancel ^ consume_q};
    assign settled = outstanding_q + step;
    assign spare = spare_valid_q && spare_unit_q == unit_t'(i);
    assign lossless_settled = lossless_q + slots_t'(lossless_consume_q) - slots_t'(event_q.give && event_q.give_lossless) - slots_t'(spare);
    assign balance[i] = balance_t'({1'b0, unit_credits_i[i]}) - balance_t'({1'b0, settled});
    assign some = unit_enabled_i[i] && balance[i] > balance_t'(0);
    assign several = unit_enabled_i[i] && balance[i] > balance_t'(1);
    assign ok = several || (some && !consume_i[i]);
    assign room_for_one = 32'(lossless_settled) < LosslessSlots;
    assign room_for_two = 32'(lossless_settled) + 1 < LosslessSlots;
    assign room = room_for_two || (room_for_one && !lossless_consume);
    assign lossless_ok[i] = ok && room;
    assign credits_o[i] = credits_q;

    always_ff @(posedge clk_i) begin
      event_q <= credit_i[i];
      consume_q <= consume_i[i];
      lossless_consume_q <= lossless_consume;
      outstanding_q <= settled;
      lossless_q <= lossless_settled;
      credits_q <= balance[i];
      ok_q[i] <= ok;
      lossless_ok_q[i] <= lossless_ok[i];
      if (rst_i) begin
        event_q <= '0;
        consume_q <= 1'b0;
        lossless_consume_q <= 1'b0;
        outstanding_q <= '0;
        lossless_q <= '0;
        ok_q[i] <= 1'b0;
        lossless_ok_q[i] <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!event_q.give || event_q.cancel || consume_q || outstanding_q != '0)
        else $error("credit_manager: unit %0d gives a credit that is not outstanding", i);
        assert (!event_q.cancel || event_q.give || outstanding_q < '1 - outstanding_t'(2))
        else $error("credit_manager: the balance of unit %0d is about to wrap", i);
        assert (32'(lossless_q) + 32'(lossless_consume_q) >= 32'(event_q.give && event_q.give_lossless) + 32'(spare))
        else $error("credit_manager: unit %0d releases a lossless message that it does not hold", i);
        assert (!consume_i[i] || ok_q[i])
        else $error("credit_manager: a message is sent to unit %0d without a credit", i);
        assert (!lossless_consume || lossless_ok_q[i])
        else $error("credit_manager: a lossless message is sent to unit %0d without room for it", i);
        below_zero : cover (balance[i][BalanceWidth-1]);
        no_credit : cover (unit_enabled_i[i] && balance[i] == '0);
        last_credit_used : cover (consume_i[i] && balance[i] == balance_t'(1));
        used_and_given : cover (consume_i[i] && event_q.give);
        given_and_cancelled : cover (event_q.give && event_q.cancel);
        no_room_for_lossless : cover (ok && !room);
        room_is_spared : cover (spare);
      end
    end
  end
  assign credit_ok_o = ok_q;
  assign lossless_ok_o = lossless_ok_q;

  // The units of each service, and the index of each among the enabled ones of its service.
  units_t member[Services], member_q[Services];
  units_t peers[Units];
  index_t index_q[Units], members_q[Services];
  logic [Services-1:0] has_unit_q;

  for (genvar s = 0; s < Services; s++) begin : gen_member
    for (genvar i = 0; i < Units; i++) begin : gen_unit
      assign member[s][i] = unit_enabled_i[i] && unit_service_i[i] == service_t'(s);
    end
    always_ff @(posedge clk_i) begin
      member_q[s] <= member[s];
      members_q[s] <= index_t'($countones(member[s]));
      has_unit_q[s] <= |member[s];
      if (rst_i) begin
        member_q[s] <= '0;
        has_unit_q[s] <= 1'b0;
      end
    end
  end
  for (genvar i = 0; i < Units; i++) begin : gen_index
    always_ff @(posedge clk_i) index_q[i] <= index_t'($countones(peers[i] & units_t'((64'd1 << i) - 1)));
  end

  units_t best, best_q;
  best_units #(
      .Units(Units),
      .FewUnits(FewUnits)
  ) u_best (
      .balance_i(balance),
      .unit_enabled_i,
      .unit_service_i,
      .consume_i,
      .peers_o(peers),
      .best_o(best)
  );
  units_t best_lossless_ok_q;  // the best ones that also have room for a lossless message
  always_ff @(posedge clk_i) begin
    best_q <= best;
    best_lossless_ok_q <= best & lossless_ok;
    if (rst_i) begin
      best_q <= '0;
      best_lossless_ok_q <= '0;
    end
  end

  function automatic unit_t to_index(units_t one_hot);
    to_index = '0;
    for (int i = 0; i < Units; i++) if (one_hot[i]) to_index |= unit_t'(i);
  endfunction

  function automatic node_t to_node(units_t one_hot, node_t [Units-1:0] node);
    to_node = '0;
    for (int i = 0; i < Units; i++) if (one_hot[i]) to_node |= node[i];
  endfunction

  // The unit of a flow.
  logic [ServiceWidth-1:0] flow_service_q;
  units_t flow_members, of_flow;
  index_t turn;
  logic [7:0] hash;
  always_ff @(posedge clk_i) flow_service_q <= flow_service_i;
  assign hash = flow_i[15:8] ^ flow_i[7:0];

  // Among n units, a flow's unit has the index turns_q[n] = hash * n / 256. It is computed by additions, because a
  // multiplier block without its registers is slow; for every n.
  index_t turns_q[1:Units];
  for (genvar n = 1; n <= Units; n++) begin : gen_turn
    logic [8+UnitWidth:0] scaled;
    always_comb begin
      scaled = '0;
      for (int b = 0; b <= UnitWidth; b++) if (n[b]) scaled += (8 + UnitWidth + 1)'(hash) << b;
    end
    always_ff @(posedge clk_i) turns_q[n] <= index_t'(scaled >> 8);
  end
  always_comb begin
    turn = '0;
    for (int n = 1; n <= Units; n++) if (members_q[flow_service_q] == index_t'(n)) turn |= turns_q[n];
  end
  assign flow_members = member_q[flow_service_q];
  for (genvar i = 0; i < Units; i++) begin : gen_of_flow
    assign of_flow[i] = flow_members[i] && (affinity_i[flow_service_q] ? index_q[i] == turn : best_q[i]);
  end
  assign flow_unit_o = to_index(of_flow);

  for (genvar s = 0; s < Services; s++) begin : gen_service
    units_t chosen;
    assign chosen = member_q[s] & best_q;
    assign best_valid_o[s] = has_unit_q[s];
    any_set #(
        .Width(Units)
    ) u_credit_ok (
        .bits_i(member_q[s] & ok_q),  // if any has a credit, the best has one
        .any_o (best_credit_ok_o[s])
    );
    any_set #(
        .Width(Units)
    ) u_lossless_ok (
        .bits_i(member_q[s] & best_lossless_ok_q),
        .any_o (best_lossless_ok_o[s])
    );
    assign best_unit_o[s] = chosen;
    assign best_node_o[s] = to_node(chosen, unit_node_i);

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert ($onehot0(chosen) && (|chosen == |member_q[s]))
        else $error("credit_manager: service %0d does not have exactly one best unit", s);
        assert (best_credit_ok_o[s] == |(chosen & ok_q))
        else $error("credit_manager: service %0d has a unit with a credit, but not the best", s);
        no_unit_has_a_credit : cover (best_valid_o[s] && !best_credit_ok_o[s]);
      end
    end
  end
endmodule
