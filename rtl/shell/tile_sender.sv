// SPDX-License-Identifier: Apache-2.0
// Sends an engine's messages. It stamps the source, and the tenant if the tile may send for one tenant only. It
// takes the next hop from the message's source route or, if none is left, looks it up in the node table. It drops and
// reports a message of a tenant for which the tile may not send, one without a next hop, and one whose next hop
// takes no messages, which would stay on the fabric for ever. A message that may not be lossless leaves as droppable.
//
// Combinational on the data path. The decision on a first flit holds until the whole message has left, even if
// software changes the node table meanwhile. Every flit carries its source and destination, for the watchdog, which
// looks at stalled links.
//
// The result of the lookup goes to the output and to registers only: in_ready_o depends on out_ready_i and on the
// decision of an earlier cycle. A message to be dropped therefore waits at most one cycle behind a stalled output. A drop is
// reported in the cycle after the decision.
module tile_sender
  import girih_pkg::*;
#(
    parameter node_t Node = '0,
    parameter logic [255:0] Nodes = '1,  // bit n: node n takes messages
    parameter tenants_t Tenants = '1,  // bit t: the tile may send messages of tenant t
    parameter bit Routed = 1'b1,  // messages may have a source route; if 0, a route that the engine gives is ignored and erased
    parameter int unsigned Entries = 4,
    parameter bit Direct = 1'b0  // entry k is that for key k, so there is no search (key_hops)
) (
    input logic clk_i,
    input logic rst_i,

    input next_hop_t next_hops_i[Entries],
    input tenants_t tenants_i,  // those of Tenants whose messages may start in this cycle
    input logic lossless_i,  // the message may be lossless

    input  logic      in_valid_i,
    output logic      in_ready_o,
    input  flit_t     in_flit_i,
    input  next_key_t in_key_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic taken_o,  // the first flit of a message that is not dropped leaves the engine
    output logic drop_bad_tenant_o,
    output logic drop_no_next_hop_o,
    output logic drop_bad_node_o
);
  if (Tenants == '0) begin : gen_bad_tenants
    $fatal(1, "tile_sender: Tenants is 0; it must allow at least one tenant");
  end

  // The tenant of all messages, if the tile sends for one tenant only.
  localparam bit Stamped = $countones(Tenants) == 1;
  localparam tenant_t Stamp = tenant_t'($clog2(Tenants));

  typedef struct packed {
    logic lossless;
    logic allowed;
    node_t node;
  } stop_t;

  logic first_q;  // the next flit starts a message
  logic hit, table_takes;
  node_t table_node;

  next_hop_table #(
      .Entries(Entries),
      .Nodes(Nodes),
      .Direct(Direct)
  ) u_table (
      .entries_i(next_hops_i),
      .key_i(in_key_i),
      .hit_o(hit),
      .takes_o(table_takes),
      .node_o(table_node)
  );
  if (Direct) begin : gen_direct
    always_ff @(posedge clk_i) begin
      if (!rst_i && in_valid_i) begin
        assert (has_route(in_flit_i.desc) || 32'(in_key_i) < Entries)
        else $error("tile_sender: a message has key %0d, but the largest one of this kind of tile is %0d", in_key_i, Entries - 1);
      end
    end
  end

  logic held_q;  // the message was offered in an earlier cycle; the decision on it is in stop_q and swallow_q
  stop_t stop, stop_q;
  logic routed, found, allowed, swallow_q;
  assign routed = Routed && has_route(in_flit_i.desc);
  assign found = routed || hit;
  assign allowed = Stamped || (Tenants[in_flit_i.desc.tenant] && tenants_i[in_flit_i.desc.tenant]);

  // What is known without the table, and whether the table decides. Apart, because the table is late.
  logic passes, asks, looked_up;
  node_t known_node;
  assign passes = in_valid_i && (held_q ? !swallow_q : allowed && routed && Nodes[next_of_route(in_flit_i.desc)]);
  assign asks = in_valid_i && !held_q && allowed && !routed;
  assign looked_up = !held_q && !routed;
  assign known_node = held_q ? stop_q.node : next_of_route(in_flit_i.desc);

  always_comb begin
    stop.lossless = held_q ? stop_q.lossless : in_flit_i.desc.lossless && lossless_i;
    stop.allowed = held_q ? stop_q.allowed : allowed;
    stop.node = looked_up ? table_node : known_node;
  end

  assign in_ready_o = out_ready_i || swallow_q;
  assign out_valid_o = passes || (asks && table_takes);

  always_comb begin
    out_flit_o = in_flit_i;
    out_flit_o.desc = Routed ? rest_of_route(in_flit_i.desc) : without_route(in_flit_i.desc);
    out_flit_o.desc.dst = address_t'(stop.node);
    out_flit_o.desc.src = address_t'(Node);
    if (Stamped) out_flit_o.desc.tenant = Stamp;
    out_flit_o.desc.lossless = stop.lossless;
    out_flit_o.first = first_q;
  end

  assign taken_o = in_valid_i && in_ready_o && first_q && stop.allowed;

  always_ff @(posedge clk_i) begin
    stop_q <= stop;
    if (in_valid_i) begin
      held_q <= !(in_ready_o && in_flit_i.last);
      swallow_q <= !out_valid_o && !(in_ready_o && in_flit_i.last);
    end
    if (in_valid_i && in_ready_o) first_q <= in_flit_i.last;
    drop_bad_tenant_o <= in_valid_i && !held_q && !stop.allowed;
    drop_no_next_hop_o <= in_valid_i && !held_q && stop.allowed && !found;
    drop_bad_node_o <= in_valid_i && !held_q && stop.allowed && found && !out_valid_o;
    if (rst_i) begin
      held_q <= 1'b0;
      swallow_q <= 1'b0;
      first_q <= 1'b1;
      {drop_bad_tenant_o, drop_no_next_hop_o, drop_bad_node_o} <= '0;
    end
  end
endmodule
