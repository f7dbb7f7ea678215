// SPDX-License-Identifier: Apache-2.0
// Types shared by the parts of compute units and their engines. Independent of chains.
package compute_pkg;
  import girih_pkg::*;

  // Key of the node table for messages whose chain is not done. Flows alternate between two of the scheduler's ports,
  // so that messages from units do not crowd one of them.
  localparam next_key_t KeyScheduler = 1;
  localparam next_key_t KeySchedulerOdd = 2;

  // One pulse per event; each has a counter of its name in unit_registers.rdl.
  typedef struct packed {
    logic mark_busy_cycles;  // the engine has work
    logic mark_pulled;  // accepted with a credit
    logic mark_pushed;  // accepted from another unit
    logic mark_detoured;
    logic drop_aborted;  // it arrived void, and is stored here
    logic drop_engine;  // the engine made it void before it began to leave
    logic drop_overrun;  // there was no room, not even to send it back
  } unit_event_t;

  // The service time of a message at delay_core.
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

  // The default sizes in flits: 16 KB, or what lossless messages need, if that is more; and 8 KB, or four of the
  // largest messages.
  function automatic int unsigned default_buffer(int unsigned lossless_slots);
    int unsigned least = (lossless_slots + 1) * MaxFrameFlits;
    default_buffer = 1 << $clog2(least > 16384 / FlitBytes ? least : 16384 / FlitBytes);
  endfunction

  function automatic int unsigned default_detour();
    int unsigned least = 4 * MaxFrameFlits;
    default_detour = 1 << $clog2(least > 8192 / FlitBytes ? least : 8192 / FlitBytes);
  endfunction

  // Unknown, or out of range. (With frames of the greatest size no length is out of range.)
  function automatic logic no_length(length_t length);
    /* verilator lint_off CMPCONST */
    return length == '0 || length > length_t'(MaxFrameBytes);
    /* verilator lint_on CMPCONST */
  endfunction

  // The flits of a message of `length` bytes; the maximum if there is no such length.
  function automatic length_t flits_of(length_t length);
    if (no_length(length)) flits_of = length_t'(MaxFrameFlits);
    else flits_of = length_t'((32'(length) + FlitBytes - 1) / FlitBytes);
  endfunction
endpackage
