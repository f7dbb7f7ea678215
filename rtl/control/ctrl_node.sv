// SPDX-License-Identifier: Apache-2.0
// A stop of the control ring. A request for this node leaves the ring for the local side, and its response goes back
// onto the ring; every other beat moves on, one cycle per node.
//
// Local side: valid_o and the request hold until done_i, which may come in the same cycle. Between two requests valid_o is
// 0 for at least a cycle.
module ctrl_node
  import girih_pkg::*;
#(
    parameter node_t Node = '0,
    parameter bit Shared = 1'b0  // several requests may be on the ring
) (
    input logic clk_i,
    input logic rst_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    output logic         valid_o,
    output logic         write_o,
    output ctrl_master_t master_o,
    output tenant_t      tenant_o,
    output logic  [15:0] offset_o,
    output logic  [31:0] data_o,
    input  logic         done_i,
    input  logic         error_i,
    input  logic  [31:0] data_i
);
  // The request that the local side works on.
  typedef struct packed {
    logic write;
    ctrl_master_t master;
    ctrl_tag_t tag;
    tenant_t tenant;
    logic [15:0] offset;
    logic [31:0] data;
  } request_t;

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic request_t request_of(input ctrl_t beat);
    request_of = '{
        write: beat.write,
        master: beat.master,
        tag: beat.tag,
        tenant: beat.tenant,
        offset: beat.offset,
        data: beat.data
    };
  endfunction

  request_t held;  // its tag is not used if there is only one request
  /* verilator lint_on UNUSEDSIGNAL */
  ctrl_t beat_q;  // leaves for the next node
  logic mine;
  assign mine = !ctrl_i.response && ctrl_i.node == Node;

  assign ctrl_o = beat_q;
  assign write_o = held.write;
  assign master_o = held.master;
  assign tenant_o = held.tenant;
  assign offset_o = held.offset;
  assign data_o = held.data;

  if (!Shared) begin : gen_alone
    // The ring carries one request at a time, so one register holds the beat that passes, and also the
    // request while the local side works on it.
    logic local_q;  // beat_q is a request that the local side works on
    assign valid_o = local_q;
    assign held = request_of(beat_q);

    always_ff @(posedge clk_i) begin
      beat_q.valid <= 1'b0;
      if (ctrl_i.valid) begin
        beat_q <= ctrl_i;
        beat_q.valid <= !mine;
        local_q <= mine;
      end else if (local_q && done_i) begin
        beat_q.valid <= 1'b1;
        beat_q.response <= 1'b1;
        beat_q.error <= error_i;
        beat_q.data <= data_i;
        local_q <= 1'b0;
      end
      if (rst_i) begin
        beat_q.valid <= 1'b0;
        local_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!(ctrl_i.valid && local_q))
        else $error("ctrl_node %0d: a second request is on the ring", Node);
      end
    end
  end else begin : gen_shared
    // Requests wait in the order in which they arrive. There is room for all that masters can have in flight, so none
    // is ever refused. A response waits for a cycle in which no beat passes.
    logic room, waiting;
    logic answered_q;  // answer_q waits for the ring
    typedef struct packed {
      ctrl_master_t master;
      ctrl_tag_t tag;
      logic error;
      logic [31:0] data;
    } answer_t;
    answer_t answer_q;
    assign valid_o = waiting && !answered_q;

    fifo #(
        .T(request_t),
        .Depth(2 ** $bits(ctrl_master_t) * CtrlTags)
    ) u_requests (
        .clk_i,
        .rst_i,
        .in_valid_i(ctrl_i.valid && mine),
        .in_ready_o(room),
        .in_data_i(request_of(ctrl_i)),
        .out_valid_o(waiting),
        .out_ready_i(valid_o && done_i),
        .out_data_o(held)
    );

    logic leaves;
    assign leaves = answered_q && (!ctrl_i.valid || mine);
    always_ff @(posedge clk_i) begin
      beat_q <= ctrl_i;
      if (mine) beat_q.valid <= 1'b0;
      if (leaves) begin
        beat_q.valid <= 1'b1;
        beat_q.response <= 1'b1;
        beat_q.master <= answer_q.master;
        beat_q.tag <= answer_q.tag;
        beat_q.error <= answer_q.error;
        beat_q.data <= answer_q.data;
        answered_q <= 1'b0;
      end
      if (valid_o && done_i) begin
        answered_q <= 1'b1;
        answer_q <= '{master: held.master, tag: held.tag, error: error_i, data: data_i};
      end
      if (rst_i) begin
        beat_q.valid <= 1'b0;
        answered_q   <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!(ctrl_i.valid && mine) || room)
        else $error("ctrl_node %0d: more requests than masters can have in flight", Node);
        answer_waits : cover (answered_q && !leaves);
        request_waits : cover (waiting && answered_q);
      end
    end
  end
endmodule
