// SPDX-License-Identifier: Apache-2.0
// The source route of a packet that leaves for the unit of its chain's first hop: that unit, then for each later
// hop the unit that would be chosen now, as long as packets may be pushed to its service, and after the last hop
// the exit. A unit has no path to itself, so a route ends before a second hop at the same unit. A lossless
// packet is never pushed: its route is one hop.
//
// Combinational. The packet comes out of a memory, so what can be known before is: whether a packet passes from the unit
// of one service to that of another (pass_i) is compared by the user, in an earlier cycle.
module route_maker
  import girih_pkg::*;
#(
    parameter int unsigned Services = 8
) (
    input descriptor_t desc_i,
    input node_t       node_i,  // of the unit that it is sent to

    // Per service: whether packets may be pushed to it in this cycle, and to which unit.
    input logic  [Services-1:0] push_i,
    input node_t [Services-1:0] push_node_i,
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
      from_first[s] = push_i[s] && push_node_i[s] != node_i;
      pass[s][Services-1:0] = pass_i[s];
      push_node[s] = address_of(push_node_i[s]);
    end
  end

  // All hops at once: whether a route that comes as far as hop k - 1 goes on to hop k, and then as far as where it ends.
  logic [ChainHops:1] passes, reached;
  always_comb begin
    desc_o = desc_i;
    desc_o.credit = 1'b1;
    desc_o.detoured = 1'b0;
    desc_o.rank_valid = 1'b0;
    desc_o.route = '0;
    desc_o.route[0] = address_of(node_i);
    passes = '1;
    for (int unsigned k = 1; k <= ChainHops; k++) begin
      desc_o.route[k] = desc_i.exit;
      if (k < ChainHops && hops > count_t'(k)) begin
        desc_o.route[k] = push_node[desc_i.chain[k].service];
        passes[k] = k == 1 ? from_first[desc_i.chain[k].service]
            : pass[desc_i.chain[k].service][desc_i.chain[k-1].service];
      end
    end
    for (int unsigned k = 1; k <= ChainHops; k++) begin
      reached[k] = !desc_i.lossless && hops >= count_t'(k) && (passes | ~(ChainHops'((64'd1 << k) - 1))) == '1;
    end
    desc_o.route_count = reached[1] ? '0 : count_t'(1);
    for (int unsigned k = 1; k <= ChainHops; k++) begin
      if (reached[k] && (k == ChainHops || !reached[k==ChainHops?k : k+1])) desc_o.route_count |= count_t'(k + 1);
    end
  end
endmodule
