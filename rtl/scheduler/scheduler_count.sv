// SPDX-License-Identifier: Apache-2.0
// Counts up and down between 0 and Max, and says whether the count is not 0.
module scheduler_count #(
    parameter int unsigned Max = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic up_i,
    input  logic down_i,
    output logic some_o
);
  localparam int unsigned Width = $clog2(Max + 1);
  logic [Width-1:0] count_q;
  assign some_o = count_q != '0;

  always_ff @(posedge clk_i) begin
    if (up_i != down_i) count_q <= up_i ? count_q + 1'b1 : count_q - 1'b1;
    if (rst_i) count_q <= '0;
    if (!rst_i) begin
      assert (!down_i || count_q != '0)
      else $error("scheduler_count: more left than arrived");
    end
  end
endmodule
