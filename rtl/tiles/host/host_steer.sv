// SPDX-License-Identifier: Apache-2.0
// Sends each message whole to the receive queue of one of Pairs pairs, which a table has for its flow. One flit per cycle.
//
// Steering = 0: the uppermost bits of a hash of its headers (host_flow) select the entry; messages without such headers go to pair 0. Three cycles, and those
// in which the bytes of headers come. If the driver spreads flows itself (rss_i), the lowest bits of its hash select the entry, and it says where messages
// go that are not hashed.
// Steering = 1: the flow that a match-action port has given the message selects the entry: its parts of as many bits as an entry's index, exclusively
// ored. Two cycles.
//
// Each takes a cycle less without Cut.
module host_steer
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Pairs = 2,
    parameter bit Steering = 1'b0,
    parameter bit Cut = TimingMhz >= 250  // before the table, for one cycle
) (
    input logic clk_i,
    input logic rst_i,

    input steer_t table_i,
    input rss_t   rss_i,    // without effect if Steering

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

  logic flow_valid, flow_ready, has_flow;
  pair_t other;  // of a message without a flow
  logic [EntryBits-1:0] entry;
  flit_t flow_flit;
  if (Steering) begin : gen_by_flow
    assign flow_valid = in_valid_i;
    assign in_ready_o = flow_ready;
    assign flow_flit = in_flit_i;
    assign has_flow = 1'b1;
    assign other = '0;
    logic unused;
    assign unused = &{1'b0, rss_i};
    flow_t flow;
    assign flow = flow_of(in_flit_i.desc);
    always_comb begin
      entry = '0;
      for (int unsigned b = 0; b < $bits(flow_t); b++) entry[b%EntryBits] ^= flow[b];
    end
  end else begin : gen_by_headers
    logic [15:0] hash;
    logic [EntryBits-1:0] rss_hash;
    logic known, scaled;
    host_flow u_flow (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .out_valid_o(flow_valid),
        .out_ready_i(flow_ready),
        .out_flit_o (flow_flit),
        .has_flow_o(known),
        .hash_o(hash),
        .rss_i,
        .scaled_o(scaled),
        .rss_hash_o(rss_hash)
    );
    assign entry = rss_i.on ? rss_hash : hash[15-:EntryBits];
    assign has_flow = rss_i.on ? scaled : known;
    assign other = rss_i.on ? rss_i.unclassified : '0;
    logic unused;
    assign unused = &{1'b0, hash};
  end

  typedef struct packed {
    pair_t pair;
    flit_t flit;
  } steered_t;
  // The flow of each message, with its first flit.
  typedef struct packed {
    flit_t flit;
    logic has_flow;
    logic [EntryBits-1:0] entry;
    pair_t other;
  } found_t;
  found_t found;
  logic found_valid, found_ready;
  stream_register #(
      .T(found_t),
      .Cut(Cut)
  ) u_found (
      .clk_i,
      .rst_i,
      .in_valid_i(flow_valid),
      .in_ready_o(flow_ready),
      .in_data_i('{flit: flow_flit, has_flow: has_flow, entry: entry, other: other}),
      .out_valid_o(found_valid),
      .out_ready_i(found_ready),
      .out_data_o(found)
  );

  steered_t steer, steered;
  pair_t pair_q;
  assign steer.flit = found.flit;
  always_comb begin
    steer.pair = pair_q;
    if (found.flit.first) steer.pair = found.has_flow ? table_i[found.entry] : found.other;
  end
  always_ff @(posedge clk_i) if (found_valid && found_ready) pair_q <= steer.pair;

  logic steered_valid, steered_ready;
  skid_buffer #(
      .T(steered_t)
  ) u_steered (
      .clk_i,
      .rst_i,
      .in_valid_i(found_valid),
      .in_ready_o(found_ready),
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

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!steered_valid || 32'(steered.pair) < Pairs)
      else $error("host_steer: a message for a pair that is not there");
    end
  end
endmodule
