// SPDX-License-Identifier: Apache-2.0
// Round robin among N requesters: one-hot grant_o, combinational from request_i, zero without a request.
// advance_i uses the grant: the next search starts after the granted requester, so a requester that keeps
// its request up is granted within N used grants.
module arbiter_round_robin #(
    parameter int unsigned N = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] request_i,
    input  logic         advance_i,
    output logic [N-1:0] grant_o
);
  if (N < 1) begin : gen_bad_n
    $fatal(1, "arbiter_round_robin: N is %0d; it must be at least 1", N);
  end

  if (N == 1) begin : gen_one
    assign grant_o = request_i;
    logic unused;
    assign unused = &{clk_i, rst_i, advance_i};
  end else if (N <= 4) begin : gen_few
    // Where the search starts: two bits, so that each bit of the grant, and of the next start, is a function of six bits at most.
    // It is written as one term for each pair of requesters, because a mapper does not find short logic in a chain of conditions.
    typedef logic [$clog2(N)-1:0] place_t;
    (* fsm_encoding = "none" *) place_t start_q;  // synthesis would make it one-hot
    place_t start_d;
    logic [N-1:0] starts;

    function automatic bit precedes(input int unsigned start, input int unsigned one, input int unsigned other);
      return (one + N - start) % N < (other + N - start) % N;
    endfunction

    for (genvar i = 0; i < N; i++) begin : gen_grant
      logic [N-1:0] ahead;  // requesters that the search meets before this one
      for (genvar j = 0; j < N; j++) begin : gen_ahead
        logic [N-1:0] from;
        for (genvar s = 0; s < N; s++) begin : gen_from
          assign from[s] = precedes(s, j, i) && starts[s];
        end
        assign ahead[j] = |from;
      end
      assign starts[i] = start_q == place_t'(i);
      assign grant_o[i] = request_i[i] && (request_i & ahead) == '0;
    end

    always_comb begin
      start_d = start_q & {$bits(place_t) {request_i == '0}};
      for (int unsigned i = 0; i < N; i++) start_d |= place_t'((i + 1) % N) & {$bits(place_t) {grant_o[i]}};
    end

    always_ff @(posedge clk_i) begin
      if (advance_i) start_q <= start_d;
      if (rst_i) start_q <= '0;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (32'(start_q) < N);
        all_ask : cover (&request_i);
        contention_is_held_back : cover (!$onehot0(request_i) && !advance_i);
        search_wraps : cover (advance_i && |request_i && start_d <= start_q && start_d != '0);
        last_is_favoured_over_first : cover (advance_i && request_i[0] && grant_o[N-1]);
      end
    end
  end else begin : gen_many
    // The last request that was granted, from which the search goes on: the grant is late in the cycle, so what follows from it is
    // worked out in the next one. After the highest request the search starts anew, as after none, so that bit needs no register.
    logic [N-2:0] last_q;
    logic [N-1:1] behind;  // the last one
    logic [N-1:0] favoured, grant_favoured, grant_any;

    for (genvar i = 1; i < N; i++) begin : gen_behind
      assign behind[i] = |last_q[i-1:0];
    end
    assign favoured = request_i & {behind, 1'b0};
    arbiter_priority #(.N(N)) u_favoured (.request_i(favoured), .grant_o(grant_favoured));
    arbiter_priority #(.N(N)) u_any (.request_i(request_i), .grant_o(grant_any));
    assign grant_o = |favoured ? grant_favoured : grant_any;

    always_ff @(posedge clk_i) begin
      if (advance_i) last_q <= grant_o[N-2:0] | (last_q & {N - 1{request_i == '0}});
      if (rst_i) last_q <= '0;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert ($onehot0(last_q));
        all_ask : cover (&request_i);
        contention_is_held_back : cover (!$onehot0(request_i) && !advance_i);
        search_wraps : cover (advance_i && |request_i && favoured == '0 && last_q != '0);
        last_is_favoured_over_first : cover (advance_i && request_i[0] && grant_o[N-1]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(grant_o));
      assert ((grant_o & ~request_i) == '0);
      assert (|grant_o == |request_i);
    end
  end
endmodule
