# SPDX-License-Identifier: Apache-2.0
"""A tenant takes nothing from others: neither connections, nor answers to impossible requests, nor the places in which SYNs wait."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import CLOSE, CONNECTIONS, OPENED, TICK, WINDOW, TcpBench

UNPLACED = 2
OWN, APPLICATION = 40000, 9  # the port of the card, and the application's name in the node table
MOST = 4  # connections of a tenant
REFUSALS = 16  # refusals to a tenant that may wait to be reported


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def is_refused(bench: TcpBench, port: int, tenant: int) -> None:
    """The application of this tenant hears that there is no place."""
    bench.dial(port, OWN, application=APPLICATION, tenant=tenant)
    notice = await bench.notice()
    fields = [notice.desc.get(f"stream_{name}") for name in ("op", "reset", "end", "bytes")]
    assert fields == [OPENED, 1, 1, UNPLACED] and notice.desc["tenant"] == tenant and int.from_bytes(notice.data[16:18], "big") == port


async def dials(bench: TcpBench, port: int, tenant: int) -> None:
    """The SYN of a connection that it opens leaves."""
    bench.dial(port, OWN, application=APPLICATION, tenant=tenant)
    syn = await bench.segment()
    assert str(syn.flags) == "S" and syn.dport == port


@cocotb.test()
async def a_tenant_has_no_more_connections_than_it_may(dut):
    """The limit counts connections that a tenant accepts and those that it opens. Other tenants have theirs, and a connection that ends makes room for the next."""
    bench = await TcpBench.start(dut, tenant_connections=MOST, rto_initial=2, rto_min=2, retries=1)
    bench.tenants = {2, 3}
    peers = [await bench.open() for _ in range(MOST)]
    stranger = bench.peer()
    bench.give(stranger.make("S"))
    await bench.quiet()
    assert bench.events["drop_refused"] == 1
    await is_refused(bench, 80, 2)
    bench.give(peers[0].make("R"))
    await ClockCycles(dut.clk_i, 100)
    await is_refused(bench, 80, 2)  # the application has not closed it
    bench.command(CLOSE, peers[0].connection)
    await bench.closed(1)
    peers[0] = await bench.open()
    await is_refused(bench, 80, 2)
    for port in range(MOST):
        await dials(bench, 90 + port, 3)
    await is_refused(bench, 99, 3)
    # Nobody answers the other tenant's SYNs; then its places are free again.
    for _ in range(200):
        if bench.events["mark_freed"] == 1 + MOST:
            break
        await ClockCycles(dut.clk_i, TICK)
    assert bench.events["mark_gave_up"] == MOST and bench.events["mark_freed"] == 1 + MOST
    bench._sort()
    assert sum(notice.desc["tenant"] == 3 for notice in bench.told) == len(bench.told) == MOST
    bench.told.clear()
    bench.segments.clear()
    for port in range(MOST):
        await dials(bench, 90 + port, 3)
    await is_refused(bench, 99, 3)


@cocotb.test()
async def without_a_bound_one_can_have_all(dut):
    bench = await TcpBench.start(dut)
    opened = 0
    for number in range(10 * CONNECTIONS):
        peer = bench.peer(1024 + number)
        refused = bench.events.get("drop_refused", 0)
        bench.give(peer.make("S"))
        await ClockCycles(dut.clk_i, 150)
        opened += bench.events.get("drop_refused", 0) == refused
        if opened == CONNECTIONS:
            break
    assert opened == CONNECTIONS


@cocotb.test()
async def each_tenant_has_places_for_its_refusals(dut):
    """Another tenant makes impossible requests as fast as they are accepted, while the output link is slow: each of this tenant's 16 requests is answered once."""
    bench = await TcpBench.start(dut)
    bench.bench.sink.stall = 0.98
    wanted = list(range(1000, 1000 + REFUSALS))
    for number in range(300):
        bench.dial(number, OWN, address="::", application=APPLICATION, tenant=3)
        if number >= 200 and wanted:
            bench.dial(wanted.pop(), OWN, address="::", application=APPLICATION)
    await ClockCycles(dut.clk_i, 16000)
    bench._sort()
    ports = [int.from_bytes(notice.data[16:18], "big") for notice in bench.told if notice.desc["tenant"] == 2]
    assert ports == [*reversed(range(1000, 1000 + REFUSALS))]
    assert 2 * REFUSALS <= len(bench.told) < 300 and bench.events["drop_refused"] == 300 + REFUSALS


@cocotb.test()
async def floods_of_syns_leave_other_tenants_theirs(dut):
    """SYNs of five tenants come without a gap, and few of them find a place to wait. Each of another tenant's is answered, also if many come together."""
    bench = await TcpBench.start(dut, half_open=1, tenant_connections=CONNECTIONS // 8, rto_initial=100, rto_min=100, rto_max=100)
    flooded = [3, 4, 5, 6, 7]
    bench.tenants = {2, *flooded}
    wanted = set()
    together = {700: 100, 900: 1, 1100: 2}  # the other tenant's, by when
    for number in range(1500):
        bench.give(bench.peer(1024 + number, tenant=flooded[number % len(flooded)]).make("S"))
        for other in range(together.get(number, 0)):
            peer = bench.peer(50000 + number + other)
            wanted.add(peer.port)
            bench.give(peer.make("S"))
    await ClockCycles(dut.clk_i, 40_000)
    bench._sort()
    assert wanted <= {segment.dport for segment in bench.segments if str(segment.flags) == "SA"}
    assert bench.events["drop_backlog"] > 100
