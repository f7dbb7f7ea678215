// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of Depth entries of type T in distributed memory (asynchronous read).
// An entry written in one cycle can be read in the next. in_ready_o and out_valid_o are registers.
module fifo #(
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
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "fifo: Depth is %0d; it must be a power of two, at least 2", Depth);
  end

  localparam int unsigned PtrWidth = $clog2(Depth);

  T mem[Depth];
  logic [PtrWidth:0] write_ptr_q, read_ptr_q;

  // The write enable of the memory has many loads, and a flip-flop of its own, so that it does not slow down the sender's hand-shake. The two have
  // different polarity, since synthesis merges equal flip-flops.
  logic full_q, ready_q, valid_q;
  logic push, pop, last_place;
  assign push = in_valid_i && !full_q;
  assign pop = out_valid_o && out_ready_i;
  assign last_place = (write_ptr_q + 1'b1) == (read_ptr_q ^ {1'b1, PtrWidth'(0)});  // a push takes it
  assign in_ready_o = ready_q;
  assign out_valid_o = valid_q;
  assign out_data_o = mem[read_ptr_q[PtrWidth-1:0]];

  always_ff @(posedge clk_i) begin
    if (push) begin
      mem[write_ptr_q[PtrWidth-1:0]] <= in_data_i;
      write_ptr_q <= write_ptr_q + 1'b1;
    end
    if (pop) read_ptr_q <= read_ptr_q + 1'b1;
    if (pop || push) begin
      full_q  <= !pop && last_place;
      ready_q <= pop || !last_place;
    end
    if (push) valid_q <= 1'b1;
    else if (pop) valid_q <= (read_ptr_q + 1'b1) != write_ptr_q;
    if (rst_i) begin
      full_q <= 1'b0;
      ready_q <= 1'b1;
      valid_q <= 1'b0;
      write_ptr_q <= '0;
      read_ptr_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (ready_q == !full_q);
      assert (full_q == ((write_ptr_q ^ read_ptr_q) == {1'b1, PtrWidth'(0)}) && valid_q == (write_ptr_q != read_ptr_q));
      full : cover (!in_ready_o);
      refused : cover (in_valid_i && !in_ready_o);
      full_and_read : cover (!in_ready_o && pop);
      written_and_read : cover (push && pop);
      held_back : cover (out_valid_o && !out_ready_i);
      read_empty : cover (out_ready_i && !out_valid_o);
      write_wraps : cover (push && &write_ptr_q[PtrWidth-1:0]);
      wraps_while_held_back : cover (push && &write_ptr_q[PtrWidth-1:0] && !out_ready_i);
    end
  end
endmodule
