// SPDX-License-Identifier: Apache-2.0
// Cuts a stream's timing paths forward: valid and data come from registers. Latency one cycle, full throughput, one
// entry, and half the area of a skid_buffer; in_ready_o depends on out_ready_i. With Cut = 0 it is a wire, for
// a design whose clock does not need the cut.
module stream_register #(
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
    // The data's enable has a flip-flop of its own, so that its many loads do not slow down the hand-shakes on both sides. It has the
    // other polarity, since synthesis merges equal flip-flops.
    logic valid_q, empty_q;
    (* keep *) logic load;  // one look-up table, and not a copy for each bit, which would load out_ready_i as much
    T data_q;
    assign load = empty_q || out_ready_i;
    assign in_ready_o = !valid_q || out_ready_i;
    assign out_valid_o = valid_q;
    assign out_data_o = data_q;

    always_ff @(posedge clk_i) begin
      if (in_ready_o) begin
        valid_q <= in_valid_i;
        empty_q <= !in_valid_i;
      end
      if (load) data_q <= in_data_i;  // valid or not: in_valid_i may come late
      if (rst_i) begin
        valid_q <= 1'b0;
        empty_q <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (empty_q == !valid_q);
        refused : cover (in_valid_i && !in_ready_o);
        full_and_read : cover (in_valid_i && valid_q && out_ready_i);
        fills_while_held_back : cover (in_valid_i && !valid_q && !out_ready_i);
      end
    end
  end
endmodule
