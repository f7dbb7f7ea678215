// SPDX-License-Identifier: Apache-2.0
// Fixed priority: grants the requester with the lowest index. Combinational; one-hot, or zero without a
// request.
module arbiter_priority #(
    parameter int unsigned N = 4
) (
    input  logic [N-1:0] request_i,
    output logic [N-1:0] grant_o
);
  if (N < 1) begin : gen_bad_n
    $fatal(1, "arbiter_priority: N is %0d; it must be at least 1", N);
  end

  assign grant_o[0] = request_i[0];
  for (genvar i = 1; i < N; i++) begin : gen_grant
    assign grant_o[i] = request_i[i] && request_i[i-1:0] == '0;
  end
endmodule
