// SPDX-License-Identifier: Apache-2.0
// One side of a crossing that either side may reset at any time. Both go through four phases together:
//
//     Open -> Stopped -> Cleared -> Done -> Open
//
// A side enters the next phase when it sees the other one in the same phase or already in the next. A reset starts the round
// and holds its side in Cleared until the reset ends. So the state that crosses (pointers, toggles) is cleared only while both
// sides are stopped, and is used again only when the cleared state of both has crossed. A side that is reset in Done does not
// open, but starts another round. It tells the other side, which would open as soon as its own reset ends, and lose in that round
// what it has taken.
//
// At power-up the phases are arbitrary. The side with Recovers leaves an impossible pair of phases, so both sides are clear and
// agree after 4 * (Stages + 2) edges of the slower clock in which both are reset.
module cdc_clear
  import cdc_pkg::*;
#(
    parameter int unsigned Stages = 2,
    parameter bit Recovers = 1'b0  // set at one of the two sides
) (
    input logic clk_i,
    input logic rst_i,

    input  state_t state_i,  // the other side's, in its clock domain
    output state_t state_o,

    output logic clear_o,  // set the state that crosses to its initial value
    output logic open_o,  // it may change
    output logic open_next_o  // in the next cycle, too
);
  // The other side reads this code, so no tool may choose another one.
  (* fsm_encoding = "none", keep = "true" *)
  phase_e phase_q;
  (* keep = "true" *)
  logic again_q;
  phase_e phase_d, seen;
  logic again_d;
  state_t seen_state;
  logic [$bits(state_t)-1:0] seen_bits;

  synchroniser #(
      .Width ($bits(state_t)),
      .Stages(Stages)
  ) u_seen (
      .clk_i,
      .in_i (state_i),
      .out_o(seen_bits)
  );
  assign seen_state = state_t'(seen_bits);
  assign seen = seen_state.phase;

  logic together, behind, opposite;
  assign together = seen == phase_q;
  assign behind = seen == next_phase(phase_q);
  assign opposite = seen == next_phase(next_phase(phase_q));

  logic move;
  always_comb begin
    move = together || behind;
    if (phase_q == PhaseOpen && !behind && !rst_i && !again_q) move = 1'b0;
    if (phase_q == PhaseCleared && rst_i) move = 1'b0;
    if (Recovers && opposite) move = 1'b1;
    phase_d = move ? next_phase(phase_q) : phase_q;
    again_d = (again_q || rst_i || (phase_q == PhaseDone && seen_state.again)) && !(phase_d inside {PhaseStopped, PhaseCleared});
  end

  assign state_o = '{again: again_q, phase: phase_q};
  assign clear_o = phase_d inside {PhaseCleared, PhaseDone};  // again in Done, for a power-up in it
  assign open_o = phase_q == PhaseOpen && !again_q;
  assign open_next_o = phase_d == PhaseOpen && !again_d && !rst_i;

  always_ff @(posedge clk_i) begin
    phase_q <= phase_d;
    again_q <= again_d;
  end

  always_ff @(posedge clk_i) begin
    reset_while_open : cover (rst_i && open_o);
    other_side_was_reset : cover (open_o && !rst_i && behind);
    reset_before_the_end : cover (rst_i && phase_q == PhaseDone);
    other_side_was_reset_before_the_end : cover (!rst_i && phase_q == PhaseDone && seen_state.again);
  end
endmodule
