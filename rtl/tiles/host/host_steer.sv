// SPDX-License-Identifier: Apache-2.0
// Sends each message whole to the receive queue of one of Pairs pairs: the uppermost bits of its flow's hash (host_flow) select the pair in a
// table. Messages without a flow go to pair 0. Two cycles, and those in which the bytes of headers come; one flit per cycle.
module host_steer
  import girih_pkg::*, host_access_pkg::*;
#(
    parameter int unsigned Pairs = 2,
    localparam int unsigned PairBits = $clog2(HostPairs)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [SteerEntries-1:0][PairBits-1:0] table_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic [Pairs-1:0] out_valid_o,
    input  logic [Pairs-1:0] out_ready_i,
    output flit_t            out_flit_o    // for the output whose valid is up
);
  localparam int unsigned EntryBits = $clog2(SteerEntries);
  if (Pairs < 1 || Pairs > HostPairs) begin : gen_bad_pairs
    $fatal(1, "host_steer: Pairs is %0d; it must be from 1 to %0d", Pairs, HostPairs);
  end

  logic flow_valid, flow_ready, flow_first, has_flow;
  logic [15:0] hash;
  flit_t flow_flit;
  host_flow u_flow (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(flow_valid),
      .out_ready_i(flow_ready),
      .out_flit_o (flow_flit),
      .out_first_o(flow_first),
      .has_flow_o(has_flow),
      .hash_o(hash)
  );

  typedef struct packed {
    logic [PairBits-1:0] pair;
    flit_t flit;
  } steered_t;
  steered_t steer, steered;
  logic [PairBits-1:0] pair_q;
  assign steer.flit = flow_flit;
  always_comb begin
    steer.pair = pair_q;
    if (flow_first) steer.pair = has_flow ? table_i[hash[15-:EntryBits]] : '0;
  end
  always_ff @(posedge clk_i) if (flow_valid && flow_ready) pair_q <= steer.pair;

  logic steered_valid, steered_ready;
  skid_buffer #(
      .T(steered_t)
  ) u_steered (
      .clk_i,
      .rst_i,
      .in_valid_i(flow_valid),
      .in_ready_o(flow_ready),
      .in_data_i(steer),
      .out_valid_o(steered_valid),
      .out_ready_i(steered_ready),
      .out_data_o(steered)
  );
  assign out_flit_o = steered.flit;
  always_comb begin
    steered_ready = 1'b0;
    for (int unsigned p = 0; p < Pairs; p++) begin
      out_valid_o[p] = steered_valid && 32'(steered.pair) == p;
      if (32'(steered.pair) == p) steered_ready = out_ready_i[p];
    end
  end

  logic unused;
  assign unused = &{1'b0, hash};
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!steered_valid || 32'(steered.pair) < Pairs)
      else $error("host_steer: a message for a pair that is not there");
    end
  end
endmodule
