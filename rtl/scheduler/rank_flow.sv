// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a class that is charged for what it sends; combinational. Its state is the time at
// which it has paid for everything so far: the last finish tag of fair queueing, or the theoretical
// arrival time of a leaky bucket. With base the present (virtual) time,
//
//   start  = max(base, state - tolerance)      the packet's rank
//   finish = max(base, state) + cost           the state once the packet is taken
//
// A start half a circle or more ahead is cut to the last level before that, and said to be beyond. A
// state that is a quarter of the whole of time ahead stops growing: it would soon look past.
module rank_flow
  import policy_pkg::*;
(
    input time_t base_i,
    input time_t floor_i,  // base_i, rounded down to a level
    input level_t base_level_i,
    input logic [3:0] shift_i,
    input time_t tolerance_i,
    input fine_time_t cost_i,
    input fine_time_t state_i,

    output level_t level_o,
    output logic beyond_o,
    output fine_time_t finish_o
);
  localparam int unsigned Msb = TimeWidth + FractionWidth - 1;
  localparam int unsigned HalfBit = FractionWidth + LevelWidth - 1;  // of half a circle, at shift 0

  fine_time_t base, start, ahead, lead;
  assign base = {base_i, FractionWidth'(0)};
  assign start = state_i - {tolerance_i, FractionWidth'(0)};
  assign ahead = start - {floor_i, FractionWidth'(0)};
  assign lead = state_i - base;

  assign beyond_o = !ahead[Msb] && (ahead[Msb-1:HalfBit] >> shift_i) != '0;

  always_comb begin
    if (ahead[Msb]) level_o = base_level_i;
    else if (beyond_o) level_o = base_level_i + level_t'((1 << (LevelWidth - 1)) - 1);
    else level_o = level_t'(start[Msb:FractionWidth] >> shift_i);
  end

  always_comb begin
    if (lead[Msb]) finish_o = base + cost_i;
    else if (lead[Msb-1]) finish_o = state_i;
    else finish_o = state_i + cost_i;
  end
endmodule
