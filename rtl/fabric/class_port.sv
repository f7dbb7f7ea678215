// SPDX-License-Identifier: Apache-2.0
// Joins a tile's links, one for each of two message classes, to a port of a class_switch, which has one flit for both.
//
// From the tile: if both classes have a flit and room, they take turns. No latency; in_ready_o[c] depends on the valid of the
// other class only. To the tile: replies (class 1) go straight through, because a tile always takes them. Requests
// wait in a short queue, for one cycle at least, so that a request that the tile does not take does not block replies. With RepliesWait, replies wait in
// a queue of their own, too, because the tile is behind a crossing to another clock, which takes them more slowly.
module class_port
  import girih_pkg::*;
#(
    parameter bit RepliesWait = 1'b0
) (
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
  logic turn_q;
  logic [1:0] can;
  always_ff @(posedge clk_i) turn_q <= !rst_i && !turn_q;
  assign can = in_valid_i & to_ready_i;
  assign in_ready_o = to_ready_i & ~{can[0] && !turn_q, can[1] && turn_q};
  assign to_valid_o = in_valid_i & in_ready_o;
  assign to_flit_o = to_valid_o[1] ? in_flit_i[1] : in_flit_i[0];

  port_queue u_requests (
      .clk_i,
      .rst_i,
      .in_valid_i(from_valid_i[0]),
      .room_o(from_ready_o[0]),
      .in_flit_i(from_flit_i),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_flit_o(out_flit_o[0])
  );

  if (RepliesWait) begin : gen_replies
    port_queue u_queue (
        .clk_i,
        .rst_i,
        .in_valid_i(from_valid_i[1]),
        .room_o(from_ready_o[1]),
        .in_flit_i(from_flit_i),
        .out_valid_o(out_valid_o[1]),
        .out_ready_i(out_ready_i[1]),
        .out_flit_o(out_flit_o[1])
    );
  end else begin : gen_replies
    assign from_ready_o[1] = out_ready_i[1];
    assign out_valid_o[1] = from_valid_i[1];
    assign out_flit_o[1] = from_flit_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(to_valid_o) && $onehot0(from_valid_i));
      if (from_valid_i[1] && !RepliesWait)
        assert (out_ready_i[1])
        else $error("class_port: a reply comes, and the tile does not take it");
      requests_go_first : cover (&can && !turn_q);
      replies_go_first : cover (&can && turn_q);
    end
  end
endmodule
