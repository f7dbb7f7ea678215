// SPDX-License-Identifier: Apache-2.0
// The master of a tile on the control ring. It stamps the engine's requests with the master's number and tenant. It lets
// through only those for which the master has the right in that cycle; it answers the others at once with CtrlRefused and
// counts them.
//
// Up to CtrlTags requests are in flight. Requests to one node are done in the order in which the engine made them. Answers
// from different nodes come in any order, each with the tag of its request; the engine always takes them. A request whose
// tag is in flight waits for that answer.
//
// A request enters the ring at least one cycle after the engine offers it. The engine can make one in every other cycle.
module ctrl_master
  import girih_pkg::*;
#(
    parameter ctrl_master_t Master = 1,
    parameter tenant_t Tenant = '0,  // the tenant of its requests; 0: the operator
    parameter int unsigned Rights = 1,
    parameter node_t [Rights-1:0] Nodes = '0  // right i is for this node
) (
    input logic clk_i,
    input logic rst_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    input logic [Rights-1:0] may_read_i,
    input logic [Rights-1:0] may_write_i,

    input  logic          request_valid_i,
    output logic          request_ready_o,
    input  ctrl_request_t request_i,

    output logic         answer_valid_o,
    output ctrl_answer_t answer_o,

    output logic refused_o  // one cycle for each request that is refused
);
  if (Master == '0) begin : gen_bad_master
    $fatal(1, "ctrl_master: Master is 0, which is the host's number");
  end

  logic valid_q;
  ctrl_request_t request_q;
  logic [CtrlTags-1:0] busy_q;  // tags of requests on the ring
  assign request_ready_o = !valid_q;

  logic allowed, free, to_ring, refuse, port_ready, port_answers;
  always_comb begin
    allowed = 1'b0;
    for (int unsigned i = 0; i < Rights; i++) begin
      allowed |= Nodes[i] == request_q.node && (request_q.write ? may_write_i[i] : may_read_i[i]);
    end
  end
  assign free = valid_q && !busy_q[request_q.tag];
  assign to_ring = free && allowed;
  assign refuse = free && !allowed && !port_answers;
  assign refused_o = refuse;

  ctrl_t request;
  /* verilator lint_off UNUSEDSIGNAL */
  ctrl_t answer;  // only its data, tag and status are used
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    request = '0;
    request.write = request_q.write;
    request.tag = request_q.tag;
    request.tenant = Tenant;
    request.node = request_q.node;
    request.offset = request_q.offset;
    request.data = request_q.data;
  end

  ctrl_port #(
      .Master(Master)
  ) u_port (
      .clk_i,
      .rst_i,
      .ctrl_i,
      .ctrl_o,
      .request_valid_i(to_ring),
      .request_ready_o(port_ready),
      .request_i(request),
      .answer_valid_o(port_answers),
      .answer_o(answer)
  );

  always_ff @(posedge clk_i) begin
    if (request_ready_o) begin
      valid_q   <= request_valid_i;
      request_q <= request_i;
    end
    if (port_answers) busy_q[answer.tag] <= 1'b0;
    if ((to_ring && port_ready) || refuse) valid_q <= 1'b0;
    if (to_ring && port_ready) busy_q[request_q.tag] <= 1'b1;

    answer_valid_o <= port_answers || refuse;
    answer_o.tag <= port_answers ? answer.tag : request_q.tag;
    // The engine sees no beats of other masters, and no data beside an error.
    answer_o.data <= port_answers && answer.response && !answer.error ? answer.data : '0;
    if (port_answers && answer.response && answer.error) answer_o.data[0] <= answer.data[0];
    if (!port_answers) answer_o.status <= CtrlRefused;
    else if (!answer.response) answer_o.status <= CtrlNoNode;
    else answer_o.status <= answer.error ? CtrlError : CtrlOkay;

    if (rst_i) begin
      valid_q <= 1'b0;
      busy_q <= '0;
      answer_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!port_answers || busy_q[answer.tag])
      else $error("ctrl_master %0d: an answer without a request in flight", Master);
      refused : cover (refuse);
      waits_for_its_tag : cover (valid_q && busy_q[request_q.tag]);
      refusal_waits : cover (free && !allowed && port_answers);
    end
  end
endmodule
