// SPDX-License-Identifier: Apache-2.0
// Matrix arbiter: grants the requester that was granted least recently; after reset, the one with the lowest index. grant_o is
// one-hot, or zero without a request. For requests that come late: two levels of logic from request_i for up to eight
// requesters. advance_i uses the grant. A requester that keeps its request up is granted within N used grants.
module arbiter_matrix #(
    parameter int unsigned N = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] request_i,
    input  logic         advance_i,
    output logic [N-1:0] grant_o
);
  if (N < 1) begin : gen_bad_n
    $fatal(1, "arbiter_matrix: N is %0d; it must be at least 1", N);
  end

  localparam int unsigned Threes = (N + 2) / 3;
  logic [N-1:0][N-1:0] ahead;  // ahead[i][j]: j goes before i
  for (genvar i = 0; i < N; i++) begin : gen_requester
    assign ahead[i][i] = 1'b0;
    for (genvar j = i + 1; j < N; j++) begin : gen_pair
      logic later_goes_q;
      assign ahead[i][j] = later_goes_q;
      assign ahead[j][i] = !later_goes_q;
      always_ff @(posedge clk_i) begin
        if (advance_i && grant_o[i]) later_goes_q <= 1'b1;
        if (advance_i && grant_o[j]) later_goes_q <= 1'b0;
        if (rst_i) later_goes_q <= 1'b0;
      end
    end

    // One of three requesters asks and goes before this one: a single look-up table.
    (* keep *) logic [Threes-1:0] blocked;
    for (genvar g = 0; g < Threes; g++) begin : gen_three
      localparam int unsigned Bits = N - 3 * g < 3 ? N - 3 * g : 3;
      assign blocked[g] = |(request_i[3*g+:Bits] & ahead[i][3*g+:Bits]);
    end
    assign grant_o[i] = request_i[i] && blocked == '0;
  end

  if (N == 1) begin : gen_unused
    logic unused;
    assign unused = &{clk_i, rst_i, advance_i};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(grant_o));
      assert (|grant_o == |request_i);
      all_ask : cover (&request_i);
      contention_is_held_back : cover (!$onehot0(request_i) && !advance_i);
      last_goes_before_first : cover (request_i[0] && grant_o[N-1]);
    end
  end
endmodule
