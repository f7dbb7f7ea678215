// SPDX-License-Identifier: Apache-2.0
// Checks the rule of every link: once valid is up it stays, and the data holds, until ready.
// The driver of a link asserts the rule; in a formal proof its receiver assumes it
// (Assume = 1; a simulator checks both alike). No outputs, so synthesis removes it.
module stream_check #(
    parameter type T = logic [7:0],
    parameter bit Assume = 1'b0
) (
    input logic clk_i,
    input logic rst_i,
    input logic valid_i,
    input logic ready_i,
    input T     data_i
);
  logic waiting_q;
  T data_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= valid_i && !ready_i && !rst_i;
    if (valid_i && !ready_i) data_q <= data_i;
  end

  if (Assume) begin : gen_assume
    always_ff @(posedge clk_i) begin
      if (waiting_q && !rst_i) begin
        assume (valid_i);
        assume (data_i == data_q);
      end
    end
  end else begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (waiting_q && !rst_i) begin
        assert (valid_i);
        assert (data_i == data_q);
      end
    end
  end
endmodule
