// SPDX-License-Identifier: Apache-2.0
// What the parts of compute units and their engines share. Nothing here knows of chains.
package compute_pkg;
  import girih_pkg::*;

  // Of the node table: where what is not done goes. Flows take turns between two of the scheduler's ports,
  // so that what units send back does not crowd one of them.
  localparam next_key_t KeyScheduler = 1;
  localparam next_key_t KeySchedulerOdd = 2;

  // One pulse per event; the counters of a unit have these names.
  typedef struct packed {
    logic drop_overrun;  // no room, not even to send it back
    logic drop_engine;  // the engine made it void before it began to leave
    logic drop_aborted;  // it came void, and is stored here
    logic mark_detoured;
    logic mark_pushed;  // accepted from another unit
    logic mark_pulled;  // accepted with a credit
    logic mark_busy_cycles;  // the engine has work
  } unit_event_t;

  // How long a message takes at delay_core.
  typedef enum logic [1:0] {
    Fixed,
    Uniform,  // from mean * (1 - spread) to mean * (1 + spread)
    Bimodal  // slow_factor times the mean for a share of the messages
  } distribution_e;

  typedef struct packed {
    logic [31:0] message_time;  // 16.16 cycles
    logic [17:0] byte_time;  // 2.16 cycles
    distribution_e distribution;
    logic [15:0] spread;  // 0.16
    logic [15:0] slow_share;  // 0.16
    logic [11:0] slow_factor;  // 4.8
    logic [31:0] seed;
  } service_cfg_t;

  // A flit without its descriptor.
  typedef struct packed {
    logic bad;
    logic last;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } beat_t;

  // AXI4-Stream's view of a beat. A beat with no byte, of a message without payload, has no bit of
  // tkeep; callers that can meet one deal with it.
  function automatic logic [FlitBytes-1:0] keep_of(logic last, logic [EmptyWidth-1:0] empty);
    keep_of = '1;
    if (last) keep_of = keep_of >> empty;
  endfunction

  function automatic beat_t beat_of(logic [W-1:0] data, logic [FlitBytes-1:0] keep, logic last, logic bad);
    logic [FlitBytes-1:0] top;  // the last valid byte
    top = keep & ~(keep >> 1);
    beat_of = '{bad: bad, last: last, empty: '0, data: data};
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      if (last && top[i]) beat_of.empty |= EmptyWidth'(FlitBytes - 1 - i);
    end
  endfunction

  // Sizes that hold 16 KB, or what the unit promises to hold; and 8 KB, or four of the largest messages.
  function automatic int unsigned default_buffer(int unsigned lossless_slots);
    int unsigned least = (lossless_slots + 1) * MaxFrameFlits;
    default_buffer = 1 << $clog2(least > 16384 / FlitBytes ? least : 16384 / FlitBytes);
  endfunction

  function automatic int unsigned default_detour();
    int unsigned least = 4 * MaxFrameFlits;
    default_detour = 1 << $clog2(least > 8192 / FlitBytes ? least : 8192 / FlitBytes);
  endfunction

  // Flits that a message of `length` bytes takes; of one of unknown or impossible length, the most.
  function automatic length_t flits_of(length_t length);
    if (length == '0 || length > length_t'(MaxFrameBytes)) flits_of = length_t'(MaxFrameFlits);
    else flits_of = length_t'((15'(length) + 15'(FlitBytes - 1)) / 15'(FlitBytes));
  endfunction
endpackage
