// SPDX-License-Identifier: Apache-2.0
// Several that seldom access host memory, as one client of the bus: one access at a time, the first that asks before the others. An ask is
// kept here, so that its wires do not lead to the bus.
module host_serial
  import host_pkg::*;
#(
    parameter int unsigned N = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] ask_valid_i,
    output logic [N-1:0] ask_ready_o,
    input  ask_t [N-1:0] ask_i,
    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output ask_t         ask_o,

    output logic [N-1:0] turn_o,  // whose access is under way
    input  logic         ends_i   // for a cycle: it has ended
);
  logic asked_q;
  logic [N-1:0] turn_q, first;
  ask_t ask, ask_q;
  assign first = ask_valid_i & (~ask_valid_i + 1'b1);
  assign ask_ready_o = turn_q == '0 ? first : '0;
  assign ask_valid_o = turn_q != '0 && !asked_q;
  assign ask_o = ask_q;
  assign turn_o = turn_q;
  always_comb begin
    ask = '0;
    for (int unsigned i = 0; i < N; i++) if (first[i]) ask |= ask_i[i];
  end
  always_ff @(posedge clk_i) begin
    if (turn_q == '0) begin
      turn_q  <= first;
      ask_q   <= ask;
      asked_q <= 1'b0;
    end
    if (ask_valid_o && ask_ready_i) asked_q <= 1'b1;
    if (ends_i) turn_q <= '0;
    if (rst_i) turn_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!ends_i || (turn_q != '0 && asked_q))
      else $error("host_serial: an access ends that has not been asked for");
    end
  end
endmodule
