# SPDX-License-Identifier: Apache-2.0
"""cluster_flows: a flow is in flight while any of its messages is, whichever of them ends first."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

CORES, SLOTS, FLOWS = (int(os.environ.get(name, "0")) for name in ("CORES", "SLOTS", "FLOWS"))
LOOKS = 2  # cycles of a look-up


@pytest.mark.parametrize(("cores", "slots", "flows"), [(1, 2, 16), (3, 8, 16), (16, 64, 1024)])
def test_cluster_flows(cores, slots, flows):
    parameters = {"Cores": cores, "Slots": slots, "Flows": flows}
    run_cocotb("cluster_flows", __file__, parameters=parameters, environment={name.upper(): str(value) for name, value in parameters.items()})


async def step(dut, flow, started=None, ended=()):
    """One cycle. started: the core and the slot that get a message of the flow. ended: those whose messages end."""
    dut.flow_i.value = flow
    dut.started_i.value = int(started is not None)
    dut.started_core_i.value, dut.started_slot_i.value = started or (0, 0)
    dut.ended_i.value = sum(1 << core * SLOTS + slot for core, slot in ended)
    await RisingEdge(dut.clk_i)


@cocotb.test()
async def a_flow_is_known_while_any_of_its_messages_is_in_flight(dut):
    await reset(dut, flow_i=0, started_i=0, started_core_i=0, started_slot_i=0, ended_i=0)
    places = {}  # the flow of the message in each (core, slot)
    hit = 0
    for _ in range(3000):
        flow = random.choice([random.randrange(FLOWS), random.randrange(min(FLOWS, 8)), *random.sample(sorted(places.values()), min(2, len(places)))])
        for _ in range(LOOKS):
            await step(dut, flow)
        await step(dut, flow)  # the result of the last look-up is visible now
        owners = {core for (core, _), its in places.items() if its == flow}
        assert len(owners) <= 1
        assert int(dut.known_o.value) == len(owners), f"flow {flow}, in flight: {places}"
        if owners:
            assert int(dut.core_o.value) in owners
            hit += 1
        core = owners.pop() if owners else random.randrange(CORES)
        free = [(core, slot) for slot in range(SLOTS) if (core, slot) not in places]
        if free and random.random() < 0.8:
            place = random.choice(free)
            at_once = random.random() < 0.3  # a void message of one flit ends in the cycle in which it starts
            await step(dut, flow, started=place, ended=[place] * at_once)
            if not at_once:
                places[place] = flow
        if random.random() < 0.7:  # some end in the same cycle
            ended = random.sample(sorted(places), min(len(places), random.choice((1, 1, 2, 5))))
            await step(dut, random.randrange(FLOWS), ended=ended)
            for place in ended:
                del places[place]
    assert hit > 300
