# SPDX-License-Identifier: Apache-2.0
"""unit_null: three cycles, no changes beyond those of every unit, at the link's rate."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC
from girih.testing.messages import FLIT_BYTES, flits_of
from rtl.compute.compute_bench import UnitBench, detoured_desc, done_desc, scheduler_key, tagged_messages


@pytest.mark.parametrize("data_width", WIDTHS)
def test_unit_null_engine(data_width):
    run_cocotb("unit_null_engine", __file__, data_width=data_width, chained=True)


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def everything_goes_on(dut, traffic):
    idle, stall = traffic
    bench = await UnitBench.start(dut, "unit_null", {"slots": 8}, idle=idle, stall=stall)
    ledger = await bench.run(tagged_messages(300, size=lambda: random.choice([FLIT_BYTES, random.randint(4, 1500)])))
    for message in [*ledger.done, *ledger.detoured]:
        origin = ledger.origin(message)
        after = detoured_desc if message.desc["detoured"] else done_desc
        assert (message.data, message.desc, message.key) == (origin.data, after(origin.desc), scheduler_key(origin.desc))
    assert ledger.done and (stall or not ledger.detoured)


@cocotb.test()
async def three_cycles_and_no_bubbles(dut):
    """From a flit at the input to the flit at the output; the credit leaves a cycle earlier."""
    bench = await UnitBench.start(dut, "unit_null", {"slots": 64})
    await ClockCycles(dut.clk_i, 5)
    for size in (FLIT_BYTES, 4, 2 * FLIT_BYTES + 1, 1500, 9018):
        sent = tagged_messages(20, size=size, credit=1)
        bench.sink.messages.clear()
        bench.source.send(*sent)
        out = await bench.sink.count(20)
        assert out[0].first - sent[0].first == 3
        assert out[-1].last - out[0].first == 20 * flits_of(sent[0].data) - 1
        assert bench.credits.gives[-20] - sent[0].last == 2
        await ClockCycles(dut.clk_i, 10)
