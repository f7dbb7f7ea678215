// SPDX-License-Identifier: Apache-2.0
// Proves arbiter_priority: one-hot, only requesters, somebody whenever anybody asks, and nobody of
// a lower index asks. It promises no fairness: that is what arbiter_round_robin is for.
module arbiter_priority_proof #(
    parameter int unsigned N = 5
) (
    input logic clk_i,
    input logic [N-1:0] request_i
);
  logic [N-1:0] grant;
  arbiter_priority #(
      .N(N)
  ) u_dut (
      .request_i,
      .grant_o(grant)
  );

  always_ff @(posedge clk_i) begin
    assert ((grant & (grant - 1'b1)) == '0);
    assert ((grant & ~request_i) == '0);
    assert ((grant != '0) == (request_i != '0));
    if (grant != '0) assert ((request_i & (grant - 1'b1)) == '0);
  end
endmodule
