// SPDX-License-Identifier: Apache-2.0
// Proves arbiter_round_robin: the grant is one-hot, goes only to a requester, is there whenever there is a request, and
// fewer than N used grants pass over a requester that keeps asking.
module arbiter_round_robin_proof #(
    parameter int unsigned N = 5
) (
    input logic clk_i,
    input logic [N-1:0] request_i,
    input logic advance_i
);
  localparam int unsigned IndexWidth = $clog2(N) + 1;
  typedef logic [IndexWidth-1:0] index_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic [N-1:0] grant;
  arbiter_round_robin #(
      .N(N)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .request_i,
      .advance_i,
      .grant_o(grant)
  );

  index_t watched_q;  // any one requester: the solver chooses it before the first cycle
  always_ff @(posedge clk_i) begin
    watched_q <= watched_q;
    assume (watched_q < index_t'(N));
  end

  logic watched_asks, watched_granted;
  assign watched_asks = |(request_i >> watched_q & N'(1));
  assign watched_granted = |(grant >> watched_q & N'(1));

  index_t passed_q;  // used grants that went to others while the watched one kept asking
  always_ff @(posedge clk_i) begin
    if (!watched_asks || (advance_i && watched_granted)) passed_q <= '0;
    else if (advance_i) passed_q <= passed_q + 1'b1;
    if (rst) passed_q <= '0;
  end

  // Where the search starts, and how far the watched one is from there.
  index_t start, distance;
  if (N <= 4) begin : gen_start
    assign start = index_t'(u_dut.gen_few.start_q);
  end else begin : gen_start
    always_comb begin
      start = '0;
      for (int unsigned i = 1; i < N; i++) if (u_dut.gen_many.last_q[i-1]) start = index_t'(i);
    end
  end
  assign distance = watched_q >= start ? watched_q - start : watched_q + index_t'(N) - start;

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert ((grant & (grant - 1'b1)) == '0);
      assert ((grant & ~request_i) == '0);
      assert ((grant != '0) == (request_i != '0));
      assert (passed_q < index_t'(N));
      // Each used grant that goes to another brings the start of the search nearer.
      assert (passed_q + distance < index_t'(N));
    end
  end
endmodule
