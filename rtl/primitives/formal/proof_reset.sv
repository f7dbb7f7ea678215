// SPDX-License-Identifier: Apache-2.0
// For proofs: reset in the first cycle and never again.
module proof_reset (
    input  logic clk_i,
    output logic rst_o
);
  logic rst_q;
  initial rst_q = 1'b1;
  always @(posedge clk_i) rst_q <= 1'b0;
  assign rst_o = rst_q;
endmodule
