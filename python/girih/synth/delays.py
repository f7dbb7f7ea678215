# SPDX-License-Identifier: Apache-2.0
"""Delays of a -2 UltraScale+ part at its slow corner, in ns, rounded from published reports of routed designs.

docs/timing.md says what is known of the error of estimates with these delays.
"""

from __future__ import annotations

from math import log2

# Registers: from the clock to the output, and before the clock at the data and the control inputs (CE, R, S).
FF_OUTPUT = 0.08
FF_SETUP = 0.03
FF_CONTROL_SETUP = 0.05

LUT = 0.09
WIDE_MUX = 0.08  # MUXF7 to MUXF9

# Carry chains: into the chain from a wire, and along it from the carry input.
CARRY_IN = 0.20
CARRY_THROUGH = 0.02
CARRY_TO_SUM = 0.10
CARRY_STEP = 0.012  # per bit, from where a signal enters to the sum or carry that it changes
CARRY_STEP_THROUGH = 0.0024  # per bit, from carry input to carry output

LUTRAM_OUTPUT = 0.55  # from the clock of a write to what is read
LUTRAM_SETUP = 0.15
SHIFT_OUTPUT = 0.40
BLOCK_OUTPUT = 0.95  # of BRAM and URAM without output register, which is how Yosys uses them
BLOCK_SETUP = 0.25

MULTIPLIER = 1.6  # of a DSP block without registers, which is how Yosys uses it

UNCERTAINTY = 0.07  # of the clock

SITE_WIRE = 0.02  # from a LUT to the wide multiplexer or carry chain of its own slice


def wire(loads: int) -> float:
    """The delay of a routed wire with this number of loads."""
    return 0.15 + 0.04 * log2(max(loads, 1))
