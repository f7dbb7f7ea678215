// SPDX-License-Identifier: Apache-2.0
// Merges the messages of several transmit queues onto one link, round robin, each message whole. Latency one cycle, one
// flit per cycle.
module host_merge
  import girih_pkg::*;
#(
    parameter int unsigned Pairs = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Pairs-1:0] in_valid_i,
    output logic  [Pairs-1:0] in_ready_o,
    input  flit_t [Pairs-1:0] in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o
);
  // The turn lasts until the end of the message.
  logic open_q, takes, ready;
  logic [Pairs-1:0] grant, turn, turn_q;
  arbiter_round_robin #(
      .N(Pairs)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(in_valid_i),
      .advance_i(!open_q && takes),
      .grant_o  (grant)
  );
  assign turn = open_q ? turn_q : grant;
  assign in_ready_o = turn & {Pairs{ready}};

  flit_t flit;
  logic valid;
  assign valid = |(turn & in_valid_i);
  assign takes = valid && ready;
  always_comb begin
    flit = '0;
    for (int unsigned p = 0; p < Pairs; p++) if (turn[p]) flit |= in_flit_i[p];
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      open_q <= !flit.last;
      turn_q <= turn;
    end
    if (rst_i) open_q <= 1'b0;
  end

  skid_buffer #(
      .T(flit_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i(valid),
      .in_ready_o(ready),
      .in_data_i(flit),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_flit_o)
  );
endmodule
