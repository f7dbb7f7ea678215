// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a class that is charged for what it sends; combinational. Its state is the time up to
// which it has paid: the last finish tag of fair queueing, or the theoretical arrival time of a leaky
// bucket. With base the present (virtual) time,
//
//   start  = max(base, state - tolerance)      the packet's rank
//   finish = max(base, state) + cost           the state once the packet is taken
//
// A start that is out of reach is clamped to the last level within reach, and beyond_o is set. A state that is a
// quarter of the range of time ahead stops growing: it would soon compare as past.
module rank_charge
  import policy_pkg::*;
(
    input time_t base_i,
    input time_t floor_i,  // base_i, rounded down to a level
    input level_t base_level_i,
    input level_t last_level_i,  // the last one within reach
    input time_t reach_i,  // from floor_i; in units of time
    input logic [3:0] shift_i,
    input time_t tolerance_i,
    input fine_time_t cost_i,
    input fine_time_t state_i,

    output level_t level_o,
    output logic beyond_o,
    output fine_time_t finish_o
);
  localparam int unsigned Msb = TimeWidth + FractionWidth - 1;

  fine_time_t base, lead, floor_lead, ahead;
  time_t start, bound;
  logic past;
  assign base = {base_i, FractionWidth'(0)};
  assign bound = floor_i + tolerance_i;
  assign start = state_i[Msb:FractionWidth] - tolerance_i;
  assign floor_lead = state_i - {floor_i, FractionWidth'(0)};
  assign ahead = state_i - {bound, FractionWidth'(0)};  // floor_lead - tolerance
  assign lead = state_i - base;

  // A tolerance may have any value, so the sign of the difference alone does not show whether the start is past.
  assign past = floor_lead[Msb] || tolerance_i[TimeWidth-1] || ahead[Msb];
  assign beyond_o = !past && ahead[Msb:FractionWidth] >= reach_i;

  always_comb begin
    if (past) level_o = base_level_i;
    else if (beyond_o) level_o = last_level_i;
    else level_o = level_t'(start >> shift_i);
  end

  always_comb begin
    if (lead[Msb]) finish_o = base + cost_i;
    else if (lead[Msb-1]) finish_o = state_i;
    else finish_o = state_i + cost_i;
  end
endmodule
