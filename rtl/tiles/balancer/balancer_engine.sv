// SPDX-License-Identifier: Apache-2.0
// Spreads messages over replicas: round robin, or by a hash of the flow (flow_window), so that a flow stays at the replica with its
// state. The key is the replica's index. Messages without a flow go to replica 0.
// Cut-through, three cycles (one without CutHeader), one flit per cycle.
module balancer_engine
  import girih_pkg::*, balancer_pkg::*;
#(
    parameter bit CutHeader = TimingMhz >= 250  // before and behind the choice of a replica, for a cycle each
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  typedef struct packed {
    flit_t flit;
    logic [3:0] key;
  } out_t;

  logic flow_valid, flow_ready, has_flow;
  flit_t flow_flit;
  logic [15:0] hash;
  flow_window #(
      .CutHeader(CutHeader)
  ) u_flow (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(flow_valid),
      .out_ready_i(flow_ready),
      .out_flit_o (flow_flit),
      .has_flow_o(has_flow),
      .hash_o(hash)
  );

  // The hash, scaled to the number of replicas.
  logic [3:0] turn_q, of_flow;
  assign of_flow = 4'((20'(hash) * 20'(cfg_i.replicas)) >> 16);

  logic start;
  assign start = flow_valid && flow_ready && flow_flit.first;
  always_ff @(posedge clk_i) begin
    if (start && has_flow) turn_q <= turn_q + 4'd1 >= cfg_i.replicas ? '0 : turn_q + 4'd1;
    if (rst_i) turn_q <= '0;
  end

  // Software may lower the number of replicas below the current turn.
  logic [3:0] in_turn, key;
  assign in_turn = turn_q < cfg_i.replicas ? turn_q : '0;
  assign key = !has_flow ? '0 : cfg_i.by_flow ? of_flow : in_turn;

  logic [3:0] out_key;
  skid_buffer #(
      .T(out_t),
      .Cut(CutHeader)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i (flow_valid),
      .in_ready_o (flow_ready),
      .in_data_i  ({flow_flit, key}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o ({out_flit_o, out_key})
  );
  assign out_key_o = next_key_t'(out_key);
  assign event_o.mark_non_ip = start && !has_flow;
endmodule
