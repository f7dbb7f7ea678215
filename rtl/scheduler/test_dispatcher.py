# SPDX-License-Identifier: Apache-2.0
"""dispatcher among model queues, units and channels: credits, turns, evictions, flows, and late pops."""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

SERVICES, TENANTS, UNITS, CHANNELS, ENTRIES, LATENCY = 4, 2, 4, 2, 64, 3
PACKETS = 8


def test_dispatcher():
    parameters = {
        "Services": SERVICES,
        "Tenants": TENANTS,
        "Units": UNITS,
        "Channels": CHANNELS,
        "Entries": ENTRIES,
        "PopLatency": LATENCY,
        "Packets": PACKETS,
    }
    run_cocotb("dispatcher", __file__, chained=True, parameters=parameters)


class World:
    """What surrounds the dispatcher: slots are packets; unit u serves service u % SERVICES, or any with affinity."""

    def __init__(self, dut, affine: int = 0, credits: int = 4, lengths=(1, 2, 24), give: float = 0.3, stall: float = 0.0):
        self.dut, self.affine, self.lengths, self.give, self.stall = dut, affine, lengths, give, stall
        self.queues = [deque() for _ in range(SERVICES * TENANTS)]
        self.slots: dict[int, tuple[int, int, int, int]] = {}  # slot: (queue, channel, flits, unit)
        self.credits = [credits] * UNITS
        self.most = credits
        self.pipe = deque([None] * (LATENCY + 1))
        self.links = [deque() for _ in range(CHANNELS)]
        self.taken = deque()
        self.left: list[tuple[int, int]] = []  # (service, slot), in order
        self.evicted: list[int] = []
        self.launches: list[tuple[int, int]] = []  # (cycle, unit)
        self.reading: int | None = None
        self.holding = 0.0  # probability of a cycle in which no pop may be decided
        self.decided: tuple[int, bool] | None = None  # the pop of the previous decision: queue, and whether of the highest
        self.order = [deque() for _ in range(SERVICES)]  # slots as they were popped to be sent
        self.fetched: set[int] = set()  # slots that were popped while their service had affinity
        self.cycle = 0

    async def reset(self) -> None:
        dut = self.dut
        names = ["arrive_i", "evict_valid_i", "hold_i", "popped_valid_i", "sent_i", "sent_last_i"]
        for name in [*names, "queue_busy_i", "pick_valid_i", "lossless_i"]:
            getattr(dut, name).value = 0
        dut.affine_i.value = self.affine
        start_clock(dut)
        dut.rst_i.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0

    def best(self, service: int) -> int:
        return service % UNITS

    async def step(self, arrivals: float = 0.5, evict: bool = False) -> None:
        dut = self.dut
        free = sum(int(c > 0) << u for u, c in enumerate(self.credits))
        # A packet arrives; queues know it in the next cycle.
        new = None
        if random.random() < arrivals and len(self.slots) < ENTRIES:
            slot = next(s for s in random.sample(range(ENTRIES), ENTRIES) if s not in self.slots)
            queue = random.randrange(len(self.queues))
            new = (slot, queue, random.randrange(CHANNELS), random.choice(self.lengths), random.randrange(UNITS))
            dut.arrive_slot_i.value, dut.arrive_unit_i.value = slot, new[4]
            dut.arrive_lossless_i.value = 0
        dut.arrive_i.value = int(new is not None)
        picks = [[t for t in range(TENANTS) if self.queues[s * TENANTS + t]] for s in range(SERVICES)]
        tenants = [random.choice(p) if p else 0 for p in picks]
        dut.pick_valid_i.value = sum(int(bool(p)) << s for s, p in enumerate(picks))
        dut.pick_tenant_i.value = sum(t << s for s, t in enumerate(tenants))
        dut.queue_busy_i.value = sum(int(bool(q)) << i for i, q in enumerate(self.queues))
        stored = 0
        for queue, channel, _, _ in self.slots.values():
            stored |= 1 << (queue // TENANTS) * CHANNELS + channel
        dut.stored_i.value = stored
        dut.free_i.value = dut.lossless_free_i.value = free
        ready = sum((free >> self.best(s) & 1) << s for s in range(SERVICES))
        dut.unit_free_i.value = dut.unit_lossless_free_i.value = ready
        dut.unit_i.value = sum(1 << UNITS * s + self.best(s) for s in range(SERVICES))
        victims = [i for i, q in enumerate(self.queues) if q]
        dut.evict_valid_i.value = int(evict and bool(victims))
        dut.evict_queue_i.value = random.choice(victims) if victims else 0
        dut.hold_i.value = int(random.random() < self.holding)
        popped = self.pipe.popleft()
        dut.popped_valid_i.value = int(popped is not None)
        dut.popped_slot_i.value = popped if popped is not None else random.randrange(ENTRIES)
        leaving, self.reading = self.reading, None
        if leaving is not None:
            _, channel, flits, _ = self.slots[leaving]
            dut.leave_channel_i.value, dut.leave_flits_i.value = 1 << channel, flits
        sent = last = 0
        for c, link in enumerate(self.links):
            if link and random.random() >= self.stall:
                sent |= 1 << c
                link[0] -= 1
                if not link[0]:
                    link.popleft()
                    last |= 1 << c
        dut.sent_i.value, dut.sent_last_i.value = sent, last
        await ReadOnly()
        self.observe(leaving, tenants)
        await RisingEdge(dut.clk_i)
        for u in range(UNITS):
            if self.credits[u] < self.most and random.random() < self.give:
                self.credits[u] += 1
        if new:
            self.slots[new[0]] = new[1:]
            self.queues[new[1]].append(new[0])
        self.cycle += 1

    def observe(self, leaving: int | None, tenants: list[int]) -> None:
        dut = self.dut
        pops = int(dut.pop_one_o.value)
        if self.decided is None:
            assert pops == 0 and dut.pop_valid_o.value == 0
        else:
            number, highest = self.decided
            assert pops == 1 << number and dut.pop_valid_o.value == 1 and int(dut.pop_queue_o.value) == number
            assert (dut.pop_highest_o.value == 1) == highest
        if int(dut.take_o.value):
            unit = int(dut.take_o.value).bit_length() - 1
            assert int(dut.take_o.value) == 1 << unit, "two credits are taken at once"
            assert self.credits[unit] > 0, "a packet is sent without a credit"
            self.credits[unit] -= 1
            self.launches.append((self.cycle, unit))
            self.taken.append(unit)
        pop, self.decided = None, None
        picked = int(dut.picked_o.value)
        if dut.evict_ready_o.value == 1:
            self.decided = int(dut.evict_queue_i.value), True
            assert picked == 0, "two pops in one cycle"
        elif picked:
            service = picked.bit_length() - 1
            assert picked == 1 << service, "two pops in one cycle"
            self.decided = service * TENANTS + tenants[service], False
        if self.decided:
            number, highest = self.decided
            queue = self.queues[number]
            assert queue, "an empty queue is popped"
            assert dut.hold_i.value == 0, "a pop is decided while the port is held"
            pop = queue.pop() if highest else queue.popleft()
            if not highest:
                self.order[number // TENANTS].append(pop)
                if self.affine >> number // TENANTS & 1:
                    self.fetched.add(pop)
        self.pipe.append(pop)
        assert (dut.leave_o.value == 1) == (leaving is not None)
        if leaving is not None:
            left, channel, flits, unit = self.slots.pop(leaving)
            service = left // TENANTS
            assert int(dut.leave_service_o.value) == service
            if dut.leave_evicted_o.value == 1:
                self.evicted.append(leaving)
            else:
                want = unit if leaving in self.fetched else self.best(service)
                assert int(dut.leave_unit_o.value) == want == self.taken.popleft()
                assert leaving == self.order[service].popleft(), "a packet passed another of its service"
                self.left.append((service, leaving))
                self.fetched.discard(leaving)
                self.links[channel].append(flits)
                assert len(self.links[channel]) <= PACKETS + LATENCY + 2
        if dut.read_o.value == 1:
            self.reading = int(dut.read_slot_o.value)
            assert self.reading in self.slots

    async def drain(self) -> None:
        for _ in range(20_000):
            await self.step(arrivals=0)
            if not self.slots and not any(self.links):
                break
        assert not self.slots and not any(self.queues), "packets are left behind"
        for _ in range(5):
            await self.step(arrivals=0)


@cocotb.test()
@cocotb.parametrize(affine=[0, 0b0101, 0b1111], stall=[0.0, 0.5])
async def every_packet_leaves_once(dut, affine, stall):
    world = World(dut, affine, stall=stall)
    await world.reset()
    for i in range(3000):
        if i % 30 == 0:  # the services with affinity change, whatever waits or is in flight
            world.affine = affine ^ (0b0110 if i % 60 else 0)
            dut.affine_i.value = world.affine
            world.holding = random.choice([0.0, 0.25])
        await world.step(evict=i % 400 < 40)
    world.holding = 0.0
    await world.drain()
    assert world.evicted and len(world.left) > 200
    assert {service for service, _ in world.left} == set(range(SERVICES))


@cocotb.test()
async def services_take_turns(dut):
    """If all services have packets and all units credits, each service gets the same share."""
    world = World(dut, credits=10, lengths=(1,), give=1.0)
    await world.reset()
    for _ in range(150):  # it learns how short the packets are
        await world.step(arrivals=1.0)
    while len(world.slots) < ENTRIES:
        world.credits = [0] * UNITS
        await world.step(arrivals=1.0)
    world.credits = [10] * UNITS
    before = len(world.launches)
    for _ in range(24):
        await world.step(arrivals=1.0)
    counts = Counter(unit for _, unit in world.launches[before:])
    assert max(counts.values()) - min(counts.values()) <= 1 and sum(counts.values()) >= 20
    await world.drain()


@cocotb.test()
async def a_service_with_affinity_gets_its_share(dut):
    """Its packets are popped ahead through the port of the PIFO, which the other services could use in every cycle."""
    world = World(dut, 0b0001, credits=10, lengths=(1,), give=1.0)
    await world.reset()
    for _ in range(150):
        await world.step(arrivals=1.0)
    while len(world.slots) < ENTRIES:
        world.credits = [0] * UNITS
        await world.step(arrivals=1.0)
    world.credits = [10] * UNITS
    before = len(world.left)
    for _ in range(32):
        await world.step(arrivals=1.0)
    counts = Counter(service for service, _ in world.left[before:])
    assert counts[0] >= 0.8 * counts.total() / SERVICES and counts.total() >= 20
    await world.drain()


@cocotb.test()
async def evictions_and_dispatches_alternate(dut):
    world = World(dut, credits=10, lengths=(1,), give=1.0)
    await world.reset()
    for _ in range(150):
        await world.step(arrivals=1.0)
    for _ in range(200):
        world.credits = [0] * UNITS
        await world.step(arrivals=1.0)
    world.credits = [10] * UNITS
    launched, evicted = len(world.launches), len(world.evicted)
    for _ in range(30):
        await world.step(arrivals=1.0, evict=True)
    assert 12 <= len(world.launches) - launched <= 16
    assert 11 <= len(world.evicted) - evicted <= 16
    await world.drain()


@cocotb.test()
async def long_packets_are_popped_late(dut):
    """On links full of long packets at most one waits behind the one that is being sent."""
    world = World(dut, credits=200, lengths=(140,), give=1.0)
    await world.reset()
    deepest = 0
    for _ in range(4000):
        await world.step(arrivals=0.5)
        deepest = max(deepest, *(len(link) for link in world.links))
    assert deepest <= 3
    await world.drain()
