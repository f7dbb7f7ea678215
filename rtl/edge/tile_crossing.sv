// SPDX-License-Identifier: Apache-2.0
// Around a tile that has a clock of its own: its links with the fabric, and its place on the control ring. The tile's side has the prefix tile_.
//
//         the card's clock          |         the tile's
//     fabric ---------> async_fifo -+-> tile -> async_fifo -+-> fabric     one for each link
//     ring -> node, port -> async_fifo -> the tile's node and master -> async_fifo -> node, port -> ring
//
// Links: nothing is lost, duplicated or reordered. A flit is offered Stages + 1 edges of the reader's clock after it was taken, and one passes in every
// cycle of the slower clock. Each link has a FIFO of its own, so none waits for another.
//
// Control: a beat of the ring moves in every cycle of the card, so the ring does not go through the tile. It has a node with the tile's number here, which
// passes one request at a time to the tile, and, for a tile that is a master, the master's port. A request that the tile has not answered after Limit
// cycles ends with an error, and so do all others until it has answered, so a tile whose clock stands still holds up nobody. What leaves the tile enters
// the ring in the tile's order: a request that has passed a check of the tile's rights is on the ring before the answer to a write that lowers them.
//
// Reset: the tile stays in reset (tile_rst_o) until its side of the crossing is open, because no beat of its node or master may wait.
module tile_crossing
  import girih_pkg::*;
#(
    parameter node_t Node = '0,  // on the control ring
    parameter int unsigned Ins = 1,  // links into the tile
    parameter int unsigned Outs = 1,  // links out of it
    parameter int unsigned Depth = 16,  // of the FIFO of a link
    parameter ctrl_master_t Master = '0,  // the tile's number as a master of the ring; 0: it is none
    parameter bit SharedControl = Master != '0,  // the ring has several masters
    parameter int unsigned Limit = 65_536,
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Ins-1:0] in_valid_i,
    output logic  [Ins-1:0] in_ready_o,
    input  flit_t [Ins-1:0] in_flit_i,

    output logic  [Outs-1:0] out_valid_o,
    input  logic  [Outs-1:0] out_ready_i,
    output flit_t [Outs-1:0] out_flit_o,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    input  logic tile_clk_i,
    input  logic edge_rst_i,  // the card's reset, in the tile's clock
    output logic tile_rst_o,

    output logic  [Ins-1:0] tile_in_valid_o,
    input  logic  [Ins-1:0] tile_in_ready_i,
    output flit_t [Ins-1:0] tile_in_flit_o,

    input  logic  [Outs-1:0] tile_out_valid_i,
    output logic  [Outs-1:0] tile_out_ready_o,
    input  flit_t [Outs-1:0] tile_out_flit_i,

    output ctrl_t tile_ctrl_o,  // to ctrl_i of the tile
    input  ctrl_t tile_ctrl_i
);
  // The requests of a master that can be in flight, and one of others to the tile.
  localparam int unsigned ControlDepth = 2 * CtrlTags;

  // The links.

  logic held_q;  // the tile is in reset
  assign tile_rst_o = held_q;

  for (genvar i = 0; i < Ins; i++) begin : gen_in
    logic valid;
    assign tile_in_valid_o[i] = valid && !held_q;
    async_fifo #(
        .T(flit_t),
        .Depth(Depth),
        .Stages(Stages)
    ) u_fifo (
        .in_clk_i(clk_i),
        .in_rst_i(rst_i),
        .in_valid_i(in_valid_i[i]),
        .in_ready_o(in_ready_o[i]),
        .in_data_i(in_flit_i[i]),
        .out_clk_i(tile_clk_i),
        .out_rst_i(edge_rst_i),
        .out_valid_o(valid),
        .out_ready_i(tile_in_ready_i[i] && !held_q),
        .out_data_o(tile_in_flit_o[i])
    );
  end

  for (genvar i = 0; i < Outs; i++) begin : gen_out
    async_fifo #(
        .T(flit_t),
        .Depth(Depth),
        .Stages(Stages)
    ) u_fifo (
        .in_clk_i(tile_clk_i),
        .in_rst_i(edge_rst_i),
        .in_valid_i(tile_out_valid_i[i]),
        .in_ready_o(tile_out_ready_o[i]),
        .in_data_i(tile_out_flit_i[i]),
        .out_clk_i(clk_i),
        .out_rst_i(rst_i),
        .out_valid_o(out_valid_o[i]),
        .out_ready_i(out_ready_i[i]),
        .out_data_o(out_flit_o[i])
    );
  end

  // Control, on the card's side: what leaves the tile is an answer of its node, or a request of its master.

  ctrl_t between, answer;
  /* verilator lint_off UNUSEDSIGNAL */
  ctrl_t back;  // its master is known, and an answer has no address
  /* verilator lint_on UNUSEDSIGNAL */
  logic back_valid, back_ready, port_ready, answers, into_ready;
  logic done;
  assign done = back_valid && back.response;
  // A request of the master enters the ring only if its answer can cross.
  assign back_ready = back.response || (port_ready && into_ready);

  logic valid, write, ended, error, late;
  ctrl_master_t master;
  tenant_t tenant;
  logic [15:0] offset;
  logic [31:0] data, ended_data, late_data;
  ctrl_node #(
      .Node(Node),
      .Shared(SharedControl)
  ) u_node (
      .clk_i,
      .rst_i,
      .ctrl_i,
      .ctrl_o(between),
      .valid_o(valid),
      .write_o(write),
      .master_o(master),
      .tenant_o(tenant),
      .offset_o(offset),
      .data_o(data),
      .done_i(ended),
      .error_i(error),
      .data_i(late_data)
  );
  assign late_data = late ? 32'd1 : ended_data;

  logic given;  // the tile has, or gets, a request
  ctrl_t request;
  window_guard #(
      .Limit(Limit),
      .AddrBits($bits(ctrl_master_t) + 16)
  ) u_guard (
      .clk_i,
      .rst_i,
      .valid_i(valid),
      .write_i(write),
      .addr_i({master, offset}),
      .data_i(data),
      .tenant_i(tenant),
      .done_o(ended),
      .error_o(error),
      .late_o(late),
      .data_o(ended_data),
      .window_valid_o(given),
      .window_write_o(request.write),
      .window_addr_o({request.master, request.offset}),
      .window_data_o(request.data),
      .window_tenant_o(request.tenant),
      .window_done_i(done),
      .window_error_i(back.error),
      .window_data_i(back.data)
  );
  assign {request.valid, request.response, request.error, request.tag, request.node} = {1'b1, 1'b0, 1'b0, ctrl_tag_t'(0), Node};

  if (Master != '0) begin : gen_master
    ctrl_port #(
        .Master(Master)
    ) u_port (
        .clk_i,
        .rst_i,
        .ctrl_i(between),
        .ctrl_o,
        .request_valid_i(back_valid && !back.response && into_ready),
        .request_ready_o(port_ready),
        .request_i(back),
        .answer_valid_o(answers),
        .answer_o(answer)
    );
  end else begin : gen_no_master
    assign ctrl_o = between;
    assign port_ready = 1'b0;
    assign answers = 1'b0;
    assign answer = '0;
  end

  // Into the tile: answers to its master, which do not wait, and the request.
  logic crossed_q;  // the tile has it
  always_ff @(posedge clk_i) begin
    if (given && !answers && into_ready) crossed_q <= 1'b1;
    if (rst_i || done) crossed_q <= 1'b0;
  end

  ctrl_t into;
  logic into_valid, own;
  async_fifo #(
      .T(ctrl_t),
      .Depth(ControlDepth),
      .Stages(Stages)
  ) u_into (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(answers || (given && !crossed_q)),
      .in_ready_o(into_ready),
      .in_data_i(answers ? answer : request),
      .out_clk_i(tile_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(into_valid),
      .out_ready_i(!held_q && !own),
      .out_data_o(into)
  );

  // On the tile's side. A request of the master to its own tile stays there: no other beat tells its answer from those to others.
  logic leaves_ready;
  assign own = Master != '0 && tile_ctrl_i.valid && !tile_ctrl_i.response && tile_ctrl_i.node == Node;
  always_comb begin
    tile_ctrl_o = own ? tile_ctrl_i : into;
    tile_ctrl_o.valid = own || (into_valid && !held_q);
  end

  async_fifo #(
      .T(ctrl_t),
      .Depth(ControlDepth),
      .Stages(Stages)
  ) u_back (
      .in_clk_i(tile_clk_i),
      .in_rst_i(edge_rst_i),
      .in_valid_i(tile_ctrl_i.valid && !own),
      .in_ready_o(leaves_ready),
      .in_data_i(tile_ctrl_i),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_valid_o(back_valid),
      .out_ready_i(back_ready),
      .out_data_o(back)
  );

  always_ff @(posedge tile_clk_i) begin
    if (leaves_ready) held_q <= 1'b0;
    if (edge_rst_i) held_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!answers || into_ready)
      else $error("tile_crossing %0d: there is no room for the answer to a request of the tile", Node);
      assert (!done || given)
      else $error("tile_crossing %0d: the tile answers a request that it does not have", Node);
      an_answer_goes_first : cover (answers && given && !crossed_q);
      request_waits_for_the_ring : cover (back_valid && !back_ready);
    end
  end
  always_ff @(posedge tile_clk_i) begin
    if (!edge_rst_i && !held_q) begin
      assert (!tile_ctrl_i.valid || own || leaves_ready)
      else $error("tile_crossing %0d: there is no room for what the tile sends on the control ring", Node);
      request_to_itself : cover (own);
    end
  end
endmodule
