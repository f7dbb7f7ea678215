# SPDX-License-Identifier: Apache-2.0
"""The clock of a module under cocotb."""

from __future__ import annotations

from cocotb.clock import Clock
from cocotb.utils import get_sim_time

PERIOD_NS = 4


def start_clock(dut) -> None:
    """250 MHz on `clk_i`. The simulator drives it, because Python would take as much time for it as for a link."""
    Clock(dut.clk_i, PERIOD_NS, unit="ns", impl="gpi").start()


def cycle_now() -> int:
    return round(get_sim_time("ns") / PERIOD_NS)
