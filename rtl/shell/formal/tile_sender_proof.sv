// SPDX-License-Identifier: Apache-2.0
// Proves tile_sender, whatever the node table and the tile's rights do meanwhile:
//   - a message leaves whole or is dropped whole; each dropped message is reported once, with one reason,
//     and waits at most one cycle for the output;
//   - an offered flit stays unchanged until it is taken; only fields of the descriptor are changed;
//   - all flits of a message leave from this node, for one node, which takes messages;
//   - without a source route a message goes to a node of the table; a tile that sends without source routes erases those
//     that its engine gives, so that no later tile follows them;
//   - a message leaves under a tenant that was allowed when it was first offered, and is lossless only if it was and
//     that was allowed.
module tile_sender_proof
  import girih_pkg::*;
#(
    parameter tenants_t Tenants = '1,
    parameter bit Routed = 1'b1,
    parameter bit Direct = 1'b0
) (
    input logic clk_i,
    input next_hop_t next_hops_i[2],
    input tenants_t tenants_i,
    input logic lossless_i,
    input logic in_valid_i,
    input flit_t in_flit_i,
    input next_key_t in_key_i,
    input logic out_ready_i
);
  localparam node_t Node = 8'h35;
  localparam logic [255:0] Nodes = {4{64'h0123_4567_89ab_cdef}};

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic in_ready, out_valid, taken, drop_bad_tenant, drop_no_next_hop, drop_bad_node;
  flit_t out_flit;
  tile_sender #(
      .Node(Node),
      .Nodes(Nodes),
      .Tenants(Tenants),
      .Routed(Routed),
      .Entries(2),
      .Direct(Direct)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .next_hops_i,
      .tenants_i,
      .lossless_i,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .in_key_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .taken_o(taken),
      .drop_bad_tenant_o(drop_bad_tenant),
      .drop_no_next_hop_o(drop_no_next_hop),
      .drop_bad_node_o(drop_bad_node)
  );

  typedef struct packed {
    flit_t flit;
    next_key_t key;
  } offer_t;
  offer_t offer;
  assign offer = '{flit: in_flit_i, key: in_key_i};
  stream_check #(
      .T(offer_t),
      .Assume(1'b1)
  ) u_in_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(in_valid_i),
      .ready_i(in_ready),
      .data_i(offer)
  );
  stream_check #(
      .T(flit_t)
  ) u_out_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(out_valid),
      .ready_i(out_ready_i),
      .data_i(out_flit)
  );

  // The message's state: whether flits of it have gone, or its first one has waited; and the decision on it.
  logic middle_q, waiting_q, fresh, passes_q, dropped_q, refused_q;
  node_t dst_q;
  logic tenant_was_allowed, lossless_was_allowed, tenant_allowed_q, lossless_allowed_q, tenant_refused, tenant_refused_q;
  assign fresh = in_valid_i && !middle_q && !waiting_q;
  assign tenant_was_allowed = fresh ? tenants_i[in_flit_i.desc.tenant] : tenant_allowed_q;
  assign tenant_refused = $countones(Tenants) > 1 && !(Tenants[in_flit_i.desc.tenant] && tenant_was_allowed);
  assign lossless_was_allowed = fresh ? lossless_i : lossless_allowed_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= in_valid_i && !in_ready && !middle_q;
    dropped_q <= !rst && fresh && !out_valid;
    refused_q <= !rst && in_valid_i && !in_ready && !out_valid;
    tenant_refused_q <= tenant_refused;
    if (in_valid_i && in_ready) middle_q <= !in_flit_i.last;
    if (fresh) begin
      passes_q <= out_valid;
      dst_q <= out_flit.desc.dst;
      tenant_allowed_q <= tenant_was_allowed;
      lossless_allowed_q <= lossless_was_allowed;
    end
    if (rst) begin
      middle_q <= 1'b0;
      waiting_q <= 1'b0;
    end
  end

  logic dst_in_table;
  always_comb begin
    dst_in_table = 1'b0;
    for (int unsigned i = 0; i < 2; i++) dst_in_table |= next_hops_i[i].valid && next_hops_i[i].node == out_flit.desc.dst;
  end

  if (Direct) begin : gen_keys
    always_ff @(posedge clk_i) assume (32'(in_key_i) < 2);
  end

  logic [2:0] drops;
  flit_t rest, in_rest;  // without what a sender may change
  assign drops = {drop_bad_tenant, drop_no_next_hop, drop_bad_node};
  always_comb begin
    rest = out_flit;
    in_rest = in_flit_i;
    rest.first = '0;
    in_rest.first = '0;
    rest.desc.src = '0;
    in_rest.desc.src = '0;
    rest.desc.dst = '0;
    in_rest.desc.dst = '0;
    rest.desc.route = '0;
    in_rest.desc.route = '0;
    rest.desc.route_count = '0;
    in_rest.desc.route_count = '0;
    rest.desc.tenant = '0;
    in_rest.desc.tenant = '0;
    rest.desc.lossless = '0;
    in_rest.desc.lossless = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (drops == '0 || drops == 3'b001 || drops == 3'b010 || drops == 3'b100);
      assert ((drops != '0) == dropped_q);
      assert (drop_bad_tenant == (dropped_q && tenant_refused_q));
      assert (taken == (in_valid_i && in_ready && !middle_q && !tenant_refused));
      if (in_valid_i && (out_ready_i || refused_q)) assert (in_ready);
      if (out_valid) assert (in_ready == out_ready_i);
      if (!in_valid_i) assert (!out_valid);
      if (in_valid_i && !fresh) assert (out_valid == passes_q);
      if (out_valid) begin
        assert (rest == in_rest);
        assert (out_flit.first == !middle_q);
        assert (out_flit.desc.src == Node && Nodes[out_flit.desc.dst]);
        if (!fresh) assert (out_flit.desc.dst == dst_q);
        if (fresh && !(Routed && in_flit_i.desc.route_count != '0)) assert (dst_in_table);
        if (!Routed) assert (out_flit.desc.route_count == '0 && out_flit.desc.route == '0);
        if (!middle_q) begin
          assert (Tenants[out_flit.desc.tenant]);
          if ($countones(Tenants) > 1) assert (out_flit.desc.tenant == in_flit_i.desc.tenant && tenant_was_allowed);
          assert (out_flit.desc.lossless == (in_flit_i.desc.lossless && lossless_was_allowed));
        end
      end
      // Invariants: what the sender remembers.
      assert (u_dut.first_q == !middle_q);
      assert (u_dut.held_q == (middle_q || waiting_q));
      assert (u_dut.swallow_q == ((middle_q || waiting_q) && !passes_q));
      if (middle_q || waiting_q) begin
        assert (u_dut.stop_q.node == dst_q);
        if (passes_q) assert (Nodes[dst_q]);
      end
      assert (refused_q == (waiting_q && !passes_q));
      if (waiting_q) begin
        assert (u_in_check.waiting_q && u_out_check.waiting_q == passes_q);
        assert (u_dut.stop_q.lossless == (u_in_check.data_q.flit.desc.lossless && lossless_allowed_q));
        assert (u_dut.stop_q.allowed == ($countones(Tenants) == 1
            || (Tenants[u_in_check.data_q.flit.desc.tenant] && tenant_allowed_q)));
        if (passes_q) assert (u_dut.stop_q.allowed);
      end
    end
  end
endmodule
