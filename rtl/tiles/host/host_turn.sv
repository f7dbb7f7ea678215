// SPDX-License-Identifier: Apache-2.0
// Decides which of two clients of a bus goes first: if both offer an access, the one that has had fewer beats recently. A client that was idle
// returns with a credit of at most Most beats.
module host_turn #(
    parameter int unsigned Most = 256
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [1:0]      offers_i,
    input  logic [1:0][7:0] len_i,  // beats, less one
    input  logic            taken_i,  // the access whose turn it is
    output logic            turn_o
);
  typedef logic signed [$clog2(Most)+2:0] balance_t;
  localparam balance_t Limit = balance_t'(Most);

  balance_t balance_q;  // beats of client 0 less those of client 1
  logic behind_q;  // it is greater than 0
  assign turn_o = &offers_i ? behind_q : offers_i[1];

  balance_t beats, sum, balance_d;
  assign beats = balance_t'(len_i[turn_o]) + balance_t'(1);
  assign sum = turn_o ? balance_q - beats : balance_q + beats;
  assign balance_d = sum > Limit ? Limit : sum < -Limit ? -Limit : sum;
  // Whether balance_d is greater than 0, for either turn: the turn chooses last, because it has the loads of the accesses.
  logic [1:0] positive;
  assign positive[0] = balance_q + (balance_t'(len_i[0]) + balance_t'(1)) > 0;
  assign positive[1] = balance_q > balance_t'(len_i[1]) + balance_t'(1);
  always_ff @(posedge clk_i) begin
    if (taken_i) begin
      balance_q <= balance_d;
      behind_q  <= positive[turn_o];
    end
    if (rst_i) begin
      balance_q <= '0;
      behind_q  <= 1'b0;
    end
  end
endmodule
