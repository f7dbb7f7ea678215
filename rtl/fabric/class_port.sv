// SPDX-License-Identifier: Apache-2.0
// Joins a tile's links, one for each of two message classes, to a port of a class_switch, which has one flit for both.
//
// From the tile: if both classes have a flit and room, they take turns. No latency; in_ready_o[c] depends on the valid of the
// other class only. To the tile: replies (class 1) go straight through, because a tile always takes them. Requests
// wait in a short queue, for one cycle at least, so that a request that the tile does not take does not block replies.
module class_port
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  [1:0] in_valid_i,
    output logic  [1:0] in_ready_o,
    input  flit_t       in_flit_i[2],

    output logic  [1:0] to_valid_o,
    input  logic  [1:0] to_ready_i,  // there is room
    output flit_t       to_flit_o,

    input  logic  [1:0] from_valid_i,
    output logic  [1:0] from_ready_o,  // there is room in the next cycle
    input  flit_t       from_flit_i,

    output logic  [1:0] out_valid_o,
    input  logic  [1:0] out_ready_i,
    output flit_t       out_flit_o[2]
);
  localparam int unsigned Depth = 4;  // two flits can still arrive after ready falls; four leave no bubble when the tile resumes
  typedef logic [$clog2(Depth):0] count_t;

  logic turn_q;
  logic [1:0] can;
  always_ff @(posedge clk_i) turn_q <= !rst_i && !turn_q;
  assign can = in_valid_i & to_ready_i;
  assign in_ready_o = to_ready_i & ~{can[0] && !turn_q, can[1] && turn_q};
  assign to_valid_o = in_valid_i & in_ready_o;
  assign to_flit_o = to_valid_o[1] ? in_flit_i[1] : in_flit_i[0];

  count_t count_q, count_d;
  logic room_q, queue_ready;
  assign count_d = count_q + count_t'(from_valid_i[0]) - count_t'(out_valid_o[0] && out_ready_i[0]);
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
  ) u_requests (
      .clk_i,
      .rst_i,
      .in_valid_i(from_valid_i[0]),
      .in_ready_o(queue_ready),
      .in_data_i(from_flit_i),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_data_o(out_flit_o[0])
  );

  assign from_ready_o = {out_ready_i[1], room_q};
  assign out_valid_o[1] = from_valid_i[1];
  assign out_flit_o[1] = from_flit_i;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(to_valid_o) && $onehot0(from_valid_i));
      if (from_valid_i[0]) assert (queue_ready);
      if (from_valid_i[1])
        assert (out_ready_i[1])
        else $error("class_port: a reply comes, and the tile does not take it");
      requests_go_first : cover (&can && !turn_q);
      replies_go_first : cover (&can && turn_q);
      full : cover (from_valid_i[0] && count_q == count_t'(Depth - 1));
    end
  end
endmodule
