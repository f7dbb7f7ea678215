# SPDX-License-Identifier: Apache-2.0
"""Which SYNs may wait, by what each tenant has been given, against a count of its own."""

from __future__ import annotations

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import FallingEdge, Timer

from girih.testing import run_cocotb
from girih.testing.messages import reset

TENANTS = 16
SHARED = 4
SIZES = [(1, 2), (5, 3), (128, 64), (255, 100)]  # Burst, Pause


@pytest.mark.parametrize("burst, pause", SIZES)
def test_tcp_syn_limit(burst, pause):
    run_cocotb("tcp_syn_limit", __file__, parameters={"Burst": burst, "Pause": pause}, environment={"BURST": str(burst), "PAUSE": str(pause)})


class Limit:
    """The module, and who has which places. One SYN in each cycle at most."""

    def __init__(self, dut):
        self.dut = dut
        self.burst, self.pause = int(os.environ["BURST"]), int(os.environ["PAUSE"])
        self.places: Counter[int] = Counter()  # taken, by tenant

    @classmethod
    async def start(cls, dut) -> Limit:
        self = cls(dut)
        await reset(dut, take_i=0, leave_i=0, tenant_i=0, leave_tenant_i=0)
        await FallingEdge(dut.clk_i)
        await self.wait(TENANTS)
        return self

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.offer(None)

    async def offer(self, tenant: int | None, leaves: int | None = None) -> bool:
        """One cycle: a SYN of a tenant comes if it is admitted, and one of another leaves its place. Returns whether it was."""
        dut, admitted = self.dut, False
        dut.tenant_i.value = tenant or 0
        dut.leave_i.value = leaves is not None
        dut.leave_tenant_i.value = leaves or 0
        dut.take_i.value = 0
        if tenant is not None:
            await Timer(1, "step")
            admitted, has_place = bool(dut.admitted_o.value), bool(dut.has_place_o.value)
            own = self.places[tenant]
            assert has_place == (own == 0 or (own == 1 and self.places.total() < SHARED))
            assert admitted or not has_place
            dut.take_i.value = admitted
            self.places[tenant] += has_place
        if leaves is not None:
            self.places[leaves] -= 1
        await FallingEdge(dut.clk_i)
        return admitted


@cocotb.test()
async def one_tenant_has_two_places_and_a_burst(dut):
    limit = await Limit.start(dut)
    admitted = 0
    while await limit.offer(15):
        admitted += 1
    assert 0 <= admitted - (2 + limit.burst) <= 1 + admitted / (limit.pause * TENANTS)


@cocotb.test()
async def floods_of_all_others_take_nothing_from_one(dut):
    """The others use up all that they get; then as many of its SYNs come at once as it has been promised."""
    limit = await Limit.start(dut)
    others = [tenant for tenant in range(TENANTS) if tenant != 6]
    for _ in range(2 + limit.burst):
        for tenant in others:
            await limit.offer(tenant)
    refused = [tenant for tenant in others if not await limit.offer(tenant)]
    assert len(refused) > TENANTS / 2
    for _ in range(1 + limit.burst):
        assert await limit.offer(6)


@cocotb.test()
async def a_burst_grows_with_time(dut):
    """Each tenant's by one in a round, up to the most, also while another one spends its own in every cycle."""
    limit = await Limit.start(dut)
    while await limit.offer(5):
        pass
    rounds = min(3, limit.burst)
    await limit.wait(rounds * limit.pause * TENANTS)
    more = 0
    while await limit.offer(5):
        more += 1
    assert rounds <= more <= rounds + 1 + more / (limit.pause * TENANTS)
    for _ in range(20 * limit.pause * TENANTS):
        await limit.offer(9)
    more = 0
    while await limit.offer(5):
        more += 1
    assert min(19, limit.burst) <= more <= min(21, limit.burst) + 1 + more / (limit.pause * TENANTS)


@cocotb.test()
async def places_are_left_in_any_order(dut):
    """Random tenants of few, so that places are often taken and left in the same cycle. Whoever has no place gets one."""
    limit = await Limit.start(dut)
    rng = random.Random(7)
    refused = 0
    for _ in range(4000):
        taken = list(limit.places.elements())
        leaves = rng.choice(taken) if taken and rng.random() < 0.4 else None
        refused += not await limit.offer(rng.choice([0, 1, 2, 7, 14, 15]), leaves)
    assert refused > 100 or limit.burst > 100
