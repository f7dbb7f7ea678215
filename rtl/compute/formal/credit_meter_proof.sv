// SPDX-License-Identifier: Apache-2.0
// Proves that credit_meter conserves credits, by class, for any unit that holds at most Messages messages,
// takes no more than it has accepted, meets one message per cycle, and is owed at most Messages credits of
// messages that it let go:
//   - the credits owed to the scheduler, for messages taken or let go, are those that wait and those on the wire;
//   - messages that the engine takes are reported in the next cycle, and so are cancelled ones;
//   - no waiting credit is lost because its counter is full.
module credit_meter_proof
  import sched_pkg::*;
#(
    parameter int unsigned Messages = 6,
    parameter int unsigned Waiting = 8
) (
    input logic clk_i,
    input logic accept_i,  // a message arrives and is accepted, or else
    input logic let_go_i,  // one that holds a credit is let go
    input logic lossless_i,
    input logic pushed_i,
    input logic taken_i,
    input logic taken_lossless_i,
    input logic room_i
);
  typedef logic [7:0] count_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  count_t held_q[2], owed_q[2];  // messages in the unit; credits that the scheduler has not been told of
  logic accept, lets_go, taken, idle;
  logic [1:0] put, get, let_go, told;
  credit_t credit;
  assign lets_go = let_go_i && owed_q[0] + owed_q[1] < count_t'(Messages);
  assign accept = accept_i && !lets_go && held_q[0] + held_q[1] < count_t'(Messages);
  assign taken = taken_i && held_q[taken_lossless_i] != '0;
  assign told = {credit.give && credit.give_lossless, credit.give && !credit.give_lossless};

  credit_meter #(
      .Waiting(Waiting)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .taken_i(taken),
      .taken_lossless_i,
      .let_go_i(lets_go),
      .let_go_lossless_i(lossless_i),
      .pushed_i(accept && pushed_i),
      .room_i,
      .credit_o(credit),
      .idle_o(idle)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_class
    assign put[i] = accept && lossless_i == 1'(i);
    assign get[i] = taken && taken_lossless_i == 1'(i);
    assign let_go[i] = lets_go && lossless_i == 1'(i);
    always_ff @(posedge clk_i) begin
      held_q[i] <= held_q[i] + count_t'(put[i]) - count_t'(get[i]);
      owed_q[i] <= owed_q[i] + count_t'(get[i]) + count_t'(let_go[i]) - count_t'(told[i]);
      if (rst) begin
        held_q[i] <= '0;
        owed_q[i] <= '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst) assert (owed_q[i] == count_t'(u_dut.waiting_q[i]) + count_t'(told[i]));
    end
  end

  logic taken_q, pushed_q;
  always_ff @(posedge clk_i) begin
    taken_q <= taken && !rst;
    pushed_q <= accept && pushed_i && !rst;
    if (!rst) begin
      if (taken_q) assert (credit.give);
      assert (credit.cancel == pushed_q);
      assert (idle == (owed_q[0] == '0 && owed_q[1] == '0 && !credit.cancel));
      assert (held_q[0] <= count_t'(Messages) && held_q[1] <= count_t'(Messages));
      assert (held_q[0] + held_q[1] <= count_t'(Messages));
      assert (count_t'(u_dut.waiting_q[0]) + count_t'(u_dut.waiting_q[1]) <= count_t'(Messages));
    end
  end
endmodule
