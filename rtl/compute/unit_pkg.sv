// SPDX-License-Identifier: Apache-2.0
// The descriptor in a compute unit: the fields that bypass the engine, and the next hop.
package unit_pkg;
  import girih_pkg::*;

  // The fields of a descriptor that an engine cannot change. They bypass the engine, ready for the next hop.
  typedef struct packed {
    port_t port;
    tenant_t tenant;
    logic lossless;
    logic [$clog2(RouteHops+1)-1:0] route_count;
    address_t [RouteHops-1:0] route;
    logic [$clog2(ChainHops+1)-1:0] chain_count;
    hop_t [ChainHops-1:0] chain;
    address_t exit;
    flow_t flow;
    logic timestamp_valid;
    timestamp_t timestamp;
  } kept_t;

  // Advances the chain by a hop. A message without a route goes to its exit when its chain is done,
  // and by the node table while it is not.
  // The engine may change the rest of desc.
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

  // The engine's descriptor, with the fields that it cannot change restored.
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

  // The descriptor of a message that goes back to the scheduler unchanged.
  function automatic descriptor_t detoured(descriptor_t desc);
    detoured = desc;
    detoured.route_count = '0;
    detoured.credit = 1'b0;
    detoured.detoured = 1'b1;
  endfunction
endpackage
