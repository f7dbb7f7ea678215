// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of Depth entries of type T between two clocks of any ratio, phase and jitter.
//
// An entry is offered Stages + 1 edges of out_clk_i after it was taken. With a Depth of at least 8 and two Stages an entry
// passes in every cycle of the slower clock. Pointers cross in Gray code, straight from registers.
//
//     in_clk_i                          |  out_clk_i
//     write_ptr_q -> mem -------------- | -----------------> out_data_q
//     write_gray_q -------------------- | -> synchroniser -> empty?
//     full? <- synchroniser <---------- | -- read_gray_q
//     cdc_clear <---------------------- | -> cdc_clear
//
// Either side may be reset at any time. The reset drops all entries inside, and those that the other side writes before it
// sees the reset; both links stop until both sides are clear. An entry on offer to the other side stays until it is taken.
module async_fifo #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 16,
    parameter int unsigned Stages = 2
) (
    input  logic in_clk_i,
    input  logic in_rst_i,
    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_data_i,

    input  logic out_clk_i,
    input  logic out_rst_i,
    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "async_fifo: Depth is %0d; it must be a power of two, at least 2", Depth);
  end

  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] ptr_t;
  // The queue is full when the pointers are Depth apart: the two highest bits of their Gray codes differ.
  localparam ptr_t FullDistance = ptr_t'(3) << (AddrWidth - 1);

  function automatic ptr_t gray(ptr_t ptr);
    return ptr ^ (ptr >> 1);
  endfunction

  T mem[Depth];
  // These registers cross, so no tool may merge them with others.
  (* keep = "true" *)
  ptr_t write_gray_q, read_gray_q;
  cdc_pkg::state_t in_state, out_state;

  // The write side.

  ptr_t write_ptr_q, write_ptr_d, write_gray_d, read_gray_seen;
  logic push, in_clear, in_open, in_open_next, ready_q;

  assign in_ready_o = ready_q;
  assign push = in_valid_i && ready_q && !in_rst_i;

  cdc_clear #(
      .Stages  (Stages),
      .Recovers(1'b1)
  ) u_in_clear (
      .clk_i(in_clk_i),
      .rst_i(in_rst_i),
      .state_i(out_state),
      .state_o(in_state),
      .clear_o(in_clear),
      .open_o(in_open),
      .open_next_o(in_open_next)
  );

  synchroniser #(
      .Width (AddrWidth + 1),
      .Stages(Stages)
  ) u_read_gray (
      .clk_i(in_clk_i),
      .in_i (read_gray_q),
      .out_o(read_gray_seen)
  );

  assign write_ptr_d = in_clear ? '0 : write_ptr_q + ptr_t'(push);
  assign write_gray_d = gray(write_ptr_d);

  always_ff @(posedge in_clk_i) begin
    write_ptr_q <= write_ptr_d;
    write_gray_q <= write_gray_d;
    ready_q <= in_open_next && write_gray_d != (read_gray_seen ^ FullDistance);
    if (push) mem[write_ptr_q[AddrWidth-1:0]] <= in_data_i;
    if (in_rst_i) ready_q <= 1'b0;
  end

  // The read side.

  ptr_t read_ptr_q, read_ptr_d, write_gray_seen;
  logic pop, out_clear, out_open, out_open_next, valid_q;
  (* crossing = "data" *)
  T data_q;

  assign out_valid_o = valid_q;
  assign out_data_o = data_q;
  assign pop = out_open && read_gray_q != write_gray_seen && (!valid_q || out_ready_i);

  cdc_clear #(
      .Stages(Stages)
  ) u_out_clear (
      .clk_i(out_clk_i),
      .rst_i(out_rst_i),
      .state_i(in_state),
      .state_o(out_state),
      .clear_o(out_clear),
      .open_o(out_open),
      .open_next_o(out_open_next)
  );

  synchroniser #(
      .Width (AddrWidth + 1),
      .Stages(Stages)
  ) u_write_gray (
      .clk_i(out_clk_i),
      .in_i (write_gray_q),
      .out_o(write_gray_seen)
  );

  assign read_ptr_d = out_clear ? '0 : read_ptr_q + ptr_t'(pop);

  always_ff @(posedge out_clk_i) begin
    read_ptr_q  <= read_ptr_d;
    read_gray_q <= gray(read_ptr_d);
    if (pop) data_q <= mem[read_ptr_q[AddrWidth-1:0]];
    if (pop) valid_q <= 1'b1;
    else if (out_ready_i) valid_q <= 1'b0;
    if (out_rst_i) valid_q <= 1'b0;
  end

  // A pointer that crosses changes one bit at a time while it is in use.
  always_ff @(posedge in_clk_i) begin
    if (!in_rst_i && in_open && !in_clear) assert ($countones(write_gray_q ^ write_gray_d) <= 1);
    if (!in_rst_i && ready_q) assert (in_open);
    full : cover (in_open && !ready_q);
    full_and_offered : cover (in_open && !ready_q && in_valid_i);
    write_wraps : cover (push && &write_ptr_q[AddrWidth-1:0]);
  end
  always_ff @(posedge out_clk_i) begin
    if (!out_rst_i && out_open && !out_clear) assert ($countones(read_gray_q ^ gray(read_ptr_d)) <= 1);
    held_back : cover (out_valid_o && !out_ready_i);
    stopped_while_held_back : cover (out_valid_o && !out_ready_i && !out_open);
    read_empty : cover (out_open && out_ready_i && !pop);
  end

  logic unused;
  assign unused = &{1'b0, out_open_next};
endmodule
