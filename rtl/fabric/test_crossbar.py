# SPDX-License-Identifier: Apache-2.0
"""crossbar: nothing lost, duplicated, changed, interleaved or reordered; one cycle; no bubbles; fair."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb
from rtl.fabric.fabric_bench import CLASS_TESTS, Fabric, class_tests, random_traffic


@pytest.mark.parametrize("width", WIDTHS)
def test_crossbar(width):
    run_cocotb("crossbar", __file__, data_width=width, parameters={"Ports": 5})


@pytest.mark.parametrize("ports, depth", [(2, 2), (8, 4), (11, 16)])
def test_crossbar_sizes(ports, depth):
    run_cocotb("crossbar", __file__, data_width=128, parameters={"Ports": ports, "Depth": depth})


def test_crossbar_without_some_outputs():
    names = ["everything_arrives_in_order", "a_port_that_does_not_exist_is_the_last_one"]
    run_cocotb("crossbar", __file__, data_width=128, parameters={"Ports": 6, "Outputs": "6'b010110"}, testcase=names)


def test_crossbar_of_two_classes():
    names = ["everything_arrives_in_order", "one_cycle_and_no_bubbles", "outputs_are_shared_fairly", *CLASS_TESTS]
    run_cocotb("crossbar", __file__, data_width=128, parameters={"Ports": 5, "Classes": 2}, testcase=names)


def outputs_of(dut) -> list[int]:
    return [port for port in range(int(dut.Ports.value)) if int(dut.Outputs.value) >> port & 1]


async def start(dut) -> Fabric:
    ports = list(range(int(dut.Ports.value)))
    fabric = Fabric(dut, ports, ports, int(dut.Classes.value))
    await fabric.reset()
    return fabric


@cocotb.test()
async def everything_arrives_in_order(dut):
    fabric = await start(dut)
    await random_traffic(fabric, [(a, b) for a in fabric.ports for b in outputs_of(dut) if a % fabric.each != b], 1200)


@cocotb.test()
async def one_cycle_and_no_bubbles(dut):
    """Every port sends to another one at once (a permutation): one flit per cycle each, one cycle later."""
    fabric = await start(dut)
    shift = random.randrange(1, fabric.each)
    for port in range(fabric.each):
        for _ in range(100):
            fabric.send(port, (port + shift) % fabric.each, random.choice([1, 1, 2, 3]))
    await fabric.drain()
    for port in range(fabric.each):
        cycles = fabric.given[(port + shift) % fabric.each]
        assert fabric.taken[port] == list(range(len(cycles)))
        begin = 1 + fabric.requests_wait(port)
        assert cycles == list(range(begin, begin + len(cycles)))


@cocotb.test()
async def outputs_are_shared_fairly(dut):
    fabric = await start(dut)
    others = fabric.ports[1 : fabric.each]
    for port in others:
        for _ in range(100):
            fabric.send(port, 0, 2)
    await fabric.drain()
    ends = [fabric.taken[port][-1] for port in others]
    assert max(ends) - min(ends) <= 2 * len(fabric.ports)
    assert len(fabric.given[0]) == fabric.given[0][-1] - fabric.given[0][0] + 1


@cocotb.test()
async def a_port_that_does_not_exist_is_the_last_one(dut):
    fabric = await start(dut)
    last = outputs_of(dut)[-1]
    others = [port for port in fabric.ports if port != last]
    none = sorted(set(range(256)) - set(outputs_of(dut)))
    for _ in range(100):
        fabric.send(random.choice(others), random.choice(none), random.choice([1, 3]), arrives=last)
    await fabric.drain()


class_tests(globals(), start)
