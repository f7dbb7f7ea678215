# SPDX-License-Identifier: Apache-2.0
"""ctrl_bridge and ctrl_node: a ring of nodes behind AXI4-Lite, against a memory in Python. Every access ends, whatever its address."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from girih.spec.kinds import card_registers
from girih.testing import run_cocotb
from girih.testing.messages import reset

BASE = 3
CARD = 0xFF
LINKS = 5  # of the bench's fabric
WINDOW = 0x4000


@pytest.mark.parametrize(("stops", "shared"), [(1, 0), (5, 0), (5, 1)])
def test_ctrl_ring(stops, shared):
    run_cocotb("ctrl_ring_bench", __file__, parameters={"Stops": stops, "Base": BASE, "Shared": f"1'b{shared}"}, inside=True)


@pytest.mark.parametrize("shared", [pytest.param(0, marks=pytest.mark.thorough), 1])
def test_a_ring_of_32_tiles(shared):
    parameters = {"Stops": 32, "Base": BASE, "Shared": f"1'b{shared}"}
    run_cocotb("ctrl_ring_bench", __file__, parameters=parameters, inside=True, testcase="an_access_takes_less_than_a_microsecond")


class Host:
    """Single accesses with their response codes."""

    def __init__(self, dut):
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_i)

    async def read(self, address: int) -> tuple[int, AxiResp]:
        answer = await with_timeout(self.axil.read(address, 4), 50, "us")
        return int.from_bytes(answer.data, "little"), answer.resp

    async def write(self, address: int, value: int, size: int = 4) -> AxiResp:
        answer = await with_timeout(self.axil.write(address, value.to_bytes(size, "little")), 50, "us")
        return answer.resp


def address(node: int, offset: int, tenant: int = 0) -> int:
    return tenant << 24 | node << 16 | offset


async def bench(dut) -> Host:
    host = Host(dut)
    await reset(dut, link_stall_i=0, hold_i=0)
    for _ in range(5):
        await RisingEdge(dut.clk_i)
    return host


@cocotb.test()
async def nodes_hold_what_was_written(dut):
    host = await bench(dut)
    stops = len(dut.ring) - 1
    memory = {(BASE + i, word): word << 8 | BASE + i for i in range(stops) for word in range(16)}
    for _ in range(250):
        node, word = random.choice(list(memory))
        if random.random() < 0.5:
            value = random.getrandbits(32)
            response = await host.write(address(node, 4 * word), value)
            assert response == (AxiResp.OKAY if word < 8 else AxiResp.SLVERR)
            if word < 8:
                memory[node, word] = value
        else:
            assert await host.read(address(node, 4 * word)) == (memory[node, word], AxiResp.OKAY)


@cocotb.test()
async def what_does_not_exist_is_an_error(dut):
    host = await bench(dut)
    stops = len(dut.ring) - 1
    nodes = range(BASE, BASE + stops)
    for node in [0, BASE - 1, BASE + stops, 0x80, 0xFE]:
        assert await host.read(address(node, 0)) == (0, AxiResp.DECERR)
        assert await host.write(address(node, 0), 1) == AxiResp.DECERR
    assert (await host.read(address(nodes[0], 0x40)))[1] == AxiResp.SLVERR
    assert (await host.read(address(0x1000 + nodes[0], 0)))[1] == AxiResp.DECERR
    assert await host.write(address(0x1000 + nodes[0], 0), 1) == AxiResp.DECERR
    assert await host.write(address(nodes[0], 1), 0x55, size=1) == AxiResp.SLVERR
    for node in nodes:  # unchanged
        assert await host.read(address(node, 0)) == (node, AxiResp.OKAY)


@cocotb.test()
async def the_tenant_of_a_request_reaches_the_node(dut):
    host = await bench(dut)
    for node in range(BASE, BASE + len(dut.ring) - 1):
        for tenant in range(16):
            mine = tenant in (0, node % 4)
            assert await host.read(address(node, 0, tenant)) == ((node, AxiResp.OKAY) if mine else (0, AxiResp.SLVERR))
            assert await host.write(address(node, 4, tenant), 1) == (AxiResp.OKAY if mine else AxiResp.SLVERR)
    for tenant in range(1, 16):  # the card's own registers are the operator's
        assert await host.read(address(CARD, 0, tenant)) == (0, AxiResp.SLVERR)


@cocotb.test()
async def card_registers_read(dut):
    host = await bench(dut)
    offset = {register.name: address(CARD, register.offset) for register in card_registers()}
    okay = AxiResp.OKAY
    assert (await host.read(offset["magic"]))[0].to_bytes(4, "little") == b"GIRH"
    assert await host.read(offset["digest"]) == (0x89ABCDEF, okay)
    assert await host.read(offset["digest"] + 4) == (0x01234567, okay)
    assert await host.read(offset["data_width"]) == (512, okay)
    assert await host.read(offset["ports"]) == (2, okay)
    assert await host.read(offset["tiles"]) == (len(dut.ring) - 1, okay)
    assert await host.read(offset["links"]) == (LINKS, okay)
    before = int(dut.now_o.value)
    cycles, _ = await host.read(offset["cycles"])
    assert before <= cycles <= int(dut.now_o.value)
    assert await host.read(offset["cycles"] + 4) == (0, okay)
    assert (await host.read(address(CARD, 0x4)))[1] == AxiResp.SLVERR
    assert await host.write(offset["magic"], 0) == AxiResp.SLVERR


@cocotb.test()
async def a_window_that_does_not_answer_ends_in_an_error_and_holds_up_nobody(dut):
    host = await bench(dut)
    stops = len(dut.ring) - 1
    timeouts = {register.name: address(CARD, register.offset) for register in card_registers()}["timeouts"]
    for stop in range(stops):
        assert await host.write(address(BASE + stop, WINDOW), 100 + stop) == AxiResp.OKAY
    count = 0
    for hold in [*(1 << stop for stop in range(stops)), (1 << stops) - 1]:
        dut.hold_i.value = hold
        for stop in range(stops):
            held = hold >> stop & 1
            expected = (0, AxiResp.SLVERR) if held else (100 + stop, AxiResp.OKAY)
            for _ in range(2):  # the second request comes while the window still has the first
                assert await host.read(address(BASE + stop, WINDOW)) == expected
            if held:  # a write that the window has not seen is not done later
                assert await host.write(address(BASE + stop, WINDOW), 0xBAD) == AxiResp.SLVERR
            count += 3 * held
            assert await host.read(timeouts) == (count, AxiResp.OKAY)
            for other in range(stops):  # everything else answers, at the same node too
                assert await host.read(address(BASE + other, 4)) == (1 << 8 | BASE + other, AxiResp.OKAY)
        dut.hold_i.value = 0
        for _ in range(5):
            await RisingEdge(dut.clk_i)
        for stop in range(stops):  # a late answer goes to nobody
            assert await host.read(address(BASE + stop, WINDOW)) == (100 + stop, AxiResp.OKAY)
    assert await host.read(timeouts) == (count, AxiResp.OKAY) and count


@cocotb.test()
async def the_count_of_timeouts_wraps(dut):
    host = await bench(dut)
    timeouts = {register.name: address(CARD, register.offset) for register in card_registers()}["timeouts"]
    dut.u_bridge.u_card.timeouts_q.value = (1 << 32) - 2
    dut.hold_i.value = 1
    for count in ((1 << 32) - 1, 0, 1):
        assert (await host.read(address(BASE, WINDOW)))[1] == AxiResp.SLVERR
        assert await host.read(timeouts) == (count, AxiResp.OKAY)
    dut.hold_i.value = 0


@cocotb.test()
async def stalls_of_links_are_counted(dut):
    host = await bench(dut)
    first = {register.name: address(CARD, register.offset) for register in card_registers()}["link.stalls"]
    counts = [0] * LINKS
    for _ in range(300):
        stalled = [random.random() < (link + 1) / LINKS for link in range(LINKS)]
        dut.link_stall_i.value = sum(1 << link for link in range(LINKS) if stalled[link])
        await RisingEdge(dut.clk_i)
        counts = [count + stall for count, stall in zip(counts, stalled)]
    dut.link_stall_i.value = 0
    for _ in range(2):
        await RisingEdge(dut.clk_i)
    for link in range(LINKS):
        assert await host.read(first + 8 * link) == (counts[link], AxiResp.OKAY)
        assert await host.read(first + 8 * link + 4) == (0, AxiResp.OKAY)
    assert await host.write(first, 0) == AxiResp.SLVERR
    for beyond in (8 * LINKS, 8 * LINKS + 4, 8 * 1023 + 4, 8 * 1024):
        assert await host.read(first + beyond) == (0, AxiResp.SLVERR)
    assert await host.read(first) == (counts[0], AxiResp.OKAY)


@cocotb.test()
async def cycles_are_read_as_one(dut):
    host = await bench(dut)
    offset = {register.name: address(CARD, register.offset) for register in card_registers()}["cycles"]
    dut.u_bridge.u_card.cycle_q.value = (1 << 32) - 20
    low, _ = await host.read(offset)
    assert low >= (1 << 32) - 20
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    assert int(dut.u_bridge.u_card.cycle_q.value) > 1 << 32
    assert await host.read(offset + 4) == (0, AxiResp.OKAY)
    dut.u_bridge.u_card.cycle_q.value = (1 << 64) - 20
    low, _ = await host.read(offset)
    assert low >= (1 << 32) - 20
    assert await host.read(offset + 4) == ((1 << 32) - 1, AxiResp.OKAY)
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    low, _ = await host.read(offset)
    assert low < 1000
    assert await host.read(offset + 4) == (0, AxiResp.OKAY)


@cocotb.test()
async def reads_and_writes_at_once_both_end(dut):
    host = await bench(dut)
    reads = [cocotb.start_soon(host.read(address(BASE, 4 * (i % 8) + 32))) for i in range(40)]
    writes = [cocotb.start_soon(host.write(address(BASE, 4 * (i % 8)), i)) for i in range(40)]
    for i, task in enumerate(reads):
        assert await task == ((i % 8 + 8) << 8 | BASE, AxiResp.OKAY)
    for task in writes:
        assert await task == AxiResp.OKAY
    for i in range(32, 40):
        assert await host.read(address(BASE, 4 * (i % 8))) == (i, AxiResp.OKAY)


@cocotb.test()
async def reads_and_writes_take_turns(dut):
    host = await bench(dut)
    writes = [cocotb.start_soon(host.write(address(BASE, 0), i)) for i in range(60)]
    reads = [cocotb.start_soon(host.read(address(BASE, 0))) for _ in range(60)]
    await reads[9]
    written = sum(task.done() for task in writes)
    assert 5 <= written <= 15, f"{written} writes during 10 reads"
    for task in (*reads, *writes):
        await task


@cocotb.test()
async def an_access_takes_less_than_a_microsecond(dut):
    """At 250 MHz, from the cycle in which the host offers the access to the cycle of its answer. A word of the bench takes up to 16 cycles."""
    host = await bench(dut)
    stops = len(dut.ring) - 1
    longest = {}
    for stop in range(stops):
        for word in (0, 15):
            before = int(dut.now_o.value)
            assert await host.read(address(BASE + stop, 4 * word)) == (word << 8 | BASE + stop, AxiResp.OKAY)
            cycles = int(dut.now_o.value) - before
            longest[word] = max(longest.get(word, 0), cycles)
    dut._log.info(f"{stops} tiles: {longest[0]} cycles for a word that answers at once, {longest[15]} for one that takes 15 more")
    assert longest[0] <= stops + 12 and longest[15] < 250
