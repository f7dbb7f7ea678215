# SPDX-License-Identifier: Apache-2.0
"""The clock of a module under cocotb."""

from __future__ import annotations

from cocotb.clock import Clock
from cocotb.task import Task
from cocotb.utils import get_sim_time

PERIOD_NS = 4
_running: list[Task] = []  # cocotb ends it with the test


def start_clock(dut) -> None:
    """250 MHz on `clk_i`, unless it runs. The simulator drives it, because Python would take as much time for it as for a link."""
    if not _running or _running[-1].done():
        _running[:] = [Clock(dut.clk_i, PERIOD_NS, unit="ns", impl="gpi").start()]


def cycle_now() -> int:
    return round(get_sim_time("ns") / PERIOD_NS)
