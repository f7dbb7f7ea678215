// SPDX-License-Identifier: Apache-2.0
// Proves class_port, whatever the tile and the switch do within the rules of their links:
//   - from the tile: a flit passes unchanged, only where there is room for its class; a class for which there is room waits at most
//     one cycle, and not at all if the other class has no flit or no room;
//   - to the tile: a reply arrives in the cycle in which it comes, however long requests are not taken; requests arrive once, in
//     order and unchanged, none is refused, and what is offered stays; once all have been taken there is room for more. With RepliesWait,
//     that holds for replies, however long requests are not taken, and the proof follows these.
module class_port_proof
  import girih_pkg::*;
#(
    parameter bit RepliesWait = 1'b0
) (
    input logic clk_i,
    input logic [1:0] in_valid_i,
    input flit_t in_flit_i[2],
    input logic [1:0] to_ready_i,
    input logic [1:0] from_valid_i,
    input flit_t from_flit_i,
    input logic [1:0] out_ready_i,
    input logic track_i
);
  localparam int unsigned Depth = 4;
  localparam int unsigned CountWidth = $clog2(Depth) + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [$clog2(Depth)-1:0] ptr_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic [1:0] in_ready, to_valid, from_ready, out_valid;
  flit_t to_flit, out_flit[2];
  class_port #(
      .RepliesWait(RepliesWait)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .to_valid_o(to_valid),
      .to_ready_i,
      .to_flit_o(to_flit),
      .from_valid_i,
      .from_ready_o(from_ready),
      .from_flit_i,
      .out_valid_o(out_valid),
      .out_ready_i({!RepliesWait || out_ready_i[1], out_ready_i[0]}),
      .out_flit_o(out_flit)
  );

  // The rules of the links. Room in the switch stays until a flit comes that takes it.
  logic [1:0] room_q, free_q, waited_q;
  always_ff @(posedge clk_i) begin
    room_q <= rst ? '0 : from_ready;
    free_q <= to_ready_i & ~to_valid;
    waited_q <= rst ? '0 : in_valid_i & to_ready_i & ~in_ready;
  end
  always_ff @(posedge clk_i) begin
    assume ((from_valid_i & ~room_q) == '0 && from_valid_i != 2'b11);
    if (!rst) assume ((free_q & ~to_ready_i) == '0);
  end
  for (genvar c = 0; c < 2; c++) begin : gen_class
    stream_check #(
        .T(flit_t),
        .Assume(1'b1)
    ) u_in_check (
        .clk_i,
        .rst_i(rst),
        .valid_i(in_valid_i[c]),
        .ready_i(in_ready[c]),
        .data_i(in_flit_i[c])
    );

    always_ff @(posedge clk_i) begin
      if (!rst) begin
        assert (to_valid[c] == (in_valid_i[c] && in_ready[c]));
        if (to_valid[c]) assert (to_ready_i[c] && !to_valid[1-c] && to_flit == in_flit_i[c]);
        if (in_valid_i[c] && to_ready_i[c] && !(in_valid_i[1-c] && to_ready_i[1-c])) assert (in_ready[c]);
        if (waited_q[c]) assert (in_ready[c]);
      end
    end
  end

  // The class with the queue that is followed.
  localparam int unsigned C = 32'(RepliesWait);
  count_t count, ahead;
  logic tracking;
  flit_t data;
  order_track #(
      .T(flit_t),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_i(rst),
      .push_i(from_valid_i[C]),
      .push_data_i(from_flit_i),
      .pop_i(out_valid[C] && out_ready_i[C]),
      .pop_data_i(out_flit[C]),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(data)
  );
  stream_check #(
      .T(flit_t)
  ) u_out_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(out_valid[C]),
      .ready_i(out_ready_i[C]),
      .data_i(out_flit[C])
  );

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      if (!RepliesWait) assert (out_valid[1] == from_valid_i[1] && from_ready[1]);
      if (out_valid[1] && !RepliesWait) assert (out_flit[1] == from_flit_i);
      assert (out_valid[C] == (count != '0));
      if (count == '0) assert (from_ready[C]);
    end
  end

  // Invariants of both queues, if there are two, and of the one that is followed.
  count_t [1:0] counts, held;
  flit_t followed;
  assign counts[0] = u_dut.u_requests.count_q;
  assign held[0] = count_t'(u_dut.u_requests.u_fifo.write_ptr_q - u_dut.u_requests.u_fifo.read_ptr_q);
  if (RepliesWait) begin : gen_replies
    assign counts[1] = u_dut.gen_replies.u_queue.count_q;
    assign held[1] = count_t'(u_dut.gen_replies.u_queue.u_fifo.write_ptr_q - u_dut.gen_replies.u_queue.u_fifo.read_ptr_q);
    assign followed = u_dut.gen_replies.u_queue.u_fifo.mem[ptr_t'(u_dut.gen_replies.u_queue.u_fifo.read_ptr_q+ahead)];
  end else begin : gen_requests
    assign followed = u_dut.u_requests.u_fifo.mem[ptr_t'(u_dut.u_requests.u_fifo.read_ptr_q+ahead)];
  end
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      for (int unsigned c = 0; c <= C; c++) begin
        assert (counts[c] <= count_t'(Depth));
        assert (from_ready[c] == (counts[c] <= count_t'(Depth - 2)));
        if (room_q[c]) assert (counts[c] < count_t'(Depth));
        assert (held[c] == counts[c]);
      end
      assert (counts[C] == count);
      if (tracking) assert (followed == data);
    end
  end
endmodule
