// SPDX-License-Identifier: Apache-2.0
// Connects a master to the control ring. It stamps the master's number on each request. It takes two things off the ring:
// the master's answers, and its requests that have come back because no node has their number. Every other beat passes,
// a cycle later.
//
// A request enters the ring in a cycle in which no beat of another master passes. It waits at most as many cycles as other
// masters have beats, provided that the ring has a register for each of them: a beat passes again only after a whole turn
// of the ring, and one that has left the ring enters it again behind the slot that the waiting request can take.
//
// The only master of a ring needs no register: its one request enters the ring at once.
module ctrl_port
  import girih_pkg::*;
#(
    parameter ctrl_master_t Master = '0,
    parameter bit Alone = 1'b0  // the only master of the ring
) (
    input logic clk_i,
    input logic rst_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    input logic request_valid_i,
    output logic request_ready_o,
    // Only write, tag, tenant, node, offset and data of a request are used.
    /* verilator lint_off UNUSEDSIGNAL */
    input ctrl_t request_i,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic  answer_valid_o,  // answer_o is the answer, or the request if it has no `response`
    output ctrl_t answer_o
);
  logic mine;
  assign mine = Alone || ctrl_i.master == Master;
  assign answer_valid_o = ctrl_i.valid && mine;
  assign answer_o = ctrl_i;
  assign request_ready_o = Alone || !ctrl_i.valid || mine;

  ctrl_t request;
  always_comb begin
    request = request_i;
    request.valid = request_valid_i;
    request.response = 1'b0;
    request.error = 1'b0;
    request.master = Master;
  end

  if (Alone) begin : gen_alone
    logic unused;
    assign unused = ^{clk_i, rst_i};
    assign ctrl_o = request;
  end else begin : gen_shared
    ctrl_t beat_q;
    assign ctrl_o = beat_q;
    always_ff @(posedge clk_i) begin
      beat_q <= request_ready_o ? request : ctrl_i;
      if (rst_i) beat_q.valid <= 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        waits_for_others : cover (request_valid_i && !request_ready_o);
        takes_the_place_of_an_answer : cover (request_valid_i && answer_valid_o);
      end
    end
  end
endmodule
