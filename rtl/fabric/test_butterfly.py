# SPDX-License-Identifier: Apache-2.0
"""butterfly: nothing lost, duplicated, changed, interleaved or reordered; one cycle per router; no bubbles."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb, some_of
from girih.topology import Butterfly
from rtl.fabric.fabric_bench import CLASS_TESTS, Fabric, class_tests, every_message_takes_its_route, random_traffic


@pytest.mark.parametrize("width", WIDTHS)
def test_butterfly(width):
    run_cocotb("butterfly", __file__, data_width=width, parameters={"X": 2, "Y": 2, "Tiles": 2})


@pytest.mark.parametrize("x, y, tiles, depth", some_of(2, [(2, 1, 1, 2), (1, 3, 2, 4), (3, 1, 3, 16), (3, 2, 1, 4), (3, 3, 2, 2)]))
def test_butterfly_shapes(x, y, tiles, depth):
    run_cocotb("butterfly", __file__, data_width=128, parameters={"X": x, "Y": y, "Tiles": tiles, "Depth": depth})


def test_butterfly_of_two_classes():
    parameters = {"X": 3, "Y": 2, "Tiles": 2, "Depth": 8, "Classes": 2}
    names = ["everything_arrives_in_order", "one_cycle_per_router", "no_bubbles", "links_are_those_of_the_topology", *CLASS_TESTS]
    run_cocotb("butterfly", __file__, data_width=128, parameters=parameters, testcase=names)


def shape_of(dut) -> Butterfly:
    return Butterfly(int(dut.X.value), int(dut.Y.value), int(dut.Tiles.value))


async def start(dut) -> Fabric:
    shape = shape_of(dut)
    fabric = Fabric(dut, list(range(len(shape.places))), [shape.node(place) for place in shape.places], int(dut.Classes.value))
    await fabric.reset()
    return fabric


@cocotb.test()
async def everything_arrives_in_order(dut):
    fabric = await start(dut)
    await random_traffic(fabric, [(p, n) for p in fabric.ports for n in set(fabric.nodes) if fabric.port_of[n] != p % fabric.each], 1200)


@cocotb.test()
async def one_cycle_per_router(dut):
    fabric, shape = await start(dut), shape_of(dut)
    for source, start_place in enumerate(shape.places):
        for destination, end_place in enumerate(shape.places):
            if source == destination:
                continue
            routers = len(list(shape.hops(start_place, end_place))) + 1 + fabric.requests_wait(source)
            fabric.send(source, shape.node(end_place), random.choice([1, 5]))
            await fabric.drain()
            latencies = {g - t for g, t in zip(fabric.given[destination], fabric.taken[source], strict=True)}
            assert latencies == {routers}, f"{latencies} cycles through {routers} routers"
            fabric.taken.clear()
            fabric.given.clear()


@cocotb.test()
async def links_are_those_of_the_topology(dut):
    fabric = await start(dut)
    await every_message_takes_its_route(fabric, shape_of(dut), int(dut.Depth.value))


@cocotb.test()
async def no_bubbles(dut):
    """One tile of each router sends to one of the next router in its row (or column), so that no two share a link."""
    fabric, shape = await start(dut), shape_of(dut)
    extent, along = (shape.x, 0) if shape.x > 1 else (shape.y, 1)
    pairs = []
    for port, place in enumerate(shape.places):
        if place[2] == 0:
            partner = list(place)
            partner[along] = (place[along] + 1) % extent
            pairs.append((port, shape.places.index(tuple(partner))))
    for port, partner in pairs:
        for _ in range(100):
            fabric.send(port, fabric.nodes[partner], random.choice([1, 1, 2, 3]))
    await fabric.drain()
    for _, partner in pairs:
        cycles = fabric.given[partner]
        begin = 2 + fabric.requests_wait(partner)
        assert cycles == list(range(begin, begin + len(cycles))), f"bubbles at port {partner}"


@cocotb.test()
async def tiles_of_one_router_reach_each_other_within_it(dut):
    fabric, shape = await start(dut), shape_of(dut)
    if shape.tiles == 1:
        return
    for port, (x, y, tile) in enumerate(shape.places):
        for _ in range(50):
            fabric.send(port, shape.node((x, y, (tile + 1) % shape.tiles)), random.choice([1, 2]))
    await fabric.drain()
    for port in fabric.ports:
        assert fabric.given[port] == list(range(1, 1 + len(fabric.given[port])))


@cocotb.test()
async def outputs_are_shared_fairly(dut):
    """All tiles whose messages reach port 0 by an input of their own get equal shares."""
    fabric, shape = await start(dut), shape_of(dut)
    rivals = [port for port, place in enumerate(shape.places) if port and ((place[2] == 0 and 0 in place[:2]) or place[:2] == (0, 0))]
    for port in rivals:
        for _ in range(100):
            fabric.send(port, fabric.nodes[0], 2)
    await fabric.drain()
    ends = [fabric.taken[port][-1] for port in rivals]
    # The last messages of tiles at other routers wait in one queue more.
    assert max(ends) - min(ends) <= (4 + int(dut.Depth.value)) * len(rivals)
    assert len(fabric.given[0]) == fabric.given[0][-1] - fabric.given[0][0] + 1


@cocotb.test()
async def what_does_not_exist_is_the_nearest(dut):
    fabric, shape = await start(dut), shape_of(dut)
    for _ in range(300):
        port, node = random.choice(fabric.ports), random.getrandbits(8)
        nearest = (min(node >> 2 & 7, shape.x - 1), min(node >> 5, shape.y - 1), min(node & 3, shape.tiles - 1))
        if nearest != shape.places[port]:
            fabric.send(port, node, random.choice([1, 3]), arrives=shape.places.index(nearest))
    await fabric.drain()


@cocotb.test()
async def to_itself_goes_to_the_first_other_port(dut):
    fabric, shape = await start(dut), shape_of(dut)
    for port, (x, y, tile) in enumerate(shape.places):
        if shape.tiles > 1:
            other = (x, y, 1 if tile == 0 else 0)
        elif shape.x > 1:
            other = (1 if x == 0 else 0, y, 0)
        else:
            other = (x, 1 if y == 0 else 0, 0)
        fabric.send(port, fabric.nodes[port], 3, arrives=shape.places.index(other))
    await fabric.drain()


class_tests(globals(), start)
