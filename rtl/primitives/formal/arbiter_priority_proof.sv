// SPDX-License-Identifier: Apache-2.0
// Proves arbiter_priority: the grant is one-hot, goes only to a requester, is there whenever there is a request, and no
// requester has a lower index. There is no fairness: arbiter_round_robin has that.
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
