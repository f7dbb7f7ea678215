// SPDX-License-Identifier: Apache-2.0
// One input of a router or crossbar: the queue of its flits and, beside it, the output that each of them
// requests. A flit is routed while it is written, so the outputs arbitrate for the next cycle from
// request_d_o and steer their multiplexers from registers.
//
//   in_flit_i ----------------> queue of flits ------------------------------> flit_o
//   in_way_i, first, last -+--> queue behind the head ----+-> request_d_o
//                          +------ (queue empty) ---------+-> valid_o, last_o (registers)
module fabric_input
  import girih_pkg::*;
#(
    parameter int unsigned Ways = 4,
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic            in_valid_i,
    output logic            in_ready_o,
    input  flit_t           in_flit_i,
    input  logic [Ways-1:0] in_way_i,    // its output, if it starts a message

    output logic [Ways-1:0] request_d_o,  // the output requested by a first flit at the head in the next cycle
    output logic            valid_o,  // a flit waits
    output logic            last_o,   // ... and is the last of its message
    output flit_t           flit_o,
    input  logic            take_i    // it leaves in this cycle; only with valid_o
);
  typedef struct packed {
    logic [Ways-1:0] request;
    logic last;
  } control_t;
  localparam int unsigned PtrWidth = $clog2(Depth);

  logic push, queue_valid;
  assign push = in_valid_i && in_ready_o;

  fifo #(
      .T(flit_t),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i(in_flit_i),
      .out_valid_o(queue_valid),
      .out_ready_i(take_i),
      .out_data_o(flit_o)
  );

  // At most Depth - 1 flits are behind the head, so equal pointers always mean that there are none.
  control_t behind[Depth];
  control_t incoming, head_q, head_d;
  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q;
  logic first_q;  // the next flit to arrive starts a message: it says so itself, but later in the cycle than the choice of its output should wait
  logic valid_q, waiting, load;

  assign waiting = write_ptr_q != read_ptr_q;
  assign load = take_i || !valid_q;
  assign incoming.request = first_q ? in_way_i : '0;
  assign incoming.last = in_flit_i.last;

  always_comb begin
    head_d = head_q;
    if (load) head_d = waiting ? behind[read_ptr_q] : push ? incoming : '0;
  end

  always_ff @(posedge clk_i) begin
    head_q <= head_d;
    if (push) first_q <= in_flit_i.last;
    if (in_valid_i) behind[write_ptr_q] <= incoming;  // the place is free even if the queue is full; the pointer says whether it counts
    if (push && (waiting || !load)) write_ptr_q <= write_ptr_q + 1'b1;
    if (load) begin
      valid_q <= waiting || push;
      if (waiting) read_ptr_q <= read_ptr_q + 1'b1;
    end
    if (rst_i) begin
      first_q <= 1'b1;
      valid_q <= 1'b0;
      head_q <= '0;
      write_ptr_q <= '0;
      read_ptr_q <= '0;
    end
  end

  assign request_d_o = head_d.request;
  assign valid_o = valid_q;
  assign last_o = head_q.last;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (valid_q == queue_valid);
      assert (valid_q || !waiting);
      assert (valid_q || !take_i);
      if (valid_q) assert (last_o == flit_o.last);
      else assert (head_q.request == '0);
      straight_to_the_head : cover (push && load && !waiting);
      full_and_taken : cover (in_valid_i && !in_ready_o && take_i);
      message_behind_another : cover (take_i && last_o && waiting);
      head_waits_while_full : cover (valid_q && !take_i && !in_ready_o);
    end
  end
endmodule
