// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of Depth + 1 entries of type T, Depth of them in block RAM. It behaves like
// `fifo`: an entry written in one cycle can be read in the next, one entry in and one out per cycle, and
// in_ready_o comes from registers alone. Only pointers and flags depend on in_valid_i; the writes of data depend on
// in_offer_i alone.
//
// The head is in the RAM's output register or, if it was written into an empty queue and bypassed the RAM,
// in the bypass register.
//
//   in ---+--> RAM --> its output register --+--> out
//         +--------> bypass register --------+
module fifo_block #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input  logic in_offer_i,  // up whenever in_valid_i may be; in_valid_i may come late in the cycle
    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_data_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "fifo_block: Depth is %0d; it must be a power of two, at least 2", Depth);
  end

  localparam int unsigned PtrWidth = $clog2(Depth);

  logic [PtrWidth:0] write_ptr_q, read_ptr_q;
  logic full_q, ram_empty_q;
  logic out_valid_q, bypassed_q;
  T bypass_q, ram_data;

  logic push, refill, write, read, bypass, past;
  assign push = in_valid_i && in_ready_o;
  assign refill = out_ready_i || !out_valid_q;
  assign read = refill && !ram_empty_q;
  (* keep *) logic ends;  // with the next read; apart from it, which is known late
  assign ends = (read_ptr_q + 1'b1) == write_ptr_q;
  assign past = refill && ram_empty_q;  // the RAM, if there is an entry
  assign bypass = past && push;
  assign write = push && !past;

  assign in_ready_o = !full_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = bypassed_q ? bypass_q : ram_data;

  ram_simple_dual #(
      .T(T),
      .Depth(Depth)
  ) u_ram (
      .clk_i,
      .write_enable_i(in_offer_i && in_ready_o && !past),
      .write_addr_i(write_ptr_q[PtrWidth-1:0]),
      .write_data_i(in_data_i),
      .read_enable_i(read),
      .read_addr_i(read_ptr_q[PtrWidth-1:0]),
      .read_data_o(ram_data)
  );

  always_ff @(posedge clk_i) begin
    if (write) write_ptr_q <= write_ptr_q + 1'b1;
    if (read) read_ptr_q <= read_ptr_q + 1'b1;
    if (read) full_q <= 1'b0;
    else if (write) full_q <= (write_ptr_q + 1'b1) == (read_ptr_q ^ {1'b1, PtrWidth'(0)});
    if (write) ram_empty_q <= 1'b0;
    else if (read) ram_empty_q <= ends;
    if (refill) begin
      out_valid_q <= read || bypass;
      bypassed_q <= bypass;
    end
    if (in_offer_i && past) bypass_q <= in_data_i;
    if (rst_i) begin
      write_ptr_q <= '0;
      read_ptr_q <= '0;
      full_q <= 1'b0;
      ram_empty_q <= 1'b1;
      out_valid_q <= 1'b0;
    end
  end

  // Entries in the RAM imply a valid head.
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (full_q == ((write_ptr_q ^ read_ptr_q) == {1'b1, PtrWidth'(0)}) && ram_empty_q == (write_ptr_q == read_ptr_q));
      assert ((PtrWidth + 1)'(write_ptr_q - read_ptr_q) <= (PtrWidth + 1)'(Depth));
      assert (out_valid_q || ram_empty_q);
      assert (in_offer_i || !in_valid_i);
      full : cover (!in_ready_o);
      refused : cover (in_valid_i && !in_ready_o);
      full_and_read : cover (!in_ready_o && read);
      passes_the_ram : cover (bypass);
      written_and_read : cover (push && read);
      held_back : cover (out_valid_o && !out_ready_i);
      write_wraps : cover (write && &write_ptr_q[PtrWidth-1:0]);
      wraps_while_held_back : cover (push && &write_ptr_q[PtrWidth-1:0] && !out_ready_i);
    end
  end
endmodule
