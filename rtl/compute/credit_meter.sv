// SPDX-License-Identifier: Apache-2.0
// Returns a unit's credits to the scheduler, from registers. The credit of a message that the engine takes is returned
// in the next cycle. Credits of detoured or dropped messages wait for a cycle without such a return. Those of droppable
// messages, up to half of Waiting, also wait for room_i: returned at once, each would bring another message for which
// there is no room either.
//
//   gives sent + gives waiting == messages taken by the engine + credits of messages detoured or dropped
module credit_meter
  import sched_pkg::*;
#(
    parameter int unsigned Waiting = 256  // most credits that can wait
) (
    input logic clk_i,
    input logic rst_i,

    input logic taken_i,  // the engine has taken the last flit of a message
    input logic taken_lossless_i,
    input logic let_go_i,  // a message that holds a credit is detoured or dropped
    input logic let_go_lossless_i,
    input logic pushed_i,  // a message without a credit is accepted
    input logic room_i,  // there is room for droppable messages again

    output credit_t credit_o,
    output logic idle_o  // nothing waits
);
  if (Waiting < 2 || (Waiting & (Waiting - 1)) != 0) begin : gen_bad_waiting
    $fatal(1, "credit_meter: Waiting is %0d; it must be a power of two, at least 2", Waiting);
  end

  localparam int unsigned CountWidth = $clog2(Waiting) + 1;
  typedef logic [CountWidth-1:0] count_t;

  // By class (droppable, lossless), because a give names the class.
  logic [1:0] arrive, leave;
  count_t waiting_q[2];
  assign arrive = {let_go_i && let_go_lossless_i, let_go_i && !let_go_lossless_i};

  logic lossless_waits, droppable_waits, many;
  assign lossless_waits = waiting_q[1] != '0;
  assign droppable_waits = waiting_q[0] != '0;
  assign many = waiting_q[0] >= count_t'(Waiting / 2);
  assign leave = {!taken_i && lossless_waits, !taken_i && !lossless_waits && droppable_waits && (room_i || many)};
  assign idle_o = !lossless_waits && !droppable_waits && credit_o == '0;

  for (genvar i = 0; i < 2; i++) begin : gen_class
    always_ff @(posedge clk_i) begin
      if (arrive[i] != leave[i]) waiting_q[i] <= arrive[i] ? waiting_q[i] + 1'b1 : waiting_q[i] - 1'b1;
      if (rst_i) waiting_q[i] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    credit_o.give <= taken_i || |leave;
    credit_o.give_lossless <= taken_i ? taken_lossless_i : leave[1];
    credit_o.cancel <= pushed_i;
    if (rst_i) credit_o <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (waiting_q[0] <= count_t'(Waiting) && waiting_q[1] <= count_t'(Waiting))
      else $error("credit_meter: more credits wait than can be counted");
      both_classes_wait : cover (lossless_waits && droppable_waits);
      engine_goes_first : cover (taken_i && (lossless_waits || droppable_waits));
      waits_for_room : cover (!taken_i && droppable_waits && !lossless_waits && !leave[0]);
      too_many_to_wait : cover (leave[0] && !room_i);
      give_and_cancel : cover (taken_i && pushed_i);
    end
  end
endmodule
