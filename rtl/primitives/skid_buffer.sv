// SPDX-License-Identifier: Apache-2.0
// Cuts a stream's timing paths in both directions: valid, data and ready all come from registers.
// Latency one cycle, full throughput, holds up to two entries. With Cut = 0 it is a wire, for a design whose
// clock does not need the cut.
module skid_buffer #(
    parameter type T = logic [7:0],
    parameter bit Cut = 1'b1
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
  if (!Cut) begin : gen_wire
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i};
    assign in_ready_o = out_ready_i;
    assign out_valid_o = in_valid_i;
    assign out_data_o = in_data_i;
  end else begin : gen_cut
    // The choice of the data has a flip-flop of its own, so that its many loads do not slow down in_ready_o. It has the other polarity,
    // since synthesis merges equal flip-flops.
    logic out_valid_q, skid_valid_q, in_ready_q;
    T out_data_q, skid_data_q;

    logic move;  // the output register can take an entry
    assign move = out_ready_i || !out_valid_q;

    assign in_ready_o = in_ready_q;
    assign out_valid_o = out_valid_q;
    assign out_data_o = out_data_q;

    always_ff @(posedge clk_i) begin
      if (move) begin
        out_valid_q <= in_valid_i || skid_valid_q;
        skid_valid_q <= 1'b0;
        in_ready_q <= 1'b1;
      end else if (in_valid_i) begin
        skid_valid_q <= 1'b1;
        in_ready_q <= 1'b0;
      end
      // Valid or not, and needed or not: both sides of the hand-shake may come late, and the data are many loads.
      if (move) out_data_q <= skid_valid_q ? skid_data_q : in_data_i;
      if (in_ready_q) skid_data_q <= in_data_i;
      if (rst_i) begin
        out_valid_q <= 1'b0;
        skid_valid_q <= 1'b0;
        in_ready_q <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (out_valid_q || !skid_valid_q);
        assert (in_ready_q == !skid_valid_q);
        full : cover (skid_valid_q);
        refused : cover (in_valid_i && !in_ready_o);
        full_and_read : cover (skid_valid_q && out_ready_i);
        held_back : cover (out_valid_o && !out_ready_i);
        fills_while_held_back : cover (!move && in_valid_i && in_ready_o);
      end
    end
  end
endmodule
