# SPDX-License-Identifier: Apache-2.0
"""scheduler_engine after long stalls and long idle times: order and eligibility are those of ranks without bounds.

The clock runs 2^13 times as fast as the card's and ranks are in units of 2^13, so that a cycle is a level, and all of time
(24 bits, and so the range of levels) passes in 2,048 cycles. Times below are in cycles, which here never wrap.
"""

import random
from itertools import pairwise

import cocotb

from girih.testing import run_cocotb
from rtl.scheduler.scheduler_bench import Bench, Unit

SHIFT = 13
CIRCLE = 1 << 24 - SHIFT  # cycles in which all of time passes
SOON = 40  # cycles from one decision to another: ranks nearer than that may be decided either way
SLACK, SHAPED = 2, 3


def test_scheduler_clock():
    run_cocotb("scheduler_engine", __file__, data_width=512, chained=True)


async def start(dut, policy, **config) -> tuple[Bench, Unit]:
    unit = Unit(0, credits=1, cycles=3)
    return await Bench.start(dut, [unit], policy=[policy], shift=[SHIFT], pace=1 << SHIFT, **config), unit


async def stalled(bench: Bench, unit: Unit, classes: int, gap: int) -> tuple[list, int]:
    """Idles, stops the unit, sends packets for up to three circles, `gap` cycles apart at least, then lets the unit go on
    until all have left. Returns the packets, and when the unit went on."""
    await bench.steps(random.randrange(2 * CIRCLE))
    unit.stopped = True
    bench.send(0, bench.packet(64, [(0, 0)]))  # takes the credit
    await bench.steps(SOON)
    sent = []
    length = random.choice([CIRCLE // 2, CIRCLE, 3 * CIRCLE])
    until = bench.cycle + length
    while bench.cycle < until:
        sent.append(bench.packet(64, [(0, random.randrange(classes))], tenant=random.randrange(2)))
        bench.send(0, sent[-1])
        await bench.steps(random.randrange(gap, 2 * max(gap, length // 40)))
    unit.stopped = False
    freed = bench.cycle
    await bench.quiet(30 * len(sent) + CIRCLE // 2)
    return sent, freed


async def least_slack(dut, **config):
    bench, unit = await start(dut, SLACK, **config)
    for rank_class in range(16):
        await bench.set_class(0, rank_class, offset=30 * rank_class << SHIFT)
    for _ in range(3):
        sent, freed = await stalled(bench, unit, 16, 1)
        assert len(bench.done) == len(bench.packets), "some were dropped"
        deadline = {p.number: p.entered + 30 * p.classes[0] for p in sent}
        order = [p for p in bench.left if p.number in deadline]
        for tenant in range(2):
            own = [p for p in order if p.tenant == tenant]
            for i, packet in enumerate(own):
                late = [p.number for p in own[i + 1 :] if deadline[p.number] + SOON < deadline[packet.number]]
                assert not late, f"{packet.number} left before {late}, whose deadlines are earlier"
        if not config:  # between tenants, overdue packets leave before others; three others may leave first
            fresh = [p.left for p in order if deadline[p.number] > freed + SOON]
            overdue = [p.left for p in order if deadline[p.number] < freed - 2 * SOON]
            assert all(sum(at < old for at in fresh) <= 3 for old in overdue)


@cocotb.test()
async def least_slack_after_stalls(dut):
    await least_slack(dut)


@cocotb.test()
async def least_slack_after_stalls_with_shares(dut):
    await least_slack(dut, hierarchy=[1])


@cocotb.test()
async def shaped_after_stalls(dut):
    """Packets leave when they conform, or as soon as the unit takes them, however long that is later."""
    bench, unit = await start(dut, SHAPED)
    cost = [0, 25, 60]  # cycles that a packet of 64 bytes of a class takes from it
    burst = [0, 0, 150]
    for rank_class in range(3):  # 64 bytes * scale * 16^3 / 2^16
        await bench.set_class(0, rank_class, offset=burst[rank_class] << SHIFT, scale=(cost[rank_class] << SHIFT) // 4, exponent=3)
    for _ in range(3):
        conformed = dict.fromkeys(range(3), 0)
        sent, freed = await stalled(bench, unit, 3, 30)
        assert len(bench.done) == len(bench.packets), "some were dropped"
        due = {}
        for packet in sent:
            c = packet.classes[0]
            due[packet.number] = max(packet.entered, conformed[c] - burst[c])
            conformed[c] = max(packet.entered, conformed[c]) + cost[c]
        before = freed
        for packet in (p for p in bench.left if p.number in due):
            assert packet.left >= due[packet.number] - 2, "it left before its time"
            waiting = min(due[p.number] for p in sent if p.left >= packet.left)
            assert packet.left <= max(before, waiting) + SOON, "the unit was idle while a packet was due"
            before = packet.left
        for tenant in range(2):
            own = [due[p.number] for p in bench.left if p.number in due and p.tenant == tenant]
            assert all(a <= b + SOON for a, b in pairwise(own))
