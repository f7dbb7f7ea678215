// SPDX-License-Identifier: Apache-2.0
// Cuts a stream's timing paths backward: ready comes from a register. No latency, full throughput, one entry, which it takes
// when the output is held back; out_valid_o and out_data_o depend on the input.
module ready_register #(
    parameter type T = logic [7:0]
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
  // in_ready_o has a flip-flop of its own, so that the many loads of the data's choice do not slow it down. It has the other polarity, since
  // synthesis merges equal flip-flops.
  logic full_q, in_ready_q, held_back;
  T data_q;
  assign held_back = out_valid_o && !out_ready_i;
  assign in_ready_o = in_ready_q;
  assign out_valid_o = in_valid_i || full_q;
  assign out_data_o = full_q ? data_q : in_data_i;

  always_ff @(posedge clk_i) begin
    full_q <= held_back;
    in_ready_q <= !held_back;
    if (!full_q) data_q <= in_data_i;  // valid or not: in_valid_i may come late
    if (rst_i) begin
      full_q <= 1'b0;
      in_ready_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (in_ready_q == !full_q);
      refused : cover (in_valid_i && !in_ready_o);
      full_and_read : cover (full_q && out_ready_i && in_valid_i);
      fills_while_held_back : cover (in_valid_i && in_ready_o && !out_ready_i);
    end
  end
endmodule
