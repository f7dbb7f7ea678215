// SPDX-License-Identifier: Apache-2.0
// A queue of turns of connections, in block RAM. If the queue is empty, a turn can be taken in the cycle after it came. The output has
// no path into the RAM: the first two turns are in flip-flops, which are filled from the RAM as they have room.
//
//   in ---+--> fifo_block --+--> fifo --> out
//         +-----------------+
module tcp_turns #(
    parameter type T = logic [9:0],
    parameter int unsigned Depth = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input logic in_valid_i,
    input T     in_data_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  logic behind_valid, behind_ready, head_ready, straight;
  T behind;
  assign straight = head_ready && !behind_valid;
  fifo_block #(
      .T(T),
      .Depth(Depth)
  ) u_behind (
      .clk_i,
      .rst_i,
      .in_offer_i (in_valid_i && !straight),
      .in_valid_i (in_valid_i && !straight),
      .in_ready_o (behind_ready),
      .in_data_i,
      .out_valid_o(behind_valid),
      .out_ready_i(head_ready),
      .out_data_o (behind)
  );
  fifo #(
      .T(T),
      .Depth(2)
  ) u_head (
      .clk_i,
      .rst_i,
      .in_valid_i (behind_valid || in_valid_i),
      .in_ready_o (head_ready),
      .in_data_i  (behind_valid ? behind : in_data_i),
      .out_valid_o,
      .out_ready_i,
      .out_data_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!in_valid_i || straight || behind_ready)
      else $error("tcp_turns: a turn finds no room");
    end
  end
endmodule
