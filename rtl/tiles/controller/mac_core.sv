// SPDX-License-Identifier: Apache-2.0
// SHA3-256 of a message of 128 bytes, which with its padding is one block of 136: a round of the permutation per cycle. The
// digest is ready 25 cycles after the start, and stays until the next start.
module mac_core
  import keccak_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic          start_i,
    input logic [1023:0] message_i,  // the first byte in [7:0]

    output logic         done_o,   // the digest is that of the latest message
    output logic [255:0] digest_o
);
  localparam lane_t Padding = 64'h8000_0000_0000_0006;  // of SHA-3: 01, then 1 0* 1, in the block's last 8 bytes

  state_t state_q;
  logic [4:0] round_q;
  logic busy_q;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      state_q <= {512'd0, Padding, message_i};
      round_q <= '0;
      busy_q  <= 1'b1;
    end else if (busy_q) begin
      state_q <= round(state_q, Constants[round_q]);
      round_q <= round_q + 1'b1;
      busy_q  <= 32'(round_q) != Rounds - 1;
    end
    if (rst_i) busy_q <= 1'b0;
  end
  assign done_o = !busy_q;
  assign digest_o = state_q[3:0];
endmodule
