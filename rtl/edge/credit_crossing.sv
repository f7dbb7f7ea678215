// SPDX-License-Identifier: Apache-2.0
// The credits of a compute unit that has a clock of its own, on their way to the scheduler. Each arrives once. Those that come faster than they cross
// are counted, and wait. Credits and cancellations wait apart and leave together, so the sum of credits given never runs ahead of the scheduler's: a
// credit for a pushed message does not arrive before the cancellation.
module credit_crossing
  import sched_pkg::*;
#(
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,
    output credit_t credit_o,

    input logic tile_clk_i,
    input logic edge_rst_i,  // the card's reset, in the tile's clock
    input credit_t tile_credit_i
);
  localparam int unsigned CountWidth = 11;  // the scheduler's balance has as many bits
  typedef logic [CountWidth-1:0] count_t;

  // Waiting credits of droppable and of lossless messages, and cancellations.
  count_t [2:0] waiting_q;
  logic [2:0] some, arrive, leave;
  logic waits, ready;
  assign arrive = {tile_credit_i.cancel, tile_credit_i.give && tile_credit_i.give_lossless, tile_credit_i.give && !tile_credit_i.give_lossless};
  for (genvar i = 0; i < 3; i++) begin : gen_some
    assign some[i] = waiting_q[i] != '0;
  end
  assign leave = ready ? {some[2], some[1], some[0] && !some[1]} : '0;
  assign waits = some != '0;

  always_ff @(posedge tile_clk_i) begin
    for (int unsigned i = 0; i < 3; i++) waiting_q[i] <= waiting_q[i] + count_t'(arrive[i]) - count_t'(leave[i]);
    if (edge_rst_i) waiting_q <= '0;
  end

  credit_t crossed;
  logic valid;
  async_fifo #(
      .T(credit_t),
      .Depth(16),
      .Stages(Stages)
  ) u_fifo (
      .in_clk_i(tile_clk_i),
      .in_rst_i(edge_rst_i),
      .in_valid_i(waits),
      .in_ready_o(ready),
      .in_data_i('{give: some[1] || some[0], give_lossless: some[1], cancel: some[2]}),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_valid_o(valid),
      .out_ready_i(1'b1),
      .out_data_o(crossed)
  );
  assign credit_o = valid ? crossed : '0;

  always_ff @(posedge tile_clk_i) begin
    if (!edge_rst_i) begin
      assert (!(&waiting_q[0] || &waiting_q[1] || &waiting_q[2]))
      else $error("credit_crossing: more credits wait than can be counted");
      several_wait : cover (waiting_q[0] > count_t'(1) || waiting_q[1] > count_t'(1));
      both_classes_wait : cover (some[0] && some[1]);
    end
  end
endmodule
