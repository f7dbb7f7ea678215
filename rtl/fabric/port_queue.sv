// SPDX-License-Identifier: Apache-2.0
// The queue between a port of a class_switch and a link that may be refused. The switch needs to know a cycle before whether there is room (room_o), so
// two flits can still arrive after room_o falls; four entries leave no bubble when the reader resumes. A flit waits for one cycle at least.
module port_queue
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  room_o,  // a flit may come in the next cycle
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o
);
  localparam int unsigned Depth = 4;
  typedef logic [$clog2(Depth):0] count_t;

  count_t count_q, count_d;
  logic room_q, queue_ready;
  assign room_o  = room_q;
  assign count_d = count_q + count_t'(in_valid_i) - count_t'(out_valid_o && out_ready_i);
  always_ff @(posedge clk_i) begin
    count_q <= count_d;
    room_q  <= count_d <= count_t'(Depth - 2);
    if (rst_i) begin
      count_q <= '0;
      room_q  <= 1'b1;
    end
  end

  fifo #(
      .T(flit_t),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o(queue_ready),
      .in_data_i(in_flit_i),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_flit_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (in_valid_i) assert (queue_ready);
      full : cover (in_valid_i && count_q == count_t'(Depth - 1));
    end
  end
endmodule
