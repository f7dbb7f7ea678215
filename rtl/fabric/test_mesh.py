# SPDX-License-Identifier: Apache-2.0
"""mesh: nothing lost, duplicated, changed, interleaved or reordered; one cycle per router; no bubbles."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb, some_of
from girih.topology import Mesh
from rtl.fabric.fabric_bench import CLASS_TESTS, Fabric, class_tests, every_message_takes_its_route, random_traffic


@pytest.mark.parametrize("width", WIDTHS)
def test_mesh(width):
    run_cocotb("mesh", __file__, data_width=width, parameters={"X": 3, "Y": 3})


@pytest.mark.parametrize("x, y, depth, self_turn", some_of(2, [(2, 1, 2, 0), (1, 3, 4, 1), (4, 2, 16, 0), (3, 3, 4, 1)]))
def test_mesh_shapes(x, y, depth, self_turn):
    parameters = {"X": x, "Y": y, "Depth": depth, "SelfTurn": self_turn}
    run_cocotb("mesh", __file__, data_width=128, parameters=parameters)


@pytest.mark.parametrize("x, y, depth", some_of(1, [(2, 2, 4), (3, 3, 16)]))
def test_mesh_of_two_classes(x, y, depth):
    parameters = {"X": x, "Y": y, "Depth": depth, "Classes": 2}
    names = ["everything_arrives_in_order", "one_cycle_per_router", "no_bubbles", "links_are_those_of_the_topology"]
    run_cocotb("mesh", __file__, data_width=128, parameters=parameters, testcase=[*names, *CLASS_TESTS])


def size(dut) -> tuple[int, int]:
    return int(dut.X.value), int(dut.Y.value)


async def start(dut) -> Fabric:
    x, y = size(dut)
    nodes = [row << 4 | column for row in range(y) for column in range(x)]
    fabric = Fabric(dut, list(range(x * y)), nodes, int(dut.Classes.value))
    await fabric.reset()
    return fabric


@cocotb.test()
async def everything_arrives_in_order(dut):
    fabric = await start(dut)
    self_turn = int(dut.SelfTurn.value)
    pairs = [(p, n) for p in fabric.ports for n in set(fabric.nodes) if self_turn or fabric.port_of[n] != p % fabric.each]
    await random_traffic(fabric, pairs, 1200)


@cocotb.test()
async def one_cycle_per_router(dut):
    fabric = await start(dut)
    for source in fabric.ports:
        for tile in range(fabric.each):
            destination = fabric.beside(tile, source)
            if source == destination and not int(dut.SelfTurn.value):
                continue
            here, there = fabric.nodes[source], fabric.nodes[destination]
            routers = abs((here & 15) - (there & 15)) + abs((here >> 4) - (there >> 4)) + 1 + fabric.requests_wait(source)
            fabric.send(source, there, random.choice([1, 5]))
            await fabric.drain()
            flits = len(fabric.taken[source])
            latencies = {g - t for g, t in zip(fabric.given[destination], fabric.taken[source], strict=True)}
            assert latencies == {routers}, f"{flits} flits took {latencies} cycles through {routers} routers"
            fabric.taken.clear()
            fabric.given.clear()


@cocotb.test()
async def links_are_those_of_the_topology(dut):
    fabric = await start(dut)
    await every_message_takes_its_route(fabric, Mesh(*size(dut)), int(dut.Depth.value))


@cocotb.test()
async def no_bubbles(dut):
    """All ports send to a partner of their own at once, in messages of 1 to 3 flits: one flit per cycle each."""
    fabric = await start(dut)
    x, y = size(dut)
    # Partners in a row (or a column, in a mesh of one column) that share no channel: neighbours swap.
    step, extent = (1, x) if x > 1 else (x, y)
    along = (lambda p: p % x) if x > 1 else (lambda p: p // x)
    pairs = [(p, p + step) for p in range(fabric.each) if along(p) % 2 == 0 and along(p) + 1 < extent]
    senders = pairs + [(b, a) for a, b in pairs]
    for port, partner in senders:
        for _ in range(100):
            fabric.send(port, fabric.nodes[partner], random.choice([1, 1, 2, 3]))
    await fabric.drain()
    for _, partner in senders:
        cycles = fabric.given[partner]
        begin = 2 + fabric.requests_wait(partner)
        assert cycles == list(range(begin, begin + len(cycles))), f"bubbles at port {partner}"


@cocotb.test()
async def outputs_are_shared_fairly(dut):
    """All ports flood port 0; neighbours of the same router get equal shares."""
    fabric = await start(dut)
    x, y = size(dut)
    rivals = [p for p, there in ((1, x > 1), (x, y > 1)) if there]
    for port in rivals:
        for _ in range(200):
            fabric.send(port, fabric.nodes[0], 2)
    await fabric.drain()
    cycles = fabric.given[0]
    assert cycles == list(range(2, 2 + len(cycles)))
    if len(rivals) == 2:
        ends = [fabric.taken[port][-1] for port in rivals]
        assert abs(ends[0] - ends[1]) <= 4


@cocotb.test()
async def outside_of_the_mesh_is_the_nearest_node(dut):
    fabric = await start(dut)
    x, y = size(dut)
    for _ in range(200):
        port, node = random.choice(fabric.ports), random.getrandbits(8)
        arrives = min(node >> 4, y - 1) * x + min(node & 15, x - 1)
        if arrives != port or int(dut.SelfTurn.value):
            fabric.send(port, node, random.choice([1, 3]), arrives=arrives)
    await fabric.drain()


@cocotb.test()
async def to_itself_without_a_self_turn_ends_at_a_neighbour(dut):
    fabric = await start(dut)
    x, y = size(dut)
    if int(dut.SelfTurn.value):
        return
    for port in fabric.ports:
        row, column = divmod(port, x)
        order = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]  # north first
        neighbour = next(r * x + c for r, c in order if 0 <= r < y and 0 <= c < x)
        fabric.send(port, fabric.nodes[port], 3, arrives=neighbour)
    await fabric.drain()


class_tests(globals(), start)
