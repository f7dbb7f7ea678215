# SPDX-License-Identifier: Apache-2.0
"""The arbiters against models of one line each."""

import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from girih.testing import run_cocotb
from girih.testing.clock import start_clock


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_arbiter_priority(n):
    run_cocotb("arbiter_priority", __file__, parameters={"N": n}, testcase="lowest_index_wins")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9])
def test_arbiter_round_robin(n):
    run_cocotb("arbiter_round_robin", __file__, parameters={"N": n}, testcase="search_starts_behind_the_last_used_grant")


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_arbiter_matrix(n):
    run_cocotb("arbiter_matrix", __file__, parameters={"N": n}, testcase="the_least_recently_granted_wins")


@cocotb.test()
async def lowest_index_wins(dut):
    n = int(dut.N.value)
    for request in range(1 << n):
        dut.request_i.value = request
        await Timer(1, unit="ns")
        assert int(dut.grant_o.value) == request & -request


@cocotb.test()
async def search_starts_behind_the_last_used_grant(dut):
    n, start, grants = int(dut.N.value), 0, [0] * int(dut.N.value)
    dut.rst_i.value, dut.request_i.value, dut.advance_i.value = 1, 0, 0
    start_clock(dut)
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for cycle in range(4000):
        dut.request_i.value = request = random.getrandbits(n) if cycle < 2000 else (1 << n) - 1
        dut.advance_i.value = advance = random.getrandbits(1)
        await ReadOnly()
        order = [(start + i) % n for i in range(n)]
        winner = next((i for i in order if request >> i & 1), None)
        assert int(dut.grant_o.value) == (0 if winner is None else 1 << winner)
        if winner is not None and advance:
            start = (winner + 1) % n
            grants[winner] += cycle >= 2000
        await RisingEdge(dut.clk_i)
    assert max(grants) - min(grants) <= 1  # all request all the time: equal shares


@cocotb.test()
async def the_least_recently_granted_wins(dut):
    n = int(dut.N.value)
    order = list(range(n))
    dut.rst_i.value, dut.request_i.value, dut.advance_i.value = 1, 0, 0
    start_clock(dut)
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for cycle in range(4000):
        dut.request_i.value = request = random.getrandbits(n) if cycle < 2000 else (1 << n) - 1
        dut.advance_i.value = advance = random.getrandbits(1)
        await ReadOnly()
        winner = next((i for i in order if request >> i & 1), None)
        assert int(dut.grant_o.value) == (0 if winner is None else 1 << winner)
        if winner is not None and advance:
            order.remove(winner)
            order.append(winner)
        await RisingEdge(dut.clk_i)
