# SPDX-License-Identifier: Apache-2.0
"""credit_manager against a model, in every cycle, under random events and changes of configuration."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

UNITS = int(os.environ.get("UNITS", "8"))
SERVICES = int(os.environ.get("SERVICES", "8"))
SLOTS = int(os.environ.get("SLOTS", "2"))
UNIT_WIDTH = max(1, (UNITS - 1).bit_length())


@pytest.mark.parametrize(("units", "services", "slots"), [(8, 8, 2), (1, 1, 1), (3, 2, 3), *(pytest.param(*more, marks=pytest.mark.thorough) for more in [(16, 16, 4), (64, 16, 1)])])
def test_credit_manager(units, services, slots):
    run_cocotb(
        "credit_manager",
        __file__,
        chained=True,
        parameters={"Units": units, "Services": services, "LosslessSlots": slots},
        environment={"UNITS": str(units), "SERVICES": str(services), "SLOTS": str(slots)},
    )


def fields(value, width, count):
    return [int(value) >> width * i & (1 << width) - 1 for i in range(count)]


def packed(values, width):
    return sum(value << width * i for i, value in enumerate(values))


class Unit:
    def __init__(self):
        self.enabled, self.service, self.credits, self.node = 0, 0, 0, 0
        self.out = self.lossless = 0  # as the manager knows them, but for `heard`
        self.heard = (0, 0, 0)  # what it said in the last cycle: give, give_lossless, cancel
        self.spared = 0  # in the last cycle, the room of a message that is not lossless was given back
        self.held = []  # messages at the unit: 1 for a lossless one

    @property
    def balance(self):
        return self.credits - self.out


class Model:
    """Drives the inputs, and checks all outputs in every cycle before it moves on."""

    def __init__(self, dut):
        self.dut = dut
        self.units = [Unit() for _ in range(UNITS)]
        self.affinity = self.flow = self.flow_service = 0

    def configure(self, **changes):
        """Sets the configuration's inputs from the model's."""
        dut, units = self.dut, self.units
        dut.unit_enabled_i.value = packed([u.enabled for u in units], 1)
        dut.unit_service_i.value = packed([u.service for u in units], 5)
        dut.unit_credits_i.value = packed([u.credits for u in units], 8)
        dut.unit_node_i.value = packed([u.node for u in units], 8)
        dut.affinity_i.value = self.affinity

    def shuffle(self):
        for unit in self.units:
            unit.enabled = int(random.random() < 0.9)
            unit.service = random.randrange(min(16, SERVICES + 1))
            unit.credits = random.choice([0, 1, 2, 16, random.randrange(256)])
            unit.node = random.getrandbits(8)
        self.affinity = random.getrandbits(SERVICES)
        self.configure()

    def members(self, service):
        return [i for i, u in enumerate(self.units) if u.enabled and u.service == service]

    def best(self, service):
        members = self.members(service)
        return max(members, key=lambda i: (self.units[i].balance, -i)) if members else None

    def of_flow(self, service, flow):
        members = self.members(service)
        if not self.affinity >> service & 1 or not members:
            return self.best(service)
        return members[((flow >> 8 ^ flow & 0xFF) * len(members)) >> 8]

    def ok(self, i):
        return int(self.units[i].enabled and self.units[i].balance > 0)

    def lossless_ok(self, i):
        return int(self.ok(i) and self.units[i].lossless < SLOTS)

    def check(self, flow, flow_service):
        dut, every = self.dut, range(UNITS)
        assert fields(dut.credit_ok_o.value, 1, UNITS) == [self.ok(i) for i in every]
        assert fields(dut.lossless_ok_o.value, 1, UNITS) == [self.lossless_ok(i) for i in every]
        best = fields(dut.best_unit_o.value, UNITS, SERVICES)
        best_node = fields(dut.best_node_o.value, 8, SERVICES)
        if (unit := self.of_flow(flow_service, flow)) is not None:
            assert int(dut.flow_unit_o.value) == unit
        for s in range(SERVICES):
            i = self.best(s)
            assert int(dut.best_valid_o.value) >> s & 1 == (i is not None)
            want = (self.ok(i), self.lossless_ok(i)) if i is not None else (0, 0)
            assert (int(dut.best_credit_ok_o.value) >> s & 1, int(dut.best_lossless_ok_o.value) >> s & 1) == want
            if i is not None:
                assert (best[s], best_node[s]) == (1 << i, self.units[i].node)

    async def cycle(self, *, consume=None, lossless=0, gives=(), cancels=(), spare=None, check=True):
        """One cycle: the outputs are checked within it, then the model takes what happened."""
        dut = self.dut
        dut.consume_i.value = 0 if consume is None else 1 << consume
        dut.consume_lossless_i.value = lossless
        dut.spare_valid_i.value = int(spare is not None)
        dut.spare_unit_i.value = spare if spare is not None else random.getrandbits(UNIT_WIDTH)
        if spare is not None:
            self.units[spare].held.remove(1)
            self.units[spare].held.append(0)
        named = self.flow, self.flow_service  # in the previous cycle
        self.flow, self.flow_service = random.getrandbits(16), random.randrange(SERVICES)
        dut.flow_i.value, dut.flow_service_i.value = self.flow, self.flow_service
        said = []
        for i, unit in enumerate(self.units):
            give, kind = int(i in gives), 0
            if give:
                kind = unit.held.pop(random.randrange(len(unit.held)))
            said.append((give, kind, int(i in cancels)))
            dut.credit_i[i].value = packed(reversed(said[i]), 1)
        await ReadOnly()
        if check:
            self.check(*named)
        await RisingEdge(dut.clk_i)
        for i, unit in enumerate(self.units):
            give, kind, cancel = unit.heard
            unit.out += cancel - give + int(consume == i)
            unit.lossless += int(consume == i and lossless) - kind - unit.spared
            unit.heard, unit.spared = said[i], int(spare == i)
            if consume == i:
                unit.held.append(lossless)
            if said[i][2]:
                unit.held.append(0)

    async def idle(self, cycles):
        for _ in range(cycles):
            await self.cycle(check=False)


async def begin(dut):
    inputs = "consume_i consume_lossless_i spare_valid_i spare_unit_i flow_i flow_service_i affinity_i unit_enabled_i"
    zero = dict.fromkeys([*inputs.split(), "unit_service_i", "unit_credits_i", "unit_node_i"], 0)
    for i in range(UNITS):
        dut.credit_i[i].value = 0
    await reset(dut, **zero)
    model = Model(dut)
    model.shuffle()
    await model.idle(3)
    return model


def balances(dut):
    return [v - (1 << 11) if v >> 10 else v for v in fields(dut.credits_o.value, 11, UNITS)]


@cocotb.test()
async def random_events(dut):
    model = await begin(dut)
    for _ in range(25):
        model.shuffle()
        await model.idle(3)
        rate, push = random.random(), random.choice([0, 0.1, 0.5])
        for _ in range(200):
            able = [i for i in range(UNITS) if model.ok(i)]
            consume = random.choice(able) if able and random.random() < 0.8 else None
            lossless = int(consume is not None and model.lossless_ok(consume) and random.random() < 0.3)
            # What is sent in this cycle cannot be given back in it.
            gives = {i for i, u in enumerate(model.units) if u.held and random.random() < rate}
            cancels = {i for i, u in enumerate(model.units) if len(u.held) < 300 and random.random() < push}
            unsure = [i for i, u in enumerate(model.units) if 1 in u.held and i not in gives]
            spare = random.choice(unsure) if unsure and random.random() < 0.2 else None
            await model.cycle(consume=consume, lossless=lossless, gives=gives, cancels=cancels, spare=spare)
    while any(u.held for u in model.units):
        await model.cycle(gives={i for i, u in enumerate(model.units) if u.held})
    await model.idle(4)
    assert balances(dut) == [u.credits for u in model.units]


@cocotb.test()
async def many_pushed(dut):
    """Hundreds of pushed messages take a balance far below 0; nothing clamps."""
    model = await begin(dut)
    for _ in range(900):
        await model.cycle(cancels=set(range(UNITS)))
    await model.idle(3)
    assert balances(dut) == [u.credits - 900 for u in model.units]
    for _ in range(900):
        await model.cycle(gives=set(range(UNITS)))
    await model.idle(3)
    assert balances(dut) == [u.credits for u in model.units]


@cocotb.test()
async def equals_take_turns(dut):
    """Consuming the best unit of one service every cycle spreads messages evenly, with no lost cycle."""
    model = await begin(dut)
    for unit in model.units:
        unit.enabled, unit.service, unit.credits = 1, 0, 4
    model.affinity = 0
    model.configure()
    await model.idle(3)
    for turn in range(4 * UNITS):
        await model.cycle(consume=model.best(0))
        assert max(u.out for u in model.units) - min(u.out for u in model.units) <= 1, turn
    assert not any(model.ok(i) for i in range(UNITS))
    # A credit that is given counts two cycles later.
    await model.cycle(gives={UNITS - 1})
    await model.cycle()
    assert int(dut.best_credit_ok_o.value) & 1 == 0
    await model.cycle(consume=UNITS - 1)
    await model.cycle()


@cocotb.test()
async def affinity_is_stable_and_even(dut):
    model = await begin(dut)
    for unit in model.units:
        unit.enabled, unit.service, unit.credits = 1, 0, 8
    model.affinity = 1
    model.configure()
    await model.idle(3)
    share = [sum(model.of_flow(0, flow) == i for flow in range(1 << 16)) / (1 << 16) for i in range(UNITS)]
    assert all(abs(part - 1 / UNITS) < 0.01 for part in share)
    for _ in range(200):
        able = [i for i in range(UNITS) if model.ok(i)]
        await model.cycle(consume=random.choice(able) if able else None)
