// SPDX-License-Identifier: Apache-2.0
// Arbiter of one output of a router or crossbar, for one of two message classes. As in fabric_output, the output is granted
// round robin and belongs to one input until the last flit of its message has left. can_d_o says, one cycle ahead, which
// input's flit could leave; class_switch chooses between the classes.
module class_output #(
    parameter int unsigned Inputs = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [Inputs-1:0] request_d_i,  // in the next cycle a first flit for this output waits
    input  logic [Inputs-1:0] valid_d_i,    // in the next cycle a flit waits
    input  logic [Inputs-1:0] last_i,       // the flit at the head is the last one
    input  logic              room_i,       // a flit may leave in the next cycle
    input  logic              left_i,       // the owner's flit leaves in this cycle
    output logic [Inputs-1:0] can_d_o,      // the input whose flit can leave in the next cycle
    output logic              any_d_o,      // there is one; does not wait for the arbiter
    output logic [Inputs-1:0] owner_o
);
  logic [Inputs-1:0] owner_q, owner_d, winner;
  assign owner_o = owner_q;
  logic free;  // in the next cycle

  assign free = owner_q == '0 || (left_i && |(owner_q & last_i));
  assign owner_d = free ? winner : owner_q;
  // A first flit that is granted is there.
  assign can_d_o = (free ? winner : owner_q & valid_d_i) & {Inputs{room_i}};
  assign any_d_o = room_i && (free ? |request_d_i : |(owner_q & valid_d_i));

  arbiter_round_robin #(
      .N(Inputs)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(request_d_i),
      .advance_i(free),
      .grant_o(winner)
  );

  always_ff @(posedge clk_i) begin
    owner_q <= owner_d;
    if (rst_i) owner_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(owner_q));
      assert (!left_i || owner_q != '0);
      assert ((request_d_i & ~valid_d_i) == '0);
      assert (any_d_o == |can_d_o);
      hands_over_at_once : cover (free && owner_q != '0 && winner != '0 && winner != owner_q);
      keeps_it_for_the_next : cover (free && owner_q != '0 && winner == owner_q);
      owner_has_no_flit_and_others_wait : cover (owner_q != '0 && (owner_d & valid_d_i) == '0 && |(request_d_i & ~owner_q));
      waits_for_room : cover (|(owner_d & valid_d_i) && !room_i);
    end
  end
endmodule
