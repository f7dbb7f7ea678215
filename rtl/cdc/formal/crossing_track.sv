// SPDX-License-Identifier: Apache-2.0
// For proofs of crossings with room for Depth entries, at any ratio and phase of the clocks, with resets of either side at any
// time: what goes in comes out, once and in order, unless a reset clears it, which it does; no overflow, no underflow; an offer
// stays until it is taken; no side opens, to lose what it takes, after it has seen that the other will start another round.
//
// The solver picks any one entry on its way in (track_i). Each side counts what has passed since the last clear; the pointers
// are those counts, modulo 2 * Depth. The outputs are for the harness, which says where the chosen entry lies.
module crossing_track #(
    parameter int unsigned Depth = 4,
    parameter int unsigned Stages = 2,
    parameter type ptr_t = logic [$clog2(Depth):0],
    parameter type count_t = logic [$clog2(Depth)+1:0]  // so wide that a count never means two entries inside
) (
    input logic track_i,

    input logic in_clk_i,
    input logic in_rst_i,
    input logic in_valid_i,
    input logic in_ready_i,
    input logic in_data_i,
    input logic in_clear_i,
    input cdc_pkg::state_t in_state_i,
    input cdc_pkg::state_t [Stages-1:0] in_state_seen_i,  // as it passes to the other side, the first flip-flop first
    input ptr_t write_ptr_i,
    input ptr_t write_seen_i[Stages],

    input logic out_clk_i,
    input logic out_rst_i,
    input logic out_valid_i,
    input logic out_ready_i,
    input logic out_data_i,
    input logic pop_i,  // an entry passes to the register of the output
    input logic pop_data_i,
    input logic out_clear_i,
    input cdc_pkg::state_t out_state_i,
    input cdc_pkg::state_t [Stages-1:0] out_state_seen_i,
    input ptr_t read_ptr_i,
    input ptr_t read_seen_i[Stages],

    output logic inside_o,  // the chosen entry is inside
    output count_t place_o,  // the number of entries written before it
    output logic data_o  // its value
);
  logic zero_in, zero_out, agreed;
  logic [Stages-1:0] zero_in_seen, zero_out_seen;

  logic [Stages-1:0][1:0] in_phase_seen, out_phase_seen;
  for (genvar s = 0; s < Stages; s++) begin : gen_phases
    assign in_phase_seen[s]  = in_state_seen_i[s].phase;
    assign out_phase_seen[s] = out_state_seen_i[s].phase;
  end

  phase_track #(
      .Stages(Stages)
  ) u_phases (
      .in_phase_i(in_state_i.phase),
      .out_phase_i(out_state_i.phase),
      .in_seen_i(in_phase_seen),
      .out_seen_i(out_phase_seen),
      .zero_in_o(zero_in),
      .zero_out_o(zero_out),
      .zero_in_seen_o(zero_in_seen),
      .zero_out_seen_o(zero_out_seen),
      .agreed_o(agreed)
  );

  opening_track #(
      .Stages(Stages)
  ) u_in_opening (
      .clk_i(in_clk_i),
      .own_i(in_state_i),
      .other_i(out_state_i),
      .seen_i(out_state_seen_i)
  );

  opening_track #(
      .Stages(Stages)
  ) u_out_opening (
      .clk_i(out_clk_i),
      .own_i(out_state_i),
      .other_i(in_state_i),
      .seen_i(in_state_seen_i)
  );

  // What each side has counted, and the chosen entry.

  logic push, chosen_q, data_q, passed_q, left_q, its_turn;
  logic in_reset_q, out_reset_q;  // since the last clear
  count_t given_q, taken_q, place_q, held;
  assign push = in_valid_i && in_ready_i && !in_rst_i;
  assign held = given_q - taken_q;
  assign its_turn = chosen_q && !passed_q && taken_q == place_q;

  assign inside_o = agreed && chosen_q && !passed_q;
  assign place_o = place_q;
  assign data_o = data_q;

  always_ff @(posedge in_clk_i) begin
    given_q <= given_q + count_t'(push);
    if (push && track_i && !chosen_q) begin
      chosen_q <= 1'b1;
      place_q <= given_q;
      data_q <= in_data_i;
    end
    if (in_rst_i) in_reset_q <= 1'b1;
    if (in_clear_i) begin
      in_reset_q <= 1'b0;
      given_q <= '0;
      chosen_q <= 1'b0;
    end
  end

  logic waits_q, offer_q;
  always_ff @(posedge out_clk_i) begin
    waits_q <= out_valid_i && !out_ready_i && !out_rst_i;
    offer_q <= out_data_i;
    taken_q <= taken_q + count_t'(pop_i);
    if (pop_i && its_turn) {passed_q, left_q} <= 2'b10;
    else if (out_ready_i) left_q <= 1'b1;
    if (out_rst_i) {out_reset_q, left_q} <= 2'b11;
    if (out_clear_i) begin
      out_reset_q <= 1'b0;
      taken_q <= '0;
      passed_q <= 1'b0;
    end
  end

  always_comb begin
    if (push) assert (held < count_t'(Depth) && !in_reset_q);
    if (pop_i) assert (held != '0 && !out_reset_q);
    if (pop_i && its_turn) assert (pop_data_i == data_q);
    if (agreed && passed_q && !left_q) assert (out_valid_i && out_data_i == data_q);
    if (waits_q) assert (out_valid_i && out_data_i == offer_q);
  end

  // Invariants: the write pointer, the copy of it that the reader sees, the read pointer and the copy of that follow in this order,
  // and the whole way is Depth less the free entries.

  ptr_t step[2*Stages+2];
  for (genvar s = 1; s < Stages; s++) begin : gen_steps
    assign step[s] = write_seen_i[s-1] - write_seen_i[s];
    assign step[Stages+1+s] = read_seen_i[s-1] - read_seen_i[s];
  end
  assign step[0] = write_ptr_i - write_seen_i[0];
  assign step[Stages] = write_seen_i[Stages-1] - read_ptr_i;
  assign step[Stages+1] = read_ptr_i - read_seen_i[0];
  assign step[2*Stages+1] = read_seen_i[Stages-1] + ptr_t'(Depth) - write_ptr_i;

  logic [15:0] round;
  always_comb begin
    round = '0;
    for (int unsigned s = 0; s < 2 * Stages + 2; s++) round += 16'(step[s]);
  end

  always_comb begin
    assert (ptr_t'(given_q) == write_ptr_i && ptr_t'(taken_q) == read_ptr_i);
    if (in_ready_i) begin
      assert (in_state_i.phase == cdc_pkg::PhaseOpen && !in_state_i.again);
      assert (step[2*Stages+1] != '0);
    end
    if (in_state_i.phase inside {cdc_pkg::PhaseOpen, cdc_pkg::PhaseDone}) assert (!in_reset_q || in_state_i.again);
    if (out_state_i.phase inside {cdc_pkg::PhaseOpen, cdc_pkg::PhaseDone}) assert (!out_reset_q || out_state_i.again);
    if (in_state_i.phase == cdc_pkg::PhaseCleared) assert (!in_reset_q);
    if (out_state_i.phase == cdc_pkg::PhaseCleared) assert (!out_reset_q);
    if (zero_in) assert (given_q == '0 && !chosen_q);
    if (zero_out) assert (taken_q == '0 && !passed_q);
    for (int unsigned s = 0; s < Stages; s++) begin
      if (zero_in_seen[s]) assert (write_seen_i[s] == '0);
      if (zero_out_seen[s]) assert (read_seen_i[s] == '0);
    end
    if (agreed) begin
      assert (round == 16'(Depth));
      assert (held == count_t'(ptr_t'(write_ptr_i - read_ptr_i)));
      if (!chosen_q) assert (!passed_q);
      if (chosen_q && !passed_q) assert (count_t'(place_q - taken_q) < held);
    end
  end
endmodule
