// SPDX-License-Identifier: Apache-2.0
// A control ring with two masters and two nodes, each master with one request in flight; the nodes answer within two
// cycles. Whatever node an engine names and whenever it asks, up to a depth (see test_formal.py):
//   - every request ends: its answer comes at most Longest cycles after the engine offers it, so neither master
//     can stop the other;
//   - it is answered once: by the node that it names, or as a request to a node that does not exist;
//   - a node has room for each request.
// Requests have no data here, and all are allowed: see ctrl_master_proof for what may enter the ring.
module ctrl_masters_proof
  import girih_pkg::*;
#(
    parameter int unsigned Longest = 14
) (
    input logic clk_i,
    input logic [1:0] request_valid_i,
    input logic [1:0] other_node_i,
    input logic [1:0] no_node_i,
    input logic [1:0] done_i
);
  localparam node_t [1:0] Number = {8'h22, 8'h11};
  typedef logic [4:0] age_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // The masters have the numbers 1 and 2, and the tenants 0 and 1.
  ctrl_t ring[3], again;
  assign ring[0] = again;

  for (genvar m = 0; m < 2; m++) begin : gen_pair
    ctrl_request_t request;
    assign request = '{
            write: 1'b0,
            tag: '0,
            node: no_node_i[m] ? 8'h33 : Number[other_node_i[m]],
            offset: '0,
            data: '0
        };
    logic ready, answer_valid, unused_refused;
    ctrl_answer_t answer;
    ctrl_t master_out, node_out;
    ctrl_master #(
        .Master(ctrl_master_t'(m + 1)),
        .Tenant(tenant_t'(m)),
        .Rights(3),
        .Nodes ({8'h33, Number})
    ) u_master (
        .clk_i,
        .rst_i(rst),
        .ctrl_i(ring[m]),
        .ctrl_o(master_out),
        .may_read_i('1),
        .may_write_i('1),
        .request_valid_i(request_valid_i[m]),
        .request_ready_o(ready),
        .request_i(request),
        .answer_valid_o(answer_valid),
        .answer_o(answer),
        .refused_o(unused_refused)
    );

    logic valid, done, write, wait_q;
    ctrl_master_t master;
    tenant_t tenant;
    logic [15:0] offset;
    logic [31:0] wdata;
    assign done = valid && (done_i[m] || wait_q);
    ctrl_node #(
        .Node  (Number[m]),
        .Shared(1'b1)
    ) u_node (
        .clk_i,
        .rst_i(rst),
        .ctrl_i(master_out),
        .ctrl_o(node_out),
        .valid_o(valid),
        .write_o(write),
        .master_o(master),
        .tenant_o(tenant),
        .offset_o(offset),
        .data_o(wdata),
        .done_i(done),
        .error_i(1'b0),
        .data_i('0)
    );
    if (m == 0) begin : gen_on
      assign ring[1] = node_out;
    end else begin : gen_back
      assign again = node_out;
    end

    // The requests of this master that have no answer yet, by tag.
    logic [1:0] open_q, missing_q;
    age_t age_q[2];
    always_ff @(posedge clk_i) begin
      wait_q <= valid && !done;
      for (int unsigned t = 0; t < 2; t++) begin
        age_q[t] <= open_q[t] ? age_q[t] + 1'b1 : '0;
        if (answer_valid && answer.tag == ctrl_tag_t'(t)) open_q[t] <= 1'b0;
        if (request_valid_i[m] && ready && request.tag == ctrl_tag_t'(t)) begin
          open_q[t] <= 1'b1;
          missing_q[t] <= no_node_i[m];
        end
      end
      if (rst) begin
        open_q <= '0;
        wait_q <= 1'b0;
      end
      assume (!request_valid_i[m] || open_q == '0);
      if (!rst) begin
        for (int unsigned t = 0; t < 2; t++) assert (!open_q[t] || age_q[t] < age_t'(Longest));
        if (answer_valid) begin
          assert (open_q[answer.tag]);
          assert (answer.status == (missing_q[answer.tag] ? CtrlNoNode : CtrlOkay));
        end
      end
    end
  end
endmodule
