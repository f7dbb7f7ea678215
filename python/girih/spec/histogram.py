# SPDX-License-Identifier: Apache-2.0
"""The bins of latency histograms: 4 to an octave, so that a bin is never wider than a quarter of
the latencies it holds. The only definition of the bin function, for Python and for SystemVerilog."""

from __future__ import annotations

from pathlib import Path

from girih.spec.message import CardParams, type_widths
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "histogram_pkg.sv.j2"
BINS = 64
STEP_BITS = 2  # an octave has 2^STEP_BITS bins
_LAST_OCTAVE = BINS // (1 << STEP_BITS) + STEP_BITS - 2  # of latencies in [2^n, 2^(n+1))


def bin_of(latency: int) -> int:
    """The bin that counts a latency in cycles."""
    if latency < 1 << STEP_BITS:
        return latency
    octave = latency.bit_length() - 1
    if octave > _LAST_OCTAVE:
        return BINS - 1
    step = (latency >> (octave - STEP_BITS)) & ((1 << STEP_BITS) - 1)
    return (octave - STEP_BITS + 1) << STEP_BITS | step


def bin_start(index: int) -> int:
    """The least latency in cycles that bin `index` counts. The last bin also counts all greater latencies."""
    if index < 1 << STEP_BITS:
        return index
    octave = (index >> STEP_BITS) + STEP_BITS - 1
    return 1 << octave | (index & ((1 << STEP_BITS) - 1)) << (octave - STEP_BITS)


def package(params: CardParams) -> str:
    """The text of `histogram_pkg.sv` for one card."""
    return render(
        TEMPLATE,
        bins=BINS,
        index_bits=BINS.bit_length() - 1,
        step_bits=STEP_BITS,
        last_octave=_LAST_OCTAVE,
        timestamp_bits=type_widths(params)["timestamp"],
    )
