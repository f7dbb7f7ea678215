# SPDX-License-Identifier: Apache-2.0
"""interrupt_source against a model: events and writes in any cycle, also in the same one."""

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

EVENTS = 3


def test_interrupt_source():
    run_cocotb("interrupt_source", __file__, parameters={"Events": EVENTS})


@cocotb.test()
async def no_event_is_lost_and_none_invented(dut):
    await reset(dut, event_i=0, write_i=0, word_i=0, data_i=0)
    pending = [False] * EVENTS
    enabled = [False] * EVENTS
    line, met = False, 0
    for _ in range(2000):
        events = [random.random() < 0.2 for _ in range(EVENTS)]
        write, word = random.random() < 0.4, random.random() < 0.3
        data = random.getrandbits(32)
        dut.event_i.value = sum(came << bit for bit, came in enumerate(events))
        dut.write_i.value, dut.word_i.value, dut.data_i.value = write, word, data
        await RisingEdge(dut.clk_i)
        line = any(waits and asks for waits, asks in zip(pending, enabled))
        for bit in range(EVENTS):
            if write and word:
                enabled[bit] = bool(data >> bit & 1)
            if write and not word and data >> bit & 1:
                met += events[bit] and pending[bit]
                pending[bit] = False
            if events[bit]:
                pending[bit] = True
        await FallingEdge(dut.clk_i)
        assert int(dut.pending_o.value) == sum(waits << bit for bit, waits in enumerate(pending))
        assert int(dut.enable_o.value) == sum(asks << bit for bit, asks in enumerate(enabled))
        assert dut.interrupt_o.value == line
    assert met > 10
