// SPDX-License-Identifier: Apache-2.0
// The card's time in another clock: that of Stages + 1 edges ago. It never runs backwards, except at a reset, and in a slower clock it leaves numbers out.
//
// A message that crosses takes at least as long (async_fifo). So whoever reads the time here never sees a message whose time stamp is in the future.
module time_crossing
  import girih_pkg::*;
#(
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,
    input timestamp_t now_i,  // one more in each cycle, and 0 after a reset

    input logic edge_clk_i,
    output timestamp_t now_o
);
  // The code of the present time, in a register: that of the next one is made a cycle before. It crosses, so no tool may merge it with others.
  (* keep = "true" *)
  timestamp_t code_q;
  timestamp_t next, code_d, seen, time_d;
  assign next = now_i + 1'b1;
  assign code_d = next ^ (next >> 1);
  always_ff @(posedge clk_i) code_q <= code_d;

  synchroniser #(
      .Width ($bits(timestamp_t)),
      .Stages(Stages)
  ) u_code (
      .clk_i(edge_clk_i),
      .in_i (code_q),
      .out_o(seen)
  );

  for (genvar i = 0; i < $bits(timestamp_t); i++) begin : gen_bit
    assign time_d[i] = ^(seen >> i);
  end
  always_ff @(posedge edge_clk_i) now_o <= time_d;

  logic reset_q;  // the time has started again
  always_ff @(posedge clk_i) begin
    reset_q <= rst_i;
    if (!rst_i && !reset_q) begin
      assert ($countones(code_q ^ code_d) <= 1)
      else $error("time_crossing: several bits change at once");
    end
  end
endmodule
