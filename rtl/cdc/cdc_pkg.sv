// SPDX-License-Identifier: Apache-2.0
// What the two sides of a crossing tell each other. The codes of consecutive phases differ in one bit.
package cdc_pkg;
  typedef enum logic [1:0] {
    PhaseOpen = 2'b00,
    PhaseStopped = 2'b01,
    PhaseCleared = 2'b11,
    PhaseDone = 2'b10
  } phase_e;

  // again: the side will not open in this round. It is valid in PhaseDone, and may change in the same cycle as the phase.
  typedef struct packed {
    logic   again;
    phase_e phase;
  } state_t;

  function automatic phase_e next_phase(phase_e phase);
    unique case (phase)
      PhaseOpen: return PhaseStopped;
      PhaseStopped: return PhaseCleared;
      PhaseCleared: return PhaseDone;
      default: return PhaseOpen;
    endcase
  endfunction
endpackage
