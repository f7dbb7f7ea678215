// SPDX-License-Identifier: Apache-2.0
// The reset of a clock at the card's edge, made from the card's own: it rises within Stages edges of clk_i and of edge_clk_i, however short the
// card's reset was, and falls at an edge of edge_clk_i. What is beyond the edge (a memory controller, a MAC, PCIe) is reset by it together with
// the card, because a reset makes the card forget what it has asked for.
module edge_reset #(
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic edge_clk_i,
    output logic edge_rst_o
);
  logic rst_q;  // only a register may cross: no glitch can set the synchroniser
  always_ff @(posedge clk_i) rst_q <= rst_i;

  reset_synchroniser #(
      .Stages(Stages)
  ) u_synchroniser (
      .clk_i(edge_clk_i),
      .async_rst_i(rst_q),
      .rst_o(edge_rst_o)
  );
endmodule
