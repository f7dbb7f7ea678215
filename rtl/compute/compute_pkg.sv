// SPDX-License-Identifier: Apache-2.0
// What the parts of a compute unit share.
package compute_pkg;
  import girih_pkg::*;

  localparam next_key_t KeyScheduler = 1;  // of the node table: where what is not done goes

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

  // What of a descriptor an engine has no say in. It goes round the engine, ready for the next hop.
  typedef struct packed {
    port_t port;
    tenant_t tenant;
    logic lossless;
    logic [$clog2(RouteHops+1)-1:0] route_count;
    node_t [RouteHops-1:0] route;
    logic [$clog2(ChainHops+1)-1:0] chain_count;
    hop_t [ChainHops-1:0] chain;
    node_t exit;
    flow_t flow;
    logic timestamp_valid;
    timestamp_t timestamp;
  } kept_t;

  // The chain moves on by a hop. A message without a route goes to its exit when its chain is done,
  // and by the node table while it is not.
  // The rest of desc is what the engine may change.
  // verilator lint_off UNUSEDSIGNAL
  function automatic kept_t next_hop_of(descriptor_t desc);
  // verilator lint_on UNUSEDSIGNAL
    next_hop_of = '{
        port: desc.port,
        tenant: desc.tenant,
        lossless: desc.lossless,
        route_count: desc.route_count,
        route: desc.route,
        chain_count: desc.chain_count == '0 ? '0 : desc.chain_count - 1'b1,
        chain: desc.chain >> $bits(hop_t),
        exit: desc.exit,
        flow: desc.flow,
        timestamp_valid: desc.timestamp_valid,
        timestamp: desc.timestamp
    };
    if (desc.route_count == '0 && desc.chain_count <= 1) begin
      next_hop_of.route_count = 1;
      next_hop_of.route[0] = desc.exit;
    end
  endfunction

  // The descriptor that the engine gave, with what it has no say in put back.
  function automatic descriptor_t restored(descriptor_t desc, kept_t kept);
    restored = desc;
    restored.port = kept.port;
    restored.tenant = kept.tenant;
    restored.lossless = kept.lossless;
    restored.route_count = kept.route_count;
    restored.route = kept.route;
    restored.chain_count = kept.chain_count;
    restored.chain = kept.chain;
    restored.exit = kept.exit;
    restored.flow = kept.flow;
    restored.timestamp_valid = kept.timestamp_valid;
    restored.timestamp = kept.timestamp;
    restored.credit = 1'b0;
    restored.detoured = 1'b0;
  endfunction

  // The descriptor of a message that goes back to the scheduler as it came.
  function automatic descriptor_t detoured(descriptor_t desc);
    detoured = desc;
    detoured.route_count = '0;
    detoured.credit = 1'b0;
    detoured.detoured = 1'b1;
  endfunction

  // Flits that a message of `length` bytes takes; of one of unknown or impossible length, the most.
  function automatic length_t flits_of(length_t length);
    if (length == '0 || length > length_t'(MaxFrameBytes)) flits_of = length_t'(MaxFrameFlits);
    else flits_of = length_t'((15'(length) + 15'(FlitBytes - 1)) / 15'(FlitBytes));
  endfunction
endpackage
