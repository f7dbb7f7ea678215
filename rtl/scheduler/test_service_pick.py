# SPDX-License-Identifier: Apache-2.0
"""The tenant that a service sends next, by the ranks of heads that are known, overdue, or not known for a moment."""

import random

import cocotb
from cocotb.triggers import FallingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

TENANTS = 4
MODULUS = 4096
ALL = (1 << TENANTS) - 1


def test_service_pick():
    run_cocotb("service_pick", __file__, parameters={"Tenants": TENANTS})


async def start(dut) -> random.Random:
    still = ("shaped", "hierarchy", "nonempty", "head_valid", "overdue", "overdue_rank", "due", "popping", "share_valid", "share_tenant", "popped")
    await reset(dut, circular_i=1, **{f"{name}_i": 0 for name in still})
    await FallingEdge(dut.clk_i)
    return random.Random(5)


@cocotb.test()
async def the_lowest_rank_goes_first(dut):
    """Of heads in the tree and overdue ones, wherever the ranks wrap. The tree's rank does not count where a head is overdue."""
    rng = await start(dut)
    picked = set()
    for _ in range(2000):
        base, valid = rng.randrange(MODULUS), rng.randrange(1, 1 << TENANTS)
        offsets = rng.sample(range(1900), TENANTS)
        overdue = 1 << rng.randrange(TENANTS) if rng.random() < 0.5 else 0
        dut.nonempty_i.value = dut.head_valid_i.value = valid
        dut.overdue_i.value = overdue & valid
        for t in range(TENANTS):
            rank = (base + offsets[t]) % MODULUS
            if overdue >> t & 1:
                dut.overdue_rank_i.value, rank = rank, rng.randrange(MODULUS)
            dut.head_rank_i[t].value = rank
        await FallingEdge(dut.clk_i)
        best = min((t for t in range(TENANTS) if valid >> t & 1), key=lambda t: offsets[t])
        assert dut.pick_valid_o.value == 1 and dut.pick_tenant_o.value == best
        picked.add((best, bool(overdue >> best & 1)))
    assert len(picked) == 2 * TENANTS


@cocotb.test()
async def the_last_known_rank_stands_in(dut):
    """While a head of the tree is not known. An overdue rank does not, once nothing is overdue."""
    await start(dut)
    dut.nonempty_i.value = dut.head_valid_i.value = ALL
    for t, rank in enumerate((300, 100, 200, 400)):
        dut.head_rank_i[t].value = rank
    await FallingEdge(dut.clk_i)
    assert dut.pick_tenant_o.value == 1
    dut.overdue_i.value, dut.overdue_rank_i.value, dut.head_rank_i[3].value = 1 << 3, 50, 0
    await FallingEdge(dut.clk_i)
    assert dut.pick_tenant_o.value == 3
    dut.overdue_i.value, dut.head_valid_i.value = 0, ALL & ~(1 << 1 | 1 << 3)
    dut.head_rank_i[1].value = 0
    await FallingEdge(dut.clk_i)
    assert dut.pick_tenant_o.value == 1


@cocotb.test()
async def under_shaping_a_head_must_be_known_and_due(dut):
    await start(dut)
    dut.shaped_i.value, dut.nonempty_i.value = 1, 1
    for valid, due, popping in ((0, 1, 0), (1, 0, 0), (1, 1, 1), (1, 1, 0)):
        dut.head_valid_i.value, dut.due_i.value, dut.popping_i.value = valid, due, popping
        await FallingEdge(dut.clk_i)
        assert dut.pick_valid_o.value == (valid and due and not popping)
