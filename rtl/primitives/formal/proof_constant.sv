// SPDX-License-Identifier: Apache-2.0
// For proofs: an input of the harness keeps the value that the solver picks for it. (A register without another value is not such a
// constant: Yosys takes it for undefined.)
module proof_constant #(
    parameter type T = logic
) (
    input logic clk_i,
    input T value_i
);
  logic set_q;
  T value_q;
  initial set_q = 1'b0;
  always_ff @(posedge clk_i) begin
    set_q <= 1'b1;
    value_q <= value_i;
    if (set_q) assume (value_i == value_q);
  end
endmodule
