// SPDX-License-Identifier: Apache-2.0
// Makes a reset of the domain of clk_i from one that may rise and fall at any time, even while clk_i stands still.
//
// No reset is missed, however short. rst_o is synchronous to clk_i in both directions: it rises Stages edges after
// async_rst_i, stays for at least one cycle, and falls Stages + 1 edges after async_rst_i.
module reset_synchroniser #(
    parameter int unsigned Stages = 2
) (
    input logic clk_i,

    input  logic async_rst_i,
    output logic rst_o
);
  // Set asynchronously, released by the clock; the flip-flops that follow settle it.
  (* crossing = "reset", ASYNC_REG = "TRUE", keep = "true" *)
  logic caught_q;

  always_ff @(posedge clk_i or posedge async_rst_i) begin
    if (async_rst_i) caught_q <= 1'b1;
    else caught_q <= 1'b0;
  end

  synchroniser #(
      .Stages(Stages)
  ) u_settle (
      .clk_i,
      .in_i (caught_q),
      .out_o(rst_o)
  );
endmodule
