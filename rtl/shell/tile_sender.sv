// SPDX-License-Identifier: Apache-2.0
// Sends an engine's messages on: stamps the source, and finds the next stop in the message's source
// route or, when it has none left, in the node table. A message without a next stop, or with one that
// does not exist on this card and would wander on the fabric for ever, is swallowed and reported.
//
// Combinational on the data path. What was decided for a first flit holds until the message has left,
// also when software changes the node table meanwhile; so every flit says where it is from and where it goes to,
// for those who look at links that stall.
module tile_sender
  import girih_pkg::*;
#(
    parameter node_t Node = '0,
    parameter logic [255:0] Nodes = '1,  // bit n: node n takes messages
    parameter int unsigned Entries = 4
) (
    input logic clk_i,
    input logic rst_i,

    input next_hop_t next_hops_i[Entries],

    input  logic      in_valid_i,
    output logic      in_ready_o,
    input  flit_t     in_flit_i,
    input  next_key_t in_key_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic drop_no_next_hop_o,
    output logic drop_bad_node_o
);
  typedef struct packed {
    logic found;
    node_t node;
  } stop_t;

  logic hit;
  node_t table_node;

  next_hop_table #(
      .Entries(Entries)
  ) u_table (
      .entries_i(next_hops_i),
      .key_i(in_key_i),
      .hit_o(hit),
      .node_o(table_node)
  );

  logic held_q;  // the message has been offered; its stop is stop_q
  stop_t stop, stop_q;
  logic has_route, swallow;
  assign has_route = in_flit_i.desc.route_count != '0;

  always_comb begin
    if (held_q) stop = stop_q;
    else if (has_route) stop = '{found: 1'b1, node: in_flit_i.desc.route[0]};
    else stop = '{found: hit, node: table_node};
  end

  assign swallow = !(stop.found && Nodes[stop.node]);
  assign drop_no_next_hop_o = in_valid_i && !held_q && !stop.found;
  assign drop_bad_node_o = in_valid_i && !held_q && stop.found && swallow;

  assign in_ready_o = out_ready_i || swallow;
  assign out_valid_o = in_valid_i && !swallow;

  // Without hops left a route means nothing, so it is shifted in any case.
  always_comb begin
    out_flit_o = in_flit_i;
    out_flit_o.desc.dst = stop.node;
    out_flit_o.desc.src = Node;
    out_flit_o.desc.route = in_flit_i.desc.route >> $bits(node_t);
    if (has_route) out_flit_o.desc.route_count = in_flit_i.desc.route_count - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    stop_q <= stop;
    if (in_valid_i) held_q <= !(in_ready_o && in_flit_i.last);
    if (rst_i) held_q <= 1'b0;
  end
endmodule
