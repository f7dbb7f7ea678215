// SPDX-License-Identifier: Apache-2.0
// For proofs: asserts that the two sides of a crossing are never more than one phase apart, and never see each other
// further away than they are. The outputs are for the harness, which ties the state that crosses to them.
module phase_track #(
    parameter int unsigned Stages = 2
) (
    input cdc_pkg::phase_e in_phase_i,
    input cdc_pkg::phase_e out_phase_i,
    input logic [Stages-1:0][1:0] in_seen_i,  // the flip-flops through which in_phase_i passes, the first one first
    input logic [Stages-1:0][1:0] out_seen_i,

    output logic zero_in_o,  // that side's state has its first value
    output logic zero_out_o,
    output logic [Stages-1:0] zero_in_seen_o,  // and what has passed through these flip-flops, too
    output logic [Stages-1:0] zero_out_seen_o,
    output logic agreed_o  // no side is in Cleared: both count from the same start
);
  typedef logic [1:0] place_t;

  function automatic place_t place(logic [1:0] phase);
    return {phase[1], ^phase};
  endfunction

  function automatic logic zero(logic [1:0] phase);
    return place(phase) >= place_t'(2);  // Cleared or Done
  endfunction

  place_t in_place, out_place, step[2*Stages+2];
  assign in_place  = place(in_phase_i);
  assign out_place = place(out_phase_i);

  // The way round: from the phase before out_phase, by what is seen of in_phase, to in_phase, and on to the one after out_phase.
  for (genvar s = 0; s < Stages; s++) begin : gen_steps
    if (s == 0) begin : gen_first
      assign step[0] = in_place - place(in_seen_i[0]);
      assign step[Stages+1] = out_place - place(out_seen_i[0]);
    end else begin : gen_next
      assign step[s] = place(in_seen_i[s-1]) - place(in_seen_i[s]);
      assign step[Stages+1+s] = place(out_seen_i[s-1]) - place(out_seen_i[s]);
    end
    assign zero_in_seen_o[s] = zero(in_seen_i[s]);
    assign zero_out_seen_o[s] = zero(out_seen_i[s]);
  end
  assign step[Stages] = place(in_seen_i[Stages-1]) - (out_place - 2'd1);
  assign step[2*Stages+1] = place(out_seen_i[Stages-1]) + 2'd1 - in_place;

  logic [5:0] round;
  always_comb begin
    round = '0;
    for (int unsigned s = 0; s < 2 * Stages + 2; s++) round += 6'(step[s]);
  end

  assign zero_in_o = zero(in_phase_i);
  assign zero_out_o = zero(out_phase_i);
  assign agreed_o = in_phase_i != cdc_pkg::PhaseCleared && out_phase_i != cdc_pkg::PhaseCleared;

  always_comb assert (round == 6'd2);
endmodule
