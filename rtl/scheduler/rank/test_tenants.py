# SPDX-License-Identifier: Apache-2.0
"""tenant_share against a model, and the resulting shares; tenant_pick against a model."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, Timer

from girih.errors import GirihError
from girih.testing import run_cocotb, some_of
from girih.testing.clock import start_clock

TENANTS = int(os.environ.get("TENANTS", "4"))


@pytest.mark.parametrize("services, tenants", some_of(2, [(8, 4), (1, 2), (3, 5), (2, 1)]))
def test_tenant_share(services, tenants):
    run_cocotb(
        "tenant_share",
        __file__,
        parameters={"Services": services, "Tenants": tenants},
        environment={"TENANTS": str(tenants)},
        testcase=["shares_are_exact", "an_idle_tenant_saves_nothing", "light_use_costs_nothing"],
    )


@pytest.mark.parametrize("tenants", [1, 2, 4, 5, 16])
def test_tenant_pick(tenants):
    run_cocotb(
        "tenant_pick",
        __file__,
        parameters={"Tenants": tenants},
        environment={"TENANTS": str(tenants)},
        testcase=["the_lowest_head_is_picked", "equals_take_turns"],
    )


@pytest.mark.parametrize(
    "module, parameter, value",
    [("tenant_share", "Services", 0), ("tenant_share", "Tenants", 17), ("tenant_pick", "Tenants", 17)],
)
def test_refused(module, parameter, value):
    with pytest.raises(GirihError):
        run_cocotb(module, __file__, parameters={parameter: value})


class Share:
    """Serves one packet per cycle, of any service; what left is charged `delay` cycles later."""

    def __init__(self, dut, weights, delay=5):
        self.dut, self.weights = dut, weights
        self.services = len(dut.nonempty_i)
        self.backlog = [[0] * TENANTS for _ in range(self.services)]
        self.sent = [[0] * TENANTS for _ in range(self.services)]
        self.charges = deque([None] * delay)
        self.length = lambda service, tenant: random.choice([64, 576, 1500, random.randrange(64, 9019)])

    async def start(self):
        dut = self.dut
        start_clock(dut)
        for t in range(TENANTS):
            dut.inverse_weight_i[t].value = 3600 // self.weights[t]
        for s in range(self.services):
            dut.nonempty_i[s].value = 0
        dut.charge_valid_i.value = 0
        dut.rst_i.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        for _ in range(self.services + 6):
            await FallingEdge(dut.clk_i)
        return self

    async def step(self, pops=1.0):
        dut = self.dut
        gone = None
        s = random.randrange(self.services)
        if random.random() < pops and dut.valid_o[s].value == 1:
            t = int(dut.tenant_o[s].value)
            if self.backlog[s][t]:
                self.backlog[s][t] -= 1
                length = self.length(s, t)
                self.sent[s][t] += length
                gone = s, t, length
        for s, backlog in enumerate(self.backlog):
            dut.nonempty_i[s].value = sum(bool(n) << t for t, n in enumerate(backlog))
        self.charges.append(gone)
        charge = self.charges.popleft()
        dut.charge_valid_i.value = int(charge is not None)
        if charge is not None:
            dut.charge_service_i.value, dut.charge_tenant_i.value, dut.charge_length_i.value = charge
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def shares_are_exact(dut):
    """With all tenants waiting, bytes over weight differ only by the packets in flight, also in the long run."""
    weights = [1, 2, 5, 3, 1][:TENANTS]
    for delay in (5, 9):
        bench = await Share(dut, weights, delay).start()
        apart = []
        for cycle in range(8_000):
            for backlog in bench.backlog:
                backlog[:] = [9] * TENANTS
            await bench.step(pops=0.3 if cycle % 1000 < 500 else 1.0)
            if cycle % 2000 == 1999:
                for sent in bench.sent:
                    service = [n / w for n, w in zip(sent, weights, strict=True)]
                    apart.append(max(service) - min(service))
        assert min(min(sent) for sent in bench.sent) > 1000
        # A tenant can be served as often as charges are on their way, and once too many.
        assert max(apart) < 9018 * (delay + 5), f"tenants are {max(apart)} bytes apart"
        if bench.services == 1:
            total = sum(bench.sent[0])
            for sent, weight in zip(bench.sent[0], weights, strict=True):
                assert abs(sent / total - weight / sum(weights)) < 0.002


@cocotb.test()
async def an_idle_tenant_saves_nothing(dut):
    bench = await Share(dut, [1] * TENANTS).start()
    bench.length = lambda service, tenant: 1500
    if TENANTS == 1:
        return
    for round_ in range(6):
        idle = round_ % TENANTS
        for _ in range(1500 * bench.services):  # the others are served for long
            for backlog in bench.backlog:
                backlog[:] = [9 * (t != idle) for t in range(TENANTS)]
            await bench.step()
        before = [list(sent) for sent in bench.sent]
        for _ in range(200 * bench.services):
            for backlog in bench.backlog:
                backlog[:] = [9] * TENANTS
            await bench.step()
        for sent, old in zip(bench.sent, before, strict=True):
            got = [now - then for now, then in zip(sent, old, strict=True)]
            assert max(got) - min(got) <= 1500 * 22, f"tenant {idle} was idle; then they got {got}"


@cocotb.test()
async def light_use_costs_nothing(dut):
    """A tenant that never had more than one packet waiting, while others had none, is not charged for it later."""
    bench = await Share(dut, [1] * TENANTS).start()
    bench.length = lambda service, tenant: 1500
    for alone in range(TENANTS):
        for _ in range(40):
            for backlog in bench.backlog:
                backlog[alone] = 1
            while any(backlog[alone] for backlog in bench.backlog):
                await bench.step()
            for _ in range(12):  # charged before the next one comes
                await bench.step()
        before = [list(sent) for sent in bench.sent]
        for _ in range(200 * bench.services):
            for backlog in bench.backlog:
                backlog[:] = [9] * TENANTS
            await bench.step()
        for sent, old in zip(bench.sent, before, strict=True):
            got = [now - then for now, then in zip(sent, old, strict=True)]
            assert max(got) - min(got) <= 1500 * 22, f"tenant {alone} was alone; then they got {got}"
        for backlog in bench.backlog:
            backlog[:] = [0] * TENANTS


@cocotb.test()
async def the_lowest_head_is_picked(dut):
    start_clock(dut)
    dut.used_i.value = 0
    dut.rst_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for _ in range(4000):
        base, circular = random.randrange(4096), random.randrange(2)
        nonempty = random.randrange(1 << TENANTS)
        known = random.choice([(1 << TENANTS) - 1, random.randrange(1 << TENANTS)])
        span = random.choice([2, 2047])
        offsets = [random.randrange(span) for _ in range(TENANTS)]
        ranks = [(base + n) % 4096 if circular else n for n in offsets]
        dut.circular_i.value, dut.nonempty_i.value, dut.head_valid_i.value = circular, nonempty, known
        for t, rank in enumerate(ranks):
            dut.head_rank_i[t].value = rank
        await Timer(1, "ns")
        dut.used_i.value = int(dut.pick_o.value) * random.randrange(2)
        waiting = [t for t in range(TENANTS) if nonempty >> t & 1]
        assert dut.valid_o.value == int(bool(waiting) and not nonempty & ~known)
        picked = [t for t in range(TENANTS) if int(dut.pick_o.value) >> t & 1]
        assert len(picked) == bool(waiting)
        for t in picked:
            assert t in waiting
            assert offsets[t] == min(offsets[t] for t in waiting)
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def equals_take_turns(dut):
    start_clock(dut)
    dut.circular_i.value, dut.nonempty_i.value = 0, (1 << TENANTS) - 1
    dut.head_valid_i.value, dut.used_i.value = (1 << TENANTS) - 1, 0
    for t in range(TENANTS):
        dut.head_rank_i[t].value = 7
    dut.rst_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0
    picked = []
    for _ in range(16):
        await Timer(1, "ns")
        picked.append(int(dut.pick_o.value).bit_length() - 1)
        dut.used_i.value = int(dut.pick_o.value)
        await FallingEdge(dut.clk_i)
    leaves = 1 << (TENANTS - 1).bit_length()
    assert set(picked) == set(range(TENANTS))
    if leaves == TENANTS:
        for start in range(0, 16, TENANTS):
            assert sorted(picked[start : start + TENANTS]) == list(range(TENANTS))
