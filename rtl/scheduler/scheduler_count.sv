// SPDX-License-Identifier: Apache-2.0
// Counts up and down between 0 and Max, and says whether the count is not 0: one cycle after a step up, two after a step down.
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
  logic up_q, down_q, some_q;
  assign some_o = some_q || up_q;
  logic [Width-1:0] count_q;

  always_ff @(posedge clk_i) begin
    up_q <= up_i;
    down_q <= down_i;
    if (up_q != down_q) begin
      count_q <= up_q ? count_q + 1'b1 : count_q - 1'b1;
      some_q <= up_q || count_q != Width'(1);
    end
    if (rst_i) begin
      up_q <= 1'b0;
      down_q <= 1'b0;
      count_q <= '0;
      some_q <= 1'b0;
    end
    if (!rst_i) begin
      assert (!down_q || count_q != '0)
      else $error("scheduler_count: more left than arrived");
    end
  end
endmodule
