# SPDX-License-Identifier: Apache-2.0
"""scheduler_engine among model units: order, credits, push and detour, drops, conservation, speed."""

import random

import cocotb
import pytest
from girih.testing import run_cocotb
from scheduler_bench import EXIT, Bench, Unit


@pytest.mark.parametrize("data_width", [512])
def test_scheduler_engine(data_width):
    run_cocotb("scheduler_engine", __file__, data_width=data_width, chained=True)


@cocotb.test()
async def a_packet_goes_through_its_chain(dut):
    bench = await Bench.start(dut, [Unit(0), Unit(1), Unit(2)])
    for size in (64, 65, 200, 1500, 9000):
        bench.send(0, bench.packet(size, [(0, 0), (1, 0), (2, 0)]))
        bench.send(1, bench.packet(size, [(2, 0)], tenant=3))
        await bench.quiet()
    print(bench.events)
