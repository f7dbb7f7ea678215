// SPDX-License-Identifier: Apache-2.0
// What the scheduler's policies are made of: configuration, ranks, and the reasons for a drop.
//
// Time has 24 bits of units and 16 of fraction, and wraps. The unit is a cycle for the policies that go by
// the clock (least slack, shaped); for fair queueing it is virtual. A rank's level is 11 bits of it,
// time >> shift, and so wraps too: order among ranks is modulo 2^11. A new rank is at most ClockReach - 1 (or
// FairReach - 1) levels ahead of the base, which is the present time or the rank that was last dequeued. Ranks fall
// behind the clock for as long as their packets wait, so those that are LateLevels late are taken out of the
// order and go first (rank_ageing). Virtual time does not pass what waits.
package policy_pkg;
  localparam int unsigned Classes = 16;
  localparam int unsigned LevelWidth = 11;
  localparam int unsigned RankWidth = LevelWidth + 1;
  localparam int unsigned TimeWidth = 24;
  localparam int unsigned FractionWidth = 16;
  localparam int unsigned LengthWidth = 14;
  localparam int unsigned CellsWidth = 16;

  // In levels. The PIFO orders ranks that are less than PifoLevels apart.
  localparam int unsigned PifoLevels = 992;
  localparam int unsigned FairReach = 960;
  localparam int unsigned ClockReach = 512;
  localparam int unsigned LateLevels = 16;
  localparam int unsigned MostShift = TimeWidth - LevelWidth;
  localparam int unsigned OverdueLevels = PifoLevels - ClockReach;  // where overdue entries seem to be, before now

  typedef logic [3:0] service_t;
  typedef logic [3:0] tenant_t;
  typedef logic [3:0] class_t;
  typedef logic [3:0] channel_t;
  typedef logic [LevelWidth-1:0] level_t;
  typedef logic [RankWidth-1:0] rank_t;  // {level, !detoured}
  typedef logic [TimeWidth-1:0] time_t;
  typedef logic [TimeWidth+FractionWidth-1:0] fine_time_t;
  typedef logic [LengthWidth-1:0] length_t;
  typedef logic [CellsWidth-1:0] cells_t;

  typedef enum logic [1:0] {
    Strict = 0,  // the level of the class
    Fair = 1,  // start-time fair queueing between classes, by weight
    Slack = 2,  // least slack time first: by time stamp + slack of the class
    Shaped = 3  // leaky bucket per class: by the time at which the packet conforms
  } policy_e;

  // One service.
  typedef struct packed {
    logic hierarchy;  // tenants share the service by their weights; the policy orders within a tenant
    logic by_tenant;  // the tenant takes the place of the class in this policy
    logic given_rank;  // a rank that an earlier hop has set wins
    logic [3:0] shift;  // level = time >> shift, at most 13
    policy_e policy;
  } service_policy_t;

  // One class of one service: two words of the table in rank_stage.
  //   word 0: {14'b0, exponent, scale}: a byte costs scale * 16^exponent / 2^16 units of time (the inverse of a
  //           weight, or of a rate). Fair, Shaped.
  //   word 1: {8'b0, offset}: the level (Strict), the slack in cycles (Slack), the burst as cycles at
  //           the class's rate (Shaped).
  typedef struct packed {
    logic [1:0] exponent;
    logic [15:0] scale;
    time_t offset;
  } class_policy_t;

  // One tenant. A guarantee is of both cells and entries: a packet beyond either is not covered. Limit 0: none.
  typedef struct packed {
    logic [15:0] rights;  // services that it may use, one bit each
    cells_t cells;  // guarantee: cells of the packet buffer
    cells_t entries;  // guarantee: queued packets
    cells_t limit;  // most cells
    logic [11:0] inverse_weight;  // of its share where a service has a hierarchy
  } tenant_policy_t;

  // What the rank of a packet depends on.
  typedef struct packed {
    service_t service;
    tenant_t tenant;
    class_t rank_class;
    length_t length;
    time_t timestamp;
    logic rank_valid;
    level_t rank;
    logic detoured;
  } rank_request_t;

  // What admission asks about a packet, beside its rank.
  typedef struct packed {
    service_t service;
    tenant_t tenant;
    channel_t channel;  // where it is stored
    cells_t cells;
    logic lossless;
    logic bad;
    logic overflow;  // the buffer ran out while it came: its cells are free already
  } admission_request_t;

  // What becomes of a packet; what drop_counters counts by.
  typedef enum logic [2:0] {
    NoRight = 0,  // the tenant may not use this service
    BadService = 1,  // there is no such service
    Void = 2,  // marked bad where it came from
    Overflow = 3,  // the buffer ran out while it came
    Shortage = 4,  // no room for it, and none worse had to leave
    Evicted = 5,  // it was queued, and left for a better one
    Accepted = 6,
    Dispatched = 7
  } fate_e;

  typedef struct packed {
    service_t service;
    tenant_t tenant;
    fate_e fate;
  } fate_event_t;

  // The least shift of a policy that goes by the clock, 1 or more: all entries of a PIFO can be moved (rank_ageing) before
  // the first of them is OverdueLevels late.
  function automatic int unsigned least_shift(int unsigned entries);
    int unsigned budget = OverdueLevels - 2 * LateLevels;
    return $clog2((6 * entries + 64 + budget - 1) / budget + 1);
  endfunction

  // How far now is past a rank; negative while its time is to come.
  function automatic rank_t passed_of(rank_t rank, level_t now_level);
    return {now_level, 1'b1} - rank;
  endfunction

  // Whether the time of a queue's head has come (Shaped).
  function automatic logic due(rank_t rank, level_t now_level);
    rank_t passed;
    passed = passed_of(rank, now_level);
    return !passed[RankWidth-1];
  endfunction

  // Whether `a` leaves before `b`; equal ranks do not.
  function automatic logic leaves_before(rank_t a, rank_t b, logic circular);
    rank_t distance;
    distance = a - b;
    return circular ? distance[RankWidth-1] : a < b;
  endfunction
endpackage
