// SPDX-License-Identifier: Apache-2.0
// Queue of a channel, first in first out. An entry passes combinationally when the queue is empty and the
// channel is ready. in_ready_o comes from registers.
module launch_queue #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_data_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  logic queued;
  T head;
  assign out_valid_o = queued || in_valid_i;
  assign out_data_o = queued ? head : in_data_i;

  fifo #(
      .T(T),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i && (queued || !out_ready_i)),
      .in_ready_o,
      .in_data_i,
      .out_valid_o(queued),
      .out_ready_i,
      .out_data_o(head)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      passes : cover (in_valid_i && !queued && out_ready_i);
      behind_another : cover (in_valid_i && queued && out_ready_i);
      held_back : cover (in_valid_i && !out_ready_i);
    end
  end
endmodule
