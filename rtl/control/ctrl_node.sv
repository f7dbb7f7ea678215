// SPDX-License-Identifier: Apache-2.0
// A stop of the control ring. A request for this node leaves the ring for the local side and comes back
// as its response; everything else moves on, one cycle per node.
//
// The ring carries one request at a time, so the one register that holds the beat on its way also
// holds the request while the local side works on it.
//
// Local side: valid_o and what it says hold until done_i, which may come in the same cycle.
module ctrl_node
  import girih_pkg::*;
#(
    parameter node_t Node = '0
) (
    input logic clk_i,
    input logic rst_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    output logic        valid_o,
    output logic        write_o,
    output tenant_t     tenant_o,
    output logic [15:0] offset_o,
    output logic [31:0] data_o,
    input  logic        done_i,
    input  logic        error_i,
    input  logic [31:0] data_i
);
  ctrl_t beat_q;
  logic local_q;  // beat_q is a request that the local side works on
  logic mine;
  assign mine = !ctrl_i.response && ctrl_i.node == Node;

  assign ctrl_o = beat_q;
  assign valid_o = local_q;
  assign write_o = beat_q.write;
  assign tenant_o = beat_q.tenant;
  assign offset_o = beat_q.offset;
  assign data_o = beat_q.data;

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
endmodule
