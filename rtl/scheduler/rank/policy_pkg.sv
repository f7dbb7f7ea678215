// SPDX-License-Identifier: Apache-2.0
// Types of the scheduler's policies: configuration, ranks and the fates of packets.
//
// Time has 24 bits of units and 16 of fraction, and wraps. The unit is a cycle for the policies that go by
// the clock (least slack, shaped); for fair queueing it is virtual. A rank's level is 11 bits of the time,
// time >> shift, so it wraps, too: ranks are ordered modulo 2^11. A new rank is at most ClockReach - 1 (or
// FairReach - 1) levels ahead of the base, which is the present time or the rank that was last dequeued. Ranks fall
// behind the clock while their packets wait, so those that are LateLevels late are taken out of the
// order and go first (rank_ageing). Virtual time never passes a waiting packet.
package policy_pkg;
  localparam int unsigned Classes = 16;
  localparam int unsigned LevelWidth = 11;
  localparam int unsigned RankWidth = LevelWidth + 1;
  localparam int unsigned TimeWidth = 24;
  localparam int unsigned FractionWidth = 16;
  localparam int unsigned LengthWidth = $bits(girih_pkg::length_t);
  localparam int unsigned CellsWidth = 16;

  // In levels. The PIFO orders ranks that are less than PifoLevels apart.
  localparam int unsigned PifoLevels = 992;
  localparam int unsigned FairReach = 960;
  localparam int unsigned ClockReach = 512;
  localparam int unsigned LateLevels = 16;
  localparam int unsigned MostShift = TimeWidth - LevelWidth;
  localparam int unsigned OverdueLevels = PifoLevels - ClockReach;  // how far before now overdue entries are ranked

  typedef logic [girih_pkg::ServiceBits-1:0] service_t;  // as chains name it
  typedef girih_pkg::tenant_t tenant_t;
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
    logic given_rank;  // a rank set by an earlier hop takes precedence
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

  // One tenant. The guarantee covers a packet that is within both its cells and its entries. Limit 0: none.
  typedef struct packed {
    logic [31:0] rights;  // services that it may use, one bit each
    cells_t cells;  // guarantee: cells of the packet buffer
    cells_t entries;  // guarantee: queued packets
    cells_t limit;  // most cells
    logic [11:0] inverse_weight;  // of its share where a service has a hierarchy
  } tenant_policy_t;

  // The inputs to the rank of a packet.
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

  // The inputs to the admission of a packet, beside its rank.
  typedef struct packed {
    service_t service;
    tenant_t tenant;
    channel_t channel;  // where it is stored
    cells_t cells;
    logic lossless;
    logic bad;
    logic overflow;  // the buffer ran out while it arrived: its cells are already free
    logic homeless;  // its service has no unit
    logic entitled;  // its tenant has a right to the service
  } admission_request_t;

  // What becomes of a packet; what fate_counters counts by.
  typedef enum logic [2:0] {
    NoRight = 0,  // the tenant may not use this service
    BadService = 1,  // there is no such service
    Void = 2,  // it arrived marked bad
    Overflow = 3,  // the buffer ran out while it arrived
    Shortage = 4,  // no room for it, and no worse packet to evict
    Evicted = 5,  // it was queued, and evicted for a better one
    Accepted = 6,
    Dispatched = 7
  } fate_e;

  typedef struct packed {
    service_t service;
    tenant_t tenant;
    fate_e fate;
  } fate_event_t;

  // The least shift of a policy that goes by the clock, always at least 1. With it all entries of a PIFO can be moved
  // (rank_ageing) before the first of them is OverdueLevels late.
  function automatic int unsigned least_shift(int unsigned entries);
    int unsigned budget = OverdueLevels - 2 * LateLevels;
    return $clog2((6 * entries + 64 + budget - 1) / budget + 1);
  endfunction

  // How far a rank is in the past; negative while it is in the future. Under Shaped such a head may not leave.
  function automatic rank_t passed_of(rank_t rank, level_t now_level);
    return {now_level, 1'b1} - rank;
  endfunction

  // Which of two ranks is lower, if `less` says so of all but their highest bits. Circular: ranks are within half of the range of
  // each other, so if their highest bits differ, the one with the greater rest comes first.
  function automatic logic is_lower(logic less, rank_t a, rank_t b, logic circular);
    if (a[RankWidth-1] != b[RankWidth-1]) return circular ? !less : b[RankWidth-1];
    return less;
  endfunction

  // Whether `a` leaves before `b`; equal ranks do not.
  function automatic logic leaves_before(rank_t a, rank_t b, logic circular);
    return is_lower(a[RankWidth-2:0] < b[RankWidth-2:0], a, b, circular);
  endfunction

  // The same, but among equal ranks `a` leaves before `b` if `a_first` is set, which costs one bit of the comparison.
  function automatic logic leaves_first(rank_t a, rank_t b, logic circular, logic a_first);
    return is_lower({a[RankWidth-2:0], !a_first} < {b[RankWidth-2:0], a_first}, a, b, circular);
  endfunction
endpackage
