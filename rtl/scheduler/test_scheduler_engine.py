# SPDX-License-Identifier: Apache-2.0
"""scheduler_engine among model units: order, credits, push and detour, drops, conservation, speed."""

import random
from collections import Counter

import cocotb
import pytest

from girih.testing import run_cocotb
from rtl.scheduler.scheduler_bench import (
    CELLS,
    FATES,
    FIRST_UNIT,
    SERVICES,
    TENANTS,
    UNITS,
    Bench,
    Unit,
    at,
    config_value,
)

# The tests that depend on the width, for widths other than that of the 100G card (cards of 128 bits with a scheduler run in other tests).
OTHER_WIDTHS = ["a_packet_goes_through_its_chain", "everything_at_random", "full_links_of_long_packets"]


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
def test_scheduler_engine(data_width):
    run_cocotb(
        "scheduler_engine", __file__, data_width=data_width, chained=True, parameters={"LosslessSlots": 2}, testcase=None if data_width == 512 else OTHER_WIDTHS
    )


@pytest.mark.parametrize("units, services, tenants", [*(pytest.param(*most, marks=pytest.mark.thorough) for most in ((64, 32, 8), (4, 4, 64))), (1, 1, 2)])
def test_as_many_as_there_can_be(units, services, tenants):
    """The largest and the smallest scheduler."""
    sizes = {"Units": units, "Services": services, "Tenants": tenants, "Cells": 8192 if tenants == 64 else 1024}
    run_cocotb(
        "scheduler_engine",
        __file__,
        chained=True,
        tenants=max(8, tenants),
        service_bits=max(4, (services - 1).bit_length()),
        parameters=sizes | {"LosslessSlots": 2},
        environment={name.upper(): str(value) for name, value in sizes.items()},
        testcase=["every_unit_serves_every_tenant", "a_service_without_units_takes_nothing"],
    )


# Order, credits, pushes.


@cocotb.test()
async def every_unit_serves_every_tenant(dut):
    """Packets of all tenants, through two services each, while units are busy: no unit stands idle, and the fates of each queue are counted."""
    assert len(dut.credit_i) == UNITS
    units = [Unit(index % SERVICES, credits=2, cycles=40 * UNITS // SERVICES) for index in range(UNITS)]
    bench = await Bench.start(dut, units, clear=80 * SERVICES * TENANTS + 200, push=[0] * 32)
    rounds = max(1, 8 // TENANTS + UNITS // SERVICES // 2)
    queues = [(service, tenant) for service in range(SERVICES) for tenant in range(TENANTS)] * rounds
    for number, (service, tenant) in enumerate(queues):
        bench.send(number % 2, bench.packet(random.choice([64, 200]), [(service, 0), ((service + 1) % SERVICES, 0)], tenant=tenant))
    await bench.quiet()
    assert len(bench.done) == len(queues)
    assert all(unit.served for unit in units)
    assert {(units[visit].service, packet.tenant) for packet in bench.done for visit in packet.visits} == set(queues)
    for service, tenant in set(queues):
        for fate, name in enumerate(FATES):
            place = at("fates", tenant=tenant, service=service, fate=fate)
            expected = 2 * rounds if name in ("Accepted", "Dispatched") else 0
            assert await bench.access(place, tenant=tenant) == (expected, False), (service, tenant, name)


@cocotb.test()
async def a_service_without_units_takes_nothing(dut):
    """Service 0 has no unit in use: its packets are dropped as if it did not exist, and enter no other service's queue, not even the last one's."""
    bench = await Bench.start(dut, [Unit(index % SERVICES, credits=2 * bool(index % SERVICES)) for index in range(UNITS)], clear=80 * SERVICES * TENANTS + 200)
    for service in range(SERVICES):
        for tenant in range(TENANTS):
            bench.send(tenant % 2, bench.packet(200, [(service, 0)], tenant=tenant))
    await bench.quiet()
    drops = {name: count for name, count in bench.events.items() if count and name.startswith("drop_")}
    assert drops == {"drop_bad_service": TENANTS}
    assert all(packet.services != [0] for packet in bench.done)


@cocotb.test()
async def a_packet_goes_through_its_chain(dut):
    bench = await Bench.start(dut, [Unit(0), Unit(1), Unit(2)])
    for size in (64, 65, 200, 1500, 9000):
        bench.send(0, bench.packet(size, [(0, 0), (1, 0), (2, 0)]))
        bench.send(1, bench.packet(size, [(2, 0)], tenant=3))
        await bench.quiet()


@cocotb.test()
async def packets_wait_until_the_tables_are_clear(dut):
    """They arrive as the reset ends, by both channels: none is lost, and none waits longer than the tables take to be cleared."""
    bench = await Bench.start(dut, [Unit(0), Unit(1)], clear=0)
    for channel in range(2):
        bench.send(channel, *(bench.packet(200, [(channel, 0)]) for _ in range(30)))
    await bench.quiet(4000)
    assert len(bench.done) == 60


@cocotb.test()
async def the_lowest_rank_leaves_first(dut):
    """Strict priority: with the unit stopped all but its credits stay queued, and leave by class, then by arrival."""
    unit = Unit(0, credits=1)
    bench = await Bench.start(dut, [unit])
    for rank_class in range(16):
        await bench.set_class(0, rank_class, offset=rank_class * 7)
    unit.stopped = True
    bench.send(0, bench.packet(64, [(0, 15)]))
    await bench.steps(60)
    sent = [bench.packet(random.choice([64, 300, 1500]), [(0, random.randrange(16))], tenant=1) for _ in range(100)]
    bench.send(0, *sent)
    await bench.steps(1500)
    unit.stopped = False
    await bench.quiet()
    order = [(p.classes[0], p.number) for p in bench.left[1:]]
    assert len(order) == len(sent) and order == sorted(order)


@cocotb.test()
async def never_more_than_the_credits(dut):
    for credits in (1, 3):
        units = [Unit(0, credits=credits, cycles=40), Unit(0, credits=credits + 1, cycles=60), Unit(1, credits=255)]
        bench = await Bench.start(dut, units, idle=0.2, stall=0.2)
        for _ in range(150):
            bench.send(random.randrange(2), bench.packet(random.randint(64, 300), [(random.randrange(2), 0)]))
        await bench.quiet()
        assert [u.most for u in units[:2]] == [credits, credits + 1]


@cocotb.test()
async def the_unit_with_most_credits_is_chosen(dut):
    """Two units, one of which takes four times as long: they share the work in proportion to their speeds."""
    units = [Unit(0, credits=4, cycles=40), Unit(0, credits=4, cycles=10)]
    bench = await Bench.start(dut, units)
    bench.send(0, *(bench.packet(64, [(0, 0)]) for _ in range(250)))
    await bench.quiet()
    assert 3.6 < len(units[1].served) / len(units[0].served) < 4.4


@cocotb.test()
async def pushed_packets_pass_by_the_scheduler(dut):
    """push 2: always, 1: with a credit, 0: never, and packets that come back count as queued again."""
    for push, passes in ((2, 1), (1, 1), (0, 3)):
        bench = await Bench.start(dut, [Unit(0), Unit(1), Unit(2)], push=[push] * 8)
        for i in range(40):
            bench.send(i % 2, bench.packet(random.randint(64, 600), [(0, 0), (1, 0), (2, 0)]))
        await bench.quiet()
        assert bench.events["mark_dispatched"] == passes * 40


@cocotb.test()
async def full_units_detour(dut):
    """Units push to one that is slow and small: it cancels what it takes and detours the rest, and nothing is lost."""
    units = [Unit(0), Unit(0), Unit(1, credits=2, capacity=3, cycles=25)]
    bench = await Bench.start(dut, units, push=[2] * 8, stall=0.1)
    for i in range(200):
        bench.send(i % 2, bench.packet(random.randint(64, 400), [(0, 0), (1, 0)], tenant=i % 4))
    await bench.quiet()
    assert bench.detoured > 20
    assert len(bench.done) == 200


@cocotb.test()
async def a_detoured_packet_is_served_first_among_its_rank(dut):
    unit = Unit(0, credits=1, cycles=30)
    bench = await Bench.start(dut, [unit])
    bench.send(0, *(bench.packet(64, [(0, 0)]) for _ in range(20)))
    await bench.steps(60)
    late = bench.packet(64, [(0, 0)], detoured=1)
    bench.send(1, late)
    await bench.quiet()
    place = [p.number for p in bench.left].index(late.number)
    assert place < 6


@cocotb.test()
async def an_earlier_hop_sets_the_rank(dut):
    """given_rank: the ranks that unit 0 sets put its packets before the class's level 500."""
    units = [Unit(0, rank=3), Unit(1, credits=1, cycles=30)]
    bench = await Bench.start(dut, units, push=[0] * 8, given_rank=[0, 1])
    await bench.set_class(1, 0, offset=500)
    bench.send(0, *(bench.packet(64, [(1, 0)]) for _ in range(20)))
    await bench.steps(80)
    ranked = bench.packet(64, [(0, 0), (1, 0)])
    bench.send(1, ranked)
    await bench.quiet()
    assert [p.number for p in units[1].served].index(ranked.number) < 7


# Flows.


@cocotb.test()
async def affinity_keeps_a_flow_at_its_unit_and_in_order(dut):
    units = [Unit(0, credits=3, cycles=random.randint(5, 25)) for _ in range(3)] + [Unit(1)]
    bench = await Bench.start(dut, units, push=[2] * 8, affinity=[1], stall=0.1)
    flows = [random.getrandbits(16) for _ in range(12)]
    sent = []
    for _ in range(300):
        packet = bench.packet(random.randint(64, 300), [(1, 0), (0, 0)] if random.random() < 0.3 else [(0, 0)])
        packet.desc["flow"] = random.choice(flows if len(packet.services) == 1 else flows[:1])
        packet.flow = packet.desc["flow"]
        sent.append(packet)
        bench.send(0, packet)
    await bench.quiet()
    unit_of, order = {}, {}
    for packet in bench.left:
        if packet.services == [0]:
            assert order.get(packet.flow, -1) < packet.number, "a flow was reordered"
            order[packet.flow] = packet.number
    for packet in bench.done:
        assert unit_of.setdefault(packet.flow, packet.visits[-1]) == packet.visits[-1]
    assert len(set(unit_of.values())) == 3


@cocotb.test()
async def a_waiting_flow_stops_its_service_only(dut):
    """A flow whose unit is stopped: its service waits behind it, another service does not."""
    units = [Unit(0, credits=2), Unit(0, credits=2), Unit(1, credits=4)]
    bench = await Bench.start(dut, units, affinity=[1])
    units[0].stopped = units[1].stopped = True
    bench.send(0, *(bench.packet(64, [(0, 0)], flow=i * 977) for i in range(40)))
    await bench.steps(200)
    bench.send(1, *(bench.packet(64, [(1, 0)]) for _ in range(50)))
    await bench.steps(300)
    assert len(units[2].served) == 50
    units[0].stopped = units[1].stopped = False
    await bench.quiet()


# Drops and guarantees.


@cocotb.test()
async def rights_and_bad_packets(dut):
    bench = await Bench.start(dut, [Unit(0), Unit(1)], rights=[0xFFFF, 0x0002])
    bench.stall = 0.7
    bench.send(0, bench.packet(300, [(0, 0)], tenant=1), bench.packet(300, [(1, 0)], tenant=1))
    bench.send(0, bench.packet(300, [(5, 0)]), bench.packet(300, [(9, 0)]), bench.packet(300, []))
    bench.send(1, bench.packet(300, [(0, 0)], bad=True), bench.packet(300, [(0, 0)], tenant=9))
    await bench.quiet()
    drops = {name: count for name, count in bench.events.items() if count and name.startswith("drop_")}
    assert drops == {"drop_no_right": 2, "drop_bad_service": 2, "drop_void": 2}
    assert (await bench.fates(1, 0))["NoRight"] == 1 and (await bench.fates(1, 1))["Dispatched"] == 1
    assert (await bench.fates(0, 5))["BadService"] == 1 and (await bench.fates(0, 9))["BadService"] == 1


@cocotb.test()
async def the_worst_leave_when_room_is_short(dut):
    """A stopped unit and more packets than there is room for: those of the low class stay, and every packet is counted.

    One packet of a queue can leave in six cycles, so the better ones come no faster than that.
    """
    unit = Unit(0, credits=1)
    bench = await Bench.start(dut, [unit], idle=0.7)
    for rank_class in range(2):
        await bench.set_class(0, rank_class, offset=rank_class * 100)
    unit.stopped = True
    good = 0
    for i in range(1600):
        rank_class = int(random.random() < 0.7)
        good += 1 - rank_class
        bench.send(i % 2, bench.packet(128, [(0, rank_class)], tenant=i % 4))
    await bench.steps(5000)
    unit.stopped = False
    await bench.quiet(200_000)
    assert bench.events["drop_evicted"] > 100
    lost = [p for p in bench.packets.values() if p not in bench.done]
    assert sum(p.classes[0] == 0 for p in lost) <= 0.02 * good, "packets of the good class were dropped"
    counted = Counter()
    for tenant in range(4):
        counted += Counter(await bench.fates(tenant, 0))
    assert counted["Evicted"] == bench.events["drop_evicted"] and counted["Dispatched"] == len(bench.done)


@cocotb.test()
async def a_guarantee_holds_against_a_flood(dut):
    """Tenant 0 floods with the better class; tenant 1 within its guarantee loses nothing."""
    unit = Unit(0, credits=1)
    bench = await Bench.start(
        dut, [unit], guaranteed_cells=[0, 200], guaranteed_entries=[0, 200]
    )
    await bench.set_class(0, 1, offset=100)
    unit.stopped = True
    bench.send(0, *(bench.packet(256, [(0, 0)], tenant=0) for _ in range(1100)))
    kept = [bench.packet(128, [(0, 1)], tenant=1) for _ in range(90)]
    await bench.steps(3000)
    bench.send(1, *kept)
    bench.send(1, *(bench.packet(256, [(0, 0)], tenant=0) for _ in range(900)))
    await bench.steps(5000)
    unit.stopped = False
    await bench.quiet(200_000)
    assert bench.dropped > 200
    done = {p.number for p in bench.done}
    assert all(p.number in done for p in kept)


@cocotb.test()
async def lossless_packets_are_never_dropped(dut):
    """A flood of droppable packets around lossless ones whose unit is slow: they wait, at most two at the unit. There is a
    token or a place for each."""
    units = [Unit(0, credits=4, cycles=50), Unit(1, credits=4, cycles=30)]
    bench = await Bench.start(dut, units, push=[2] * 8)
    lossless = []
    for i in range(700):
        if i % 80 == 0:
            lossless.append(bench.packet(random.randint(64, 1500), [(0, 0), (1, 0)], lossless=1, tenant=2))
            bench.send(0, lossless[-1])
        else:
            bench.send(i % 2, bench.packet(1500, [(i % 2, 0)], tenant=i % 2))
    await bench.quiet(200_000)
    done = {p.number for p in bench.done}
    assert all(p.number in done for p in lossless) and bench.dropped > 0


@cocotb.test()
async def everything_at_random(dut):
    """Services, tenants, policies, lengths and unit speeds at random, with stalls: conserved to the last packet."""
    units = [
        Unit(random.randrange(4) if i > 3 else i, credits=random.randint(1, 8), capacity=8, cycles=random.randint(1, 30))
        for i in range(8)
    ]
    bench = await Bench.start(
        dut, units, idle=0.3, stall=0.3, push=[2, 1, 1, 0], policy=[0, 1, 2, 3], hierarchy=[1, 0, 1, 0], affinity=[0, 0, 0, 1]
    )
    for service in range(4):
        for rank_class in range(4):
            await bench.set_class(service, rank_class, offset=rank_class * 20, scale=512 << rank_class)
    for _ in range(600):
        chain = [(random.randrange(4), random.randrange(4)) for _ in range(random.randint(1, 4))]
        size = random.choice([64, 64, 128, 300, 1500, 4000])
        packet = bench.packet(size, chain, tenant=random.randrange(4), lossless=int(random.random() < 0.05))
        bench.send(0 if packet.desc["lossless"] else random.randrange(2), packet)
    await bench.quiet(100_000)


# The window.


@cocotb.test()
async def the_window_shows_what_is_queued(dut):
    unit = Unit(0, credits=2)
    bench = await Bench.start(dut, [unit, Unit(1, credits=9)])
    await bench.set_class(0, 3, offset=77)
    assert await bench.read(at("classes", **{"class": 3}, word=1)) == 77
    unit.stopped = True
    bench.send(0, *(bench.packet(200, [(0, 3)], tenant=2) for _ in range(10)))
    await bench.steps(200)
    waiting = 10 - 2
    state = await bench.read(at("queues", tenant=2))
    assert (state >> 31, state >> 16 & 0xFFF, state & 0xFFFF) == (1, 77 << 1 | 1, waiting)
    cells = -(-bench.packets[0].flits // 2)
    assert await bench.read(at("tenants", tenant=2)) == waiting << 16 | waiting * cells
    assert await bench.read(at("channels")) == CELLS - waiting * cells
    assert await bench.read(at("units")) == 0 and await bench.read(at("units", unit=1)) == 9
    await bench.steps(300)
    unit.stopped = False
    await bench.quiet()
    count, low, high, largest = [await bench.read(at("waits", word=i)) for i in range(4)]
    bins = [await bench.read(at("waits", word=4 + i)) for i in range(25)]
    waits = sorted(p.left - p.entered for p in bench.done)
    assert count == 10 and high == 0 and sum(bins) == 10
    assert bins[4] == 2 and sum(bins[9:11]) == 8, "two went at once, eight waited some 600 cycles"
    assert abs(low - sum(waits)) <= 20 * 10 and abs(largest - waits[-1]) <= 20


@cocotb.test()
async def a_tenant_reads_its_own_and_writes_nothing(dut):
    bench = await Bench.start(dut, [Unit(0)])
    for addr in (at("queues", tenant=2), at("tenants", tenant=2), at("fates", tenant=2)):
        assert not (await bench.access(addr, tenant=2))[1]
        assert (await bench.access(addr, tenant=1))[1], f"tenant 1 reads 0x{addr:x} of tenant 2"
        assert (await bench.access(addr, 1, tenant=2))[1] and (await bench.access(addr, 1))[1], "it is read only"
    for addr in map(at, ("classes", "units", "channels", "waits")):
        assert (await bench.access(addr, tenant=2))[1]
    await bench.set_class(0, 0, offset=5)
    assert (await bench.access(4, 9, tenant=2))[1] and await bench.read(4) == 5
    nobodys = [("queues", {"tenant": 4}), ("queues", {"service": 8}), ("units", {"unit": 8}), ("tenants", {"tenant": 4}), ("channels", {"channel": 2}), ("waits", {"service": 8}), ("fates", {"tenant": 4}), ("fates", {"service": 16})]
    for addr in (*(at(part, **index) for part, index in nobodys), 0x1800, 1):
        assert (await bench.access(addr))[1], f"0x{addr:x} is nobody's"


# Speed.


def rate(bench: Bench, skip: int) -> float:
    """Packets per cycle that left, without the first and last `skip`."""
    at = bench.left_at[skip:-skip]
    return (len(at) - 1) / (at[-1] - at[0])


@cocotb.test()
async def one_packet_of_64_bytes_per_cycle(dut):
    """One service, one fast unit with 16 credits, one channel: in and out in every cycle."""
    bench = await Bench.start(dut, [Unit(0, cycles=1)])
    bench.send(0, *(bench.packet(64, [(0, 0)]) for _ in range(600)))
    await bench.quiet()
    print(f"64 B, one service, 16 credits: {rate(bench, 50):.3f} packets per cycle")
    assert rate(bench, 50) > 0.99


@cocotb.test()
async def one_packet_of_64_bytes_per_cycle_with_all_tenants(dut):
    bench = await Bench.start(dut, [Unit(0, cycles=1), Unit(1, cycles=1)])
    for i in range(300):
        for c in range(2):
            bench.send(c, bench.packet(64, [(c, 0)], tenant=i % 4))
    await bench.quiet()
    print(f"64 B, two channels, two services, four tenants: {rate(bench, 50):.3f} packets per cycle")
    assert rate(bench, 50) > 0.95


@cocotb.test()
async def full_links_of_long_packets(dut):
    """Packets of one length on both channels at once: every link is busy in every cycle, once the units' turns have settled."""
    for size in (512, 1500, 9000):
        bench = await Bench.start(dut, [Unit(0, cycles=1), Unit(1, cycles=1)])
        number = 20_000 // size + 40
        for _ in range(number):
            for c in range(2):
                bench.send(c, bench.packet(size, [(c, 0)]))
        await bench.quiet()
        flits = sum(p.flits for p in bench.left[24:-8])
        busy = flits / (bench.left[-8].left - bench.left[24].left)
        print(f"{size} B on two channels: {busy:.3f} flits per cycle")
        assert busy > 1.99


@cocotb.test()
async def full_links_of_one_service(dut):
    """One service with packets of both channels in a random order: the price of not knowing the next one's channel."""
    bench = await Bench.start(dut, [Unit(0, cycles=1, credits=64), Unit(0, cycles=1, credits=64)])
    for _ in range(120):
        bench.send(random.randrange(2), bench.packet(1500, [(0, 0)]))
    await bench.quiet()
    flits = sum(p.flits for p in bench.left[10:-10])
    busy = flits / (bench.left[-10].left - bench.left[10].left)
    print(f"1500 B, two channels at random: {busy:.3f} flits per cycle")
    assert busy > 1.3


@cocotb.test()
async def full_links_of_mixed_lengths(dut):
    """Seven of 64 B, four of 570 and one of 1,500, in a random order, on one channel."""
    bench = await Bench.start(dut, [Unit(0, cycles=1, credits=64)])
    sizes = [64] * 70 + [570] * 40 + [1500] * 10
    random.shuffle(sizes)
    bench.send(0, *(bench.packet(size, [(0, 0)]) for size in sizes))
    await bench.quiet()
    busy = sum(p.flits for p in bench.left[11:-10]) / (bench.left[-11].left - bench.left[10].left)
    print(f"mixed lengths on one channel: {busy:.3f} flits per cycle")
    assert busy > 0.95


@cocotb.test()
async def a_better_packet_passes_all_but_those_on_the_link(dut):
    """Long packets queue for the link; a better one passes all but what is on the link and what was popped behind it."""
    nodes = {"unit_service": [0, 1], "unit_node": [FIRST_UNIT, FIRST_UNIT + 1]}
    unit = Unit(0, credits=255, capacity=500)
    bench = await Bench.start(dut, [unit, Unit(1)], unit_credits=[1, 16])
    await bench.set_class(0, 1, offset=100)
    unit.stopped = True
    bench.send(0, *(bench.packet(1500, [(0, 1)]) for _ in range(40)))
    await bench.steps(1100)
    dut.cfg_i.value = config_value(unit_credits=[255, 16], **nodes)
    unit.stopped = False
    waits = []
    for _ in range(8):
        await bench.steps(random.randint(40, 80))
        better = bench.packet(64, [(0, 0)])
        bench.send(0, better)
        while better not in bench.left:
            await bench.step()
        waits.append(better.left - better.entered)
    print(f"64 B behind a full link of 1500 B: {min(waits)} to {max(waits)} cycles")
    assert max(waits) <= 2 * 24
    await bench.quiet()


@cocotb.test()
async def latency_without_load(dut):
    """From the last flit in to the first flit out."""
    bench = await Bench.start(dut, [Unit(0)])
    for size in (64, 1500):
        for tenant in range(2):
            packet = bench.packet(size, [(0, 0)], tenant=tenant)
            bench.send(tenant, packet)
            await bench.quiet()
            latency = bench.left_at[-1] - packet.entered
            print(f"{size} B: {latency} cycles from last flit in to first flit out")
            assert latency <= 13


@cocotb.test()
async def the_credit_loop(dut):
    """One credit, a null unit behind a crossbar of one cycle: the cycles from a packet to the next."""
    bench = await Bench.start(dut, [Unit(0, credits=1, cycles=1)])
    bench.send(0, *(bench.packet(64, [(0, 0)]) for _ in range(40)))
    await bench.quiet()
    loop = (bench.left_at[35] - bench.left_at[5]) / 30
    print(f"credit loop: {loop:.2f} cycles, of which the model of crossbar and unit takes 2")
    assert loop <= 10
