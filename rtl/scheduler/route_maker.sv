// SPDX-License-Identifier: Apache-2.0
// The source route of a packet that leaves for the unit of its chain's first hop: that unit, then for each later
// hop the unit that would be chosen now, as long as packets may be pushed to its service, and after the last hop
// the exit. A unit has no path to itself, so a route ends before a second hop at the same unit. A lossless
// packet is never pushed: its route is one hop.
//
// Combinational. The packet comes out of a memory, so what can be known before is: whether a packet passes from its unit, or from the unit
// of a service, to the unit of another service (first_i, pass_i) is compared by the user, in an earlier cycle.
module route_maker
  import girih_pkg::*;
#(
    parameter int unsigned Services = 8
) (
    input descriptor_t desc_i,
    input node_t       node_i,  // of the unit that it is sent to

    // Per service: to which unit packets are pushed, if they may be in this cycle.
    input node_t [Services-1:0] push_node_i,
    input logic  [Services-1:0] first_i,  // may be pushed to it, and its unit is not at node_i
    input logic  [Services-1:0][Services-1:0] pass_i,  // [t][s]: may be pushed to t, whose unit is not that of s

    output descriptor_t desc_o
);
  typedef logic [$bits(desc_i.route_count)-1:0] count_t;

  count_t hops;  // of the chain
  assign hops = count_t'(desc_i.chain_count);

  localparam int unsigned Numbers = 2 ** ServiceBits;  // of services that a chain can name
  logic [Numbers-1:0] from_first;  // a packet passes from node_i to the unit of this service
  logic [Numbers-1:0][Numbers-1:0] pass;
  address_t [Numbers-1:0] push_node;
  always_comb begin
    from_first = '0;
    pass = '0;
    push_node = '0;
    for (int unsigned s = 0; s < Services; s++) begin
      from_first[s] = first_i[s];
      pass[s][Services-1:0] = pass_i[s];
      push_node[s] = address_of(push_node_i[s]);
    end
  end

  // All hops at once: whether a route that comes as far as hop k - 1 goes on to hop k. It has as many hops as the first one is that it
  // does not go on to, of which a chain of carries finds each bit. The highest place is that of hop 1, the lowest one that of a whole route.
  logic [ChainHops:1] passes;
  logic [ChainHops:0] goes_on;
  count_t route_count;
  always_comb begin
    passes = '1;
    goes_on = '0;
    for (int unsigned k = 1; k <= ChainHops; k++) begin
      if (k < ChainHops && hops > count_t'(k)) begin
        passes[k] = k == 1 ? from_first[desc_i.chain[k].service]
            : pass[desc_i.chain[k].service][desc_i.chain[k-1].service];
      end
      goes_on[ChainHops+1-k] = !desc_i.lossless && hops >= count_t'(k) && passes[k];
    end
  end

  for (genvar b = 0; b < $bits(count_t); b++) begin : gen_bit
    logic [ChainHops:0] value;
    for (genvar k = 1; k <= ChainHops + 1; k++) begin : gen_place
      assign value[ChainHops+1-k] = 1'((k >> b) & 1);
    end
    first_value #(
        .Places(ChainHops + 1)
    ) u_first (
        .set_i  (~goes_on),
        .value_i(value),
        .value_o(route_count[b])
    );
  end

  always_comb begin
    desc_o = desc_i;
    desc_o.credit = 1'b1;
    desc_o.detoured = 1'b0;
    desc_o.rank_valid = 1'b0;
    desc_o.route = '0;
    desc_o.route[0] = address_of(node_i);
    desc_o.route_count = route_count;
    for (int unsigned k = 1; k <= ChainHops; k++) begin
      desc_o.route[k] = desc_i.exit;
      if (k < ChainHops && hops > count_t'(k)) desc_o.route[k] = push_node[desc_i.chain[k].service];
    end
  end
endmodule
