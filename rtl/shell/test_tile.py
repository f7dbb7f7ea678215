# SPDX-License-Identifier: Apache-2.0
"""A generated tile as a whole (`echo`): registers, node table, counters and the data path."""

import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.kinds import load_kind
from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, Message, Sink, Source, flits_of, reset
from girih.testing.ring import RingClient, RingError

KIND = load_kind("echo")
NODE = 0x12
NODES = [0x01, 0x12, 0x21]
FIRST = min(counter.offset for counter in KIND.counters)
INSIDE = 128  # the width at which the tests reach the counters' memory


def entry(key: int, node: int, any_key: int = 0) -> int:
    """A node table entry as its register holds it."""
    return 1 << 31 | any_key << 24 | node << 16 | key


def at_reset(key: int, node: int, any_key: int = 0) -> int:
    """The same entry as a packed `next_hop_t`."""
    return 1 << 25 | any_key << 24 | node << 16 | key


@pytest.mark.parametrize("data_width", [128, 512])
def test_tile(data_width):
    run_cocotb(
        "echo",
        __file__,
        data_width=data_width,
        parameters={
            "Node": f"8'd{NODE}",
            "Nodes": f"256'd{sum(1 << n for n in NODES)}",
            "NextHops": f"52'd{at_reset(0, 0x21)}",
        },
        inside=data_width == INSIDE,
    )


async def bench(dut, idle: float = 0.0, stall: float = 0.0):
    client = RingClient(dut, KIND, NODE)
    await reset(dut, in_valid_i=0, out_ready_i=0)
    return client, Source(dut, "in", idle=idle, node=NODE), Sink(dut, "out", stall=stall)


def datagram(**desc: int) -> Message:
    data = random.randbytes(random.choice([42, 43, 100, 300, 1514]))
    return Message(data, desc={"l3_offset": 14, "l4_offset": 34, "payload_offset": 42, "port": 0} | desc)


@cocotb.test()
async def registers_read_and_write(dut):
    client, _, _ = await bench(dut)
    assert await client.read("kind") == KIND.identity
    assert await client.read("node") == NODE
    assert await client.read("next_hop", 0) == entry(0, 0x21)
    assert await client.read("next_hop", 1) == 0
    await client.write("next_hop", entry(5, 0x01), 1)
    assert await client.read("next_hop", 1) == entry(5, 0x01)
    assert await client.read("next_hop", 0) == entry(0, 0x21)


@cocotb.test()
async def bad_accesses_are_errors(dut):
    client, _, _ = await bench(dut)
    for offset in (0x0008, 0x1008, 0x2000, 0x7FFC, 0x8000 + 8 * len(KIND.counters), 0xFFFC, 0x0002, 0x1001, 0x8003):
        for data in (None, 0):
            with pytest.raises(RingError):
                await client.access(offset, data)
    for offset in (0x0000, 0x8000, 0x8004):
        with pytest.raises(RingError):
            await client.access(offset, 1)
    with pytest.raises(RingError):  # another node's: comes out as it went in
        await client.access(0, node=NODE + 1)
    assert await client.read("kind") == KIND.identity
    assert await client.read("next_hop", 0) == entry(0, 0x21)


@cocotb.test()
async def counters_agree_with_the_traffic(dut):
    client, source, sink = await bench(dut, idle=0.3, stall=0.3)
    await client.write("next_hop", entry(5, 0x66), 1)  # no such node
    port = [random.choice([0, 0, 5, 9]) for _ in range(300)]
    messages = []
    for number in port:  # the tile of this kind sends without source routes, whatever its engine passes on
        route = {"route_count": 2, "route": [0x01, 0x21]} if random.random() < 0.3 else {}
        messages.append(datagram(port=number, **route))
        source.send(messages[-1])
    reads = []
    while source.busy:  # reads while traffic runs must not disturb it
        reads.append(await client.read("counters.shell.in_messages"))
    await ClockCycles(dut.clk_i, 2000)
    counters = await client.read_counters()

    kept = [message for message, number in zip(messages, port) if number == 0]
    unknown, nowhere = port.count(9), port.count(5)
    assert reads == sorted(reads) and reads[-1] > 0
    assert counters["in_messages"] == len(port)
    assert counters["out_messages"] == len(kept) == len(sink.messages)
    assert counters["drop_no_next_hop"] == unknown > 0
    assert counters["drop_bad_node"] == nowhere > 0
    assert counters["mark_echoed"] == len(port)
    assert counters["mark_in_flits"] == sum(flits_of(message.data) for message in messages)
    assert counters["mark_out_flits"] == sum(flits_of(message.data) for message in kept)
    assert counters["mark_in_stalls"] > 0 and counters["mark_out_stalls"] > 0
    for got, message in zip(sink.messages, kept):
        assert len(got.data) == len(message.data)
        assert got.desc["dst"] == 0x21 and got.desc["src"] == NODE
        assert got.desc["route_count"] == 0 and not any(got.desc["route"])


@cocotb.test(skip=8 * FLIT_BYTES != INSIDE)
async def every_counter_wraps(dut):
    """Each counter is found at the address in its description, and has 64 bits."""
    client, source, _ = await bench(dut, idle=0.3, stall=0.3)
    await client.write("next_hop", entry(5, 0x66), 1)  # no such node
    await ClockCycles(dut.clk_i, 4 * len(KIND.counters))
    bank, start = dut.u_shell.u_counters, (1 << 64) - 3
    for counter in KIND.counters:
        index = (counter.offset - FIRST) // 8
        while index in (int(bank.add_index_q.value), int(bank.index_q.value)):  # the sweep would write over it
            await RisingEdge(dut.clk_i)
        bank.total[index].value = start
        await RisingEdge(dut.clk_i)
    assert set((await client.read_counters()).values()) == {start}
    messages = [datagram(port=random.choice([0, 5, 9])) for _ in range(60)]
    for message in messages:
        source.send(message)
    cycles = 0
    while source.busy or cycles < 2000:
        await RisingEdge(dut.clk_i)
        cycles += 1
    grown = {name: (value - start) % (1 << 64) for name, value in (await client.read_counters()).items()}
    flits = {port: sum(flits_of(message.data) for message in messages if message.desc["port"] == port) for port in (0, 5, 9)}
    ports = Counter(message.desc["port"] for message in messages)
    assert 3 < grown.pop("mark_in_stalls") < cycles and 3 < grown.pop("mark_out_stalls") < cycles
    assert {name: growth for name, growth in grown.items() if growth} == {
        "in_messages": 60,
        "out_messages": ports[0],
        "drop_no_next_hop": ports[9],
        "drop_bad_node": ports[5],
        "mark_in_flits": sum(flits.values()),
        "mark_out_flits": flits[0],
        "mark_echoed": 60,
    }


@cocotb.test()
async def reset_restores_the_node_table(dut):
    client, _, _ = await bench(dut)
    await client.write("next_hop", entry(1, 0x01), 0)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 0
    assert await client.read("next_hop", 0) == entry(0, 0x21)
    assert set((await client.read_counters()).values()) == {0}
