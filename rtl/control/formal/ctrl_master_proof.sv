// SPDX-License-Identifier: Apache-2.0
// Proves that a tile's master cannot exceed its rights, whatever its engine asks for, whatever passes on the ring and
// however its rights change:
//   - what enters the ring is a request, as the engine made it, for which there is a right in that cycle, under the
//     master's number and tenant;
//   - every other beat that leaves for the next node is another master's, unchanged;
//   - a request for which the master has no right is refused, and no other request is;
//   - the engine sees data only in answers to its own successful requests, and one bit with an error.
module ctrl_master_proof
  import girih_pkg::*;
(
    input logic clk_i,
    input ctrl_t ctrl_i,
    input logic [1:0] may_read_i,
    input logic [1:0] may_write_i,
    input logic request_valid_i,
    input ctrl_request_t request_i
);
  localparam node_t [1:0] Nodes = {8'h22, 8'h11};
  localparam ctrl_master_t Master = 2;
  localparam tenant_t Tenant = 1;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  ctrl_t ctrl;
  logic ready, answer_valid, refused;
  ctrl_answer_t answer;
  ctrl_master #(
      .Master(Master),
      .Tenant(Tenant),
      .Rights(2),
      .Nodes (Nodes)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .ctrl_i,
      .ctrl_o(ctrl),
      .may_read_i,
      .may_write_i,
      .request_valid_i,
      .request_ready_o(ready),
      .request_i,
      .answer_valid_o(answer_valid),
      .answer_o(answer),
      .refused_o(refused)
  );

  // The request that the master holds, as the engine made it.
  logic held_q;
  ctrl_request_t asked_q;
  logic right;
  always_comb begin
    right = 1'b0;
    for (int unsigned i = 0; i < 2; i++) if (asked_q.node == Nodes[i]) right = asked_q.write ? may_write_i[i] : may_read_i[i];
  end

  logic rst_q, right_q, held_before_q, refused_q;
  ctrl_t before_q;
  always_ff @(posedge clk_i) begin
    rst_q <= rst;
    right_q <= right;
    held_before_q <= held_q;
    before_q <= ctrl_i;
    refused_q <= !rst && refused;
    if (request_valid_i && ready) begin
      held_q  <= 1'b1;
      asked_q <= request_i;
    end else if (refused || (ctrl_i.valid ? ctrl_i.master == Master : 1'b1) && u_dut.to_ring) held_q <= 1'b0;
    if (rst) held_q <= 1'b0;

    // The ring: answers come to requests that are in flight.
    assume (!(ctrl_i.valid && ctrl_i.master == Master) || u_dut.busy_q[ctrl_i.tag]);
    if (!rst) begin
      assert (ready == !held_q);
      if (held_q) assert (u_dut.request_q == asked_q);
      if (refused) assert (held_q && !right);
      if (answer_valid) assert ((answer.status == CtrlRefused) == refused_q);
      if (!rst_q && answer.data != '0) begin
        assert (answer_valid && (answer.status == CtrlOkay || (answer.status == CtrlError && answer.data[31:1] == '0)));
        assert (before_q.valid && before_q.master == Master && before_q.response && answer.data[0] == before_q.data[0]);
      end
      if (ctrl.valid && ctrl.master == Master) begin
        assert (held_before_q && right_q && !ctrl.response && ctrl.tenant == Tenant);
        assert (ctrl.node == asked_q.node && ctrl.write == asked_q.write && ctrl.offset == asked_q.offset);
        assert (ctrl.data == asked_q.data && ctrl.tag == asked_q.tag);
      end
      if (ctrl.valid && ctrl.master != Master) assert (ctrl == before_q);
      if (before_q.valid && before_q.master != Master && !rst_q) assert (ctrl == before_q);
    end
  end
endmodule
