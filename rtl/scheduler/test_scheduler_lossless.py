# SPDX-License-Identifier: Apache-2.0
"""scheduler_engine with lossless packets: one tenant's packets do not affect the others.

Two runs that differ in tenant 1 alone are compared, by when each packet of the others has left the scheduler.
"""

import random

import cocotb

from girih.testing import run_cocotb
from rtl.scheduler.scheduler_bench import Bench, Unit

TOKENS, PLACES = 1, 8  # of each tenant, in scheduler_engine
STALLED, SERVING = 0, 1  # services


def test_scheduler_lossless():
    run_cocotb("scheduler_engine", __file__, data_width=512, chained=True, parameters={"LosslessSlots": 2})


async def start(dut, **config) -> tuple[Bench, Unit]:
    units = [Unit(STALLED, credits=16, cycles=5), Unit(SERVING, credits=16, cycles=5)]
    units[0].stopped = True
    return await Bench.start(dut, units, push=[0] * 8, **config), units[0]


async def run(dut, seed: int, others: list[tuple], disturbing: dict[int, list[tuple]]) -> list[int]:
    """Sends `others`, each (size, tenant, lossless, hops), by port 0. `disturbing` gives by position packets of tenant 1 for the
    stalled service, each (size, lossless), that go before the other packet there. Returns when each other packet was done, in cycles."""
    random.seed(seed)
    bench, stalled = await start(dut)
    mine, done_at, begun = [], {}, bench.cycle
    for number, (size, tenant, lossless, hops) in enumerate(others):
        for size_of_other, other_lossless in disturbing.get(number, []):
            bench.send(0, bench.packet(size_of_other, [(STALLED, 0), (SERVING, 0)], tenant=1, lossless=other_lossless))
        mine.append(bench.packet(size, [(SERVING, 0)] * hops, tenant=tenant, lossless=lossless))
        bench.send(0, mine[-1])
    for _ in range(6000):
        await bench.step()
        for packet in bench.done:
            done_at.setdefault(packet.number, bench.cycle)
        if all(packet.number in done_at for packet in mine):
            break
    assert all(packet.number in done_at for packet in mine), "packets of the others have not left"
    stalled.stopped = False
    await bench.quiet()
    assert all(packet in bench.done for packet in bench.packets.values() if packet.desc["lossless"])
    return [done_at[packet.number] - begun for packet in mine]


@cocotb.test()
async def another_tenants_lossless_packets_are_in_nobodys_way(dut):
    """As many packets as the tenant has tokens and places, of any size, at any point."""
    for seed in range(4):
        chance = random.Random(seed)
        others = [
            (chance.choice([64, 300, 1500]), chance.choice([0, 2, 3]), chance.randrange(2), chance.choice([1, 2])) for _ in range(30)
        ]
        disturbing: dict[int, list[tuple]] = {}
        for _ in range(TOKENS + PLACES):
            disturbing.setdefault(chance.randrange(30), []).append((chance.choice([64, 1500, 9000]) if seed else 9000, 1))
        alone = await run(dut, seed, others, {})
        beside = await run(dut, seed, others, disturbing)
        flits = sum(-(-size // 64) for packets in disturbing.values() for size, _ in packets)
        assert all(b <= a + flits + 100 for a, b in zip(alone, beside, strict=True)), "later than by the time on the link"


@cocotb.test()
async def droppable_packets_make_room(dut):
    """Memory is full of another tenant's droppable packets, which wait: lossless ones of two tenants still enter, and move on."""
    bench, stalled = await start(dut)
    bench.send(1, *(bench.packet(1500, [(STALLED, 0)], tenant=3) for _ in range(200)))
    await bench.steps(200 * 24 + 300)
    assert bench.dropped > 0
    bench.send(0, *(bench.packet(1500, [(STALLED, 0), (SERVING, 0)], tenant=1, lossless=1) for _ in range(5)))
    wanted = [bench.packet(9000, [(SERVING, 0), (SERVING, 0)], tenant=2, lossless=1) for _ in range(4)]
    bench.send(0, *wanted)
    bench.send(1, *(bench.packet(1500, [(STALLED, 0)], tenant=3) for _ in range(100)))
    await bench.steps(6000)
    assert all(packet in bench.done for packet in wanted)
    stalled.stopped = False
    await bench.quiet()


@cocotb.test()
async def what_finds_no_place_is_dropped_and_the_port_goes_on(dut):
    """Far more lossless packets than there are tokens and places, for a stalled unit; among them, other tenants' packets by the same port."""
    bench, stalled = await start(dut)
    many = [bench.packet(64, [(STALLED, 0)], tenant=1, lossless=1) for _ in range(40)]
    others = [bench.packet(64, [(SERVING, 0)] * (1 + i % 2), tenant=(0, 2, 3)[i % 3], lossless=i % 2) for i in range(40)]
    for one, other in zip(many, others, strict=True):
        bench.send(0, one, other)
        await bench.steps(12)
    await bench.steps(300)
    assert not bench.offers[0], "the port stands still"
    assert all(packet in bench.done for packet in others)
    kept = PLACES + TOKENS + 2  # two have left for their last service: the unit has room
    assert bench.dropped == bench.events["drop_overflow"] == len(many) - kept
    stalled.stopped = False
    await bench.quiet()
    assert [packet for packet in bench.done if packet in many] == many[:kept], "those that came first, in order"


@cocotb.test()
@cocotb.parametrize(among=[0, 3])
async def waiting_packets_go_on_while_all_ports_are_busy(dut, among):
    """Packets of one flit in every cycle at both ports; the lossless ones of three tenants wait for their tokens. None of them overtakes another.
    among: droppable ones between them."""
    bench, _ = await start(dut)
    for i in range(300):
        bench.send(0, bench.packet(64, [(SERVING, 0)], tenant=i % 3, lossless=1))
        bench.send(0, *(bench.packet(64, [(SERVING, 0)], tenant=3) for _ in range(among)))
        bench.send(1, bench.packet(64, [(SERVING, 0)], tenant=3))
    await bench.steps(200)
    assert bench.offers[0] and bench.offers[1]
    await bench.quiet()
    for tenant in range(3):
        numbers = [packet.number for packet in bench.done if packet.tenant == tenant]
        assert numbers == sorted(numbers) and len(numbers) >= TOKENS + PLACES


@cocotb.test()
async def no_room_can_be_made(dut):
    """Memory is full of droppable packets within their guarantee, so that none is evicted: there is no room for places."""
    bench, stalled = await start(dut, guaranteed_cells=[0, 0, 0, 2000] + [0] * 4, guaranteed_entries=[0, 0, 0, 600] + [0] * 4)
    bench.send(0, *(bench.packet(1500, [(STALLED, 0)], tenant=3) for _ in range(100)))
    await bench.steps(100 * 24 + 300)
    many = [bench.packet(9000, [(STALLED, 0)], tenant=1, lossless=1) for _ in range(12)]
    bench.send(0, *many)
    for _ in range(3):
        other = bench.packet(1500, [(SERVING, 0)], tenant=2, lossless=1)
        bench.send(0, other)
        await bench.steps(12 * 141 + 300)
        assert other in bench.done, "the port stands still"
    assert bench.events["drop_overflow"] > 0
    stalled.stopped = False
    await bench.quiet()
    kept = [packet for packet in bench.done if packet in many]
    assert kept == many[: len(kept)] and len(kept) >= TOKENS


@cocotb.test()
async def too_little_room_can_be_made(dut):
    """Only a few of the droppable packets that fill the memory are not within a guarantee: they are evicted for a lossless packet that waits at the port for a
    place. When no more can be, it is dropped, and the port goes on."""
    bench, stalled = await start(dut, guaranteed_cells=[0, 0, 0, 504] + [0] * 4, guaranteed_entries=[0, 0, 0, 42] + [0] * 4)
    sent, kept = ([bench.packet(1500, [(STALLED, 0)], tenant=3) for _ in range(count)] for count in (16, 42))  # the unit has credits for the first
    few = [bench.packet(1500, [(STALLED, 0)], tenant=2) for _ in range(4)]
    bench.send(0, *sent, *few, *kept)
    await bench.steps(60 * 24 + 300)
    many = [bench.packet(9000, [(STALLED, 0)], tenant=1, lossless=1) for _ in range(12)]
    other = bench.packet(1500, [(SERVING, 0)], tenant=2, lossless=1)
    bench.send(0, *many, other)
    await bench.steps(13 * 141 + 1500)
    assert bench.events["drop_evicted"] == len(few) and bench.events["drop_overflow"] == 9 and other in bench.done
    stalled.stopped = False
    await bench.quiet()
    assert [packet for packet in bench.done if packet in many] == many[:3]
    assert all(packet in bench.done for packet in (*sent, *kept))


@cocotb.test()
async def what_is_void_or_has_no_right_gives_back_what_it_took(dut):
    """Many of them: if each lost a token or a place, the tenant's next lossless packet would wait for ever."""
    bench, stalled = await start(dut)
    bench.send(0, *(bench.packet(64, [(STALLED, 0)], tenant=1, lossless=1) for _ in range(4)))
    await bench.steps(200)
    for i in range(40):
        kind = i % 4
        bad = bench.packet(64, [(9, 0)] if kind == 0 else [] if kind == 1 else [(SERVING, 0)], tenant=12 if kind == 3 else 1 + i % 3, lossless=1)
        bad.bad = kind == 2
        bench.send(0, bad)
    await bench.steps(800)
    assert not bench.offers[0], "the port stands still"
    stalled.stopped = False
    bench.send(1, *(bench.packet(64, [(SERVING, 0)], tenant=1) for i in range(100)))
    for i in range(60):
        bench.send(0, bench.packet(64, [(STALLED, 0), (SERVING, 0)], tenant=1 + i % 3, lossless=1))
        await bench.steps(25)
    await bench.quiet()
    assert bench.dropped == 40
