// SPDX-License-Identifier: Apache-2.0
// Presents several rare users of host memory as one client of the bus: one access at a time, in fixed priority, the first user before the others. The
// chosen request is kept here, so that its wires do not lead to the bus.
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
  // A request is chosen in one cycle, taken in the next if it is still there, and then passed on.
  logic taken_q, asked_q;
  logic [N-1:0] chosen_q;
  ask_t ask, ask_q;
  assign ask_ready_o = taken_q ? '0 : chosen_q;
  assign ask_valid_o = taken_q && !asked_q;
  assign ask_o = ask_q;
  assign turn_o = taken_q ? chosen_q : '0;
  always_comb begin
    ask = '0;
    for (int unsigned i = 0; i < N; i++) if (chosen_q[i]) ask |= ask_i[i];
  end
  always_ff @(posedge clk_i) begin
    if (chosen_q == '0) chosen_q <= ask_valid_i & (~ask_valid_i + 1'b1);
    if (chosen_q != '0 && !taken_q) begin
      ask_q   <= ask;
      asked_q <= 1'b0;
      if ((chosen_q & ask_valid_i) != '0) taken_q <= 1'b1;
      else chosen_q <= '0;
    end
    if (ask_valid_o && ask_ready_i) asked_q <= 1'b1;
    if (ends_i) begin
      chosen_q <= '0;
      taken_q  <= 1'b0;
    end
    if (rst_i) begin
      chosen_q <= '0;
      taken_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!ends_i || (taken_q && asked_q))
      else $error("host_serial: an access ends that has not been asked for");
    end
  end
endmodule
