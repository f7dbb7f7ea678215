// SPDX-License-Identifier: Apache-2.0
// The rank of a packet under its service's policy. One packet per cycle, two cycles; the payload
// travels along.
//
//   cycle 0: policy, class and state are looked up, the packet's cost is multiplied
//   cycle 1: rank and new state, for both fates of the packet in front
//   output : accept_i, in the same cycle, says whether the packet was accepted
//
// Only an accepted packet is charged. The rank of the packet behind it is computed for both cases,
// and accept_i selects. A cycle without a packet refreshes the state of one class, like a packet
// without cost: otherwise an idle class could fall so far behind that it compares as ahead.
//
// The level of a rank, by policy:
//   Strict  the class's level
//   Fair    start tag: max(virtual time, finish tag of the class). Virtual time is per service, with a
//           hierarchy per tenant. The state has full precision, so that shares have no rounding error.
//   Slack   time stamp + slack of the class
//   Shaped  time at which the packet conforms to its class's rate and burst
// Levels other than Strict's are clamped to the reach of the policy: a level before the base (virtual time, or now)
// becomes the base, one out of reach the last level within reach. A given rank is clamped likewise. Time stamps are in the past,
// by up to 2^24 cycles, the range of time.
// A detoured packet was at the head before and has been charged: under Fair and Shaped its rank is the base.
module rank_stage
  import policy_pkg::*;
#(
    parameter type T = logic [7:0],
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input time_t now_i,
    input service_policy_t policy_i[Services],

    // The table of classes; class_policy_t describes its words. Reads are combinational. Writes have no effect
    // until in_ready_o is up.
    input  logic        class_write_i,
    input  logic [ 9:0] class_addr_i,   // {service, class, word}
    input  logic [31:0] class_data_i,
    output logic [31:0] class_data_o,

    input  logic          in_valid_i,
    output logic          in_ready_o,   // low only after reset, until the state is cleared
    input  rank_request_t in_request_i,
    input  T              in_payload_i,

    output logic  out_valid_o,
    input  logic  accept_i,
    output rank_t out_rank_o,
    output logic  out_beyond_o,  // Shaped, and the start is out of reach: the packet must be dropped
    output T      out_payload_o,

    // Each packet that is dequeued for service (not the evicted ones).
    input logic     dequeued_valid_i,
    input service_t dequeued_service_i,
    input tenant_t  dequeued_tenant_i,
    input rank_t    dequeued_rank_i,

    output logic [Services*Tenants-1:0] circular_o  // queues whose ranks wrap
);
  if (Services < 1 || Services > 2 ** $bits(service_t)) begin : gen_bad_services
    $fatal(1, "rank_stage: Services is %0d; it must be from 1 to %0d", Services, 2 ** $bits(service_t));
  end
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "rank_stage: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end

  localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1;
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;

  // The index of a state. Without a hierarchy the tenants of a service share their states.
  typedef struct packed {
    logic [ServiceWidth-1:0] service;
    logic [TenantWidth-1:0]  tenant;
    class_t                  rank_class;
  } where_t;
  localparam int unsigned IndexWidth = $bits(where_t);

  for (genvar s = 0; s < Services; s++) begin : gen_circular
    assign circular_o[s*Tenants+:Tenants] = {Tenants{policy_i[s].policy != Strict}};
  end

  // ---- The sweep: clears the tables after reset, then refreshes one state in every cycle without a packet.
  logic clearing_q, fire, sweep_ends;
  where_t sweep_q;
  assign in_ready_o = !clearing_q;
  assign fire = in_valid_i && in_ready_o;
  assign sweep_ends = !fire && sweep_q == '1;

  always_ff @(posedge clk_i) begin
    if (!fire) sweep_q <= sweep_q + 1'b1;
    if (sweep_ends) clearing_q <= 1'b0;
    if (rst_i) begin
      sweep_q <= '0;
      clearing_q <= 1'b1;
    end
  end

  // A service whose policy has just changed starts anew: until a sweep has visited all of its states,
  // they count as the base.
  service_policy_t policy_q[Services];
  logic [1:0] anew_q[1<<ServiceWidth];
  for (genvar s = 0; s < (1 << ServiceWidth); s++) begin : gen_anew
    if (s < Services) begin : gen_service
      always_ff @(posedge clk_i) begin
        policy_q[s] <= policy_i[s];
        if (sweep_ends && !clearing_q) anew_q[s] <= anew_q[s] >> 1;
        if (policy_q[s] != policy_i[s] || rst_i) anew_q[s] <= '1;
      end
    end else begin : gen_none
      assign anew_q[s] = '0;
    end
  end

  // ---- Cycle 0: look up, multiply.
  logic [ServiceWidth-1:0] service, dequeued_service;
  logic [TenantWidth-1:0] dequeued_tenant;
  service_policy_t policy, in_policy, sweep_policy;
  logic dequeued_fair, dequeued_hierarchy;
  class_policy_t class_policy;
  where_t where_d;
  time_t virtual_levels, now_floor, floor_d;
  level_t base_level_d;
  logic fair_d;

  // The policy is looked up for both packet and sweep, in parallel with the choice between them.
  assign in_policy = policy_i[in_request_i.service[ServiceWidth-1:0]];
  assign sweep_policy = policy_i[sweep_q.service];
  assign service = where_d.service;
  assign policy = in_valid_i ? in_policy : sweep_policy;
  assign fair_d = policy.policy == Fair;
  always_comb begin
    if (in_valid_i) begin
      where_d.service = in_request_i.service[ServiceWidth-1:0];
      where_d.tenant = in_policy.hierarchy ? in_request_i.tenant[TenantWidth-1:0] : '0;
      where_d.rank_class = in_policy.by_tenant ? class_t'(in_request_i.tenant) : in_request_i.rank_class;
    end else begin
      where_d = sweep_q;
      if (!sweep_policy.hierarchy) where_d.tenant = '0;
    end
  end

  rank_classes #(
      .Services(1 << ServiceWidth)
  ) u_classes (
      .clk_i,
      .clear_i(clearing_q),
      .clear_index_i({sweep_q.service, sweep_q.rank_class}),
      .write_i(class_write_i),
      .index_i(class_addr_i[1+:ServiceWidth+4]),
      .word_i(class_addr_i[0]),
      .data_i(class_data_i),
      .data_o(class_data_o),
      .class_index_i({where_d.service, where_d.rank_class}),
      .class_o(class_policy)
  );

  assign dequeued_service = dequeued_service_i[ServiceWidth-1:0];
  assign dequeued_fair = policy_i[dequeued_service].policy == Fair;
  assign dequeued_hierarchy = policy_i[dequeued_service].hierarchy;
  assign dequeued_tenant = dequeued_hierarchy ? dequeued_tenant_i[TenantWidth-1:0] : '0;

  rank_clock #(
      .Queues(1 << (ServiceWidth + TenantWidth))
  ) u_clock (
      .clk_i,
      .rst_i,
      .clear_i(clearing_q),
      .clear_queue_i({sweep_q.service, sweep_q.tenant}),
      .dequeued_valid_i(dequeued_valid_i && dequeued_fair),
      .dequeued_queue_i({dequeued_service, dequeued_tenant}),
      .dequeued_level_i(dequeued_rank_i[RankWidth-1:1]),
      .queue_i({where_d.service, where_d.tenant}),
      .levels_o(virtual_levels)
  );

  // The policy is late. Each step of this shift that is kept is one look-up table deep.
  (* keep *) time_t shifted_by_3;
  (* keep *) logic [3:0] shift;
  assign shift = policy.shift;
  for (genvar b = 0; b < TimeWidth; b++) begin : gen_floor
    assign now_floor[b] = now_i[b] && shift <= 4'(b < MostShift ? b : MostShift);
  end
  assign shifted_by_3 = virtual_levels << shift[1:0];
  assign floor_d = fair_d ? shifted_by_3 << {shift[3:2], 2'b00} : now_floor;
  assign base_level_d = fair_d ? level_t'(virtual_levels) : level_t'(now_i >> policy.shift);

  // The remaining slack: negative if the deadline has passed.
  logic [TimeWidth:0] slack_left;
  time_t age;
  assign age = now_i - in_request_i.timestamp;
  assign slack_left = {1'b0, class_policy.offset} - {1'b0, age};

  // ---- Between the cycles.
  typedef enum logic [1:0] {
    Level,  // the class's offset is the level
    Deadline,  // the level is that of time stamp + offset
    Charge  // start tag or conformance
  } method_e;
  typedef enum logic [1:0] {
    Kept,  // in memory
    Base,
    Horizon,  // a deadline half of the range of time ahead would compare as past
    Offset
  } start_e;
  method_e method_d;
  start_e start_d;
  logic anew_d;
  assign anew_d = anew_q[service] != '0;
  always_comb begin
    method_d = Charge;
    start_d = anew_d ? Base : Kept;
    if (policy.policy == Strict) method_d = Level;
    if (policy.policy == Slack) begin
      method_d = Deadline;
      start_d = Offset;
      if (slack_left[TimeWidth]) start_d = Base;
      else if (slack_left[TimeWidth-1]) start_d = Horizon;
    end
  end

  logic valid_q, sweep_valid_q, anew_in_q, shaped_q, fair_q, given_q, detoured_q, free_q;
  method_e method_q;
  start_e start_q;  // which state the packet's rank starts from
  where_t where_q;
  logic [3:0] shift_q;
  logic [1:0] exponent_q;
  logic [LengthWidth+15:0] product_q;
  time_t base_q, floor_q, reach_q, offset_q;
  level_t base_level_q, last_level_q, given_level_q;
  T payload_q;

  always_ff @(posedge clk_i) begin
    valid_q <= fire;
    sweep_valid_q <= !fire && !clearing_q;
    anew_in_q <= anew_d;
    method_q <= method_d;
    start_q <= start_d;
    shaped_q <= policy.policy == Shaped;
    fair_q <= fair_d;
    given_q <= fire && policy.given_rank && in_request_i.rank_valid;
    detoured_q <= fire && in_request_i.detoured;
    free_q <= !fire || in_request_i.detoured || (policy.given_rank && in_request_i.rank_valid);
    where_q <= where_d;
    shift_q <= policy.shift;
    exponent_q <= class_policy.exponent;
    product_q <= in_request_i.length * class_policy.scale;
    base_q <= fair_d ? floor_d : now_i;
    floor_q <= floor_d;
    reach_q <= time_t'(fair_d ? FairReach : ClockReach) << policy.shift;
    base_level_q <= base_level_d;
    last_level_q <= base_level_d + level_t'((fair_d ? FairReach : ClockReach) - 1);
    if (policy.policy == Slack) offset_q <= in_request_i.timestamp + class_policy.offset;
    else offset_q <= fair_d ? '0 : class_policy.offset;
    given_level_q <= in_request_i.rank;
    if (fire) payload_q <= in_payload_i;
    if (rst_i) begin
      valid_q <= 1'b0;
      sweep_valid_q <= 1'b0;
    end
  end

  // ---- The states, with forwarding of those too new to be read from memory.
  fine_time_t read_state, write_state_q, finish_q;
  logic write, write_valid_q, write_hit_q, front_hit_q, front_charged_q, front_sweep_q;
  where_t front_q;

  assign write = front_sweep_q || (front_charged_q && accept_i);
  ram_simple_dual #(
      .T(fine_time_t),
      .Depth(1 << IndexWidth)
  ) u_states (
      .clk_i,
      .write_enable_i(write),
      .write_addr_i(front_q),
      .write_data_i(finish_q),
      .read_enable_i(1'b1),
      .read_addr_i(where_d),
      .read_data_o(read_state)
  );

  always_ff @(posedge clk_i) begin
    write_valid_q <= write;
    write_state_q <= finish_q;
    write_hit_q <= where_d == front_q;  // the state being read is written in this cycle
    front_hit_q <= where_d == where_q;
    if (rst_i) write_valid_q <= 1'b0;
  end

  // ---- Cycle 1: for both fates of the packet in front.
  fine_time_t state, state_old, cost;
  time_t tolerance;
  fine_time_t finish[2];
  level_t level[2];
  logic [1:0] beyond;

  // A cost is at most an eighth of the range of time; a greater one would compare as the past.
  localparam int unsigned CostWidth = TimeWidth + FractionWidth - 3;
  logic [LengthWidth+15+12:0] shifted;
  assign shifted = (LengthWidth + 28)'(product_q) << {exponent_q, 2'b00};
  always_comb begin
    cost = fine_time_t'(shifted[CostWidth-1:0]);
    if (shifted[LengthWidth+27:CostWidth] != '0) cost = fine_time_t'({CostWidth{1'b1}});
    if (free_q) cost = '0;
  end
  assign tolerance = shaped_q ? offset_q : '0;

  assign state_old = write_valid_q && write_hit_q ? write_state_q : read_state;
  always_comb begin
    unique case (start_q)
      Kept: state = state_old;
      Base: state = {base_q, FractionWidth'(0)};
      Horizon: state = {base_q + time_t'(1 << (TimeWidth - 2)), FractionWidth'(0)};
      default: state = {offset_q, FractionWidth'(0)};
    endcase
  end

  for (genvar i = 0; i < 2; i++) begin : gen_way
    rank_charge u_charge (
        .base_i(base_q),
        .floor_i(floor_q),
        .base_level_i(base_level_q),
        .last_level_i(last_level_q),
        .reach_i(reach_q),
        .shift_i(shift_q),
        .tolerance_i(tolerance),
        .cost_i(cost),
        .state_i(i == 0 ? state : finish_q),
        .level_o(level[i]),
        .beyond_o(beyond[i]),
        .finish_o(finish[i])
    );
  end

  // taken_in_front is late, so it selects by ANDs and ORs: synthesis turns a multiplexer behind two computations into one
  // computation behind a multiplexer, which then waits for taken_in_front.
  logic taken_in_front, beyond_d;
  fine_time_t finish_d;
  level_t given_ahead, given_in_reach, level_d;
  assign taken_in_front = front_hit_q && write && !anew_in_q;
  assign beyond_d = (beyond[0] && !taken_in_front) || (beyond[1] && taken_in_front);
  assign finish_d = (finish[0] & {$bits(fine_time_t){!taken_in_front}}) | (finish[1] & {$bits(fine_time_t){taken_in_front}});
  assign given_ahead = given_level_q - base_level_q;
  always_comb begin
    given_in_reach = given_level_q;
    if (given_ahead[LevelWidth-1]) given_in_reach = base_level_q;
    else if (given_ahead >= level_t'(fair_q ? FairReach : ClockReach)) given_in_reach = last_level_q;
  end
  // Which level it is if it is none of those computed from a state, which are late.
  level_t other_level;
  logic charged_level;
  assign charged_level = method_q != Level && !(method_q == Charge && detoured_q) && !given_q;
  always_comb begin
    other_level = method_q == Level ? level_t'(offset_q) : base_level_q;
    if (given_q) other_level = method_q == Level ? given_level_q : given_in_reach;
    level_d = (level[0] & {LevelWidth{charged_level && !taken_in_front}}) | (level[1] & {LevelWidth{charged_level && taken_in_front}})
        | (other_level & {LevelWidth{!charged_level}});
  end

  // ---- Output.
  always_ff @(posedge clk_i) begin
    out_valid_o <= valid_q;
    if (valid_q) begin
      out_rank_o <= {level_d, !detoured_q};
      out_beyond_o <= shaped_q && !free_q && beyond_d;
      out_payload_o <= payload_q;
    end
    front_q <= where_q;
    front_sweep_q <= sweep_valid_q && method_q == Charge;
    front_charged_q <= valid_q && method_q == Charge && !free_q;
    finish_q <= finish_d;
    if (rst_i) begin
      out_valid_o <= 1'b0;
      front_sweep_q <= 1'b0;
      front_charged_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!accept_i || out_valid_o)
      else $error("rank_stage: accept_i without a packet");
      for (int unsigned s = 0; s < Services; s++) begin
        assert (policy_i[s].shift <= 4'(MostShift))
        else $error("rank_stage: shift %0d of service %0d is out of range", policy_i[s].shift, s);
      end
    end
  end

  logic unused;
  assign unused = &{class_addr_i, in_request_i.service, in_request_i.tenant, dequeued_service_i,
                    dequeued_tenant_i, dequeued_rank_i[0], policy};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      time_wraps : cover (now_i == '1);
      time_wraps_beside_a_packet : cover (fire && now_i == '1);
      stamp_before_the_wrap : cover (fire && in_request_i.timestamp > now_i);
      policy_is_new : cover (valid_q && anew_in_q && method_q == Charge);
      class_in_front_was_charged : cover (valid_q && taken_in_front && front_charged_q);
      class_in_front_was_refused : cover (valid_q && front_hit_q && front_charged_q && !write);
      deadline_has_passed : cover (valid_q && method_q == Deadline && start_q == Base);
      deadline_is_too_far : cover (valid_q && start_q == Horizon);
      cost_is_cut : cover (valid_q && !free_q && shifted[LengthWidth+27:CostWidth] != '0);
      given_rank_is_past : cover (valid_q && given_q && method_q != Level && given_ahead[LevelWidth-1]);
      given_rank_is_too_far : cover (valid_q && given_q && method_q != Level && !given_ahead[LevelWidth-1] && given_in_reach == last_level_q);
      detoured_is_not_charged : cover (valid_q && method_q == Charge && detoured_q);
    end
  end
endmodule
