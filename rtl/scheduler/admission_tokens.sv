// SPDX-License-Identifier: Apache-2.0
// How many more lossless messages may enter. All channels may take a token in the same cycle as long
// as ready_o is up.
module admission_tokens #(
    parameter int unsigned Tokens = 4,
    parameter int unsigned Channels = 2
) (
    input logic clk_i,
    input logic rst_i,

    output logic                ready_o,
    input  logic [Channels-1:0] take_i,
    input  logic                give_i,   // a message has left
    input  logic                drop_i    // a message was void, or had no right to be here
);
  if (Tokens < Channels) begin : gen_bad_tokens
    $fatal(1, "admission_tokens: Tokens is %0d; each of the %0d channels needs one", Tokens, Channels);
  end

  localparam int unsigned Width = $clog2(Tokens + 1) + 1;
  logic [Width-1:0] left_q, left_d;
  assign left_d  = left_q - Width'($countones(take_i)) + Width'(give_i) + Width'(drop_i);
  assign ready_o = left_q >= Width'(Channels);

  always_ff @(posedge clk_i) begin
    left_q <= left_d;
    if (rst_i) left_q <= Width'(Tokens);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (take_i == '0 || ready_o)
      else $error("admission_tokens: a message entered without a token");
      assert (left_d <= Width'(Tokens))
      else $error("admission_tokens: a token came back that nobody had");
    end
  end
endmodule
