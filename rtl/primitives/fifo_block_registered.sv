// SPDX-License-Identifier: Apache-2.0
// fifo_block whose head is in flip-flops, for readers with no time for a RAM's output: Depth + 2 entries. An entry
// written in one cycle can be read in the next, as from a fifo_block; an entry that finds the queue empty goes straight to the head.
// With Replaceable, its reader can replace the head while it waits.
//
//   in ---+--> fifo_block --+--> head --> out
//         +-----------------+
module fifo_block_registered #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 512,
    parameter bit Replaceable = 1'b0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic in_offer_i,  // as of fifo_block
    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_data_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o,
    input  logic replace_i,      // the head, which does not leave, becomes replace_data_i
    input  T     replace_data_i
);
  logic refill, straight, behind_valid, head_valid_q;
  T behind, head_q;
  assign refill = out_ready_i || !head_valid_q;
  assign straight = refill && !behind_valid;  // to the head, if there is an entry

  fifo_block #(
      .T(T),
      .Depth(Depth)
  ) u_behind (
      .clk_i,
      .rst_i,
      .in_offer_i(in_offer_i && !straight),
      .in_valid_i(in_valid_i && !straight),
      .in_ready_o,
      .in_data_i,
      .out_valid_o(behind_valid),
      .out_ready_i(refill),
      .out_data_o(behind)
  );

  always_ff @(posedge clk_i) begin
    if (refill) begin
      head_valid_q <= behind_valid || in_valid_i;
      head_q <= behind_valid ? behind : in_data_i;
    end else if (Replaceable && replace_i) begin
      head_q <= replace_data_i;
    end
    if (rst_i) head_valid_q <= 1'b0;
  end

  assign out_valid_o = head_valid_q;
  assign out_data_o = head_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (head_valid_q || !behind_valid);
      assert (!straight || in_ready_o);
      assert (!replace_i || (Replaceable && !refill))
      else $error("fifo_block_registered: the head is replaced, but it leaves, there is none, or it cannot be");
      goes_straight : cover (in_valid_i && straight);
      waits_behind_a_head_that_leaves : cover (in_valid_i && refill && behind_valid);
      full_and_read : cover (!in_ready_o && out_ready_i);
    end
  end
endmodule
